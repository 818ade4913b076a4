"""Which of two numbers is larger, and which of several is the best: a noisy maximum, if each has
noise of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dpaudit.prover.learners import run
from dpaudit.prover.learners.numbers import (
    Value,
    lift,
    same_noisy,
    scale_of,
    used,
    without_coins,
)
from dpaudit.prover.learners.run import Secret
from dpaudit.prover.symbols import functions, paths
from dpaudit.prover.symbols.terms import (
    Number,
    Public,
    same,
    times,
)

ONE_SIDED = ("exponential", "gumbel")
"""Laws whose upper tails alone fall no faster than exponentially: good for a noisy maximum."""


def compared(how: str, a: Value, b: Value) -> Any:
    if how in ("==", "!=") and (a is b or _of_one_contest(a, b)):
        return (a is b) == (how == "==")
    known = _of_reward(how, a, b)
    if known is not None:
        return known
    if bare(a) or bare(b):
        between = a - b
        if between.draw is not None:
            return _forked(how, used(between), 0)  # Noise on one side is noise on the difference.
        without_coins(a, b)
        return Secret()
    return _forked(how, used(a), used(b))


def bare(value: Value) -> bool:
    """Private, and without noise."""
    return bool(value.form) and value.draw is None


def _forked(how: str, a: Number, b: Number) -> bool:
    return bool(functions.compare(how, a, b))


def _of_reward(how: str, a: Value, b: Value) -> bool | None:
    """Rewards are in [0, 1]: what asks for that is answered."""
    for value, other, left in ((a, b, True), (b, a, False)):
        if not is_reward(value) or not other.public or isinstance(other.offset, Public):
            continue
        number = other.offset
        if how == "<" and left:
            return True if number > 1 else False if number <= 0 else None
        if how == "<=" and left:
            return True if number >= 1 else False if number < 0 else None
        if how == "<":
            return True if number < 0 else False if number >= 1 else None
        if how == "<=":
            return True if number <= 0 else False if number > 1 else None
    return None


def is_reward(value: Value) -> bool:
    """A reward as it came."""
    return (
        value.draw is None
        and [not isinstance(c, Public) and c == 1 for c in value.form.values()] == [True]
        and next(iter(value.form)).startswith("reward")
        and not isinstance(value.offset, Public)
        and value.offset == 0
    )


def _of_one_contest(a: Value, b: Value) -> bool:
    """Two noisy scores are equal with probability 0."""
    if a.draw is None or b.draw is None or a.draw is b.draw:
        return False
    return a.draw.contest is not None and a.draw.contest is b.draw.contest


@dataclass(frozen=True, eq=False)
class Contest:
    """A noisy maximum, or minimum: nothing but its winner is known of the scores."""

    values: list[Value]
    most: bool
    winner: int
    booking: Any


def best(given: list[Any], *, most: bool) -> Any:
    """The index of the largest, or least, of these numbers; the first one of equal ones."""
    if any(isinstance(v, Secret) for v in given):
        return Secret()
    values = [lift(v) for v in given]
    if not values:
        raise paths.Unsupported("the best of no numbers")
    first = values[0].draw.contest if values[0].draw is not None else None
    if first is not None and first.most == most and _the_same(first.values, values):
        return int(first.winner)
    if _contest(values, most):
        scores = tuple(value.private for value in values)
        booking = None
        if any(value.form for value in values):
            booking = run.book("noisy_argmax", scores, scale_of(values[0]), paths.place())
        winner = paths.current().choose(len(values))
        contest = Contest(values, most, winner, booking)
        for value in values:
            assert value.draw is not None
            value.draw.contest = contest
        return winner
    if any(map(bare, values)):
        if any(value.draw is not None for value in values):
            raise paths.Unsupported("the best of numbers of which some have noise")
        without_coins(*values)
        return Secret()
    return _best_public([used(v) for v in values], most)


def picked(values: list[Any], at: Any) -> Any:
    return at if isinstance(at, Secret) else values[at]


def _contest(values: list[Value], most: bool) -> bool:
    """Each has noise of its own, alike and with its heavy side where the best is looked for."""
    draws = [v.draw for v in values]
    if len(values) < 2 or len(set(map(id, draws))) < len(draws):
        return False
    for value in values:
        draw, head = value.draw, values[0]
        if draw is None or draw.shown is not None or draw.contest is not None:
            return False
        assert head.draw is not None
        if draw.law != head.draw.law or not same(draw.scale, head.draw.scale):
            return False
        if draw.law not in ("laplace", *ONE_SIDED) or not same(value.factor, head.factor):
            return False
        if draw.law in ONE_SIDED and not run.positive(
            value.factor if most else times(value.factor, -1)
        ):
            return False
    return True


def _the_same(a: list[Value], b: list[Value]) -> bool:
    return len(a) == len(b) and all(
        same_noisy(x, y) and same(x.offset, y.offset) for x, y in zip(a, b, strict=True)
    )


def _best_public(numbers: list[Number], most: bool) -> int:
    if not any(isinstance(n, Public) for n in numbers):
        chosen = max(numbers) if most else min(numbers)
        return numbers.index(chosen)
    winner = paths.current().choose(len(numbers))
    for j, number in enumerate(numbers):
        if j == winner:
            continue
        low, high = (number, numbers[winner]) if most else (numbers[winner], number)
        test = functions.compare("<" if j < winner else "<=", low, high)
        if isinstance(test, functions.Condition):
            paths.current().know(test.term)
        elif not test:
            raise paths.Ended
    return winner
