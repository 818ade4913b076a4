"""The law of an algorithm's actions, as its steps make it: which noise leads along which actions.

Rounds are followed on symbols. A state that holds neither noise nor data is the end of a phase:
what comes after hangs on the past through this state alone, and on later rewards. Where the actions
show which of these states was reached, the probability of a sequence of actions is the product of
its phases', and a changed round is in one of them. Else all rounds are one phase.
"""

from __future__ import annotations

import functools
import linecache
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from dpaudit.auditor.engines.exact.steps.bands import Asked, Neighbour
from dpaudit.auditor.engines.exact.steps.following import Place, Rounds
from dpaudit.play.reach.steps import Unfit
from dpaudit.play.tables import Configured
from dpaudit.prover.prove import shown_file

MOST_PATHS = 1 << 11
"""Paths of one phase that are followed at once."""
MOST_STEPS = 16_000
"""Rounds that are followed, on all paths together."""
CELLS = 128
"""Arms times rounds behind which no phase begins: what the first ones lose holds for all."""

BESIDE: tuple[Callable[[int], float], ...] = (
    lambda _: 0.0,
    lambda _: 1.0,
    lambda i: float(i * 7 % 5 < 2),
)
"""Rewards of the neighbouring world that are tried, where these are compared with something."""

State = tuple[Any, ...]


class TooLarge(Exception):
    """It fits, but not to this many rounds."""

    def __init__(self, rounds: int, why: str) -> None:
        super().__init__(why)
        self.rounds = rounds
        """To which it can go."""


@dataclass(frozen=True)
class Outcome:
    """What comes out of a phase: its actions, and the clean state behind it (none at the end)."""

    actions: tuple[int, ...]
    then: State | None


@dataclass
class Phase:
    """The rounds from a clean state to the next ones: by outcome, all that leads to it."""

    first: int
    state: State
    outcomes: dict[Outcome, list[Asked]] = field(default_factory=dict)


@dataclass(frozen=True)
class Law:
    """All phases that can be reached, by their first round and state."""

    start: State
    phases: dict[tuple[int, State], Phase]
    arms: int
    rounds: int
    """As many as were followed; fewer than were asked for where the phases end there."""
    following: dict[tuple[int, State], set[int]]
    """What may be played first from a clean state."""
    came: dict[tuple[int, State], list[tuple[Phase, Outcome]]]
    """Phases and outcomes of them that lead to a clean state, perhaps with probability 0."""

    def next_actions(self, phase: Phase, outcome: Outcome) -> list[tuple[int, ...]]:
        """What tells the outcome from others of the same actions."""
        alike = [o for o in phase.outcomes if o.actions[: len(outcome.actions)] == outcome.actions]
        if len(alike) == 1 or outcome.then is None:
            return [()]
        after = phase.first + len(outcome.actions)
        return [(a,) for a in sorted(self.following[after, outcome.then])]


@functools.lru_cache(maxsize=64)
def law_of(who: Configured) -> Law:
    """Of the first `horizon` rounds. Remembered for this version of the algorithm's source."""
    if who.source is None:
        raise Unfit("the source of its steps is not to be had")
    try:
        return _with_neighbour(who)
    except (Unfit, TooLarge):
        raise
    except Exception as error:
        raise Unfit(f"{type(error).__name__}: {error}".split("\n")[0]) from error


def _with_neighbour(who: Configured) -> Law:
    try:
        return _derived(Rounds(who.algorithm, who.settings), who)
    except Neighbour:
        # It may be made into the neighbour's own sums only: then its value changes nothing.
        first, *others = (
            _derived(Rounds(who.algorithm, who.settings, beside), who) for beside in BESIDE
        )
        if any(other.phases != first.phases for other in others):
            raise
        return first


