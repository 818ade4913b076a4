"""Formulas in a normal form: identities by expansion, derivatives by the rules.

Each rewriting is an identity where what is rooted, divided by or taken the logarithm of has a sign;
that it has, an enclosure over the box says. So what has a form is defined and smooth on the box.
"""

from __future__ import annotations

import ast
from fractions import Fraction
from typing import Any

from dpaudit.recheck.exact.forms import (
    NOTHING,
    ONE,
    Box,
    Form,
    Mono,
    add,
    constant,
    enclosed,
    interval,
    is_zero,
    join,
    mul,
    opened,
    rational,
)
from dpaudit.recheck.numbers import Refused, need, tree, value, whole

HALVINGS = 10
"""Of a box, until a sum has one sign on each piece."""
HIGHEST = 200
"""Power to which a sum is multiplied out."""


class Algebra:
    """Forms over a box."""

    def __init__(self, box: Box) -> None:
        self.box = box
        self.signs: dict[Any, int] = {}

    def form(self, node: Any, at: dict[str, Form] | None = None) -> Form:
        """A formula's form; `at` gives names a form of their own."""
        node = tree(node) if isinstance(node, str) else node
        at = at or {}
        match node:
            case ast.Constant(value=int() | float() as x):
                return constant(Fraction(str(x)))
            case ast.Name(id=i) if i in at:
                return at[i]
            case ast.Name(id=i) if i in self.box:
                return {(frozenset({(("name", i), Fraction(1))}), NOTHING): Fraction(1)}
            case ast.Name(id="pi"):
                return {(frozenset({(("pi",), Fraction(1))}), NOTHING): Fraction(1)}
            case ast.UnaryOp(op=ast.USub(), operand=x):
                return add({}, self.form(x, at), -1)
            case ast.BinOp(left=x, op=ast.Add() | ast.Sub() as op, right=y):
                sign = 1 if isinstance(op, ast.Add) else -1
                return add(self.form(x, at), self.form(y, at), sign)
            case ast.BinOp(left=x, op=ast.Mult(), right=y):
                return mul(self.form(x, at), self.form(y, at))
            case ast.BinOp(left=x, op=ast.Div(), right=y):
                return mul(self.form(x, at), self.power(self.form(y, at), constant(-1)))
            case ast.BinOp(left=x, op=ast.Pow(), right=y):
                return self.rooted(x, self.form(y, at), at)
            case ast.Call(func=ast.Name(id="sqrt"), args=[x]):
                return self.rooted(x, constant(Fraction(1, 2)), at)
            case ast.Call(func=ast.Name(id="log"), args=[x]):
                logarithm = constant(0)
                for factor, e in self.factors(x, at):
                    logarithm = add(logarithm, self.log(factor), e)
                return logarithm
            case ast.Call(func=ast.Name(id="sum" | "prod" as f), args=[t, ast.Name(id=v), lo, hi]):
                ends = [rational(self.form(x, at)) for x in (lo, hi)]
                total = constant(int(f == "prod"))
                for k in range(whole(ends[0]), whole(ends[1]) + 1):
                    term = self.form(t, {**at, v: constant(k)})
                    total = mul(total, term) if f == "prod" else add(total, term)
                return total
            case ast.Call(func=ast.Name(id=f), args=args):
                return self.call(f, [self.form(x, at) for x in args])
        raise Refused(f"no normal form: {ast.unparse(node)}")

    def call(self, f: str, args: list[Form]) -> Form:
        a = args[0]
        if f == "exp":
            return self.exp(a)
        if f == "log2":
            return mul(self.log(a), self.power(self.log(constant(2)), constant(-1)))
        if f == "normal":
            return self.normal(a)
        if f == "abs" and self.sign(a):
            return add({}, a, self.sign(a))
        known = [rational(x) for x in args]
        if None not in known:
            names = [f"x{i}" for i in range(len(args))]
            found = value(f"{f}({', '.join(names)})", dict(zip(names, known, strict=True)))
            if isinstance(found, Fraction):
                return constant(found)
        raise Refused(f"no normal form of {f}")

    def normal(self, a: Form) -> Form:
        """Phi(-x) is 1 - Phi(x): one of both is the atom."""
        first = min(a, key=repr, default=ONE)
        if a.get(first, 1) < 0:
            return add(constant(1), self.normal(add({}, a, -1)), -1)
        atom = ("normal", frozenset(self.reduced(opened(a)).items()))
        return {(frozenset({(atom, Fraction(1))}), NOTHING): Fraction(1)}

    def exp(self, a: Form) -> Form:
        """Rational multiples of logarithms of atoms become powers."""
        out, rest = constant(1), {}
        for mono, c in self.reduced(opened(a)).items():
            atom, e = next(iter(mono[0])) if len(mono[0]) == 1 else (None, 0)
            if atom is not None and (atom[0], e, mono[1]) == ("log", 1, NOTHING):
                out = mul(out, self.of_atom(atom[1], c))
            else:
                rest[mono] = c
        return mul(out, {(NOTHING, frozenset(rest.items())): Fraction(1)})

    def of_atom(self, atom: Any, e: Fraction) -> Form:
        """A power of an atom; of a prime, in lowest terms."""
        mono, free = join(ONE, (frozenset({(atom, e)}), NOTHING))
        return {mono: free}

    def log(self, a: Form) -> Form:
        """Of a product, which must be positive factor by factor."""
        number, mono = self.product(a)
        need(number > 0, "the logarithm of what is not certainly positive")
        out = dict(mono[1])
        factors = [*mono[0], *self.primes(number)]
        for atom, e in factors:
            need(self.positive(atom), "the logarithm of what is not certainly positive")
            logarithm = {(frozenset({(("log", atom), Fraction(1))}), NOTHING): Fraction(1)}
            out = add(out, logarithm, e)
        return out

    def primes(self, number: Fraction) -> list[tuple[Any, Fraction]]:
        """A positive rational as powers of primes, a large rest as if it were one."""
        found: dict[Any, Fraction] = {}
        for n, sign in ((number.numerator, 1), (number.denominator, -1)):
            p, rest = 2, n
            while rest > 1:
                if p > 1000 or p * p > rest:
                    p = rest
                while rest % p == 0:
                    found["prime", p] = found.get(("prime", p), Fraction(0)) + sign
                    rest //= p
                p += 1
        return list(found.items())

    def product(self, a: Form) -> tuple[Fraction, Mono]:
        """A form as one monomial: what its terms share, times the sum of what is left."""
        need(bool(a), "0 where it must not be")
        if len(a) == 1:
            [(mono, c)] = a.items()
            return c, mono
        monos = [dict(mono[0]) for mono in a]
        shared = {}
        for atom in {x for powers in monos for x in powers}:
            least = min(powers.get(atom, Fraction(0)) for powers in monos)
            if least and atom[0] != "prime":
                shared[atom] = least
        expos = {mono[1] for mono in a}
        expo = expos.pop() if len(expos) == 1 else NOTHING
        inverse = (
            frozenset((x, -e) for x, e in shared.items()),
            frozenset(add({}, dict(expo), -1).items()),
        )
        rest = mul(a, {inverse: Fraction(1)})
        lead = rest[min(rest, key=repr)]
        rest = {mono: c / lead for mono, c in rest.items()}
        sign = self.sign(rest)
        need(sign != 0, "no certain sign where one is needed")
        atom = ("sum", frozenset((mono, c * sign) for mono, c in rest.items()))
        mono, free = join(
            (frozenset(shared.items()), expo), (frozenset({(atom, Fraction(1))}), NOTHING)
        )
        return lead * sign * free, mono

    def reduced(self, a: Form) -> Form:
        """The same, shortened where its numerator is a denominator's sum."""
        if len(a) > 1 and any(atom[0] == "sum" for mono in a for atom, _ in mono[0]):
            try:
                number, mono = self.product(a)
            except Refused:
                return a
            if sum(len(repr(x)) for x in mono) < len(repr(a)):
                return {mono: number}
        return a

    def factors(self, node: Any, at: dict[str, Form]) -> list[tuple[Form, int]]:
        """The factors of a product that are all positive, or it as a whole."""
        node = tree(node) if isinstance(node, str) else node
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Div):
            right = -1 if isinstance(node.op, ast.Div) else 1
            found = self.factors(node.left, at)
            found += [(x, right * e) for x, e in self.factors(node.right, at)]
            if all(self.sign(x) > 0 for x, _ in found):
                return found
        return [(self.form(node, at), 1)]

    def rooted(self, node: Any, b: Form, at: dict[str, Form]) -> Form:
        """A power, factor by factor where it is not a whole one."""
        n = rational(b)
        if n is not None and n.denominator == 1:
            return self.power(self.form(node, at), b)
        out = constant(1)
        for x, e in self.factors(node, at):
            out = mul(out, self.power(x, mul(b, constant(e))))
        return out

    def power(self, a: Form, b: Form) -> Form:
        """Whole powers of anything, negative ones of what is not 0; others of what is positive."""
        n = rational(b)
        if n is None:
            return self.exp(mul(b, self.log(a)))
        if n == 0:
            return constant(1)
        if not a:
            need(n > 0, "0 to a negative power")
            return {}
        if n > 0 and n.denominator == 1 and len(a) > 1 and self.sign(a) == 0:
            need(n <= HIGHEST, "too high a power")
            out = constant(1)
            for _ in range(int(n)):
                out = mul(out, a)
            return out
        number, mono = self.product(a)
        for atom, _ in mono[0]:
            if n.denominator > 1:
                need(self.positive(atom), "a root of what is not certainly positive")
            elif n < 0:
                need(self.sign_of(atom) != 0, "division by what may be 0")
        raised = {
            (
                frozenset((atom, e * n) for atom, e in mono[0]),
                frozenset((m, c * n) for m, c in mono[1]),
            ): Fraction(1)
        }
        if n.denominator == 1:
            return mul(raised, constant(number ** int(n)))
        need(number > 0, "a root of what is not certainly positive")
        for atom, e in self.primes(number):
            raised = mul(raised, self.of_atom(atom, e * n))
        return mul(raised, constant(1))

    def positive(self, atom: Any) -> bool:
        return self.sign_of(atom) > 0

    def sign_of(self, atom: Any) -> int:
        return self.sign({(frozenset({(atom, Fraction(1))}), NOTHING): Fraction(1)})

    def sign(self, a: Form) -> int:
        """1 or -1 where an enclosure over the box says so, piece by piece; else 0."""
        key = frozenset(a.items())
        if key not in self.signs:
            self.signs[key] = 0
            names = {n for n in self.box if repr(("name", n)) in repr(a)}
            box = {n: self.box[n] for n in names}
            self.signs[key] = self._signed(a, box, HALVINGS)
        return self.signs[key]

    def _signed(self, a: Form, box: Box, deeper: int) -> int:
        found = enclosed(a, {n: interval(*ends) for n, ends in box.items()})
        if found is not None and (found.a > 0 or found.b < 0):
            return 1 if found.a > 0 else -1
        finite = {n: (low, high) for n, (low, high) in box.items() if high is not None}
        if not deeper or not finite:
            return 0
        n = max(finite, key=lambda n: finite[n][1] - finite[n][0])
        low, high = finite[n]
        middle = (low + high) / 2
        one = self._signed(a, {**box, n: (low, middle)}, deeper - 1)
        return one if one and one == self._signed(a, {**box, n: (middle, high)}, deeper - 1) else 0

    def derivative(self, a: Form, name: str) -> Form:
        """With respect to a variable."""
        out: Form = {}
        for mono, c in a.items():
            whole_term: Form = {mono: c}
            if mono[1]:
                out = add(out, mul(whole_term, self.derivative(dict(mono[1]), name)))
            for atom, e in mono[0]:
                rate = self._rate(atom, name)
                if rate:
                    less = {(frozenset({(atom, Fraction(-1))}), NOTHING): e}
                    out = add(out, mul(mul(whole_term, less), rate))
        return out

    def _rate(self, atom: Any, name: str) -> Form:
        """The derivative of an atom."""
        kind = atom[0]
        if kind == "name":
            return constant(int(atom[1] == name))
        if kind == "sum":
            return self.derivative(dict(atom[1]), name)
        if kind == "log":
            inverse = {(frozenset({(atom[1], Fraction(-1))}), NOTHING): Fraction(1)}
            return mul(self._rate(atom[1], name), inverse)
        if kind == "normal":
            inner = dict(atom[1])
            bell = self.exp(mul(mul(inner, inner), constant(Fraction(-1, 2))))
            root = self.power(self.form("2*pi"), constant(Fraction(-1, 2)))
            return mul(mul(bell, root), self.derivative(inner, name))
        return {}


def equal(left: Any, right: Any, box: Box) -> bool:
    """Whether two formulas are defined, smooth and equal on a box."""
    algebra = Algebra(box)
    return is_zero(add(algebra.form(left), algebra.form(right), -1))
