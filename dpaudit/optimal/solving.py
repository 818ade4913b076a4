"""The program solved by HiGHS, and what it found made into two numbers that can be relied on.

Its multipliers of the privacy constraints are rounded to integers: whatever they are, they give a
lower bound for every private learner (`dpaudit.recheck.optima`). Its learner is made consistent,
and mixed with uniform play until it is private: its regret is an upper bound on the optimum.
"""

from __future__ import annotations

import math
import time
import warnings
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.optimize import OptimizeWarning, linprog
from scipy.sparse import csr_array, hstack, vstack

from dpaudit.errors import Unfinished
from dpaudit.optimal.orbits import Ints
from dpaudit.optimal.program import Floats, Program, build, chances
from dpaudit.optimal.question import Question

BITS = 48
"""Multipliers are multiples of 2^-48."""
WAYS: tuple[dict[str, Any], ...] = (
    {"run_crossover": "off", "ipm_optimality_tolerance": 1e-10},
    {},
)
"""Crossing over to a vertex takes time and is not needed, whatever the multipliers are they give a
bound; where the interior-point method alone stops short of the tolerance, it is done."""


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
    """Of the pair with this code, summed over its orbit."""
    variables: int
    pairs: int
    seconds: float


def solve(question: Question) -> Solved:
    """An answer of the solver that is no optimum is `Unfinished`, in its own words."""
    began = time.perf_counter()
    program = build(question)
    x, multipliers = _optimum(program)
    whole = Fraction(2) ** BITS
    rounded = np.rint(multipliers * float(whole)).astype(np.int64)
    kept = np.flatnonzero(rounded > 0)
    learner = _private(program, x)
    return Solved(
        question,
        regret_of(question, learner),
        learner,
        ratio_above(question.epsilon),
        program.pairs.code[kept],
        rounded[kept],
        program.offsets[-1],
        len(program.pairs.here),
        time.perf_counter() - began,
    )


def ratio_above(epsilon: Fraction) -> Fraction:
    """A short fraction that is not less than e^epsilon."""
    near = Fraction(math.nextafter(math.exp(float(epsilon)), math.inf)) * (1 + Fraction(1, 2**50))
    return Fraction(math.ceil(near * 2**48), 2**48)


def _optimum(program: Program) -> tuple[Floats, Floats]:
    pairs, n, q = program.pairs, program.offsets[-1], len(program.pairs.here)
    base, rows = program.offsets[-2], np.arange(q)
    ratio = float(ratio_above(program.question.epsilon))
    entries = np.concatenate([np.ones(q), np.full(q, -ratio)])
    places = np.concatenate([rows, rows]), base + np.concatenate([pairs.here, pairs.there])
    private = csr_array((entries, places), shape=(q, n))
    equal, cost, most = program.equal, program.cost, np.zeros(q)
    if program.groups is not None:
        groups, per = program.groups.shape
        held = np.repeat(np.arange(groups), per), program.groups.ravel()
        beyond = csr_array((np.ones(groups * per), held), shape=(groups, q))
        above = hstack([private, csr_array((-np.ones(q), (rows, rows)), shape=(q, q))])
        private = vstack([above, hstack([csr_array((groups, n)), beyond])]).tocsr()
        most = np.concatenate([most, np.full(groups, float(program.question.delta))])
        equal = hstack([equal, csr_array((equal.shape[0], q))]).tocsr()
        cost = np.concatenate([cost, np.zeros(q)])
    solver: Any = linprog
    with warnings.catch_warnings():
        # scipy passes on what it does not know, and says so.
        warnings.simplefilter("ignore", OptimizeWarning)
        for options in WAYS:
            answer = solver(
                cost,
                A_ub=private,
                b_ub=most,
                A_eq=equal,
                b_eq=program.right,
                bounds=(0, None),
                method="highs-ipm",
                options=options,
            )
            if answer.status == 0:
                break
    if answer.status != 0:
        raise Unfinished(f"the solver (HiGHS) says: {' '.join(str(answer.message).split())}")
    return answer.x[:n], np.maximum(-answer.ineqlin.marginals[:q], 0.0)


def _private(program: Program, x: Floats) -> Floats:
    """The solver's learner, consistent and private up to the rounding of doubles."""
    question = program.question
    k, letters = question.arms, len(question.letters)
    learner = np.ones((1, 1))
    for t, level in enumerate(program.levels, 1):
        start, end = program.offsets[t - 1], program.offsets[t]
        found = np.maximum(x[start:end], 0.0)[level.of].reshape(k ** (t - 1), k, -1)
        whole = found.sum(axis=1, keepdims=True)
        share = np.where(whole > 0, found / np.where(whole > 0, whole, 1.0), 1.0 / k)
        wider = found.shape[2] // learner.shape[1]
        learner = (np.repeat(learner, wider, axis=1)[:, None, :] * share).reshape(k**t, -1)
    ratio, uniform = math.exp(float(question.epsilon)), float(k) ** -question.levels
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
