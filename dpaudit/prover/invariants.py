"""What holds of the public state before every round: what the algorithm's file states, and bounds
on counters. All of it is checked, none is assumed: it holds after `start`, and every way through a
step that begins where it holds ends where it holds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import z3

from dpaudit.prover import paths
from dpaudit.prover.solver import Solver
from dpaudit.prover.state import arbitrary
from dpaudit.prover.steps import Start, Steps, Way
from dpaudit.prover.terms import Public, condition, explicit

ROUND = z3.Real("round")
"""Rounds played so far."""


@dataclass
class Known:
    """An algorithm's ways, and what holds before each."""

    steps: Steps
    solver: Solver
    ways: list[Way] = field(default_factory=list)
    always: list[Any] = field(default_factory=list)
    """In every round."""

    def __post_init__(self) -> None:
        starts = self.steps.starts()
        self.ways = self.steps.select()
        for arm in range(self.steps.arms):
            self.ways += self.steps.observe(arm)
        self.always = [*self.steps.given, ROUND >= 0]
        if "horizon" in self.steps.own and not self.steps.algorithm.card.anytime:
            horizon = explicit(self.steps.own["horizon"])
            self.always.append(ROUND <= horizon)
        stated = self._stated()
        for fact in stated:
            for start in starts:
                if not self._after_start(fact, start):
                    raise paths.Unsupported(f"the stated invariant {fact} does not hold at first")
        guessed = [g for g in self._guesses(starts) if all(self._after_start(g, s) for s in starts)]
        guessed = self.lasting(guessed, self.ways, stated)
        for fact in stated:
            for way in self.ways:
                if not self.stays(fact, way, stated + guessed):
                    raise paths.Unsupported(
                        f"the stated invariant {z3.simplify(fact)} does not hold after {way.step}"
                    )
        self.always += stated + guessed

    def _stated(self) -> list[Any]:
        """What the algorithm's file states."""
        invariant = self.steps.algorithm.invariant
        if invariant is None:
            return []
        bound = self.steps.bound.bind(invariant)

        def ask() -> list[Any]:
            arms, own = arbitrary(self.steps.algorithm, self.steps.arms, self.steps.own)
            return [condition(each) for each in bound(arms, own)]

        answers = list(paths.explore(ask, 1))
        (stated, path) = answers[0]
        if path.facts:
            raise paths.Unsupported("an invariant must not branch")
        return stated

    def _guesses(self, starts: list[Start]) -> list[Any]:
        """Fields that no step writes are as `start` left them; counters grow, and no faster than
        the rounds."""
        written = {place for way in self.ways for place in way.public}
        found: list[Any] = []
        for place, first in starts[0].public.items():
            if any(not _equal(first, start.public[place]) for start in starts[1:]):
                continue
            if _setting(place, self.steps):
                continue
            symbol = z3.Real(place)
            if place not in written:
                found.append(symbol == explicit(first))
            elif isinstance(first, int):
                found += [symbol >= first, symbol <= ROUND + first]
        return found

    def _after_start(self, fact: Any, start: Start) -> bool:
        changed = [(z3.Real(k), explicit(v)) for k, v in start.public.items()]
        known = [*self.steps.given, *start.facts]
        return self.solver.holds(
            z3.substitute(fact, *changed, (ROUND, z3.RealVal(0))), known
        )

    def given(self, way: Way) -> list[Any]:
        """What is known on a way, beside what always holds."""
        known = list(way.facts)
        if way.arm is None:
            known.append(z3.Real("t") == ROUND + 1)
        elif not self.steps.algorithm.card.anytime:
            known.append(ROUND + self._pulls() <= explicit(self.steps.own["horizon"]))
        return known

    def _pulls(self) -> Any:
        from dpaudit.algorithm.contract import no_leap

        return z3.RealVal(1) if self.steps.algorithm.leap is no_leap else z3.Real("pulls")

    def moves(self, way: Way) -> list[tuple[Any, Any]]:
        """What each public field becomes."""
        changed = [(z3.Real(k), explicit(v)) for k, v in way.public.items()]
        if way.arm is not None:
            changed.append((ROUND, ROUND + self._pulls()))
        return changed

    def stays(self, fact: Any, way: Way, known: Iterable[Any]) -> bool:
        """Whether a fact holds after a way that begins where these do."""
        after = z3.substitute(fact, *self.moves(way))
        if z3.eq(after, fact):
            return True
        # Mostly the fact alone is enough, and then for all ways that do the same to its fields.
        if self.solver.holds(after, [fact, z3.Real("pulls") >= 1]):
            return True
        return self.solver.holds(after, [*self.always, *known, fact, *self.given(way)])

    def lasting(self, facts: list[Any], ways: list[Way], known: list[Any]) -> list[Any]:
        """Those that every way keeps, given all of them."""
        while True:
            kept = [f for f in facts if all(self.stays(f, way, known + facts) for way in ways)]
            if len(kept) == len(facts):
                return kept
            facts = kept

    def possible(self, way: Way) -> bool:
        return not self.solver.impossible([*self.always, *self.given(way)])


def _setting(place: str, steps: Steps) -> bool:
    return place.startswith("own.") and place[4:] in steps.own


def _equal(a: Any, b: Any) -> bool:
    return bool(z3.is_true(z3.simplify(explicit(a) == explicit(b))))
