"""Wu & Wang, Remark 14, point 3: the c1 that an instance needs, for each noise and each c2.

The conjecture: P(J_r = j) <= c1 y_j/(1 + sum of y_i over gaps above epsilon), for gap_j > epsilon,
with y_i = exp(-2^(r+1) gap_i epsilon/c2); 2^(r+1) = 4n for n = 2^(r-1) rounds. With the noise of
scale s/epsilon the weights fall like exp(-n gap epsilon/s), so c2 = 4s is the natural constant.
"""

from __future__ import annotations

import math

import numpy as np

from dpaudit.laboratory.exact.sums import Sums
from dpaudit.laboratory.exact.winning import winning
from dpaudit.laboratory.scaling.measuring import Bench
from dpaudit.machine.noisy_max import EXPONENTIAL, GUMBEL, LAPLACE
from dpaudit.results.scaling import Point

NOISES = {
    "rnm-ftnl-laplace": (LAPLACE, 2.0),
    "rnm-ftnl-exponential": (EXPONENTIAL, 1.0),
    "rnm-ftnl-exponential-repaired": (EXPONENTIAL, 2.0),
    "rnm-ftnl-gumbel": (GUMBEL, 2.0),
}
FACTORS = (0.5, 0.9, 1.0, 2.0, 100.0)
"""c2 as multiples of 4s."""
MOST, DOUBLINGS = 128.0, 5
"""The largest n epsilon along a family, in scales of the noise, and its doublings up to there."""


def required_constants(bench: Bench) -> list[Point]:
    """Along each family, 1 + ln of the needed c1 over that at the first n epsilon."""
    points: list[Point] = []
    for target, (noise, s) in NOISES.items():
        for factor in FACTORS[::2] if bench.quick else FACTORS:
            family = "pair" if factor < 1.0 else "random pair" if factor == 1.0 else "crowd"
            c2 = 4.0 * s * factor
            steps = [MOST * 2.0 ** (-i) for i in range(DOUBLINGS, -1, -1)]
            needed = [_needed(family, noise, s, c2, x * s) for x in steps]
            points += [
                _point(target, family, s, c2, x * s, 1.0 + value - needed[0])
                for x, value in zip(steps, needed, strict=True)
            ]
    return points


def _needed(family: str, noise: int, s: float, c2: float, x: float) -> float:
    """ln(P (1 + sum y)/y_j) at n epsilon = x."""
    if family == "random pair":
        # Losses 0 and Bernoulli(1/2), epsilon = 1/4: Jensen's inequality does the rest.
        n, epsilon, gaps, counts = round(4 * x), 0.25, np.array([0.0, 0.5]), np.ones(2)
    elif family == "pair":
        # Losses 0 and 1.
        n, epsilon, gaps, counts = 2**20, x / 2**20, np.array([0.0, 1.0]), np.ones(2)
    else:
        # Losses 0, 2 epsilon and exp(x/s) times 1, which fill the conjecture's denominator.
        n = 2**30
        epsilon = x / n
        gaps, counts = np.array([0.0, 2 * epsilon, 1.0]), np.array([1.0, 1.0, math.exp(x / s)])
    sums = Sums(gaps, counts, n, family != "random pair", -1)
    won = winning(sums, noise, s / epsilon, 1e-60)
    probability = float(won.probability[1] - won.error[1])
    logs = -4.0 * n * epsilon * gaps[1:] / c2
    total = np.logaddexp.reduce([0.0, *(np.log(counts[1:]) + logs)])
    return math.log(probability) + float(total) - float(logs[0]) if probability > 0 else -math.inf


def _point(target: str, family: str, s: float, c2: float, x: float, value: float) -> Point:
    many = round(math.exp(x / s)) if family == "crowd" else 0
    text = {
        "pair": "losses 0 and 1, n = 2^20",
        "random pair": "losses 0 and Bernoulli(1/2), epsilon = 1/4",
        "crowd": f"losses 0, 2 epsilon and {many:.3g} times 1, n = 2^30",
    }[family]
    epsilon = {"pair": x / 2**20, "random pair": 0.25, "crowd": x / 2**30}[family]
    return Point(
        series=f"{target}, c2 = {c2:g} ({family})",
        x=x,
        target=target,
        environment="bernoulli" if family == "random pair" else "deterministic",
        instance=text,
        # A crowd is too large a number for a count.
        arms=0 if family == "crowd" else 2,
        horizon={"pair": 2**20, "random pair": round(4 * x), "crowd": 2**30}[family],
        gap={"pair": 1.0, "random pair": 0.5, "crowd": 2.0 * epsilon}[family],
        epsilon=epsilon,
        regret=value,
        error=0.0,
    )
