"""Exact expected pseudo-regret of full-information learners that play epoch by epoch.

The report-noisy-max family (Hu, Huang & Mehta, arXiv 2102.07929, Algorithm 4; Wu & Wang, ALT 2025,
Algorithm 1) and `ftnl` choose an epoch's action from independent noisy sums over the epoch before,
which is half as long, so the regret is a sum over some log2 T epochs of probabilities that
`dpaudit.laboratory.exact.winning` computes. `ftnl` belongs here because its leader is an argmax of
independent Laplace sums too, of scale K/epsilon. Follow-the-leader is summed round by round over
binomial distributions, the rounds beyond by Chernoff's bound; `uniform` play costs the mean gap.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpaudit.algorithm.contract import Algorithm
from dpaudit.algorithm.exact import NoisyMax, PrefixNoisyMax
from dpaudit.errors import UsageError, check_count
from dpaudit.laboratory.exact.prefixes import averages
from dpaudit.laboratory.exact.sums import Floats, Sums, log_binomial
from dpaudit.laboratory.exact.winning import CHERNOFF, chernoff, winning
from dpaudit.machine.feedback import ENVIRONMENTS
from dpaudit.machine.noisy_max import NOISES
from dpaudit.play.catalogue import catalogue, resolve
from dpaudit.play.environments import check_horizons, check_means

LONGEST = 2**60
MOST_ARMS = 2**20
NEGLIGIBLE = 1e-13
"""Epochs whose wrong choices can cost no more than this altogether are left to the error."""
LEADER_WORK = 4 * 10**7
"""Lattice points that follow-the-leader may visit before the rest is left to Chernoff's bound."""
LEADER_LOG = 50.0
"""Binomial tails of probability exp(-LEADER_LOG) are cut off (and in the error)."""


@dataclass(frozen=True)
class ExactRegret:
    """Expected pseudo-regret at the horizons; `error` bounds |regret - true| at each of them."""

    horizons: NDArray[np.int64]
    regret: Floats
    error: Floats
    how: str


@dataclass(frozen=True)
class _Learner:
    """An epoch-based learner: its noise, and how its sums come about."""

    noise: int
    scale: float
    sign: int
    fixed: bool


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
    ends = check_horizons(horizons, LONGEST)
    if environment not in ENVIRONMENTS:
        raise UsageError(
            f"environment: got {environment!r}, allowed is one of {', '.join(ENVIRONMENTS)}"
        )
    gaps = values.max() - values
    if target == "uniform":
        for name in parameters:
            raise UsageError(f"{name}: uniform has no parameters")
        regret = ends.astype(np.float64) * float(arms @ gaps / arms.sum())
        return ExactRegret(ends, regret, 1e-14 * regret, "the mean gap in every round")
    algorithm = _supported(target)
    settings = algorithm.settings(
        arms=int(arms.sum()),
        epsilon=epsilon,
        horizon=None,
        given=parameters,
    )
    if algorithm.card.name == "follow-the-leader":
        return _leader(values, arms, ends, environment)
    factor = float(arms.sum()) if algorithm.card.name == "ftnl" else float(settings["factor"])
    learner = _Learner(
        noise=NOISES.index(settings.get("noise", getattr(algorithm.exact, "noise", "laplace"))),
        scale=factor / float(settings["epsilon"]),
        sign=-1 if algorithm.card.payoff == "losses" else 1,
        fixed=environment == "deterministic" and settings.get("resample") != "1",
    )
    if isinstance(algorithm.exact, PrefixNoisyMax):
        return _prefixes(learner, values, arms, ends, any_length=settings["lengths"] == "any")
    return _epochs(learner, values, arms, ends)


def _check_arms(
    means: Sequence[float] | Floats, counts: Sequence[int] | None
) -> tuple[Floats, NDArray[np.int64]]:
    values = check_means(means)
    given = [1] * len(values) if counts is None else list(counts)
    if len(given) != len(values):
        raise UsageError(f"counts: got {len(given)} numbers, allowed is one for each of the means")
    arms = np.array([check_count("counts", c, 1, MOST_ARMS) for c in given], dtype=np.int64)
    if arms.sum() > MOST_ARMS:
        raise UsageError(f"counts: got {arms.sum()} arms, allowed is up to {MOST_ARMS}")
    return values, arms


