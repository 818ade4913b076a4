"""Nearly the least number that a product does not exceed."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from dpaudit.prover.products import Product
from dpaudit.prover.symbols.terms import (
    literal,
)

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