def refused(who: Configured, error: Unfit) -> str:
    """What did not fit, and at which line of the algorithm."""
    frames = traceback.extract_tb(error.__traceback__)
    cause = error.__cause__
    if cause is not None:
        frames = traceback.StackSummary.from_list(
            [*frames, *traceback.extract_tb(cause.__traceback__)]
        )
    steps = who.algorithm.select, who.algorithm.observe, who.algorithm.start
    files = {step.__code__.co_filename for step in steps}
    own = [frame for frame in frames if frame.filename in files]
    if not own:
        return str(error)
    file, line = own[-1].filename, own[-1].lineno or 0
    text = linecache.getline(file, line).strip()
    return f"{shown_file(file)}, line {line} ({text}): {error}"


def _derived(rounds: Rounds, who: Configured) -> Law:
    """With a cut wherever the state is clean, if the actions show it."""
    law = _phases(rounds, who, cut=True) or _phases(rounds, who, cut=False)
    assert law is not None
    return law


def _phases(rounds: Rounds, who: Configured, *, cut: bool) -> Law | None:
    """The phases; None where the actions hide which state one ended in."""
    arms, horizon, steps = int(who.settings["arms"]), int(who.settings["horizon"]), 0
    start = rounds.start.key
    open_: dict[tuple[int, State], Place] = {(1, start): rounds.start}
    phases: dict[tuple[int, State], Phase] = {}
    firsts: dict[tuple[int, State], set[int]] = {}
    came: dict[tuple[int, State], list[tuple[Phase, Outcome]]] = {}
    last = horizon
    while open_:
        (first, state), place = min(open_.items(), key=lambda item: item[0][0])
        del open_[first, state]
        if first > 1 and arms * first > CELLS:
            last = min(last, first - 1)
        if first > last:
            beyond = rounds.after(Place(place.arms, place.own), first)
            firsts[first, state] = {each.actions[0] for each in beyond}
            continue
        phase = phases[first, state] = Phase(first, state)
        paths = [Place(place.arms, place.own)]
        for t in range(first, horizon + 1):
            following: list[Place] = []
            for path in paths:
                steps += 1
                if steps > MOST_STEPS:
                    raise TooLarge(t - 1, f"more than {MOST_STEPS} rounds to follow")
                for after in rounds.after(path, t):
                    if t == horizon:
                        phase.outcomes.setdefault(Outcome(after.actions, None), []).append(
                            after.asked
                        )
                    elif cut and after.clean:
                        key = after.key
                        outcome = Outcome(after.actions, key)
                        if outcome not in phase.outcomes:
                            came.setdefault((t + 1, key), []).append((phase, outcome))
                        phase.outcomes.setdefault(outcome, []).append(after.asked)
                        if (t + 1, key) not in phases:
                            open_.setdefault((t + 1, key), after)
                    else:
                        following.append(after)
            if t == first:
                firsts[first, state] = {path.actions[0] for path in following} | {
                    outcome.actions[0] for outcome in phase.outcomes
                }
            paths = following
            if len(paths) > MOST_PATHS:
                raise TooLarge(t - 1, f"more than {MOST_PATHS} paths")
            if not paths:
                break
    kept = {key: phase for key, phase in phases.items() if key[0] <= last}
    law = Law(start, kept, arms, last, firsts, came)
    return law if not cut or all(_shown(phase, firsts) for phase in kept.values()) else None


def _shown(phase: Phase, firsts: dict[tuple[int, State], set[int]]) -> bool:
    """Whether the phase's actions and the next one tell its outcome."""
    by_actions: dict[tuple[int, ...], list[set[int]]] = {}
    for outcome in phase.outcomes:
        after = phase.first + len(outcome.actions)
        following = set() if outcome.then is None else firsts[after, outcome.then]
        by_actions.setdefault(outcome.actions, []).append(following)
    longer: dict[tuple[int, ...], set[int]] = {}
    for actions in by_actions:
        for length in range(1, len(actions)):
            longer.setdefault(actions[:length], set()).add(actions[length])
    for actions, sets in by_actions.items():
        seen = set(longer.get(actions, ()))
        for following in sets:
            if seen & following:
                return False
            seen |= following
    return True