def _has_engine(algorithm: Algorithm) -> bool:
    named = algorithm.card.name in ("ftnl", "follow-the-leader")
    return named or isinstance(algorithm.exact, NoisyMax | PrefixNoisyMax)


def _supported(target: str | Algorithm) -> Algorithm:
    algorithm = resolve(target)
    if not _has_engine(algorithm):
        names = [name for name, entry in catalogue().items() if _has_engine(entry)]
        raise UsageError(
            f"target: got {algorithm.card.name!r}, which has no exact engine; allowed is one of "
            f"{', '.join([*names, 'uniform'])}"
        )
    return algorithm


def _prefixes(
    learner: _Learner,
    values: Floats,
    arms: NDArray[np.int64],
    ends: NDArray[np.int64],
    *,
    any_length: bool,
) -> ExactRegret:
    """Block r >= 1 is rounds 2^r to 2^(r+1) - 1; the first round's action is any."""
    means, index = np.unique(values, return_inverse=True)
    counts: Floats = np.bincount(index, weights=arms).astype(np.float64)
    start = float(counts @ (means - means[0]) / counts.sum())
    regret, error = np.full(len(ends), start), np.full(len(ends), 1e-15 * start)
    if len(means) > 1:
        found = averages(
            lambda rounds: Sums(means, counts, rounds, learner.fixed, learner.sign),
            learner.noise,
            learner.scale,
            any_length=any_length,
            blocks=int(ends[-1]).bit_length() - 1,
        )
        for block, (cost, slack) in enumerate(found, 1):
            rounds = np.clip(ends - (2**block - 1), 0, 2**block).astype(np.float64)
            regret += rounds * cost
            error += rounds * slack
    kind = "fixed" if learner.fixed else "binomial"
    how = f"{NOISES[learner.noise]} noise over {kind} sums of prefixes, summed by interpolation"
    return ExactRegret(ends, regret, error + 1e-15 * regret, how)


def _epochs(
    learner: _Learner, values: Floats, arms: NDArray[np.int64], ends: NDArray[np.int64]
) -> ExactRegret:
    """Epoch e >= 1 is rounds 2^e to 2^(e+1) - 1 and plays the noisy leader of 2^(e-1) rounds."""
    means, index = np.unique(values, return_inverse=True)
    counts: Floats = np.bincount(index, weights=arms).astype(np.float64)
    if learner.sign > 0:  # best first
        means, counts = means[::-1], counts[::-1]
    gaps = np.abs(means - means[0])
    # A learner on losses begins with any action, others with the first.
    uniform = learner.sign < 0
    start = float(counts @ gaps / counts.sum()) if uniform else abs(float(values[0] - means[0]))
    regret, error = np.full(len(ends), start), np.full(len(ends), 1e-15 * start)
    last, hows = int(ends[-1]), dict[str, None]()
    epoch = 1
    while len(means) > 1 and 2**epoch <= last:
        sums = Sums(means, counts, 2 ** (epoch - 1), learner.fixed, learner.sign)
        left = np.maximum(0, ends - (2**epoch - 1)).astype(np.float64)
        bound = float(counts @ (gaps * chernoff(sums, learner.noise, learner.scale)))
        if bound * left[-1] <= NEGLIGIBLE:
            error += bound * left
            hows[f"{CHERNOFF} beyond round 2^{epoch}"] = None
            break
        rounds = np.minimum(left, 2.0**epoch)
        won = winning(sums, learner.noise, learner.scale, 1e-14 / float(rounds[-1]))
        regret += rounds * float(gaps @ won.probability)
        error += rounds * float(gaps @ won.error)
        if won.how != CHERNOFF:
            hows[won.how] = None  # in the order met
        epoch += 1
    kind = "fixed" if learner.fixed else "binomial"
    return ExactRegret(
        ends,
        regret,
        error + 1e-15 * regret,
        f"{NOISES[learner.noise]} noise over {kind} sums: {', '.join(hows) or 'first action only'}",
    )


