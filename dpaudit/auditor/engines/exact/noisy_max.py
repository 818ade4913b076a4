"""The exact engine for epoch-based report-noisy-max learners: any K, any epoch length.

A replaced row is in one epoch, and only that epoch's selection depends on it, so the worst
log-ratio of two output distributions is that of one report-noisy-max. By monotonicity the worst
change raises the score of the reported action by 1 and lowers all others by 1; what is searched is
the sums of the epoch's other rounds. The value is certified by ball arithmetic (python-flint).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any

import flint
import numpy as np
from flint import acb, arb, arb_poly

from dpaudit.algorithm.exact import NoisyMax
from dpaudit.machine.noisy_max import EXPONENTIAL, GUMBEL, NOISES, log_win
from dpaudit.results.audit import Event, Lower, Pair

EXHAUSTIVE = 4000
"""Most sums of the other rounds that are all tried."""
BITS = 128
CELLS = 128
"""Arms times rounds of the longest epoch that is searched: what the first epochs lose holds for any
number of rounds."""
SHOWN = 64
"""Longer tables are shown as far as the event needs them."""
STARTS = 4
"""A climb starts at so many corners beside the one of all zeros."""


def exact_lower(
    law: NoisyMax, arms: int, rounds: int, epsilon: float, *, losses: bool
) -> tuple[Lower, str]:
    """The largest log-ratio over binary tables, its witness, and what was searched."""
    scale, noise = law.factor / epsilon, NOISES.index(law.noise)
    best: tuple[float, int, tuple[int, ...]] = (0.0, 0, (0,) * arms)
    searched, low = [], 0.0
    for epoch in itertools.count():
        length = 2**epoch
        if 2 * length - 1 >= rounds:
            break  # the epoch's selection is never played
        if arms * length > CELLS:
            searched.append(f"epochs of {length} rounds and more left out, which bounds them too")
            break
        value, others, how = _worst(arms, length, scale, noise)
        searched.append(how)
        if value > best[0] + 1e-12:
            certified = certified_log_ratio(*_scores(others), 0, scale, noise)
            if not math.isfinite(certified):
                searched.append(f"a lead of {length} rounds is beyond {BITS} bits")
                break
            best, low = (value, epoch, others), certified
        if value > 2.0 / scale - 1e-6:
            break  # no noise of that scale loses more
    _, epoch, others = best
    if not searched or arms == 1:
        nothing = Event("no action depends on the rewards within these rounds")
        return Lower(0.0, None, nothing, 0, 0.0), "nothing to search"
    lower = Lower(
        bound=low,
        pair=_pair(others, epoch, rounds if rounds <= SHOWN else 2 ** (epoch + 1), losses),
        event=Event(f"action 0 is played from round {2 ** (epoch + 1)} on"),
        runs=0,
        estimate=low,
    )
    return lower, "; ".join(dict.fromkeys(searched))


def _scores(others: tuple[int, ...]) -> tuple[list[int], list[int]]:
    """Scores in the world where action 0 is likelier, and in its neighbour."""
    return [others[0] + 1, *others[1:]], [others[0], *(o + 1 for o in others[1:])]


def _loss(others: tuple[int, ...], scale: float, noise: int) -> float:
    here, there = (np.array(s, float) for s in _scores(others))
    return log_win(here, 0, scale, noise) - log_win(there, 0, scale, noise)


def _worst(arms: int, length: int, scale: float, noise: int) -> tuple[float, tuple[int, ...], str]:
    """Largest loss of action 0 over the sums of the other length - 1 rounds.

    Rivals are interchangeable, so their sums may be taken in increasing order.
    """
    top = length - 1
    size = (top + 1) * math.comb(top + arms - 1, arms - 1)
    if size <= EXHAUSTIVE:
        tried: Iterator[tuple[int, ...]] = (
            (mine, *rivals)
            for mine in range(top + 1)
            for rivals in itertools.combinations_with_replacement(range(top + 1), arms - 1)
        )
        found = max(((_loss(o, scale, noise), o) for o in tried), key=lambda x: x[0])
        return *found, "all binary tables of the epochs"
    raised = sorted({1 + (arms - 2) * i // (STARTS - 1) for i in range(STARTS)})
    starts = [(0, *([top] * k + [0] * (arms - 1 - k))) for k in raised] + [(0,) * arms]
    best = (-math.inf, starts[0])
    for start in starts:
        current = (_loss(start, scale, noise), start)
        improved = True
        while improved:
            improved = False
            for j, step in itertools.product(range(arms), (-1, 1, -(top // 2), top // 2)):
                moved = list(current[1])
                moved[j] = min(max(moved[j] + step, 0), top)
                value = _loss(tuple(moved), scale, noise)
                if value > current[0] + 1e-12:
                    current, improved = (value, tuple(moved)), True
        best = max(best, current, key=lambda x: x[0])
    return *best, "a climb over the sums of long epochs from the corners"


def _pair(others: tuple[int, ...], epoch: int, rounds: int, losses: bool) -> Pair:
    """Tables with these sums: the epoch's first round is the changed one."""
    first = 2**epoch - 1  # index of the epoch's first round
    score = np.zeros((rounds, len(others)))
    for j, total in enumerate(others):
        score[first + 1 : first + 1 + total, j] = 1.0
    likely, other = score.copy(), score.copy()
    likely[first, 0] = 1.0
    other[first, 1:] = 1.0
    if losses:  # a round that adds nothing to a score is a loss of 1 for all
        for table in (likely, other):
            table[first : 2 * first + 1] = 1.0 - table[first : 2 * first + 1]
    return Pair(other, likely, first + 1)


