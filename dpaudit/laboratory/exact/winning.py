"""Probability that an arm of a group wins report-noisy-max over random sums, with error bounds.

An arm's score is its sum plus noise of scale b; F_g and f_g are distribution function and density
of a score in group g, c_g is its number of arms. The group wins with probability
c_g * integral of f_g F_g^(c_g - 1) prod over h != g of F_h^(c_h).

- Laplace, Exponential: between lattice points f_g is a combination of e^(-x/b) and e^(x/b), so the
  integral is taken by Gauss-Legendre between them, its error bounded on Bernstein ellipses
  (`dpaudit.laboratory.exact.quadrature`).
- Gumbel: the integrand is analytic in a strip, where the trapezoidal rule converges geometrically
  (`_strip`); over fixed sums the answer is a softmax.
- Long epochs: by Fourier series on the lattice (`dpaudit.laboratory.exact.fourier`).
- Sums or noise too wide for either, and too many arms for the last: sums and noise are rounded to a
  grid, which brackets the probability (`_grid`).

The errors bound truncation, quadrature and rounding to a grid. Floating-point rounding is allowed
for by a relative `ROUNDING`, which is tested against 40-digit arithmetic, not proved.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dpaudit.laboratory.exact.fourier import fourier
from dpaudit.laboratory.exact.quadrature import CHUNK, WORK, cut, integrate, log_below, without
from dpaudit.laboratory.exact.sums import Floats, Sums, discounted
from dpaudit.machine.noisy_max import EXPONENTIAL, GUMBEL, LAPLACE

ROUNDING = 1e-11
"""Relative allowance for floating-point rounding."""
STEPS = 5.0
"""Steps of the trapezoidal rule in one Gumbel scale."""
STRIP = 1.3
"""Half-width in units of the Gumbel scale, below pi/2, of the strip in which it is bounded."""
BAND = (-6.9, 38.0)
"""Where Gumbel's distribution function is neither 0 nor 1 - e^-y to within double precision."""
DIRECT = 0.05
"""Lattices of less than this share of the band are summed over directly."""
LONG, TOO_LONG = 2**13, 2**18
"""Lattice points of all groups from which Fourier series are tried first, and taken anyway."""
CELLS = 2**18
"""Cells of the grid, times groups."""
CONVOLVED = 2**29
"""Products in one convolution with Gumbel noise on the grid."""
CHERNOFF, SERIES = "Chernoff's bound", "Fourier series"


@dataclass(frozen=True)
class Winning:
    """Per group: the probability that one of its arms wins, a bound on its absolute error, and
    the method."""

    probability: Floats
    error: Floats
    how: str


def winning(sums: Sums, noise: int, scale: float, tolerance: float) -> Winning:
    """Who wins the noisy maximum over these sums. `tolerance` is about the probability cut off at
    the ends of sums and integrals; it is part of the error. The best group's probability is one
    less the others'."""
    if sums.fixed and noise == GUMBEL:
        logits = np.log(sums.counts) - sums.n * sums.gaps / scale
        value = np.exp(logits - np.logaddexp.reduce(logits))
        return Winning(value, 1e-14 * (2.0 + np.abs(logits)) * value, "closed form")
    arms = float(sums.counts.sum())
    # Arms that win with negligible probability are no rivals either.
    beaten = sums.counts * chernoff(sums, noise, scale)
    kept = beaten > tolerance / len(beaten)
    kept[sums.best] = True
    value, error, how = np.zeros(len(kept)), np.where(kept, beaten[~kept].sum(), beaten), CHERNOFF
    if kept.sum() > 1:
        some = sums.take(kept)
        value[kept], more, how = _winning(some, noise, scale, min(tolerance, 1e-15) / arms)
        # Sums outside their windows, and all that was cut off.
        rounding = 0.0 if how == SERIES else ROUNDING  # series allow for their own
        error[kept] += more + rounding * value[kept] + 5.0 * tolerance
        # No probability is below 0 or beyond Chernoff's bound.
        least, most = np.maximum(value - error, 0.0), np.minimum(value + error, beaten)
        tight = kept & (most < value + error) & (least <= most)
        value = np.where(tight, 0.5 * (least + most), value)
        error = np.where(tight, 0.5 * (most - least), error)
    value[sums.best] = error[sums.best] = 0.0
    value[sums.best] = max(0.0, 1.0 - value.sum())
    error[sums.best] = error.sum() + 1e-15
    return Winning(value, error, how)


