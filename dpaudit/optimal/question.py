"""What is asked: the least worst-case regret of any private learner, over K instances.

In instance i the losses of arm i are Bernoulli with mean 1/2 - gap/2, those of the others with mean
1/2 + gap/2, all independent. A learner is private if the probabilities of its action sequences on
two tables that differ in one row are within e^epsilon (and delta) of each other.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Literal, TypeAlias, get_args

from dpaudit.errors import UsageError, check_count, check_number

Feedback: TypeAlias = Literal["full-information", "bandit"]
Letter: TypeAlias = tuple[int, ...]
"""What is seen of a round: all losses, or that of the arm that was pulled."""

MOST_EPSILON = 20.0


@dataclass(frozen=True)
class Question:
    """Numbers are exact: 0.1 is 1/10."""

    rounds: int
    arms: int
    epsilon: Fraction
    delta: Fraction
    gap: Fraction
    feedback: Feedback

    @property
    def full(self) -> bool:
        return self.feedback == "full-information"

    @property
    def levels(self) -> int:
        """Actions that matter. With full information the first is not among them: it shows nothing
        and knows nothing, so a learner that draws it apart from the others is as good and as
        private, and each first action costs the same on average."""
        return self.rounds - 1 if self.full else self.rounds

    def seen(self, level: int) -> int:
        """How many letters are seen before the action of a level (from 1)."""
        return level if self.full else level - 1

    @cached_property
    def letters(self) -> list[Letter]:
        """All ones say as little about the instance as all zeros: a learner that takes the ones for
        zeros, and draws in their place one of the two, is as good and as private."""
        if not self.full:
            return [(0,), (1,)]
        return list(itertools.product((0, 1), repeat=self.arms))[:-1]

    @property
    def first(self) -> Fraction:
        """The regret of the first round with full information, on average over the instances."""
        return self.gap * (self.arms - 1) / self.arms if self.full else Fraction(0)

    def likelihood(self, instance: int, letter: int, arm: int) -> Fraction:
        """Probability of a letter, by its place among the letters, after a pull of the arm."""

        def of(k: int, loss: int) -> Fraction:
            mean = (1 - self.gap if k == instance else 1 + self.gap) / 2
            return mean if loss else 1 - mean

        values = self.letters[letter]
        if not self.full:
            return of(arm, values[0])
        found = Fraction(1)
        for k, loss in enumerate(values):
            found *= of(k, loss)
        if any(values):
            return found
        ones = Fraction(1)
        for k in range(self.arms):
            ones *= of(k, 1)
        return found + ones


def asked(
    *,
    rounds: object,
    arms: object = 2,
    epsilon: object,
    delta: object = 0,
    gap: object = "0.5",
    feedback: str = "full-information",
) -> Question:
    """The question of these numbers, or of their texts; a bad one is a UsageError."""
    if feedback not in get_args(Feedback):
        allowed = " or ".join(get_args(Feedback))
        raise UsageError(f"feedback: got {feedback!r}, allowed is {allowed}")
    wanted = Question(
        rounds=check_count("rounds", rounds, 2, 64),
        arms=check_count("arms", arms, 2, 8),
        epsilon=_exact("epsilon", epsilon, 0.0, MOST_EPSILON, low_open=True),
        delta=_exact("delta", delta, 0.0, 1.0),
        gap=_exact("gap", gap, 0.0, 1.0, low_open=True),
        feedback="bandit" if feedback == "bandit" else "full-information",
    )
    if wanted.delta and not wanted.full:
        raise UsageError("delta: got a positive one, allowed with full information only")
    return wanted


def _exact(
    name: str, value: object, low: float, high: float, *, low_open: bool = False
) -> Fraction:
    if isinstance(value, Fraction):
        value = str(value) if value.denominator == 1 else value
    check_number(name, value, low, high, low_open=low_open)
    return value if isinstance(value, Fraction) else Fraction(str(value))