def _leader(
    values: Floats, arms: NDArray[np.int64], ends: NDArray[np.int64], environment: str
) -> ExactRegret:
    """Follow-the-leader: round n + 1 plays the lowest action with the largest of n rounds' sums."""
    new = np.append(True, values[1:] != values[:-1])
    means = values[new]
    counts: Floats = np.bincount(np.cumsum(new) - 1, weights=arms).astype(np.float64)
    gaps = means.max() - means
    if environment == "deterministic" or not gaps.any():
        regret = np.full(len(ends), float(gaps[0]))
        return ExactRegret(ends, regret, 0.0 * regret, "the leader is known after one round")
    # Chernoff's bound for the difference of two Bernoulli sums, at its best rate.
    top = float(means.max())
    with np.errstate(divide="ignore"):
        rate = -2.0 * np.log(np.sqrt((1.0 - means) * (1.0 - top)) + np.sqrt(means * top))
    wrong = gaps > 0.0
    weights, rates = (counts * gaps)[wrong], rate[wrong]

    def tail(first: int, last: Floats) -> Floats:
        """Bound on the regret of rounds first + 1 to last."""
        with np.errstate(over="ignore"):
            one = np.exp(-rates * first) / -np.expm1(-rates)
        rounds = np.maximum(0.0, last - first)
        each = np.minimum(one[:, None], np.exp(-rates * first)[:, None] * rounds)
        return np.asarray(np.minimum(weights @ each, rounds * gaps.max()))

    costs, work, rounds = [float(gaps[0])], 0, 1
    last, last_end = int(ends[-1]), ends[-1:].astype(np.float64)
    while rounds < last and work < LEADER_WORK and float(tail(rounds, last_end)[0]) > NEGLIGIBLE:
        many = min(last - rounds, 64, 1 + 2 * rounds)
        costs_of_batch, cells = _leader_costs(means, counts, gaps, rounds, many)
        costs.extend(costs_of_batch.tolist())
        work += cells
        rounds += many
    curve = np.cumsum(costs)
    summed = np.minimum(ends, rounds)
    regret = curve[summed - 1]
    beyond = tail(rounds, ends.astype(np.float64))
    error = 1e-11 * regret + 4.0 * math.exp(-LEADER_LOG) * counts.sum() * summed + 0.5 * beyond
    how = f"binomial sums up to round {rounds}, half of Chernoff's bound beyond"
    return ExactRegret(ends, regret + 0.5 * beyond, error, how)


def _leader_costs(
    means: Floats, counts: Floats, gaps: Floats, first: int, many: int
) -> tuple[Floats, int]:
    """Expected cost of the action chosen after n = first, ..., first + many - 1 rounds (first > 0),
    and how many lattice points that took. Runs of equal arms stand in the order of the actions."""
    n = np.arange(first, first + many, dtype=np.float64)[:, None]
    radius = math.sqrt(LEADER_LOG * (first + many) / 2.0)  # Hoeffding
    second = float(means[gaps > 0.0].max())
    low = max(0, math.floor(first * float(means.max()) - radius))
    high = min(first + many, math.ceil((first + many) * second + radius))
    if high < low:
        return np.zeros(many), 0
    ones = np.arange(low, high + 1.0)[None, :]
    upto, below = [], []
    for mean, gap in zip(means.tolist(), gaps, strict=True):
        if mean in (0.0, 1.0):
            mass = (ones == n * mean).astype(np.float64)
        else:
            inside = np.exp(
                log_binomial(np.minimum(ones, n), n, mean, np.minimum(ones, n) - n * mean)
            )
            mass = np.where(ones <= n, inside, 0.0)
        # The best arms have no mass below the window, the others none above it.
        if gap == 0.0:
            value = np.cumsum(mass, axis=1)
            before = value - mass
            before[:, 1:], before[:, 0] = value[:, :-1], 0.0
        else:
            above = np.cumsum(mass[:, ::-1], axis=1)[:, ::-1]
            value, before = 1.0 - (above - mass), 1.0 - above
            value[:, :-1], value[:, -1] = before[:, 1:], 1.0
        with np.errstate(divide="ignore"):
            upto.append(np.log(np.clip(value, 0.0, 1.0)))
            below.append(np.log(np.clip(before, 0.0, 1.0)))
    cost = np.zeros(many)
    for b in np.nonzero(gaps > 0.0)[0]:
        rivals = sum(
            (c * (below if h < b else upto)[h] for h, c in enumerate(counts) if h != b),
            np.zeros_like(upto[0]),
        )
        with np.errstate(invalid="ignore"):
            ratio = np.where(upto[b] == -np.inf, 0.0, counts[b] * (below[b] - upto[b]))
        win = np.exp(rivals + counts[b] * upto[b]) * -np.expm1(ratio)
        cost += gaps[b] * win.sum(axis=1)
    return cost, ones.size * many * len(means)
