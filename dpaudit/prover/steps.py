"""Every way through an algorithm's steps from an arbitrary state, and what each does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import z3

from dpaudit.algorithm.contract import Algorithm, no_leap
from dpaudit.prover import paths
from dpaudit.prover.binding import Bound
from dpaudit.prover.state import Arms, Record, Vector, arbitrary, check_twins, public_values
from dpaudit.prover.terms import EPSILON, HERE, THERE, Private, Public
from dpaudit.prover.vocabulary import Booking, Coins

MOST_WAYS = 4096
"""More ways through one step than this are not followed."""


@dataclass(frozen=True)
class Way:
    """One way through one step."""

    step: str
    """`select`, or `observe` and the arm that was pulled."""
    arm: int | None
    facts: tuple[Any, ...]
    """What is known of the public state on it."""
    private: Mapping[str, Any]
    """What the private fields hold after it, of those that do not stay as they are."""
    public: Mapping[str, Any]
    """The same for public ones."""
    bookings: tuple[Booking, ...]
    limited: bool
    """It rests on counters below 2^44."""


@dataclass(frozen=True)
class Start:
    """The public state before the first round, a way."""

    facts: tuple[Any, ...]
    public: Mapping[str, Any]


class Steps:
    """An algorithm's steps for so many arms, at settings of which some may be open."""

    def __init__(self, algorithm: Algorithm, arms: int, settings: Mapping[str, Any]) -> None:
        self.algorithm, self.arms = algorithm, arms
        self.bound = Bound(algorithm)
        self.own, self.given = self._own(settings)
        self.full = algorithm.card.feedback != "bandit"

    def _own(self, settings: Mapping[str, Any]) -> tuple[dict[str, Any], list[Any]]:
        """The learner's settings: epsilon and what is not given are open, with their ranges."""
        card = self.algorithm.card
        own: dict[str, Any] = {"epsilon": Public(z3.RealVal(1), grade=1)}
        facts: list[Any] = [EPSILON > 0]
        if card.epsilon_max < float("inf"):
            facts.append(EPSILON <= z3.RealVal(card.epsilon_max))
        if not card.anytime:
            horizon = settings.get("horizon")
            own["horizon"] = horizon or Public(z3.Real("own.horizon"), whole=True)
            if horizon is None:
                facts.append(z3.Real("own.horizon") >= self.arms)
        for parameter in card.parameters:
            value = settings.get(parameter.name, card.fixed.get(parameter.name))
            if parameter.words:
                word = str(parameter.default if value is None else value)
                own[parameter.name] = float(parameter.words.index(word))
            elif value is not None:
                own[parameter.name] = float(value)
            else:
                symbol = z3.Real(f"own.{parameter.name}")
                own[parameter.name] = Public(symbol, whole=parameter.whole)
                facts += [symbol >= z3.RealVal(str(parameter.low))] * (parameter.low > -1e300)
                facts += [symbol <= z3.RealVal(str(parameter.high))] * (parameter.high < 1e300)
        return own, facts

    def starts(self) -> list[Start]:
        """What `start` may leave."""

        def run() -> tuple[Arms, Record]:
            arms, own = arbitrary(self.algorithm, self.arms, self.own)
            for state in (*arms, own):
                _zero(state, self.own if state is own else {})
            self._called(self.bound.start, arms, own)
            return arms, own

        found = []
        for (arms, own), path in paths.explore(run, MOST_WAYS):
            public = {k: v for state in (*arms, own) for k, v in public_values(state).items()}
            found.append(Start(tuple(path.facts), public))
        return found

    def select(self) -> list[Way]:
        t = Public(z3.Real("t"), whole=True)

        def step(arms: Arms, own: Record) -> None:
            paths.current().know(t.term >= 1)
            chosen = self._called(self.bound.select, arms, own, t, Coins())
            if isinstance(chosen, Private):
                raise paths.Leak("select returns a private number")

        return self._ways("select", None, step)

    def observe(self, arm: int) -> list[Way]:
        leaps = self.algorithm.leap is not no_leap

        def step(arms: Arms, own: Record) -> None:
            pulls: Any = 1
            if leaps:
                pulls = Public(z3.Real("pulls"), whole=True)
                paths.current().know(pulls.term >= 1)
            here, there = (self._rewards(world) for world in (HERE, THERE))
            self._called(self.bound.observe, arms, own, arm, pulls, here, there, Coins())

        return self._ways(f"observe arm {arm}", arm, step)

    def _rewards(self, world: str) -> Any:
        if self.full:
            return Vector([Private(world, {f"reward[{j}]": 1}) for j in range(self.arms)])
        return Private(world, {"reward": 1})

    def _ways(self, name: str, arm: int | None, step: Callable[..., None]) -> list[Way]:
        made = self.bound.releases.made

        def run() -> tuple[dict[str, Any], dict[str, Any], tuple[Booking, ...]]:
            made.clear()
            arms, own = arbitrary(self.algorithm, self.arms, self.own)
            states = (*arms, own)
            before = [public_values(state) for state in states]
            step(arms, own)
            private = {k: v for state in states for k, v in check_twins(state).items()}
            moved = {k: v for k, v in private.items() if not _stays(k, v)}
            public = {
                k: v
                for state, old in zip(states, before, strict=True)
                for k, v in public_values(state).items()
                if v is not old[k]
            }
            return moved, public, tuple(made)

        return [
            Way(name, arm, tuple(path.facts), *done, path.limited)
            for done, path in paths.explore(run, MOST_WAYS)
        ]

    def _called(self, step: Any, *given: Any) -> Any:
        """A step's answer; what it cannot do on symbols is said with its line."""
        try:
            return step(*given)
        except (paths.Stopped, paths.Ended):
            raise
        except Exception as error:
            raise _unsupported(error) from error


def _unsupported(error: Exception) -> paths.Unsupported:
    where, trace = "", error.__traceback__
    while trace is not None:
        if paths.MARK in trace.tb_frame.f_globals:
            file = trace.tb_frame.f_code.co_filename.rpartition("/")[2]
            where = f"{file}, line {trace.tb_lineno}"
        trace = trace.tb_next
    found = paths.Unsupported(f"{type(error).__name__}: {error}")
    found.where = where
    found.args = (f"{where}: {found.what}",)
    return found


def _stays(place: str, value: Any) -> bool:
    return (
        isinstance(value, Private)
        and list(value.parts) == [place]
        and value.parts[place] == 1
        and not isinstance(value.offset, Public)
        and value.offset == 0
    )


def _zero(state: Record, given: Mapping[str, Any]) -> None:
    from dpaudit.prover.state import Array

    for field, value in state._values.items():
        if field in given:
            continue
        if isinstance(value, Array):
            value.values = [0.0] * len(value.values)
        else:
            state._values[field] = 0 if state._kinds[field] is int else 0.0
