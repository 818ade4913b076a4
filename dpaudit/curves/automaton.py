"""All that a learner of two arms may become under binary tables: its states, round by round.

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
ROWS = np.array(list(itertools.product((0.0, 1.0), repeat=2)))
"""The binary rows, by their number."""
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
    seen: Ints
    """Letter by row and arm."""


def automaton(who: Configured, rounds: int) -> Automaton:
    """Of all binary tables; after the last choice nothing is seen."""
    steps = Steps(who)
    shown = [
        ROWS[letter] if steps.full else ROWS[3 * letter] for letter in range(4)[: _count(steps)]
    ]
    states = [steps.start]
    layers, total = [], 0
    for t in range(1, rounds + 1):
        total += len(states)
        if total > MOST_STATES:
            raise UsageError(f"rounds: {t} of {rounds} have more than {MOST_STATES:,} states")
        chances = np.array([steps.chances(state, t) for state in states])
        following = np.zeros((len(states), 2, len(shown)), np.int64)
        places: dict[bytes, int] = {}
        after: list[tuple[bytes, Any]] = []
        for i, arm, letter in np.ndindex(following.shape):
            if t < rounds and chances[i, arm] > -np.inf:
                state = steps.seen(states[i], t, arm, shown[letter])
                if state[0] not in places:
                    places[state[0]] = len(after)
                    after.append(state)
                following[i, arm, letter] = places[state[0]]
        layers.append(Layer(chances, following))
        states = after
    rows = np.arange(4)
    seen = np.stack([rows, rows] if steps.full else [rows // 2, rows % 2], axis=1)
    return Automaton(layers, len(shown), seen)


def _count(steps: Steps) -> int:
    return 4 if steps.full else 2
