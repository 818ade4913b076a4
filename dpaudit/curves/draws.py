"""With what probability does a learner choose arm 0, from its own steps?

`select` runs on symbols in place of noise: a normal, beta or uniform variable that has not been
drawn. What it compares is recorded, and the comparison is answered both ways. Covered are learners
of two arms that draw afresh in every round: a choice is then a comparison of two normal or two beta
variables, or cuts the range of one uniform variable, and the actions' law is a product along the
path. What remembers a draw is refused; Laplace noise that is drawn on observing is for `noise`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from scipy.special import betaln, log_ndtr, logsumexp

from dpaudit.errors import UsageError

STEP_ERROR = 1e-13
"""Of a log-probability x, times 1 + |x|: that of doubles (tested against 40 digits)."""


class KeepsNoise(UsageError):
    """The learner draws when it observes, and so remembers what it drew."""


class Fork(Exception):
    """A comparison that has no answer yet."""


@dataclass(frozen=True, eq=False)
class Symbol:
    """shift + scale Z, where Z is a normal, a beta (its two parameters beside it) or a uniform
    variable."""

    coins: Coins
    kind: str
    number: int
    shift: float = 0.0
    scale: float = 1.0
    shape: tuple[float, float] = (0.0, 0.0)

    __array_ufunc__ = None  # numpy's numbers leave the arithmetic to us

    def __add__(self, other: float) -> Symbol:
        return replace(self, shift=self.shift + float(other))

    def __sub__(self, other: float) -> Symbol:
        return self + -float(other)

    def __mul__(self, other: float) -> Symbol:
        factor = float(other)
        return replace(self, shift=self.shift * factor, scale=self.scale * factor)

    __radd__, __rmul__ = __add__, __mul__

    def __gt__(self, other: Any) -> bool:
        return self.coins.less(other, self)

    def __lt__(self, other: Any) -> bool:
        return self.coins.less(self, other)

    def __float__(self) -> float:
        return math.nan  # whoever stores a draw stores what no one can use

    def __int__(self) -> int:
        raise UsageError("target: rounds a draw, which is not covered")


class Coins:
    """In place of a generator: answers comparisons as told, and notes what they were."""

    def __init__(self, answers: tuple[bool, ...] = (), *, silent: bool = False) -> None:
        self._answers, self._silent = answers, silent
        self.draws, self.questions = 0, list[tuple[Any, Any]]()

    def _symbol(self, kind: str, shape: tuple[float, float] = (0.0, 0.0)) -> Symbol:
        if self._silent:
            raise UsageError("target: draws noise when it observes, which is not covered")
        self.draws += 1
        return Symbol(self, kind, self.draws, shape=shape)

    def standard_normal(self) -> Symbol:
        return self._symbol("normal")

    def beta(self, a: float, b: float) -> Symbol:
        return self._symbol("beta", (float(a), float(b)))

    def random(self) -> Symbol:
        return self._symbol("uniform")

    def __getattr__(self, name: str) -> Any:
        kind = KeepsNoise if self._silent and name == "laplace" else UsageError
        raise kind(f"target: draws {name}, which is not covered")

    def less(self, a: Any, b: Any) -> bool:
        """Whether a < b."""
        if not (isinstance(a, Symbol) and isinstance(b, Symbol)):
            symbol, number = (a, b) if isinstance(a, Symbol) else (b, a)
            if symbol.kind == "beta":
                if 0.0 <= number <= 1.0:
                    raise UsageError("target: compares a draw with a number, which is not covered")
                return bool((number < 0.0) == (symbol is b))
            if symbol.kind == "normal":
                # A running maximum of draws; what it stores is no number.
                return bool(number == -math.inf) == (symbol is b) or not math.isinf(number)
        if len(self.questions) < len(self._answers):
            self.questions.append((a, b))
            return self._answers[len(self.questions) - 1]
        raise Fork


def log_chances(choose: Any) -> tuple[float, float]:
    """log P(arm 0) and log P(arm 1); `choose` maps coins to an arm."""
    open_: list[tuple[bool, ...]] = [()]
    parts: tuple[list[float], list[float]] = ([], [])
    while open_:
        answers = open_.pop()
        coins = Coins(answers)
        try:
            arm = choose(coins)
        except Fork:
            if len(answers) >= 4:
                raise UsageError("target: a choice of too many comparisons") from None
            open_ += [(*answers, False), (*answers, True)]
            continue
        parts[arm].append(_log_probability(coins, answers))
    zero, one = (float(logsumexp(part)) if part else -math.inf for part in parts)
    return zero, one


def _log_probability(coins: Coins, answers: tuple[bool, ...]) -> float:
    """Of these answers to these questions."""
    if not answers:
        return 0.0
    first, second = coins.questions[0]
    if isinstance(first, Symbol) and isinstance(second, Symbol):
        if len(answers) > 1 or coins.draws != 2 or first.number == second.number:
            raise UsageError("target: a choice by more than two fresh draws, which is not covered")
        low, high = (first, second) if answers[0] else (second, first)
        if low.kind == high.kind == "normal":
            spread = math.hypot(low.scale, high.scale)
            return float(log_ndtr((high.shift - low.shift) / spread))
        if low.kind == high.kind == "beta":
            return _beta_above(high.shape, low.shape)
        raise UsageError("target: compares draws of two kinds, which is not covered")
    if coins.draws != 1:
        raise UsageError("target: a choice by an older draw, which is not covered")
    return _uniform(coins.questions, answers)


def _uniform(questions: list[tuple[Any, Any]], answers: tuple[bool, ...]) -> float:
    """Of the range of one uniform variable that is left by comparisons with numbers."""
    low, high = 0.0, 1.0
    for (a, b), less in zip(questions, answers, strict=True):
        symbol, number = (a, b) if isinstance(a, Symbol) else (b, a)
        if isinstance(number, Symbol) or symbol.kind != "uniform" or symbol.scale <= 0.0:
            raise UsageError("target: a choice by other comparisons, which are not covered")
        cut = (float(number) - symbol.shift) / symbol.scale
        if less == (symbol is a):
            high = min(high, cut)
        else:
            low = max(low, cut)
    left = high - low
    return math.log(left) if left > 1e-15 else -math.inf


def _beta_above(high: tuple[float, float], low: tuple[float, float]) -> float:
    """log P(Beta(high) > Beta(low)): for whole a of `high` the sum over i < a of
    B(c + i, b + d) / ((b + i) B(1 + i, b) B(c, d)), all of whose terms are positive."""
    (a, b), (c, d) = high, low
    if a != int(a):
        raise UsageError("target: beta draws of parameters that are not whole are not covered")
    terms = [
        betaln(c + i, b + d) - math.log(b + i) - betaln(1.0 + i, b) - betaln(c, d)
        for i in range(int(a))
    ]
    return min(0.0, float(logsumexp(terms)))
