"""Every way through an algorithm's steps from an arbitrary state, and what each does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import z3

from dpaudit.algorithm.contract import Algorithm, no_leap
from dpaudit.prover.symbols import paths
from dpaudit.prover.symbols.binding import Bound
from dpaudit.prover.symbols.functions import (
    Secret,
)
from dpaudit.prover.symbols.state import (
    Arms,
    Array,
    Record,
    Vector,
    arbitrary,
    check_twins,
    public_values,
)
from dpaudit.prover.symbols.terms import (
    ARMS,
    EPSILON,
    HERE,
    THERE,
    Place,
    Private,
    Public,
    literal,
)
from dpaudit.prover.symbols.vocabulary import Booking, Coins

MOST_WAYS = 512
"""More ways through one step than this are not followed."""


@dataclass(frozen=True)
class Way:
    """One way through one step."""

    step: str
    pulled: str
    """`observe`: whose reward it is (`focus`, `pulled`: another arm's, `every`); else nobody's."""
    facts: tuple[Any, ...]
    """What is known of the public state on it."""
    private: Mapping[str, Any]
    """What the private fields hold after it, of those that do not stay as they are."""
    public: Mapping[str, Any]
    """The same for public ones."""
    bookings: tuple[Booking, ...]
    claims: tuple[Any, ...] = ()
    """What must be so wherever it can be gone."""
    answer: Any = None
    """The arm that `select` returns."""
    defined: tuple[tuple[Any, str, tuple[Any, ...]], ...] = ()
    """Symbols that are functions of others, as they came up."""


@dataclass(frozen=True)
class Start:
    """The public state before the first round, a way."""

    facts: tuple[Any, ...]
    public: Mapping[str, Any]


class Steps:
    """An algorithm's steps for any number of arms, at settings of which some may be open."""

    def __init__(self, algorithm: Algorithm, settings: Mapping[str, Any]) -> None:
        self.algorithm = algorithm
        self.full = algorithm.card.feedback != "bandit"
        self.bound = Bound(algorithm)
        self.own, self.given = self._own(settings)

    @property
    def arm(self) -> str:
        """The name of the record whose sums may differ."""
        return "arm*" if self.full else "arm0"

    def _own(self, settings: Mapping[str, Any]) -> tuple[dict[str, Any], list[Any]]:
        """The learner's settings: epsilon and what is not given are open, with their ranges."""
        card = self.algorithm.card
        own: dict[str, Any] = {"epsilon": Public(z3.RealVal(1), grade=1)}
        arms = settings.get("arms")
        facts: list[Any] = [EPSILON > 0, ARMS >= 1 if arms is None else literal(arms) == ARMS]
        if card.epsilon_max < float("inf"):
            facts.append(literal(card.epsilon_max) >= EPSILON)
        if not card.anytime:
            horizon = settings.get("horizon")
            if horizon is not None:
                own["horizon"] = int(horizon)
            else:
                own["horizon"] = Public(z3.Real("own.horizon"), whole=True)
                # In one round nothing that was observed is used.
                facts += [own["horizon"].term >= 2]
        for parameter in card.parameters:
            value = settings.get(parameter.name, card.fixed.get(parameter.name, parameter.default))
            if parameter.words:
                own[parameter.name] = float(parameter.words.index(str(value)))
            else:
                own[parameter.name] = float(value)
        return own, facts

    def starts(self) -> list[Start]:
        """What `start` may leave."""
        places = ("every",) if self.full else ("focus", "third")

        def run() -> tuple[Arms, Record]:
            arms, own = arbitrary(self.algorithm, self.own, places)
            for state in (*arms.records.values(), own):
                _zero(state, self.own if state is own else {})
            self._called(self.bound.start, arms, own)
            return arms, own

        found = []
        for (arms, own), path in paths.explore(run, MOST_WAYS):
            states = (*arms.records.values(), own)
            public = {k: v for state in states for k, v in public_values(state).items()}
            found.append(Start(tuple(path.facts), public))
        return found

    def select(self, *, through: bool = False) -> list[Way]:
        """`through`: also where it only looks and loops, for what it answers."""
        rule = self.bound.through[self.algorithm.select] if through else self.bound.select
        t = Public(z3.Real("t"), whole=True)

        def step(arms: Arms, own: Record) -> None:
            paths.current().know(t.term >= 1)
            chosen = self._called(rule, arms, own, t, Coins())
            if isinstance(chosen, (Private, Secret)):
                raise paths.Leak("select returns a private number", "")
            if not isinstance(chosen, (int, float, Public)):
                raise paths.Unsupported("select returns something that is no arm", "")
            paths.current().answer = chosen

        places = ("every",) if self.full else ("focus", "third")
        return self._ways("select", "", places, step)

    def observe(self, pulled: str) -> list[Way]:
        leaps = self.algorithm.leap is not no_leap

        def step(arms: Arms, own: Record) -> None:
            pulls: Any = 1
            if leaps:
                pulls = Public(z3.Real("pulls"), whole=True)
                paths.current().know(pulls.term >= 1)
            # With full information one record stands for every arm, not for the one played.
            index = Place(z3.Real("arm"), which="" if self.full else pulled)
            paths.current().know(z3.And(index.term >= 0, index.term + 1 <= ARMS))
            here, there = (self._rewards(world) for world in (HERE, THERE))
            self._called(self.bound.observe, arms, own, index, pulls, here, there, Coins())

        places = ("every",) if self.full else ("focus", *{pulled} - {"focus"}, "third")
        return self._ways("observe", pulled, places, step)

    def ways(self) -> list[Way]:
        pulled = ("every",) if self.full else ("focus", "pulled")
        return [*self.select(), *(way for which in pulled for way in self.observe(which))]

    def _rewards(self, world: str) -> Any:
        reward = Private(world, {"reward": 1})
        return Vector(reward) if self.full else reward

    def _ways(
        self, name: str, pulled: str, places: tuple[str, ...], step: Callable[..., None]
    ) -> list[Way]:
        made = self.bound.releases.made

        def run() -> tuple[dict[str, Any], dict[str, Any], tuple[Booking, ...]]:
            made.clear()
            arms, own = arbitrary(self.algorithm, self.own, places)
            states = (*arms.records.values(), own)
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

        found = paths.explore(run, MOST_WAYS)
        if self.full:
            _alike_for_all(found)
        return [
            Way(
                *(name, pulled, tuple(path.facts), *done, tuple(path.claims)),
                answer=path.answer,
                defined=tuple(path.defined),
            )
            for done, path in found
        ]

    def _called(self, step: Any, *given: Any) -> Any:
        """A step's answer; what it cannot do on symbols is said with its line."""
        try:
            return step(*given)
        except (paths.Stopped, paths.Ended, paths.Learnt):
            raise
        except Exception as error:
            raise _unsupported(error) from error


def _alike_for_all(found: Iterable[tuple[Any, paths.Path]]) -> None:
    """One turn of a loop stands for every arm's: it must do the same to sums, and release the same,
    whatever it decides."""
    seen: dict[tuple[int, ...], str] = {}
    for (private, _, bookings), path in found:
        outside = tuple(c for c, inside in zip(path.taken, path.inside, strict=True) if not inside)
        does = f"{private} {[(b.kind, b.values, b.scale) for b in bookings]}"
        if seen.setdefault(outside, does) != does:
            raise paths.Unsupported("a turn of a loop treats some arms otherwise than others", "")


def _unsupported(error: Exception) -> paths.Unsupported:
    where, trace = "", error.__traceback__
    while trace is not None:
        if paths.MARK in trace.tb_frame.f_globals:
            where = paths.named(trace.tb_frame.f_code.co_filename, trace.tb_lineno)
        trace = trace.tb_next
    return paths.Unsupported(f"{type(error).__name__}: {error}", where)


def _stays(place: str, value: Any) -> bool:
    return (
        isinstance(value, Private)
        and list(value.parts) == [place]
        and value.parts[place] == 1
        and not isinstance(value.offset, Public)
        and value.offset == 0
    )


def _zero(state: Record, given: Mapping[str, Any]) -> None:
    for field, value in state._values.items():
        if field not in given and not isinstance(value, Array):
            state._values[field] = 0 if state._kinds[field] is int else 0.0
