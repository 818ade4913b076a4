"""A loss as a product, a number times powers of terms, and nearly the least number above it. So
1/n^2 over c/n is 1/(c n), and K releases with scale K/epsilon book epsilon."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import z3

from dpaudit.prover.symbols import paths
from dpaudit.prover.symbols.terms import (
    EPSILON,
    Public,
    literal,
)


@dataclass(frozen=True)
class Product:
    """number * product of term^power; the terms must not be 0, which is for others to see to."""

    number: Fraction
    powers: tuple[tuple[Any, Fraction], ...]

    def __str__(self) -> str:
        parts = [str(self.number)] if self.number != 1 or not self.powers else []
        parts += [f"({t})" + (f"^{_short(p)}" if p != 1 else "") for t, p in self.powers]
        return " * ".join(" ".join(part.split()) for part in parts)

    @property
    def terms(self) -> list[Any]:
        return [term for term, _ in self.powers]

    @property
    def without_epsilon(self) -> Product:
        """The same with epsilon = 1."""
        kept = tuple((t, p) for t, p in self.powers if not z3.eq(t, EPSILON))
        return Product(self.number, kept)

    @property
    def above(self) -> Any:
        """What stands above the fraction's line, of whole powers."""
        return _multiplied(literal(self.number), ((t, p) for t, p in self.powers if p > 0))

    @property
    def below(self) -> Any:
        return _multiplied(literal(1), ((t, -p) for t, p in self.powers if p < 0))

    def at(self, values: Mapping[str, float]) -> float:
        """Its value where the symbols are these numbers."""
        found = float(self.number)
        for term, power in self.powers:
            known = [(z3.Real(name), literal(value)) for name, value in values.items()]
            number = z3.simplify(z3.substitute(term, *known))
            found *= float(number.as_fraction()) ** float(power)
        return found

    def substituted(self, *changed: tuple[Any, Any]) -> Product:
        """With terms in place of symbols."""
        found = Product(self.number, ())
        for term, power in self.powers:
            found = found.times(raised(of_term(z3.substitute(term, *changed)), power))
        return found

    def times(self, other: Product) -> Product:
        return _collected(self.number * other.number, (*self.powers, *other.powers))

    def equals(self, other: Product) -> bool:
        """The same product, syntactically."""
        return self.number == other.number and self._key() == other._key()

    def _key(self) -> list[tuple[str, Fraction]]:
        # Not str: that leaves out parts of long terms.
        return sorted((str(term.sexpr()), power) for term, power in self.powers)


def _short(power: Fraction) -> str:
    return f"{float(power):.6g}"


def _multiplied(number: Any, powers: Iterable[tuple[Any, Fraction]]) -> Any:
    for term, power in powers:
        for _ in range(int(power)):
            number = number * term
    return number


def _collected(number: Fraction, powers: Iterable[tuple[Any, Fraction]]) -> Product:
    found: dict[str, tuple[Any, Fraction]] = {}
    for term, power in powers:
        key = term.sexpr()
        found[key] = term, found.get(key, (term, Fraction(0)))[1] + power
    kept = sorted((key, pair) for key, pair in found.items() if pair[1] != 0)
    return Product(number, tuple(pair for _, pair in kept))


def raised(base: Product, power: Fraction | int) -> Product:
    if power == 0:
        return Product(Fraction(1), ())
    if base.number == 0 and power < 0:
        raise paths.Unsupported("a scale that is 0", "")
    # A power that is not whole is taken of products with number 1 only.
    number = base.number ** int(power) if base.number else Fraction(0)
    return Product(number, tuple((t, p * power) for t, p in base.powers))


def of_term(term: Any) -> Product:
    """The factors of a term."""
    term = z3.simplify(term)
    if z3.is_rational_value(term):
        return Product(term.as_fraction(), ())
    if z3.is_mul(term):
        found = Product(Fraction(1), ())
        for child in term.children():
            found = found.times(of_term(child))
        return found
    if z3.is_div(term):
        return of_term(term.arg(0)).times(raised(of_term(term.arg(1)), -1))
    if z3.is_app_of(term, z3.Z3_OP_POWER) and z3.is_rational_value(term.arg(1)):
        exponent = term.arg(1).as_fraction()
        if exponent.denominator == 1:
            return raised(of_term(term.arg(0)), int(exponent))
    if z3.is_app_of(term, z3.Z3_OP_UMINUS):
        return Product(Fraction(-1), ()).times(of_term(term.arg(0)))
    if z3.is_add(term):
        return _sum(term)
    if term.decl().name() == "power" and z3.is_rational_value(term.arg(1)):
        base, exponent = of_term(term.arg(0)), term.arg(1).as_fraction()
        if base.number == 1:
            return raised(base, exponent)
    return Product(Fraction(1), ((term, Fraction(1)),))


def _sum(term: Any) -> Product:
    """With its leading number before it: 2 + 2 e is 2 (1 + e)."""
    numbers = [of_term(child).number for child in term.children()]
    first = next((n for n in numbers if n != 0), Fraction(1))
    lead = abs(first)
    if lead == 1:
        return Product(Fraction(1), ((term, Fraction(1)),))
    inner = z3.simplify(term / literal(lead), som=True)
    return Product(lead, ((inner, Fraction(1)),))


def product(value: Any, grade: int) -> Product:
    """The factors of a public number, times epsilon^grade."""
    if not isinstance(value, Public):
        return Product(Fraction(value), ((EPSILON, Fraction(grade)),) if grade else ())
    found = of_term(value.term)
    left = value.grade + grade
    return found.times(Product(Fraction(1), ((EPSILON, Fraction(left)),) if left else ()))


Holds = Callable[[Any], bool]
NUMBERS = sorted({Fraction(n, d) for n in range(1, 65) for d in (1, 2, 3, 4, 8)} | {Fraction(0)})
"""What is looked among first."""
HALVINGS = 24
CLOSE = Fraction(1, 10**6)


def least(loss: Product, holds: Holds) -> Fraction | None:
    """By halving; none if the largest number of the list is not enough, or a scale is below 0."""
    if loss.number < 0:
        return None
    if not loss.powers:
        return loss.number
    return _smallest(lambda number: at_most(loss, number, holds))


def at_most(loss: Product, number: Fraction, holds: Holds) -> bool:
    """Whether the solver shows it."""
    if loss.number < 0:
        return False
    if not loss.powers:
        return loss.number <= number
    if not all(holds(term > 0) for term in loss.terms):
        return False
    # A power below 0 that is not whole, of a term that is 1 or more, is at most 1.
    rough = [(term, power) for term, power in loss.powers if power.denominator != 1]
    if not all(power < 0 and holds(term >= 1) for term, power in rough):
        return False
    smooth = Product(loss.number, tuple(p for p in loss.powers if p[1].denominator == 1))
    return holds(smooth.above <= literal(number) * smooth.below)


def _smallest(enough: Callable[[Fraction], bool]) -> Fraction | None:
    if not enough(NUMBERS[-1]):
        return None
    low, high = 0, len(NUMBERS) - 1
    while low < high:
        middle = (low + high) // 2
        if enough(NUMBERS[middle]):
            high = middle
        else:
            low = middle + 1
    best = NUMBERS[high]
    under = NUMBERS[high - 1] if high else best
    for _ in range(HALVINGS):
        if best - under < CLOSE or not enough(best - CLOSE):
            break
        between = (under + best) / 2
        if enough(between):
            best = between
        else:
            under = between
    return best
