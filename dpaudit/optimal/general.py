"""The program solved by HiGHS, a solver of any linear program: for delta > 0, where the privacy
constraints of different actions are not apart, and to compare with."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy.optimize import OptimizeWarning, linprog
from scipy.sparse import csr_array, hstack, vstack

from dpaudit.errors import Unfinished
from dpaudit.optimal.program import Floats, Program, ratio_above

WAYS: tuple[dict[str, Any], ...] = (
    {"run_crossover": "off", "ipm_optimality_tolerance": 1e-10},
    {},
)
"""Crossing over to a vertex takes time and is not needed, whatever the multipliers are they give a
bound; where the interior-point method alone stops short of the tolerance, it is done."""


def optimum(program: Program) -> tuple[Floats, Floats]:
    """Variables and multipliers. An answer of the solver that is no optimum is `Unfinished`, in its
    own words."""
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


def consistent(program: Program, x: Floats) -> Floats:
    """The solver's learner, consistent up to the rounding of doubles: a row an action sequence, a
    column a letter sequence."""
    question = program.question
    k = question.arms
    learner = np.ones((1, 1))
    for t, level in enumerate(program.levels, 1):
        start, end = program.offsets[t - 1], program.offsets[t]
        found = np.maximum(x[start:end], 0.0)[level.of].reshape(k ** (t - 1), k, -1)
        whole = found.sum(axis=1, keepdims=True)
        share = np.where(whole > 0, found / np.where(whole > 0, whole, 1.0), 1.0 / k)
        wider = found.shape[2] // learner.shape[1]
        learner = (np.repeat(learner, wider, axis=1)[:, None, :] * share).reshape(k**t, -1)
    return learner
