"""Exact expected pseudo-regret of full-information learners that play epoch by epoch.

The report-noisy-max family (Hu, Huang & Mehta, arXiv 2102.07929, Algorithm 4; Wu & Wang, ALT 2025,
Algorithm 1) and `ftnl` choose an epoch's action from independent noisy sums over the epoch before,
which is half as long, so the regret is a sum over some log2 T epochs of probabilities that
`dpaudit.laboratory.exact.winning` computes. `ftnl` belongs here because its leader is an argmax of
independent Laplace sums too, of scale K/epsilon. Follow-the-leader is summed round by round over
binomial distributions, the rounds beyond by Chernoff's bound; `uniform` play costs the mean gap.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpaudit.algorithm.contract import Algorithm
from dpaudit.algorithm.exact import NoisyMax, PrefixNoisyMax
from dpaudit.errors import UsageError, check_number
from dpaudit.laboratory.exact.finite import FiniteSums, Law, laws_of
from dpaudit.laboratory.exact.leader import NEGLIGIBLE, follow_the_leader
from dpaudit.laboratory.exact.prefixes import averages
from dpaudit.laboratory.exact.sums import Floats, Sums
from dpaudit.laboratory.exact.winning import CHERNOFF, chernoff, winning
from dpaudit.machine.feedback import ENVIRONMENTS
from dpaudit.machine.noisy_max import NOISES
from dpaudit.play.catalogue import catalogue, resolve
from dpaudit.play.environments import check_horizons, check_means

LONGEST = 2**60
MOST_ARMS = 2**320
"""Counts of groups may be real: only powers of distribution functions are taken with them."""
Finite = tuple[Sequence[float], Sequence[Sequence[float]]]
"""Values, and their probabilities: a row an arm (or a group of equal arms)."""


@dataclass(frozen=True)
class ExactRegret:
    """Expected pseudo-regret at the horizons; `error` bounds |regret - true| at each of them."""

    horizons: NDArray[np.int64]
    regret: Floats
    error: Floats
    how: str


@dataclass(frozen=True)
class Learner:
    """An epoch-based learner: its noise, and how its sums come about."""

    noise: int
    scale: float
    sign: int
    fixed: bool


@dataclass(frozen=True)
class Arms:
    """Groups of equal arms, what each costs a round, and the laws of one round where they are
    finite; the cost of the first round."""

    means: Floats
    counts: Floats
    gaps: Floats
    start: float
    laws: tuple[Law, ...] = ()
    step: float = 1.0

    def sums(self, learner: Learner, n: int) -> Sums:
        if self.laws:
            return FiniteSums(self.means, self.counts, n, False, learner.sign, self.laws)
        return Sums(self.means, self.counts, n, learner.fixed, learner.sign)


def exact_regret(
    target: str | Algorithm,
    means: Sequence[float] | Floats | None,
    horizons: Sequence[int] | int,
    *,
    epsilon: float | None = None,
    environment: str | Finite = "bernoulli",
    counts: Sequence[float] | None = None,
    **parameters: float | str,
) -> ExactRegret:
    """Expected pseudo-regret of `target` at the horizons (up to 2^60), with a bound on the error.

    `means` are mean rewards, or mean losses for an algorithm on losses; `counts` says how many
    consecutive arms have each, 2^320 in all at most. Environments: independent Bernoulli arms,
    every round's payoff the mean itself, or (values, probabilities), arms on a finite set, whose
    means are then not asked for. The targets are the report-noisy-max family, `ftnl`, `uniform` and
    (not on finite sets) `follow-the-leader`, whose ties go to the lowest action.
    """
    finite = None if isinstance(environment, str) else environment
    if finite is not None:
        least, step, laws = laws_of(*finite)
        means = [float(least + step * law.mean) for law in laws]
    elif environment not in ENVIRONMENTS or environment == "finite":
        raise UsageError(
            f"environment: got {environment!r}, allowed is one of bernoulli, deterministic, "
            "(values, probabilities)"
        )
    if means is None:
        raise UsageError("means: none given, allowed is one number in [0, 1] an arm")
    values, arms = _check_arms(means, counts)
    ends = check_horizons(horizons, LONGEST)
    gaps = values.max() - values
    if target == "uniform":
        for name in parameters:
            raise UsageError(f"{name}: uniform has no parameters")
        regret = ends.astype(np.float64) * float(arms @ gaps / arms.sum())
        return ExactRegret(ends, regret, 1e-14 * regret, "the mean gap in every round")
    algorithm = supported(target)
    settings = algorithm.settings(
        arms=int(arms.sum()),
        epsilon=epsilon,
        horizon=None,
        given=parameters,
    )
    if algorithm.card.name == "follow-the-leader":
        if finite is not None:
            raise UsageError("environment: follow-the-leader is exact for bernoulli or fixed arms")
        return ExactRegret(ends, *follow_the_leader(values, arms, ends, str(environment)))
    learner = learner_of(algorithm, settings, environment == "deterministic")
    if finite is None or settings.get("resample") == "1":
        grouped = _grouped(learner, values, arms)
    else:
        grouped = _grouped_laws(learner, laws, step, arms)
        learner = replace(learner, scale=learner.scale / float(step))
    if isinstance(algorithm.exact, PrefixNoisyMax):
        return _prefixes(learner, grouped, ends, any_length=settings["lengths"] == "any")
    return epochs(learner, grouped, ends)


def learner_of(algorithm: Algorithm, settings: Mapping[str, Any], fixed: bool) -> Learner:
    """With checked settings; `fixed` losses are resampled where that is asked for."""
    factor = settings["arms"] if algorithm.card.name == "ftnl" else settings["factor"]
    return Learner(
        noise=NOISES.index(settings.get("noise", getattr(algorithm.exact, "noise", "laplace"))),
        scale=float(factor) / float(settings["epsilon"]),
        sign=-1 if algorithm.card.payoff == "losses" else 1,
        fixed=fixed and settings.get("resample") != "1",
    )


def _check_arms(
    means: Sequence[float] | Floats, counts: Sequence[float] | None
) -> tuple[Floats, Floats]:
    values = check_means(means)
    given = [1.0] * len(values) if counts is None else list(counts)
    if len(given) != len(values):
        raise UsageError(f"counts: got {len(given)} numbers, allowed is one for each of the means")
    arms = np.array([check_number("counts", c, 1, MOST_ARMS) for c in given])
    if arms.sum() > MOST_ARMS:
        raise UsageError(f"counts: got {arms.sum():g} arms, allowed is up to {MOST_ARMS:g}")
    return values, arms


def _start(sign: int, gaps: Floats, counts: Floats) -> float:
    """A learner on losses begins with any action, others with the first."""
    return float(counts @ gaps / counts.sum()) if sign < 0 else float(gaps[0])


def _grouped(learner: Learner, values: Floats, arms: Floats) -> Arms:
    means, index = np.unique(values, return_inverse=True)
    counts: Floats = np.bincount(index, weights=arms).astype(np.float64)
    if learner.sign > 0:  # best first
        means, counts = means[::-1], counts[::-1]
    each = np.abs(values - means[0])
    return Arms(means, counts, np.abs(means - means[0]), _start(learner.sign, each, arms))


def _grouped_laws(learner: Learner, laws: Sequence[Law], step: Fraction, arms: Floats) -> Arms:
    """In steps; gaps and costs are not."""
    best = max(learner.sign * law.mean for law in laws)
    each = np.array([float(step * (best - learner.sign * law.mean)) for law in laws])
    groups: dict[Law, float] = {}
    for law, count in zip(laws, arms, strict=True):
        groups[law] = groups.get(law, 0.0) + float(count)
    return Arms(
        np.array([float(law.mean) for law in groups]),
        np.array(list(groups.values())),
        np.array([float(step * (best - learner.sign * law.mean)) for law in groups]),
        _start(learner.sign, each, arms),
        tuple(groups),
        float(step),
    )


def _has_engine(algorithm: Algorithm) -> bool:
    named = algorithm.card.name in ("ftnl", "follow-the-leader")
    return named or isinstance(algorithm.exact, NoisyMax | PrefixNoisyMax)


def supported(target: str | Algorithm) -> Algorithm:
    algorithm = resolve(target)
    if not _has_engine(algorithm):
        names = [name for name, entry in catalogue().items() if _has_engine(entry)]
        raise UsageError(
            f"target: got {algorithm.card.name!r}, which has no exact engine; allowed is one of "
            f"{', '.join([*names, 'uniform'])}"
        )
    return algorithm


def _prefixes(
    learner: Learner, arms: Arms, ends: NDArray[np.int64], *, any_length: bool
) -> ExactRegret:
    """Block r >= 1 is rounds 2^r to 2^(r+1) - 1; the first round's action is any."""
    regret, error = np.full(len(ends), arms.start), np.full(len(ends), 1e-15 * arms.start)
    if arms.gaps.any():
        found = averages(
            lambda rounds: arms.sums(learner, rounds),
            arms.gaps,
            learner.noise,
            learner.scale,
            any_length=any_length,
            blocks=int(ends[-1]).bit_length() - 1,
        )
        for block, (cost, slack) in enumerate(found, 1):
            rounds = np.clip(ends - (2**block - 1), 0, 2**block).astype(np.float64)
            regret += rounds * cost
            error += rounds * slack
    kind = _kind(learner, arms)
    how = f"{NOISES[learner.noise]} noise over {kind} sums of prefixes, summed by interpolation"
    return ExactRegret(ends, regret, error + 1e-15 * regret, how)


def _kind(learner: Learner, arms: Arms) -> str:
    return "finite" if arms.laws else "fixed" if learner.fixed else "binomial"


def epochs(learner: Learner, arms: Arms, ends: NDArray[np.int64]) -> ExactRegret:
    """Epoch e >= 1 is rounds 2^e to 2^(e+1) - 1 and plays the noisy leader of 2^(e-1) rounds."""
    counts, gaps = arms.counts, arms.gaps
    regret, error = np.full(len(ends), arms.start), np.full(len(ends), 1e-15 * arms.start)
    last, hows = int(ends[-1]), dict[str, None]()
    epoch = 1
    while gaps.any() and 2**epoch <= last:
        sums = arms.sums(learner, 2 ** (epoch - 1))
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
    kind = _kind(learner, arms)
    return ExactRegret(
        ends,
        regret,
        error + 1e-15 * regret,
        f"{NOISES[learner.noise]} noise over {kind} sums: {', '.join(hows) or 'first action only'}",
    )
