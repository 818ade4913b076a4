"""The program solved, and what was found made into two numbers that can be relied on.

The multipliers of the privacy constraints are rounded to integers: whatever they are, they give a
lower bound for every private learner (`dpaudit.recheck.optima`). The learner is mixed with uniform
play until it is private: its regret is an upper bound on the optimum.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from dpaudit.optimal.general import consistent, optimum
from dpaudit.optimal.interior.apart import Apart
from dpaudit.optimal.interior.game import Game
from dpaudit.optimal.interior.method import Point, points
from dpaudit.optimal.interior.thin import thin
from dpaudit.optimal.orbits import Ints
from dpaudit.optimal.program import (
    Floats,
    build,
    bytes_of,
    chances,
    check_size,
    ratio_above,
    size_of,
)
from dpaudit.optimal.question import Question

TIGHT = 1e-6
"""By so much learner and bound may differ in a result."""
CLOSEST, CLOSE = 1e-9, 2e-7
"""Where the steps end: here, or at the latter if one does not halve the difference."""
BITS = 48
"""Multipliers are multiples of 2^-48, ..."""
MANY, FEWEST = 100_000, 26
"""... or, where there are more than MANY and the certificate would be large, they are made few, and
multiples of the largest power of two, 2^-FEWEST at most, that leaves learner and bound within 3/4
of TIGHT."""
APART = 2**26
"""Bytes of a program from which on each branch has a process of its own."""
Progress = Callable[[int, float, float], None]
"""Is told the step, and what the optimum is between."""


@dataclass(frozen=True)
class Solved:
    """The best learner that was found, and the multipliers of the privacy constraints."""

    question: Question
    value: float
    """The worst-case regret of `learner`."""
    learner: Floats
    """Probability of each action sequence (a row) for each letter sequence (a column)."""
    ratio: Fraction
    """Not less than e^epsilon."""
    code: Ints
    multiplier: Ints
    """Of the pair with this code, summed over its orbit, in units of 2^-bits."""
    bits: int
    variables: int
    pairs: int
    seconds: float
    stopped: str = ""
    """Why the solver ended before learner and bound met, or nothing."""


def solve(question: Question, progress: Progress = lambda *_: None) -> Solved:
    """For delta > 0 an answer of the solver that is no optimum is `Unfinished`; else it is what it
    came to."""
    check_size(question)
    return _general(question) if question.delta else _interior(question, progress)


def _general(question: Question) -> Solved:
    began = time.perf_counter()
    program = build(question)
    x, multipliers = optimum(program)
    rounded = np.rint(multipliers * 2.0**BITS).astype(np.int64)
    kept = np.flatnonzero(rounded > 0)
    learner = _private(question, consistent(program, x))
    return Solved(
        question,
        regret_of(question, learner),
        learner,
        ratio_above(question.epsilon),
        program.pairs.code[kept],
        rounded[kept],
        BITS,
        program.offsets[-1],
        len(program.pairs.here),
        time.perf_counter() - began,
    )


def _interior(question: Question, progress: Progress) -> Solved:
    began = time.perf_counter()
    ratio = ratio_above(question.epsilon)
    game = Game(question, float(ratio))
    found: list[Point] = []
    stopped, z = "", np.zeros(0)
    hands = Apart(game) if bytes_of(question) > APART else None
    try:
        for point in points(game, hands):
            best = max([point, *found], key=lambda each: each.bound)
            gaps = [each.value - best.bound for each in [*found, point][-2:]]
            found = [best, point]
            first = float(question.first)
            progress(point.step, best.bound + first, point.value + first)
            z = best.z
            if gaps[-1] < CLOSEST or (gaps[-1] < CLOSE and gaps[-1] > gaps[0] / 2):
                break
        else:
            if gaps[-1] > TIGHT / 2:
                stopped = f"the solver (interior point) stopped after step {point.step}"
        if z.size > MANY:
            few = thin(game, z)
            low = game.least(few)
            if point.value - low < 0.75 * TIGHT or (stopped and best.bound - low < TIGHT):
                z = few
    except KeyboardInterrupt:
        if not found:
            raise
        stopped = f"interrupted after step {found[-1].step}"
    finally:
        if hands is not None:
            hands.close()
    best, point = found
    bits = _bits(game, z, point.value)
    code, multiplier = _coded(game, np.rint(z * 2.0**bits).astype(np.int64))
    learner = _private(question, _whole(game, point.x))
    variables, pairs = size_of(question)
    return Solved(
        question,
        regret_of(question, learner),
        learner,
        ratio,
        code,
        multiplier,
        bits,
        variables,
        pairs,
        time.perf_counter() - began,
        stopped,
    )


def _bits(game: Game, z: Floats, value: float) -> int:
    if z.size > MANY:
        for bits in range(FEWEST, BITS):
            if value - game.least(np.rint(z * 2.0**bits) / 2.0**bits) < 0.75 * TIGHT:
                return bits
    return BITS


def _coded(game: Game, multipliers: Ints) -> tuple[Ints, Ints]:
    """The multipliers that are not zero, and their pairs' codes (`Pairs`) in ascending order."""
    change, row, column = np.nonzero(multipliers)
    place, shift = np.array(game.changes, np.int64).reshape(-1, 2)[change].T
    seen = game.question.seen(game.levels)
    letter = column // game.letters ** (seen - 1 - place) % game.letters
    history = row * game.columns + column
    code = (history * seen + place) * game.letters + (letter + shift) % game.letters
    order = np.argsort(code)
    return code[order], multipliers[change, row, column][order]


