"""What the solver is asked, and what it must know of powers of two and bits of a counter."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import z3

from dpaudit.prover.symbols.functions import (
    BITS,
    TWO,
)

z3.set_param("ctrl_c", False)
"""Or it would take an interrupt for itself, and answer `unknown`."""
TIME = 2_000
"""Milliseconds for one question."""


@dataclass
class Solver:
    """Asks whether something can be, and keeps what was answered. While `purpose` is set, what a
    proof rests on is noted: the questions that were answered with no."""

    rests: dict[str, tuple[str, tuple[Any, ...]]] = field(default_factory=dict)
    """Terms that cannot hold together, and what for."""
    purpose: str = ""
    undecided: int = 0
    _asked: dict[str, bool] = field(default_factory=dict)

    def impossible(self, parts: Iterable[Any]) -> bool:
        """Whether the solver says that these cannot hold together; not if it does not know."""
        whole = [simplified(p) for p in parts]
        if any(z3.is_false(p) for p in whole):
            return True
        whole = [p for p in whole if not z3.is_true(p)]
        key = "\n".join(sorted({sentence(p) for p in whole}))
        if key not in self._asked:
            solver = z3.Solver()
            solver.set("timeout", TIME)
            solver.add(*whole, *axioms(whole))
            answer = solver.check()
            self._asked[key] = answer == z3.unsat
            self.undecided += answer == z3.unknown
        if self.purpose and self._asked[key]:
            self.rests.setdefault(key, (self.purpose, tuple(whole)))
        return self._asked[key]

    def holds(self, goal: Any, given: Iterable[Any]) -> bool:
        """Whether it follows; what speaks of the same symbols is tried first."""
        refuted = z3.Not(goal)
        given = [g for g in given if not z3.is_true(g)]
        names = constants([goal])
        near = [g for g in given if _plain(g) and constants([g]) <= names]
        if self.impossible([*near, refuted]):
            return True
        around = about(names, given)
        if self.impossible([*around, refuted]):
            return True
        return len(around) < len(given) and self.impossible([*given, refuted])

    def example(self, parts: Iterable[Any], term: Any) -> Any:
        """A number that the term is where these hold; none if none is found."""
        whole = [simplified(p) for p in parts]
        solver = z3.Solver()
        solver.set("timeout", TIME)
        solver.add(*whole, *axioms(whole))
        if solver.check() != z3.sat:
            return None
        number = solver.model().eval(term, model_completion=True)
        return number if z3.is_rational_value(number) else None


HUBS = {"round", "epsilon", "arms", "t", "own.horizon", "pulls"}
"""Symbols that much is said of: facts that share these only are not about the same thing."""


def about(names: frozenset[str], given: list[Any]) -> list[Any]:
    """Facts that speak of these symbols, and of those that they speak of."""
    left, found = [(g, constants([g])) for g in given], list[Any]()
    while True:
        near = names - HUBS
        more = [(g, of) for g, of in left if of & near or of <= names]
        if not more:
            return found
        left = [(g, of) for g, of in left if not (of & near or of <= names)]
        found += [g for g, _ in more]
        names = names.union(*(of for _, of in more))


def _plain(term: Any) -> bool:
    """No function that is only known by axioms."""
    return not _inside(term)


def constants(parts: Iterable[Any]) -> frozenset[str]:
    """Names of the symbols in these terms."""
    return frozenset().union(*(_constants(part) for part in parts))


_names: dict[int, tuple[Any, frozenset[str]]] = {}
"""Symbols of terms by the solver's number of the term, which is kept, for the number to stay."""


def _constants(term: Any) -> frozenset[str]:
    number = term.get_id()
    if number not in _names:
        if z3.is_const(term):
            own = term.decl().kind() == z3.Z3_OP_UNINTERPRETED
            found = frozenset([term.decl().name()] if own else [])
        else:
            found = constants(term.children())
        _names[number] = term, found
    return _names[number][1]


def axioms(parts: list[Any]) -> list[Any]:
    """Facts about each power of two and each bit length in these terms, and about each pair."""
    bits = list(_applications(parts, BITS).values())
    found = [_of_bits(each) for each in bits]
    found += [_of_two_bits(*_ordered(a, b)) for i, a in enumerate(bits) for b in bits[:i]]
    powers = list(_applications(parts + found, TWO).values())
    found += [_of_power(each) for each in powers]
    found += [_of_two_powers(*_ordered(a, b)) for i, a in enumerate(powers) for b in powers[:i]]
    return found


def _ordered(a: Any, b: Any) -> tuple[Any, Any]:
    return (a, b) if a.get_id() < b.get_id() else (b, a)


def remembered(fact: Callable[..., Any]) -> Callable[..., Any]:
    """Kept by the solver's numbers of the terms, which are kept with it."""
    known: dict[tuple[int, ...], Any] = {}

    def ask(*terms: Any) -> Any:
        key = tuple(term.get_id() for term in terms)
        if key not in known:
            known[key] = terms, fact(*terms)
        return known[key][1]

    return ask


simplified = remembered(z3.simplify)


@remembered
def _of_bits(bits: Any) -> Any:
    n = bits.arg(0)
    low, high = TWO(z3.simplify(bits - 1)), TWO(bits)
    return z3.And(
        z3.Implies(n >= 1, z3.And(bits >= 1, low <= n, n + 1 <= high)),
        z3.Implies(n == 0, bits == 0),
        bits >= 0,
    )


@remembered
def _of_two_bits(one: Any, other: Any) -> Any:
    return z3.And(
        z3.Implies(z3.And(one.arg(0) >= 0, one.arg(0) <= other.arg(0)), one <= other),
        z3.Implies(z3.And(other.arg(0) >= 0, other.arg(0) <= one.arg(0)), other <= one),
        z3.Or(one + 1 <= other, one == other, other + 1 <= one),
    )


@remembered
def _of_power(power: Any) -> Any:
    e = power.arg(0)
    return z3.And(
        z3.Implies(e >= 0, z3.And(power >= 1, power >= e + 1)),
        (e == 0) == (power == 1),
        (e == 1) == (power == 2),
        power > 0,
    )


@remembered
def _of_two_powers(one: Any, other: Any) -> Any:
    e, f = one.arg(0), other.arg(0)
    return z3.Or(
        z3.And(e == f, one == other),
        z3.And(e == f + 1, one == 2 * other),
        z3.And(f == e + 1, other == 2 * one),
        z3.And(e >= f + 2, one >= 4 * other),
        z3.And(f >= e + 2, other >= 4 * one),
    )


@remembered
def sentence(term: Any) -> str:
    return str(term.sexpr())


_special: dict[int, tuple[Any, tuple[Any, ...]]] = {}
"""Powers of two and bit lengths in terms, likewise."""


def _applications(parts: Iterable[Any], function: Any) -> dict[int, Any]:
    """All applications of a function in these terms."""
    return {
        each.get_id(): each for part in parts for each in _inside(part) if each.decl().eq(function)
    }


def _inside(term: Any) -> tuple[Any, ...]:
    number = term.get_id()
    if number not in _special:
        found = {e.get_id(): e for child in term.children() for e in _inside(child)}
        if not z3.is_const(term) and (term.decl().eq(BITS) or term.decl().eq(TWO)):
            found[number] = term
        _special[number] = term, tuple(found.values())
    return _special[number][1]
