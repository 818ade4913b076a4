"""The worst pair of a report-noisy-max whose scores are sums of the same rounds: any number of
arms and rounds.

All arms are alike, and by monotonicity the worst change raises the score of the reported action by
1 and lowers all others by 1; what is searched is the sums of the other rounds. The value is
certified by ball arithmetic (python-flint).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import flint
import numpy as np
from flint import acb, arb, arb_poly, fmpq

from dpaudit.auditor.engines.exact.steps.bands import Contest
from dpaudit.machine.noisy_max import EXPONENTIAL, GUMBEL, log_win
from dpaudit.results.found import Event, Lower, Pair

EXHAUSTIVE = 4000
"""Most sums of the other rounds that are all tried."""
BITS, MOST_BITS = 128, 2048
RESOLVED = 1e-6
"""A certified value that is lower than the one in doubles by more is one that ran out of bits."""
SHOWN = 64
"""Longer tables are shown as far as the event needs them."""
STARTS = 4
"""A climb starts at so many corners beside the one of all zeros."""


@dataclass(frozen=True)
class Block:
    """Rounds whose sums are the scores, negated or not, and the round from which on the reported
    action is played."""

    first: int
    length: int
    sign: int
    scale: float
    noise: int
    played: int

    @classmethod
    def of(cls, contest: Contest, played: int) -> Block | None:
        """If all scores are sums over the same consecutive rounds, each of its own arm."""
        arms = len(contest.scores)
        constants = [constant for _, constant in contest.scores]
        found = set()
        for arm, (data, _) in enumerate(contest.scores):
            signs = set(data.values())
            if any(name % arms != arm for name in data) or len(signs) != 1:
                return None
            found.add((tuple(sorted(name // arms + 1 for name in data)), signs.pop()))
        if len(found) != 1 or any(constant != constants[0] for constant in constants):
            return None
        ((rounds, sign),) = found
        if abs(sign) != 1 or rounds != tuple(range(rounds[0], rounds[-1] + 1)):
            return None
        scale = int(contest.scale.p) / int(contest.scale.q)
        return cls(rounds[0], len(rounds), int(sign.p), scale, contest.noise, played)


def exact_lower(blocks: list[Block], arms: int, rounds: int) -> tuple[Lower, str]:
    """The largest log-ratio over binary tables, its witness, and what was searched."""
    best: tuple[float, Block, tuple[int, ...]] = (0.0, blocks[0], (0,) * arms)
    searched, low = [], 0.0
    for block in blocks:
        value, others, how = _worst(arms, block.length, block.scale, block.noise)
        searched.append(how)
        if value > best[0] + 1e-12:
            certified = certified_log_ratio(*_scores(others), 0, block.scale, block.noise)
            if certified > low:
                best, low = (value, block, others), certified
            if certified < value - RESOLVED:
                searched.append(f"a lead of {block.length} rounds is beyond {MOST_BITS} bits")
                break
        if value > 2.0 / block.scale - 1e-6 and len({each.scale for each in blocks}) == 1:
            break  # no noise of that scale loses more
    _, block, others = best
    lower = Lower(
        bound=low,
        pair=_pair(others, block, rounds if rounds <= SHOWN else block.played),
        event=Event(f"action 0 is played from round {block.played} on"),
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


def _pair(others: tuple[int, ...], block: Block, rounds: int) -> Pair:
    """Tables with these sums: the block's first round is the changed one."""
    first, last = block.first - 1, block.first - 1 + block.length
    score = np.zeros((rounds, len(others)))
    for j, total in enumerate(others):
        score[first + 1 : first + 1 + total, j] = 1.0
    likely, other = score.copy(), score.copy()
    likely[first, 0] = 1.0
    other[first, 1:] = 1.0
    if block.sign < 0:  # a round that adds nothing to a score is a loss of 1 for all
        for table in (likely, other):
            table[first:last] = 1.0 - table[first:last]
    return Pair(other, likely, first + 1)


def certified_log_ratio(
    here: list[int], there: list[int], j: int, scale: float, noise: int
) -> float:
    """A double that is certainly at most ln P(j | here) - ln P(j | there)."""
    bits = BITS
    while True:
        with flint.ctx.workprec(bits):
            likely, other = (ball_win([fmpq(s) for s in e], j, scale, noise) for e in (here, there))
            low = lower_log_ratio(likely, other)
            if (likely / other).log().is_finite() or bits >= MOST_BITS:
                return low
        bits *= 4


def lower_log_ratio(here: Any, there: Any) -> float:
    """A double that is certainly at most the log of the ratio of two probabilities, also where the
    second is too small to be told from 0."""
    ratio = (here / there).log()
    if not ratio.is_finite() and here > 0 and not there.is_zero():
        ratio = (here.lower() / there.upper()).log()
    return math.nextafter(float(ratio.lower()), -math.inf) if ratio.is_finite() else -math.inf


def ball_win(scores: list[Any], j: int, scale: float, noise: int) -> Any:
    """Ball around the probability that index j wins."""
    b = arb(scale)
    shifts = [arb(s - scores[j]) / b for k, s in enumerate(scores) if k != j]
    if noise == GUMBEL:
        return 1 / (1 + sum((d.exp() for d in shifts), arb(0)))

    def upper_tail(start: Any, factor: Any) -> Any:
        # integral over x > start of e^-x prod(1 - factor e^(d - x)), exactly, in u = e^(start - x)
        product = arb_poly([1])
        for d in shifts:
            product = product * arb_poly([1, -factor * (d - start).exp()])
        return (-start).exp() * product.integral()(arb(1))

    cuts = sorted({scores[j] - scores[j], *(s - scores[j] for k, s in enumerate(scores) if k != j)})
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
