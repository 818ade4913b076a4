"""Quadrature of the noisy maximum for long epochs: Fourier series on the lattice of the sums.

At a fixed phase u in [0, 1) the scores k + u, k whole, make a law on a lattice, whose Fourier
coefficients are those of the sums times those of the noise at this phase, in closed form. Those of
the sums vanish but for the lowest, so each density and distribution function is a short series.
What is integrated is a product of such series: entire and periodic, so that the sum over all k may
be replaced by one over every s-th k, and the integral over u by a rule of few nodes.

Errors, each bounded here: (1) wrapping around the period, (2) coefficients that are cut off, (3)
every s-th k only, (4) the rule over u. Rounding is allowed for by `FLOATS`, which is tested against
the other quadratures, not proved.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpaudit.laboratory.exact.sums import Floats, Sums
from dpaudit.machine.noisy_max import EXPONENTIAL, GUMBEL, LAPLACE

Complex = NDArray[np.complex128]

DIGITS = 46.0
"""What is cut off or skipped is below exp(-DIGITS) each."""
TAIL = 1e-20
"""Sums and noise beyond this tail, over all arms, may wrap around."""
FLOATS = 2e-15
"""Absolute rounding of a distribution function."""
REACH, PIECE = 0.56, 0.5
"""As in `dpaudit.laboratory.exact.quadrature`: the ellipses over u, and its longest piece."""
STEPS, STRIP = 5.0, 1.3
"""As in `dpaudit.laboratory.exact.winning`, for Gumbel noise."""
MOST_NODES, MOST_PHASES = 2**16, 256
HEIGHTS = np.geomspace(0.02, 3.0, 24)
"""Where, in units of 1/(the largest frequency), the product is bounded off the real line, times
sqrt(2 DIGITS)."""


@dataclass(frozen=True)
class _Series:
    """The period, of which every `stride`-th point is a node; the frequencies; the sums'
    coefficients group by group, and those of the box that turns masses into a distribution
    function; the errors (2), of distribution functions and of densities, and (3), a group."""

    period: int
    stride: int
    nodes: int
    frequencies: Floats
    sums: Complex
    box: Complex
    cut_off: Floats
    cut_dense: Floats
    skipped: Floats


def fourier(sums: Sums, noise: int, scale: float, work: float) -> tuple[Floats, Floats] | None:
    """Each group's probability and a bound on its error; None if it is not for such sums, or takes
    more than `work` evaluations."""
    phases = _phases(noise, scale, float(sums.counts.sum()))
    if phases is None:
        return None
    series = _series(sums, noise, scale, work / len(phases[0]))
    if series is None:
        return None
    groups, counts = len(sums.counts), sums.counts
    # (1) and (2): a distribution function off by d in one arm moves the product by d, and the
    # probability by as much; an arm's own is a factor counts - 1 times in an integral of
    # c f F^(c - 1), at most twice what it is. A density's own part is times the product, below 2.
    arms = float(counts.sum())
    off = float(counts @ (series.cut_off + 4.0 * TAIL / arms)) + arms * FLOATS
    if off > 0.05:
        return None
    value = np.zeros(groups)
    others = [g for g in range(groups) if g != sums.best]
    for u, weight in zip(*phases[:2], strict=True):
        density, steps = _at_phase(noise, scale, float(u), series.frequencies)
        below = _values(series, series.sums * (steps * series.box))
        dense = _values(series, series.sums[others] * density / series.period)
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.log(np.maximum(below, 0.0))
            total = counts @ logs
            for row, g in enumerate(others):
                rest = np.where(below[g] > 0.0, np.exp(total - logs[g]), 0.0)
                value[g] += weight * series.stride * counts[g] * (dense[row] @ rest)
    dense_off = counts * (2.0 * series.cut_dense + phases[2]) * (1.0 + 1.0 / scale)
    error = 4.0 * off + dense_off + series.skipped + phases[3] * np.abs(value)
    error[sums.best] = 0.0
    return np.maximum(value, 0.0), error


def _phases(noise: int, scale: float, arms: float) -> tuple[Floats, Floats, float, float] | None:
    """Nodes and weights over u, and the rule's error (4): absolute an arm, and relative.

    Gauss-Legendre with m nodes on pieces of width 2h errs by at most h (64/15) M rho^(-2m) /
    (1 - rho^-2) each. On an ellipse that keeps within REACH * b the integrand is at most e^REACH
    times the larger of the densities at the ends, for F + REACH e^REACH b f <= 1 bounds the
    products; summed over the lattice, these are each at most 1 + 1/b. Gumbel noise: the trapezoidal
    rule, as in `dpaudit.laboratory.exact.winning`.
    """
    if noise == GUMBEL:
        many = max(1, math.ceil(STEPS / scale))
        if many > MOST_PHASES:
            return None
        rule = 2.0 / math.cos(STRIP) / math.expm1(min(600.0, 2.0 * math.pi * STRIP * scale * many))
        return np.arange(many) / many, np.full(many, 1.0 / many), 0.0, rule
    pieces = math.ceil(1.0 / (PIECE * scale))
    eta = math.asinh(2.0 * REACH * scale * pieces)
    count = max(2, math.ceil((DIGITS + math.log(arms)) / (2.0 * eta)))
    if pieces * count > MOST_PHASES:
        return None
    places, weights = np.polynomial.legendre.leggauss(count)
    lefts = np.arange(pieces)[:, None]
    u = ((lefts + 0.5 * (1.0 + places)) / pieces).ravel()
    factor = 64.0 / 15.0 * math.exp(-2.0 * eta * count) / -math.expm1(-2.0 * eta)
    return u, np.tile(0.5 * weights / pieces, pieces), math.exp(REACH) * factor, 0.0


def _series(sums: Sums, noise: int, scale: float, work: float) -> _Series | None:
    """Choose the period, where to cut the series off, and how many points of it are enough."""
    arms, groups = float(sums.counts.sum()), range(len(sums.counts))
    log = math.log(arms / TAIL)
    ends = np.array([sums.window(g, TAIL / arms) for g in groups])
    down = {LAPLACE: log, EXPONENTIAL: 0.0, GUMBEL: math.log(log)}[noise]
    first = math.floor(ends[:, 0].min() - scale * down)
    width = math.ceil(ends[:, 1].max() + scale * log) - first + 2.0
    # |E e^(iwX)|^2 <= 1 - 4 a sin^2(w/2), where a sums p_i p_(i+1) over neighbouring points.
    adjacent = np.array([sums.adjacent(g) for g in groups])
    least = -math.expm1(-2.0 * (DIGITS + math.log(arms)) / sums.n)
    if least >= 4.0 * adjacent.min():
        return None
    highest = 2.0 * math.asin(math.sqrt(least / (4.0 * adjacent.min())))
    many = math.ceil(highest * 2.0 * width / (2.0 * math.pi)) + 1
    nodes = max(64, 2 ** math.ceil(math.log2(2.5 * many)))
    while nodes <= MOST_NODES and nodes * len(groups) <= work:
        stride = max(1, math.ceil(2.0 * width / nodes))
        series = _of(sums, noise, scale, first, stride, nodes, highest, adjacent)
        if series is not None and series.skipped.max() < math.exp(-34.0):
            return series
        nodes *= 2
    return None


def _of(
    sums: Sums,
    noise: int,
    scale: float,
    first: float,
    stride: int,
    nodes: int,
    highest: float,
    adjacent: Floats,
) -> _Series | None:
    period, groups = stride * nodes, range(len(sums.counts))
    many = math.ceil(highest * period / (2.0 * math.pi)) + 1
    if 2 * many >= nodes:
        return None
    step = 2.0 * math.pi / period
    frequencies = step * np.arange(many + 1.0)
    logs = np.array([sums.log_transform(g, frequencies, first) for g in groups])
    box = np.zeros(many + 1, dtype=np.complex128)
    box[0] = 0.5
    box[1::2] = 2.0 / -np.expm1(1j * frequencies[1::2]) / period
    # (2): beyond the last coefficient, octave by octave; a box coefficient is at most 1/n.
    cut_off, cut_dense = np.zeros(len(groups)), np.zeros(len(groups))
    begin = float(many + 1)
    while begin <= period / 2:
        low = np.log1p(-4.0 * adjacent * math.sin(0.5 * step * begin) ** 2)
        cut_off += np.exp(0.5 * sums.n * low)
        cut_dense += 2.0 * begin * np.exp(0.5 * sums.n * low)
        begin *= 2.0
    skipped = np.zeros(len(groups))
    if stride > 1:
        skipped = _skipped(sums, scale, frequencies, logs.real, box, nodes * step)
    return _Series(
        period, stride, nodes, frequencies, np.exp(logs), box, cut_off, cut_dense, skipped
    )


def _skipped(
    sums: Sums, scale: float, frequencies: Floats, logs: Floats, box: Complex, across: float
) -> Floats:
    """(3): a periodic entire w has coefficients of at most e^(-frequency y) sup |w(x + iy)|, and
    every s-th point sees those at multiples of `across` besides. |F(x + iy)| <= 1 + the sum of
    |coefficient| (e^(frequency y) - 1), since |F(x)| <= 1; noise makes coefficients smaller."""
    sizes, best = np.exp(logs), np.full(len(logs), np.inf)
    for height in HEIGHTS * math.sqrt(2.0 * DIGITS) / frequencies[-1]:
        grown = np.exp(frequencies * height)
        moved = 2.0 * sizes @ (np.abs(box) * np.expm1(frequencies * height))
        product = float(sums.counts @ np.log1p(moved + 1e-9))
        density = np.log(sums.counts * (2.0 * sizes @ grown) * (1.0 + 1.0 / scale))
        ratio = math.exp(-across * height)
        log = density + product - across * height - math.log1p(-ratio) + math.log(4.0)
        best = np.minimum(best, np.exp(np.minimum(log, 700.0)))
    return best


def _values(series: _Series, coefficients: Complex) -> Floats:
    """The series at the nodes."""
    found = np.fft.irfft(np.conj(coefficients), series.nodes, axis=1)
    return np.asarray(series.nodes * found)


def _at_phase(noise: int, scale: float, u: float, w: Floats) -> tuple[Complex, Complex]:
    """Sums over whole k of e^(iwk) times the noise's density at k + u, and times its mass between
    k - 1 + u and k + u."""
    if noise == GUMBEL:
        return _gumbel(scale, u, w)
    turn = np.exp(1j * w)
    ahead = -np.expm1(-1.0 / scale + 1j * w)  # 1 - r e^(iw), r = e^(-1/b)
    right = math.exp(-u / scale) / ahead
    whole = -math.expm1(-1.0 / scale)
    if noise == EXPONENTIAL:
        return right / scale, -math.expm1(-u / scale) + whole * turn * right
    left = math.exp((u - 1.0) / scale) * np.conj(turn / ahead)
    middle = -0.5 * (math.expm1(-u / scale) + math.expm1((u - 1.0) / scale))
    return 0.5 * (right + left) / scale, middle + 0.5 * whole * (turn * right + left)


def _gumbel(scale: float, u: float, w: Floats) -> tuple[Complex, Complex]:
    """By Poisson's summation of the characteristic function Gamma(1 - ibw)."""
    from scipy.special import loggamma

    density = np.zeros(len(w), dtype=np.complex128)
    mass = np.zeros(len(w), dtype=np.complex128)
    # |Gamma(1 + ix)| = sqrt(pi x / sinh(pi x)).
    for m in _turns(scale):
        at = w + 2.0 * math.pi * m
        part = np.exp(loggamma(1.0 - 1j * scale * at) - 1j * at * u)
        density += part
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = np.where(at == 0.0, 1.0, np.expm1(1j * w) / (1j * at))
        mass += part * mean
    return density, mass


def _turns(scale: float) -> Iterator[int]:
    """Whole turns beyond which the characteristic function is below exp(-DIGITS)."""
    last = math.ceil(0.5 + DIGITS / (math.pi**2 * scale))
    yield from range(-last, last + 1)
