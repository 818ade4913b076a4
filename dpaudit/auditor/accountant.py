"""What a sequence of releases costs: the accountant reads the book of a run.

Input are the bookings of the releases in order: `pure`, the worst loss of each pure release, and
`gdp`, the squared GDP parameter of each Gaussian one. All results hold for adaptively chosen
releases. A value that got past the releases is booked as infinite and stays infinite.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr, ndtri

from dpaudit.results.claimed import Guarantee

Floats = NDArray[np.float64]

GRID_POINTS = 2**18
"""Points of the grid on which privacy losses are composed numerically."""
NEAREST = 1e-6
"""Of an order to 1."""
ROUNDING = 1e-9
"""Of a divergence, relative."""
LAST_DIGITS = 1e-15
"""Of a logarithm of numbers near 1, which is then divided by an order less 1."""
FFT_ERROR = 1e-10
"""Added to a composed delta: covers the rounding of a transform of GRID_POINTS values."""


def pure_epsilon(pure: Floats, gdp: Floats) -> float:
    """Basic composition: the sum. Infinite with a Gaussian release, which is not pure at any."""
    return math.inf if np.any(gdp > 0.0) else float(np.sum(pure))


def gdp_of_pure(epsilon: Floats | float) -> Floats:
    """The least eta for which every epsilon-DP release is eta-GDP.

    The trade-off curve of epsilon-DP has its corner at (a, a), a = 1/(1 + e^epsilon), and the
    Gaussian curve passes through it for eta = -2 Phi^-1(a); being convex it is below elsewhere.
    """
    return np.asarray(-2.0 * ndtri(1.0 / (1.0 + np.exp(epsilon))))


def gdp_eta(pure: Floats, gdp: Floats) -> float:
    """GDP composition (Dong, Roth & Su 2022, Corollary 2): the root of the sum of squares."""
    return math.sqrt(float(np.sum(gdp)) + float(np.sum(gdp_of_pure(pure) ** 2)))


def gdp_delta(eta: float, epsilon: float) -> float:
    """delta(epsilon) of eta-GDP (Dong, Roth & Su 2022, Corollary 1)."""
    if eta == 0.0:
        return 0.0
    first = log_ndtr(-epsilon / eta + eta / 2.0)
    second = epsilon + log_ndtr(-epsilon / eta - eta / 2.0)
    return float(math.exp(first) * -math.expm1(min(0.0, second - first)))


def implied(claim: Guarantee, notion: str, bound: float) -> float:
    """The level of a zCDP or Rényi claim that follows from a bound in epsilon (pure) or mu (gdp).

    epsilon-DP is epsilon^2/2-zCDP (Bun & Steinke 2016, Proposition 1.4). Of order a it is no more
    than what randomised response of that epsilon has, of which it is a post-processing (Kairouz, Oh
    & Viswanath 2015), and next to order 1, where that would be all rounding, than a
    epsilon^2/2 and epsilon (Bun & Steinke 2016, Proposition 3.3). mu-GDP is a post-processing of
    N(mu, 1) against N(0, 1) (Dong, Roth & Su 2022, after Blackwell), whose divergence of order a is
    a mu^2/2 (Bun & Steinke 2016, Proposition 1.6).
    """
    if claim.notion == "zcdp":
        return 0.5 * bound**2
    order = float(claim.order or 2.0)
    if notion == "gdp":
        return 0.5 * order * bound**2
    plain = min(bound, 0.5 * order * bound**2)
    if order - 1.0 < NEAREST:
        return plain
    log_p = -math.log1p(math.exp(-bound))
    exact = (log_p + np.logaddexp((order - 1.0) * bound, -order * bound)) / (order - 1.0)
    return min(plain, float(exact) * (1.0 + ROUNDING) + LAST_DIGITS / (order - 1.0))


def advanced_epsilon(pure: Floats, gdp: Floats, delta: float) -> float:
    """Advanced composition (Kairouz, Oh & Viswanath 2015, Theorem 3.5, third bound, or the sum).

    sum e_i (exp(e_i) - 1)/(exp(e_i) + 1) + sqrt(2 ln(1/delta) sum e_i^2); Gaussian releases have
    no pure epsilon to enter it.
    """
    basic = pure_epsilon(pure, gdp)
    if math.isinf(basic):
        return math.inf
    drift = float(np.sum(pure * np.tanh(pure / 2.0)))
    return min(basic, drift + math.sqrt(2.0 * math.log(1.0 / delta) * float(np.sum(pure**2))))


def composed_delta(pure: Floats, gdp: Floats, epsilon: float) -> float:
    """Numerical composition: delta at epsilon, rounded up.

    Each pure release is replaced by randomised response, the worst mechanism of its epsilon
    (Kairouz, Oh & Viswanath 2015); the Gaussian ones by one Gaussian. Losses are moved to a grid
    by `_connect_the_dots` and convolved by FFT; the error of the transform is added.
    """
    steps = pure[pure > 0.0]
    eta = math.sqrt(float(np.sum(gdp)))
    if math.isinf(eta) or np.any(np.isinf(steps)):
        return 1.0
    if len(steps) == 0:
        return gdp_delta(eta, epsilon)
    # The Gaussian loss is N(eta^2/2, eta^2); 10 sigma leave 1e-23 on either side.
    width = 2.0 * float(np.sum(steps)) + 20.0 * eta
    step = 1.02 * width / (GRID_POINTS - 2 * len(steps) - 4)
    if step <= 0.0:
        return 1.0  # more releases than grid points: no claim
    frequencies = -2.0j * np.pi * np.fft.rfftfreq(GRID_POINTS)
    spectrum = np.ones(len(frequencies), dtype=np.complex128)
    lowest = 0
    for value, count in zip(*np.unique(steps, return_counts=True), strict=True):
        reach = math.ceil(value / step)
        one = np.zeros(len(frequencies), dtype=np.complex128)
        for loss, cell in ((-value, -reach), (value, reach - 1)):
            mass, there = 1.0 / (1.0 + math.exp(-loss)), 1.0 / (1.0 + math.exp(loss))
            for i, part in enumerate(_connect_the_dots(mass, there, cell * step, step)):
                one += part * np.exp(frequencies * (cell + i + reach))
        spectrum *= one ** int(count)
        lowest -= reach * int(count)
    if eta > 0.0:
        low = math.floor((eta * eta / 2.0 - 10.0 * eta) / step)
        edges = step * np.arange(low, low + math.ceil(20.0 * eta / step) + 1)
        cells = np.diff(np.exp(log_ndtr((edges - eta * eta / 2.0) / eta)))
        cells_there = np.diff(np.exp(log_ndtr((edges + eta * eta / 2.0) / eta)))
        at_low, at_high = _connect_the_dots(cells, cells_there, edges[:-1], step)
        padded = np.zeros(GRID_POINTS)
        padded[: len(cells)] += at_low
        padded[1 : len(cells) + 1] += at_high
        spectrum *= np.fft.rfft(padded)
        lowest += low
    masses = np.maximum(np.fft.irfft(spectrum, GRID_POINTS), 0.0)
    losses = step * (np.arange(GRID_POINTS) + lowest)
    above = losses > epsilon
    return min(1.0, float(np.sum(masses[above] * -np.expm1(epsilon - losses[above]))) + FFT_ERROR)


def _connect_the_dots(mass: Any, there: Any, low: Any, step: float) -> tuple[Any, Any]:
    """Split the mass of losses between low and low + step over the two ends, so that the total is
    kept under both worlds (`there` is the mass under the neighbour).

    The curve delta(epsilon) is convex and becomes its chord between the ends: never lower, and off
    by a second-order term only (Doroshenko et al. 2022).
    """
    at_high = (mass - there * np.exp(low)) / -math.expm1(-step)
    at_high = np.clip(at_high, 0.0, mass)
    return mass - at_high, at_high


def composed_epsilon(pure: Floats, gdp: Floats, delta: float) -> float:
    """The least epsilon, rounded up by 1e-6, whose composed delta is at most delta."""
    low, high = 0.0, max(1.0, float(np.sum(pure)) + 20.0 * math.sqrt(float(np.sum(gdp))))
    if math.isinf(high) or composed_delta(pure, gdp, high) > delta:
        return pure_epsilon(pure, gdp)
    while high - low > 1e-6:
        middle = 0.5 * (low + high)
        if composed_delta(pure, gdp, middle) <= delta:
            high = middle
        else:
            low = middle
    return high
