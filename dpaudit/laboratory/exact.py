"""Exact expected pseudo-regret of full-information learners that play epoch by epoch.

The report-noisy-max family (Hu, Huang & Mehta, arXiv 2102.07929, Algorithm 4; Wu & Wang, ALT 2025,
Algorithm 1) and `ftnl` choose an epoch's action from independent noisy sums over the epoch before,
which is half as long, so the regret is a sum over some log2 T epochs of probabilities that
`dpaudit.laboratory.winning` computes. `ftnl` belongs here because its leader is an argmax of
independent Laplace sums too, of scale K/epsilon. Follow-the-leader is summed round by round over
binomial distributions, the rounds beyond by Chernoff's bound; `uniform` play costs the mean gap.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpaudit.catalogue import catalogue
from dpaudit.contract import Algorithm
from dpaudit.errors import UsageError, check_count
from dpaudit.kernel.feedback import ENVIRONMENTS
from dpaudit.kernel.noisy_max import GUMBEL, LAPLACE, NOISES
from dpaudit.laboratory.sums import Floats, Sums
from dpaudit.laboratory.winning import winning
from dpaudit.running.plays import check_epsilon, check_means, resolve

LONGEST = 2**60
MOST_ARMS = 2**20
NEGLIGIBLE = 1e-13
"""Epochs whose wrong choices can cost no more than this altogether are left to the error."""
LEADER_WORK = 4 * 10**7
"""Lattice points that follow-the-leader may visit before the rest is left to Chernoff's bound."""


@dataclass(frozen=True)
class ExactRegret:
    """Expected pseudo-regret at the horizons; `error` bounds |regret - true| at each of them."""

    horizons: NDArray[np.int64]
    regret: Floats
    error: Floats
    how: str


@dataclass(frozen=True)
class EpochProbabilities:
    """Groups of arms of equal mean, best first: their means, how many arms have each, and the
    probability that the noisy leader of an epoch is one of them, up to `error`."""

    means: Floats
    counts: NDArray[np.int64]
    probability: Floats
    error: Floats


@dataclass(frozen=True)
class _Learner:
    """An epoch-based learner: its noise, and how its sums and first action come about."""

    noise: int
    scale: float
    sign: int
    fixed: bool
    uniform_start: bool

    def sums(self, means: Floats, counts: Floats, n: int) -> Sums:
        """The sums of an epoch of n rounds."""
        return Sums(means, counts, n, self.fixed, self.sign)


def exact_regret(
    target: str | Algorithm,
    means: Sequence[float] | Floats,
    horizons: Sequence[int] | int,
    *,
    epsilon: float | None = None,
    environment: str = "bernoulli",
    counts: Sequence[int] | None = None,
    **parameters: float | str,
) -> ExactRegret:
    """Expected pseudo-regret of `target` at the horizons (up to 2^60), with a bound on the error.

    `means` are mean rewards, or mean losses for an algorithm on losses; `counts` says how many
    consecutive arms have each. Environments: independent Bernoulli arms, or every round's payoff
    the mean itself. The targets are the report-noisy-max family, `ftnl`, `follow-the-leader`
    (ties to the lowest action) and `uniform`.
    """
    values, arms = _check_arms(means, counts)
    ends = _check_horizons(horizons)
    _check_environment(environment)
    gaps = values.max() - values
    if target == "uniform":
        _no_parameters(parameters)
        regret = ends * float(arms @ gaps / arms.sum())
        return ExactRegret(ends, regret, 1e-14 * regret, "the mean gap in every round")
    algorithm = _supported(target)
    learner = _learner(algorithm, int(arms.sum()), epsilon, environment, parameters)
    if learner is None:
        return _leader(values, arms, ends, environment)
    return _epochs(learner, values, arms, ends)


def epoch_probabilities(
    target: str | Algorithm,
    means: Sequence[float] | Floats,
    epoch: int,
    *,
    epsilon: float | None = None,
    environment: str = "bernoulli",
    counts: Sequence[int] | None = None,
    tolerance: float = 1e-30,
    **parameters: float | str,
) -> EpochProbabilities:
    """Who is the noisy leader of epoch r = `epoch`, which has n = 2^r rounds (r = 0 is round 1).

    It is played in the next epoch. About `tolerance` of the probability may be cut off, which is
    in the error: smaller probabilities are not resolved.
    """
    values, arms = _check_arms(means, counts)
    _check_environment(environment)
    algorithm = _supported(target)
    learner = _learner(algorithm, int(arms.sum()), epsilon, environment, parameters)
    if learner is None:
        raise UsageError(f"target: got {algorithm.card.name!r}, which has no epochs")
    n = 2 ** check_count("epoch", epoch, 0, 59)
    if not 0.0 < tolerance < 1.0:
        raise UsageError(f"tolerance: got {tolerance!r}, allowed is a number in (0, 1)")
    means_, counts_ = _grouped(values, arms, learner.sign)
    won = winning(learner.sums(means_, counts_, n), learner.noise, learner.scale, tolerance)
    return EpochProbabilities(means_, counts_.astype(np.int64), won.probability, won.error)