def _whole(game: Game, x: Floats) -> Floats:
    """With the renamed action sequences, too."""
    k, seen = game.arms, game.question.seen(game.levels)
    found = np.zeros((k, game.rows, game.columns))
    actions = np.stack(np.unravel_index(np.arange(game.rows), (k,) * game.levels))
    letters = np.stack(np.unravel_index(np.arange(game.columns), (game.letters,) * seen))
    for arm in range(k):
        moved = np.ravel_multi_index(tuple((actions + arm) % k), (k,) * game.levels)
        before = game.renamed[arm] if game.question.full else np.arange(game.letters)
        column = np.ravel_multi_index(tuple(before[letters]), (game.letters,) * seen)
        found.reshape(-1, game.columns)[moved] = x[:, column]
    return found.reshape(-1, game.columns)


def _private(question: Question, learner: Floats) -> Floats:
    """As private as is asked, up to the rounding of doubles, by as little uniform play as is
    enough."""
    letters = len(question.letters)
    ratio, uniform = float(np.exp(float(question.epsilon))), 1.0 / len(learner)
    delta, mixed = float(question.delta), 0.0
    shaped = learner.reshape(len(learner), *[letters] * question.seen(question.levels))
    for axis in range(1, shaped.ndim):
        for shift in range(1, letters):
            beyond = shaped - ratio * np.roll(shaped, shift, axis)
            if delta:
                most = float(np.maximum(beyond, 0.0).sum(axis=0).max())
                mixed = max(mixed, 1.0 - delta / most if most > delta else 0.0)
            else:
                most = float(beyond.max())
                mixed = max(mixed, most / (most + (ratio - 1.0) * uniform) if most > 0 else 0.0)
    return (1.0 - mixed) * learner + mixed * uniform


def regret_of(question: Question, learner: Floats) -> float:
    """The regret on every instance of a learner that treats the arms alike."""
    k, letters = question.arms, len(question.letters)
    total, found = float(question.first), learner
    for level in range(question.levels, 0, -1):
        last = np.arange(k**level) % k
        for instance in range(k):
            weight = chances(question, instance, level) * (last != instance)[:, None]
            total += float(question.gap) / k * float((weight * found).sum())
        if level > 1:
            found = found.reshape(k ** (level - 1), k, -1).sum(axis=1)
            # What was seen last is not known before: all its values give the same sum.
            found = found.reshape(len(found), letters ** question.seen(level - 1), -1)[:, :, 0]
    return total