def _winning(sums: Sums, noise: int, scale: float, tolerance: float) -> tuple[Floats, Floats, str]:
    ends = [sums.window(g, tolerance) for g in range(len(sums.means))]
    long, series = sum(end[1] - end[0] for end in ends), None
    if long > LONG:
        series = fourier(sums, noise, scale, WORK)
        # Its error is absolute, the others' relative: small probabilities of epochs that are not
        # so long are better left to them.
        if series is not None and (
            long > TOO_LONG or series[1].sum() <= ROUNDING * series[0].sum()
        ):
            return *series, SERIES
    if sums.too_wide(tolerance):
        half = np.full(len(sums.means), 0.5)
        return (*series, SERIES) if series is not None else (half, half, CHERNOFF)
    low, high = _reach(sums, noise, scale, tolerance)
    inexact = 4.0 * sums.masses_error(tolerance)
    if noise == GUMBEL:
        if _strip_work(sums, scale, tolerance, low, high) < 8 * WORK:
            value, error = _strip(sums, scale, tolerance, low, high)
            return value, error + inexact, "trapezoidal rule"
    else:
        pieces = cut(sums, noise, scale, tolerance, low, high)
        if pieces is not None:
            value, error = integrate(pieces, sums.counts)
            return value, error + inexact, "Gauss-Legendre"
    if series is not None:
        return *series, SERIES
    value, error = _grid(sums, noise, scale, tolerance, low, high)
    return value, error + inexact, "bracket on a grid"


def chernoff(sums: Sums, noise: int, scale: float) -> Floats:
    """Bounds on P(score of an arm >= score of a best arm): the least of E e^(l (X_g - X_best)) over
    a grid of l below 1/scale. They fall with n."""
    theta = np.concatenate([np.geomspace(1e-12, 0.5, 160), 1.0 - np.geomspace(0.5, 1e-4, 40)])
    theta = theta[theta < 600.0 * scale]
    rates = theta / scale
    if noise == GUMBEL:
        tail = np.log(math.pi * theta / np.sin(math.pi * theta))
    else:
        tail = -(2.0 if noise == LAPLACE else 1.0) * np.log1p(-(theta**2))
    out = np.empty(len(sums.means))
    for g in range(len(sums.means)):
        if sums.fixed:
            moved = -rates * sums.gaps[g]
        else:
            moved = sums.log_moment(g, rates) + sums.log_moment(sums.best, -rates)
        out[g] = math.exp(min(0.0, float(np.min(sums.n * moved + tail))))
    return out


def _reach(sums: Sums, noise: int, scale: float, tolerance: float) -> tuple[float, float]:
    """Where a wrong arm can win, up to tolerance: above the best arms' lowest score, and below
    the wrong arms' highest."""
    log = math.log(1.0 / tolerance)
    down = {LAPLACE: log, EXPONENTIAL: 0.0, GUMBEL: math.log(log)}[noise]
    ends = [sums.window(g, tolerance) for g in range(len(sums.means))]
    low = ends[sums.best][0] - scale * down
    high = max(end[1] for g, end in enumerate(ends) if g != sums.best) + scale * log
    return low, max(high, low)


