"""All that a learner of two arms may become under all tables: its states, round by round.

What draws afresh in every round is known by what it has seen; states that are the same to the bit
are one. So all tables are one graph, in which paths are sequences of actions and rewards.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpaudit.curves.paths import Floats, Steps
from dpaudit.errors import UsageError
from dpaudit.play.tables import Configured

Ints = NDArray[np.int64]
BINARY = 2
"""Levels of rewards: 0 and 1."""
MOST_STATES = 100_000


@dataclass(frozen=True)
class Layer:
    """A round: log-chances of both arms by state, and the state of the next round by state, arm and
    letter. What a letter shows is the arm's reward or, with full information, the row."""

    chances: Floats
    following: Ints


@dataclass(frozen=True)
class Automaton:
    layers: list[Layer]
    letters: int
    rows: Floats
    """All rows, by their number."""
    seen: Ints
    """Letter by row and arm."""


def rows_of(levels: int) -> Floats:
    """All rows whose rewards are 0, 1/(levels - 1), ..., 1."""
    return np.array(list(itertools.product(np.linspace(0.0, 1.0, levels), repeat=2)))


def automaton(who: Configured, rounds: int, levels: int = BINARY) -> Automaton:
    """Of all tables of these rewards; after the last choice nothing is seen."""
    steps, all_rows = Steps(who), rows_of(levels)
    # Without full information a letter is a reward, whichever arm's.
    shown = all_rows if steps.full else all_rows[:: levels + 1]
    states = [steps.start]
    layers, total = [], 0
    for t in range(1, rounds + 1):
        total += len(states)
        if total > MOST_STATES:
            raise UsageError(f"rounds: {t} of {rounds} have more than {MOST_STATES:,} states")
        chances = np.array([steps.chances(state, t) for state in states])
        following = np.zeros((len(states), 2, len(shown)), np.int64)
        known: dict[bytes, int] = {}
        after: list[tuple[bytes, Any]] = []
        for i, arm, letter in np.ndindex(following.shape):
            if t < rounds and chances[i, arm] > -np.inf:
                state = steps.seen(states[i], t, arm, shown[letter])
                if state[0] not in known:
                    known[state[0]] = len(after)
                    after.append(state)
                following[i, arm, letter] = known[state[0]]
        layers.append(Layer(chances, following))
        states = after
    places = np.arange(len(all_rows))
    own = [places, places] if steps.full else [places // levels, places % levels]
    return Automaton(layers, len(shown), all_rows, np.stack(own, axis=1))
