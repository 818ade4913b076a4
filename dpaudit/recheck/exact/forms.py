"""Forms: sums of monomials with rational coefficients, as the checker computes with them.

A monomial is a product of powers of atoms (variables, primes, pi, sums, logarithms of atoms, values
of the normal distribution function), to rational exponents, times the exponential of a form.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

from mpmath import iv

from dpaudit.recheck.numbers import Refused, need, normal, ratio, wide

Mono = tuple[frozenset[tuple[Any, Fraction]], Any]
Form = dict[Mono, Fraction]
Box = dict[str, tuple[Fraction, Fraction | None]]
"""By variable, between what it lies; None is infinity."""
NOTHING: frozenset[Any] = frozenset()
ONE: Mono = (NOTHING, NOTHING)
LARGEST = 4000
"""Most terms of a form."""


def constant(x: Fraction | int) -> Form:
    return {ONE: Fraction(x)} if x else {}


def add(a: Form, b: Form, times: Fraction | int = 1) -> Form:
    """a + times b."""
    out = dict(a)
    for mono, c in b.items():
        out[mono] = out.get(mono, Fraction(0)) + times * c
        if not out[mono]:
            del out[mono]
    return out


def join(one: Mono, two: Mono) -> tuple[Mono, Fraction]:
    """The product of two monomials, and the number that it sets free: a prime to a whole power."""
    powers = dict(one[0])
    for atom, e in two[0]:
        powers[atom] = powers.get(atom, Fraction(0)) + e
    free = Fraction(1)
    for atom, e in list(powers.items()):
        if atom[0] == "prime" and math.floor(e):
            free *= Fraction(atom[1]) ** math.floor(e)
            powers[atom] = e - math.floor(e)
        if not powers[atom]:
            del powers[atom]
    expo = frozenset(add(dict(one[1]), dict(two[1])).items())
    return (frozenset(powers.items()), expo), free


def mul(a: Form, b: Form) -> Form:
    out: Form = {}
    for (m, c), (n, d) in itertools.product(a.items(), b.items()):
        mono, free = join(m, n)
        out[mono] = out.get(mono, Fraction(0)) + c * d * free
    need(len(out) <= LARGEST, "too many terms")
    return {mono: c for mono, c in out.items() if c}


def rational(a: Form) -> Fraction | None:
    """The number that a form is."""
    if not a:
        return Fraction(0)
    return a[ONE] if a.keys() == {ONE} else None


def opened(a: Form) -> Form:
    """The same with sums to whole powers multiplied out."""
    while True:
        found = {
            (mono, atom, e) for mono in a for atom, e in mono[0] if atom[0] == "sum" and e >= 1
        }
        if not found:
            return a
        mono, atom, e = min(found, key=repr)
        powers = {**dict(mono[0]), atom: e - math.floor(e)}
        left = frozenset((x, f) for x, f in powers.items() if f)
        term: Form = {(left, mono[1]): a[mono]}
        for _ in range(math.floor(e)):
            term = mul(term, dict(atom[1]))
        a = add({m: c for m, c in a.items() if m != mono}, term)


def cleared(a: Form) -> Form:
    """Times what clears it of sums in denominators, and multiplied out: if no term is left, the
    form is 0 everywhere."""
    while True:
        a = opened(a)
        sums = {atom for mono in a for atom, e in mono[0] if atom[0] == "sum" and e < 0}
        if not sums:
            return a
        atom = min(sums, key=lambda s: (len(repr(s)), repr(s)))
        least = min(dict(mono[0]).get(atom, Fraction(0)) for mono in a)
        a = mul(a, {(frozenset({(atom, -least)}), NOTHING): Fraction(1)})


def is_zero(a: Form) -> bool:
    return not cleared(a)


def interval(low: Fraction, high: Fraction | None) -> Any:
    return iv.mpf([wide(low).a, iv.inf if high is None else wide(high).b])


def enclosed(a: Form, at: dict[str, Any]) -> Any:
    """An interval around a form's values; None where it is not defined."""
    total = iv.mpf(0)
    try:
        for mono, c in a.items():
            term = wide(c)
            for atom, e in mono[0]:
                term *= _to(_atom(atom, at), e)
            if mono[1]:
                inner = enclosed(dict(mono[1]), at)
                if inner is None:
                    return None
                term *= iv.exp(inner)
            total += term
    except (Refused, ValueError, ZeroDivisionError, TypeError):
        return None
    return None if math.isnan(float(total.a)) or math.isnan(float(total.b)) else total


def _to(base: Any, e: Fraction) -> Any:
    if e.denominator == 1 and e > 0:
        return base ** int(e)
    if not base.a > 0:
        raise Refused("no power")
    return iv.exp(wide(e) * iv.log(base)) if e.denominator > 1 else 1 / base ** int(-e)


def _atom(atom: Any, at: dict[str, Any]) -> Any:
    kind = atom[0]
    if kind == "name":
        return at[atom[1]]
    if kind == "prime":
        return wide(Fraction(atom[1]))
    if kind == "pi":
        return iv.mpf(iv.pi)
    if kind == "log":
        inner = _atom(atom[1], at)
        if not inner.a > 0:
            raise Refused("no logarithm")
        return iv.log(inner)
    found = enclosed(dict(atom[1]), at)
    if found is None:
        raise Refused("not defined")
    if kind == "normal":
        return iv.mpf([normal(ratio(found.a)).a, normal(ratio(found.b)).b])
    return found