def _strip(
    sums: Sums, scale: float, tolerance: float, low: float, high: float
) -> tuple[Floats, Floats]:
    """Gumbel noise over binomial sums by the trapezoidal rule of step h <= b / STEPS.

    With theta = STRIP, |F(x + i b theta)| <= F(x + b ln sec theta) and |f(x + i b theta)| <=
    sec theta f(x + b ln sec theta), since |exp(-e^-z)| = exp(-e^-x cos y). So the integrand on the
    strip's edge integrates to sec theta times the probability at most, and the rule's relative
    error is at most 2 sec theta / (e^(2 pi theta b / h) - 1) (Trefethen & Weideman 2014,
    Theorem 5.1). Beyond the ends, h f(x) <= e^(h/b) times the mass of [x, x + h].
    """
    stride = max(1, math.floor(scale / STEPS))
    phases = max(1, math.ceil(STEPS / scale))
    low, high = math.floor(low), math.ceil(high)
    points = np.arange(low, high + stride, stride, dtype=np.float64)
    value, counts = np.zeros(len(sums.means)), sums.counts
    lost = 0.0
    lattices = [sums.lattice(g, tolerance) for g in range(len(counts))]
    for phase in range(phases):
        shift = phase / phases
        tables = [_gumbel(*lattice, scale, points, shift, stride) for lattice in lattices]
        logs = np.array([log_below(below, above) for _, below, above in tables])
        total = counts @ logs
        for g, (density, _, above) in enumerate(tables):
            value[g] += counts[g] * (density @ without(total, logs[g])) * stride / phases / scale
            if phase == 0:
                ends = math.exp(counts[g] * logs[g][0]), 2.0 * float(counts[g] * above[-1])
                lost += ends[0] if g == sums.best else ends[1]
    rule = 2.0 / math.cos(STRIP) / math.expm1(2.0 * math.pi * STRIP * scale * phases / stride)
    return value, rule * value + lost


def _strip_work(sums: Sums, scale: float, tolerance: float, low: float, high: float) -> float:
    """Evaluations of the trapezoidal rule: points times what `_gumbel` sums over at each."""
    points = (high - low) / max(1, math.floor(scale / STEPS)) * max(1, math.ceil(STEPS / scale))
    band, work = (BAND[1] - BAND[0]) * scale, 0.0
    for g in range(len(sums.means)):
        ends = sums.window(g, tolerance)
        lattice = ends[1] - ends[0] + 1.0
        work += points * (lattice if lattice < DIRECT * band else band)
    return work


