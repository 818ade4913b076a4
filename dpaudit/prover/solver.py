"""What the solver is asked, and what it must know of powers of two and bits of a counter."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import z3

from dpaudit.prover.terms import BITS, TWO

TIME = 2_000
"""Milliseconds for one question."""
MOST_BITS = 44
"""Counters are below 2^44: what trees have levels for."""


@dataclass
class Solver:
    """Asks whether something can be; keeps what was answered, and each question that a proof rests
    on as SMT-LIB text."""

    obligations: dict[str, str] = field(default_factory=dict)
    undecided: int = 0
    _asked: dict[str, bool] = field(default_factory=dict)

    def impossible(self, parts: Iterable[Any]) -> bool:
        """Whether the solver says that these cannot hold together; not if it does not know."""
        whole = [z3.simplify(p) for p in parts]
        if any(z3.is_false(p) for p in whole):
            return True
        whole = [p for p in whole if not z3.is_true(p)]
        known = axioms(whole)
        key = "\n".join(sorted({p.sexpr() for p in whole}))
        if key not in self._asked:
            solver = z3.Solver()
            solver.set("timeout", TIME)
            solver.add(*whole, *known)
            answer = solver.check()
            self._asked[key] = answer == z3.unsat
            if answer == z3.unsat:
                self.obligations[key] = solver.to_smt2()
            elif answer == z3.unknown:
                self.undecided += 1
        return self._asked[key]

    def holds(self, goal: Any, given: Iterable[Any]) -> bool:
        """Whether it follows."""
        return self.impossible([*given, z3.Not(goal)])


def axioms(parts: list[Any]) -> list[Any]:
    """Facts about each power of two and each bit length in these terms, and about each pair."""
    found: list[Any] = []
    bits = list(_applications(parts, BITS).values())
    for each in bits:
        n = each.arg(0)
        low, high = TWO(z3.simplify(each - 1)), TWO(each)
        found += [
            z3.Implies(n >= 1, z3.And(each >= 1, low <= n, n + 1 <= high)),
            z3.Implies(n == 0, each == 0),
            each <= MOST_BITS,
            each >= 0,
        ]
    for i, one in enumerate(bits):
        for other in bits[:i]:
            found += [
                z3.Implies(one.arg(0) == other.arg(0), one == other),
                z3.Or(one + 1 <= other, one == other, other + 1 <= one),
            ]
    powers = list(_applications(parts + found, TWO).values())
    for i, one in enumerate(powers):
        e = one.arg(0)
        found += [
            z3.Implies(e >= 0, z3.And(one >= 1, one >= e + 1)),
            (e == 0) == (one == 1),
            (e == 1) == (one == 2),
            one > 0,
        ]
        for other in powers[:i]:
            f = other.arg(0)
            found += [
                z3.Or(
                    z3.And(e == f, one == other),
                    z3.And(e == f + 1, one == 2 * other),
                    z3.And(f == e + 1, other == 2 * one),
                    z3.And(e >= f + 2, one >= 4 * other),
                    z3.And(f >= e + 2, other >= 4 * one),
                )
            ]
    return found


def _applications(parts: Iterable[Any], function: Any) -> dict[int, Any]:
    """All applications of a function in these terms."""
    found: dict[int, Any] = {}
    seen: set[int] = set()
    todo = list(parts)
    while todo:
        term = todo.pop()
        if term.get_id() in seen:
            continue
        seen.add(term.get_id())
        if z3.is_app(term):
            if term.decl().eq(function):
                found[term.get_id()] = term
            todo += term.children()
    return found