def certified_log_ratio(
    here: list[int], there: list[int], j: int, scale: float, noise: int
) -> float:
    """A double that is certainly at most ln P(j | here) - ln P(j | there)."""
    with flint.ctx.workprec(BITS):
        ratio = (_ball_win(here, j, scale, noise) / _ball_win(there, j, scale, noise)).log()
        lower = ratio.lower()
    return math.nextafter(float(lower), -math.inf)


def _ball_win(scores: list[int], j: int, scale: float, noise: int) -> Any:
    """Ball around the probability that index j wins."""
    b = arb(scale)
    shifts = [(arb(s) - arb(scores[j])) / b for k, s in enumerate(scores) if k != j]
    if noise == GUMBEL:
        return 1 / (1 + sum((d.exp() for d in shifts), arb(0)))

    def upper_tail(start: Any, factor: Any) -> Any:
        # integral over x > start of e^-x prod(1 - factor e^(d - x)), exactly, in u = e^(start - x)
        product = arb_poly([1])
        for d in shifts:
            product = product * arb_poly([1, -factor * (d - start).exp()])
        return (-start).exp() * product.integral()(arb(1))

    cuts = sorted({0, *(s - scores[j] for k, s in enumerate(scores) if k != j)})
    if noise == EXPONENTIAL:
        return upper_tail(arb(cuts[-1]) / b if cuts[-1] > 0 else arb(0), arb(1))
    return _ball_laplace(shifts, [arb(c) / b for c in cuts], upper_tail)


def _ball_laplace(shifts: list[Any], cuts: list[Any], upper_tail: Any) -> Any:
    """Laplace noise: a pure exponential below all cuts, polynomials times exponentials between."""
    half = arb(1) / 2
    lowest = cuts[0]
    total = (lowest - sum((d - lowest for d in shifts), arb(0))).exp() * half ** (len(shifts) + 1)
    total = total / (len(shifts) + 1)
    for left, right in itertools.pairwise(cuts):
        middle = (left + right) / 2

        def integrand(x: Any, _analytic: Any, middle: Any = middle) -> Any:
            value = (x if middle < 0 else -x).exp() / 2
            for d in shifts:
                value = value * ((x - d).exp() / 2 if middle < d else 1 - (d - x).exp() / 2)
            return value

        total = total + acb.integral(integrand, acb(left), acb(right)).real
    return total + upper_tail(cuts[-1], half) / 2
