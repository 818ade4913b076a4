"""What holds of the public state before every round: what the algorithm's file states, and bounds
on counters. All of it is checked, none is assumed: it holds after `start`, and every way through a
step that begins where it holds ends where it holds."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import z3

from dpaudit.algorithm.contract import no_leap
from dpaudit.prover.solver import Solver, constants
from dpaudit.prover.steps import Start, Steps, Way
from dpaudit.prover.symbols import paths
from dpaudit.prover.symbols.functions import (
    condition,
)
from dpaudit.prover.symbols.state import arbitrary
from dpaudit.prover.symbols.terms import (
    explicit,
)

ROUND = z3.Real("round")
"""Rounds played so far."""


class Known:
    """An algorithm's ways, and what holds before each."""

    def __init__(self, steps: Steps, solver: Solver) -> None:
        self.steps, self.solver = steps, solver
        self.ways = steps.ways()
        self.starts = starts = steps.starts()
        self.always: list[Any] = [*steps.given, ROUND >= 0]
        """In every round, of the arm whose sums may differ and the learner's own record."""
        if "horizon" in steps.own:
            self.always.append(explicit(steps.own["horizon"]) >= ROUND)
        # What `start` knows of the settings stays true.
        settings = {"epsilon", "arms", "own.horizon"}
        for fact in {f for start in starts for f in start.facts}:
            if constants([fact]) <= settings and all(_among(fact, s.facts) for s in starts):
                self.always.append(fact)
        stated = self._stated()
        for fact in stated:
            if not all(self._after_start(fact, start) for start in starts):
                raise paths.Unsupported(f"the stated invariant {fact} does not hold at first", "")
        guessed = [g for g in self._guesses(starts) if all(self._after_start(g, s) for s in starts)]
        guessed = self.lasting(guessed, self.ways, stated)
        for fact in stated:
            for way in self.ways:
                if not self.stays(fact, way, stated + guessed):
                    raise paths.Unsupported(
                        f"the stated invariant {z3.simplify(fact)} does not hold after {way.step}",
                        "",
                    )
        self.lasts = stated + guessed
        self.always += self.lasts
        for way in self.ways:
            self._claims(way)

    def certify(self) -> None:
        """Ask again for what holds before every round, for it to be noted."""
        self.solver.purpose = "holds after start"
        for fact in self.lasts:
            assert all(self._after_start(fact, start) for start in self.starts)
        self.solver.purpose = "holds after every step"
        for fact in self.lasts:
            assert all(self.stays(fact, way, self.lasts) for way in self.ways)
        self.solver.purpose = "an index that is not below 0"
        for way in self.ways:
            self._claims(way)

    def _claims(self, way: Way) -> None:
        known = [*self.always, *self.given(way)]
        for goal in dict.fromkeys(map(z3.simplify, way.claims)):
            if not z3.is_true(goal) and not self.solver.holds(goal, known):
                raise paths.Unsupported(f"an index in {way.step} may be below 0: {goal}", "")

    def _stated(self) -> list[Any]:
        """What the algorithm's file states."""
        invariant = self.steps.algorithm.invariant
        if invariant is None:
            return []
        bound = self.steps.bound.bind(invariant)
        place = "every" if self.steps.full else "focus"

        def ask() -> list[Any]:
            arms, own = arbitrary(self.steps.algorithm, self.steps.own, (place,))
            return [condition(each) for each in bound(arms.records[place], own)]

        ((stated, path),) = paths.explore(ask, 1)
        if path.facts:
            raise paths.Unsupported("an invariant must not branch", "")
        return stated

    def _guesses(self, starts: list[Start]) -> list[Any]:
        """Fields that no step writes are as `start` left them; counters grow, and no faster than
        the rounds, or just as fast, or as another counter; numbers stay positive."""
        written = {place for way in self.ways for place in way.public}
        found: list[Any] = []
        counters: list[Any] = []
        for place, first in starts[0].public.items():
            if any(not _equal(first, start.public[place]) for start in starts[1:]):
                continue
            if place.startswith("own.") and place[4:] in self.steps.own:
                continue
            if not place.startswith(("own.", f"{self.steps.arm}.")):
                continue
            symbol = z3.Real(place)
            if place not in written and not any(
                w.replace("arm1.", "arm0.").replace("arm2.", "arm0.") == place for w in written
            ):
                found.append(symbol == explicit(first))
            elif isinstance(first, int):
                found += [symbol >= first, symbol <= ROUND + first]
                if first == 0:
                    found += [symbol == each for each in (ROUND, *counters)]
                    found += [fact for c in counters for fact in (symbol <= c, c <= symbol)]
                    counters.append(symbol)
            elif isinstance(first, float):
                found.append(symbol >= explicit(first))
        return found

    def _after_start(self, fact: Any, start: Start) -> bool:
        changed = [(z3.Real(k), explicit(v)) for k, v in start.public.items()]
        known = [*self.steps.given, *start.facts]
        return self.solver.holds(z3.substitute(fact, *changed, (ROUND, z3.RealVal(0))), known)

    def given(self, way: Way) -> list[Any]:
        """What is known on a way, beside what always holds of the one arm."""
        known = list(way.facts)
        if not way.pulled:
            known.append(z3.Real("t") == ROUND + 1)
        elif "horizon" in self.steps.own:
            known.append(ROUND + self.pulls() <= explicit(self.steps.own["horizon"]))
        if way.pulled == "pulled":
            known += [self.of_another(fact) for fact in self.always if _about_arm(fact)]
        return known

    def of_another(self, fact: Any) -> Any:
        """The same of the other arm that is pulled: it holds of any arm."""
        names = {n for n in constants([fact]) if n.startswith("arm0.")}
        return z3.substitute(fact, *((z3.Real(n), z3.Real(f"arm1.{n[5:]}")) for n in names))

    def pulls(self) -> Any:
        return z3.RealVal(1) if self.steps.algorithm.leap is no_leap else z3.Real("pulls")

    def moves(self, way: Way) -> list[tuple[Any, Any]]:
        """What each public field becomes."""
        changed = [(z3.Real(k), explicit(v)) for k, v in way.public.items()]
        if way.pulled:
            changed.append((ROUND, ROUND + self.pulls()))
        return changed

    def stays(self, fact: Any, way: Way, known: Iterable[Any]) -> bool:
        """Whether a fact holds after a way that begins where these do."""
        after = z3.substitute(fact, *self.moves(way))
        if z3.eq(after, fact):
            return True
        # Mostly the fact alone is enough, and then for all ways that do the same to its fields.
        if self.solver.holds(after, [fact, z3.Real("pulls") >= 1]):
            return True
        others = []
        if way.pulled == "pulled":
            others = [self.of_another(f) for f in (*known, fact) if _about_arm(f)]
        return self.solver.holds(after, [*self.always, *known, fact, *self.given(way), *others])

    def lasting(self, facts: list[Any], ways: list[Way], known: list[Any]) -> list[Any]:
        """Those that every way keeps, given all of them."""
        while True:
            kept = [f for f in facts if all(self.stays(f, way, known + facts) for way in ways)]
            if len(kept) == len(facts):
                return kept
            facts = kept


def _among(fact: Any, facts: Iterable[Any]) -> bool:
    return any(z3.eq(fact, each) for each in facts)


def _about_arm(fact: Any) -> bool:
    return any(n.startswith("arm0.") for n in constants([fact]))


def _equal(a: Any, b: Any) -> bool:
    return bool(z3.is_true(z3.simplify(explicit(a) == explicit(b))))
