"""What a learner gives away over all pairs of tables of some levels that differ in one row.

The law of the actions under each table is found once; every pair is then two rows of one array.
The last row comes after the last choice, so tables have one row less than rounds. All pairs are
compared in doubles, and those that come near the largest mu are measured with its error bound.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from dpaudit.curves.automaton import Automaton, Ints
from dpaudit.curves.paths import Floats, Laws
from dpaudit.curves.tradeoff import Interval, tight_mu

LONGEST, MOST_PAIRS = 8, 200_000
"""Rounds, and pairs of tables: 172,032 for 4^7 binary tables of 2^8 sequences."""
NEAR = 1e-7
"""Of the largest mu: pairs that are measured again. The comparison errs by less (tested)."""
MOST_NEAR = 64
CHUNK = 1024
GRID = 33
"""Values of epsilon at which the worst delta is found, from 0 to the largest loss."""


@dataclass(frozen=True)
class Everywhere:
    """The worst of all pairs, each for itself: the tight mu, and the pair that has it; the largest
    loss; delta at some epsilons, and the curve that these leave."""

    mu: Interval
    here: Floats
    there: Floats
    laws: Laws
    loss: float
    deltas: Floats
    pairs: int
    profile: tuple[Floats, Floats]


def table_laws(found: Automaton) -> Floats:
    """Log-probabilities by table and sequence of actions. A table's number has a digit for each
    row, to the base of all rows, the first leading; a sequence's has bits, the first leading."""
    logs = np.zeros((1, 1))
    states = np.zeros((1, 1), np.int64)
    for t, layer in enumerate(found.layers):
        logs = (logs[:, :, None] + layer.chances[states]).reshape(len(logs), -1)
        if t + 1 < len(found.layers):
            after = layer.following[states]  # table, sequence, arm, letter
            by_row = [
                np.stack([after[:, :, arm, found.seen[row, arm]] for arm in (0, 1)], axis=-1)
                for row in range(len(found.rows))
            ]
            states = np.stack(by_row, axis=1).reshape(len(found.rows) * len(logs), -1)
            logs = np.repeat(logs, len(found.rows), axis=0)
    return logs


def count_pairs(rounds: int, base: int) -> int:
    return (rounds - 1) * math.comb(base, 2) * int(base ** (rounds - 2))


def pairs(rounds: int, base: int = 4) -> Iterator[tuple[int, Ints, Ints]]:
    """Numbers of tables that differ in one row, each unordered pair once; chunk by chunk."""
    rows = rounds - 1
    for changed, (a, b) in itertools.product(range(rows), itertools.combinations(range(base), 2)):
        step = base ** (rows - 1 - changed)
        high, low = np.divmod(np.arange(base ** (rows - 1)), step)
        rest = high * step * base + low
        for first in range(0, len(rest), CHUNK):
            part = rest[first : first + CHUNK]
            yield changed, part + a * step, part + b * step


def everywhere(
    logs: Floats,
    all_rows: Floats,
    error: float,
    epsilons: tuple[float, ...],
    progress: Callable[[int], None] = lambda _: None,
) -> Everywhere:
    """Of the laws of all tables, whose errors are bounded as those of `Laws`."""
    rounds = logs.shape[1].bit_length() - 1
    base = len(all_rows)
    loss = max(_losses(logs[a], logs[b]).max() for _, a, b in pairs(rounds, base))
    top = loss if np.isfinite(loss) else 2.0 * max(epsilons)
    at = np.concatenate([epsilons, np.linspace(0.0, top, GRID)])
    deltas, best, done = np.zeros(len(at)), -1.0, 0
    near: list[tuple[float, int, int]] = []
    for _, a, b in pairs(rounds, base):
        mu = mus(logs[a], logs[b])
        best = max(best, float(mu.max()))
        close = np.nonzero(mu >= best - NEAR)[0]
        near += [(float(mu[i]), int(a[i]), int(b[i])) for i in close[:MOST_NEAR]]
        deltas = np.maximum(deltas, _deltas(np.exp(logs[a]), np.exp(logs[b]), at))
        done += len(a)
        progress(done)
    measured = [
        (tight_mu(laws), a, b, laws)
        for mu, a, b in near
        if mu >= best - NEAR
        for laws in [_kept(logs[a], logs[b], error)]
    ]
    tight, first, second, found_laws = max(measured, key=lambda m: m[0].high)
    n = len(epsilons)
    return Everywhere(
        mu=Interval(tight.low, max(tight.high, best + NEAR)),
        here=_table(first, rounds, all_rows),
        there=_table(second, rounds, all_rows),
        laws=found_laws,
        loss=float(loss),
        deltas=deltas[:n],
        pairs=done,
        profile=worst_curve(at[n:], deltas[n:]),
    )


def _kept(here: Floats, there: Floats, error: float) -> Laws:
    can = (here > -np.inf) | (there > -np.inf)
    return Laws(here[can], there[can], error)


def _table(number: int, rounds: int, all_rows: Floats) -> Floats:
    base = len(all_rows)
    digits = [number // base ** (rounds - 2 - t) % base for t in range(rounds - 1)]
    return np.vstack([all_rows[digits], [[0.0, 0.0]]])


def _losses(here: Floats, there: Floats) -> Floats:
    with np.errstate(invalid="ignore"):
        return np.nan_to_num(np.abs(here - there), nan=0.0, posinf=np.inf)


def mus(here: Floats, there: Floats) -> Floats:
    """The tight mu of each pair of rows, in doubles. A test and its complement are as good, so one
    order of the sequences is enough."""
    with np.errstate(invalid="ignore"):
        order = np.argsort(there - here, axis=1)
    ends = [_quantiles(np.take_along_axis(np.exp(part), order, axis=1)) for part in (here, there)]
    with np.errstate(invalid="ignore"):
        apart = ends[0] - ends[1]
    return np.asarray(np.nan_to_num(apart, nan=0.0).max(axis=1))


def _quantiles(masses: Floats) -> Floats:
    """Phi^-1 of the running sums, from whichever of a sum and the rest is smaller."""
    low = np.cumsum(masses, axis=1)[:, :-1]
    high = np.cumsum(masses[:, ::-1], axis=1)[:, ::-1][:, 1:]
    found = ndtri(np.minimum(low, high))
    return np.where(low < high, found, -found)


def _deltas(here: Floats, there: Floats, epsilons: Floats) -> Floats:
    """The largest delta of any of the pairs, at each epsilon."""
    worst = [
        max(
            np.maximum(p - np.exp(min(e, 700.0)) * q, 0.0).sum(axis=1).max()
            for p, q in ((here, there), (there, here))
        )
        for e in epsilons
    ]
    return np.array(worst)


def worst_curve(epsilons: Floats, deltas: Floats, points: int = 100) -> tuple[Floats, Floats]:
    """The trade-off curve that (epsilon, delta)-DP at these points leaves: no test between any of
    the pairs has smaller errors (Dong, Roth & Su 2022, Proposition 6)."""
    first = np.linspace(0.0, 1.0, points)
    grown = np.exp(np.minimum(epsilons, 700.0))[:, None]
    rest = 1.0 - deltas[:, None]
    second = np.maximum(rest - grown * first, (rest - first) / grown)
    return first, np.maximum(second.max(axis=0), 0.0)