def _gumbel(
    start: float, masses: Floats, scale: float, points: Floats, shift: float, stride: int
) -> tuple[Floats, Floats, Floats]:
    """Density times the scale, F and 1 - F at points + shift: a sum over the lattice or, if that is
    long, over its band where the kernel is neither 0 nor exponential, and exponential sums below
    it."""
    if len(masses) < DIRECT * (BAND[1] - BAND[0]) * scale:
        rows, step = [], max(1, CHUNK // len(masses))
        lattice = np.arange(len(masses), dtype=np.float64)
        for i in range(0, len(points), step):
            away = points[i : i + step, None] + shift - start - lattice
            rows.append([part @ masses for part in _kernel(np.asarray(away / scale))])
        density, below, above = (np.concatenate(parts) for parts in zip(*rows, strict=True))
        return density, below, above
    first, last = math.floor(BAND[0] * scale) - 1, math.ceil(BAND[1] * scale)
    kernel = np.stack(_kernel(np.asarray((np.arange(last, first - 1, -1) + shift) / scale)), axis=1)
    begin, end = points[0] - last, points[-1] - first
    padded = np.zeros(int(end - begin) + 1)
    offset = int(start - begin)
    inner = slice(max(0, offset), max(0, min(len(padded), offset + len(masses))))
    padded[inner] = masses[inner.start - offset : inner.stop - offset]
    windows = np.lib.stride_tricks.sliding_window_view(padded, len(kernel))[::stride]
    step = max(1, CHUNK // len(kernel))
    blocks = [windows[i : i + step].copy() @ kernel for i in range(0, len(windows), step)]
    sums = np.concatenate(blocks)
    index = np.clip(points - last - 1.0 - start, -1, len(masses) - 1).astype(np.int64)
    away = np.where(index >= 0, (points + shift - start - index) / scale, 0.0)
    before = np.append(discounted(masses, math.exp(-1.0 / scale)), 0.0)[index] * np.exp(-away)
    below = np.append(np.cumsum(masses), 0.0)[index]
    beyond = np.append(np.cumsum(masses[::-1])[::-1], 0.0)
    ahead = np.clip(points - first + 1.0 - start, 0, len(masses)).astype(np.int64)
    return sums[:, 0] + before, sums[:, 1] + below, sums[:, 2] + before + beyond[ahead]


def _kernel(y: Floats) -> tuple[Floats, Floats, Floats]:
    """Density, distribution function and one less it of a standard Gumbel variable."""
    with np.errstate(over="ignore"):
        tail = np.exp(-y)
        return np.exp(-y - tail), np.exp(-tail), -np.expm1(-tail)


def _grid(
    sums: Sums, noise: int, scale: float, tolerance: float, low: float, high: float
) -> tuple[Floats, Floats]:
    """Sums and noise rounded down to multiples of a length L, so that grid scores Y are in
    (X - 2L, X].

    Then P(Y_g >= Y_h + 2L for all h) <= P(g wins) <= P(Y_g >= Y_h - L for all h): the value is
    their middle, the error half their difference. Masses of blocks of sums are known up to a
    relative slack. Sums too far out to matter within [low, high] are lumped at its ends.
    """
    margin = scale * math.log(1.0 / tolerance)
    inner, outer = (low - margin, high + margin), (low - 2.0 * margin, high + 2.0 * margin)
    cells = CELLS / len(sums.means)
    if noise == GUMBEL:  # a convolution of so many cells with the kernel's
        cells = min(cells, math.sqrt(CONVOLVED * (outer[1] - outer[0]) / (3.0 * BAND[1] * scale)))
    length = _rounded(math.ceil((outer[1] - outer[0]) / cells))
    first = math.floor(outer[0] / length)
    starts = float(length) * np.arange(first, math.ceil(outer[1] / length) + 1.0)
    masses, slacks, lower, upper = [], [], [], []
    for g in range(len(sums.means)):
        near = (starts >= inner[0] - length) & (starts <= inner[1])
        block = np.zeros(len(starts))
        block[near], slack = sums.blocks(g, starts[near], length)
        ends, inside = sums.window(g, tolerance), block.sum()
        lumps = max(0.0, 1.0 - inside * (1.0 + slack)), max(0.0, 1.0 - inside)
        under = lumps if ends[0] < starts[near][0] else (0.0, 0.0)
        over = lumps if ends[1] > starts[near][-1] else (0.0, 0.0)
        mass = _blurred(block, noise, length / scale, math.ceil(margin / length))
        below = np.cumsum(mass)
        above = np.append(np.cumsum(mass[:0:-1])[::-1], 0.0)
        masses.append(mass)
        slacks.append(slack)
        lower.append(log_below(below + under[0], above * (1.0 + slack) + over[1]))
        upper.append(log_below(below * (1.0 + slack) + under[1], above + over[0]))
    # A score is compared with rivals one cell up for the upper bound, two cells down for the lower.
    highest, lowest = np.array(upper), np.full((len(masses), len(starts)), -np.inf)
    highest[:, :-1] = np.minimum(highest[:, 1:], 0.0)
    lowest[:, 2:] = np.array(lower)[:, :-2]
    counts, weights = sums.counts[:, None], np.array(masses)
    most = (counts * weights * without((counts * highest).sum(axis=0), highest)).sum(axis=1)
    least = (counts * weights * without((counts * lowest).sum(axis=0), lowest)).sum(axis=1)
    most *= 1.0 + np.array(slacks)
    return 0.5 * (least + most), 0.5 * (most - least)


def _rounded(length: int) -> int:
    """Not less, and up to 8 times a power of two, so that cells can be halved."""
    power = max(0, length.bit_length() - 3)
    return -(-length >> power) << power


def _blurred(block: Floats, noise: int, ratio: float, last: int) -> Floats:
    """Masses of grid sums plus noise rounded down to the grid; `ratio` is cell over scale, and
    Gumbel noise ends at cell `last`."""
    factor = math.exp(-ratio)
    if noise == EXPONENTIAL:
        return np.asarray(-math.expm1(-ratio) * discounted(block, factor))
    if noise == LAPLACE:
        behind = discounted(block[::-1], factor)[::-1]
        both = discounted(block, factor) + np.append(behind[1:], 0.0)
        return np.asarray(-0.5 * math.expm1(-ratio) * both)
    first = math.floor(BAND[0] / ratio)
    y: Floats = ratio * np.arange(first, last + 1.0, dtype=np.float64)
    _, below, above = _kernel(y)
    kernel = np.where(y[:-1] < 0.0, np.diff(below), -np.diff(above))
    return np.convolve(block, kernel)[-first : len(block) - first]
