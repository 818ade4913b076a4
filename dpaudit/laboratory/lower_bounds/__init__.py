"""Lower bounds on regret: how far from the best possible a learner is, at most.

A bound is about an instance, a class of learners and, where it is private, an epsilon. Asymptotic
ones are a rate times ln T, without the terms that vanish beside it: regret at a given T may lie
below. The others hold at every T, for the worst labelling of the arms, and so on the instance
itself for learners that treat arms alike.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from msgspec.structs import replace

from dpaudit.laboratory.lower_bounds import bandits, full_information
from dpaudit.laboratory.lower_bounds.bandits import Groups
from dpaudit.laboratory.lower_bounds.full_information import descending
from dpaudit.results.regret import Floats, LowerBound

CONSISTENT = "consistent learners"
ALL = "all learners, the worst labelling of the arms"
PRIVATE = "epsilon-DP learners, the worst labelling of the arms"
CLOSE = 1e-12
"""Relative; means that were written differently, as 1 - 0.7 and 0.3."""


def lower_bounds(
    means: Sequence[float] | Floats,
    horizons: Sequence[int] | Floats,
    *,
    counts: Sequence[int] | None = None,
    feedback: str,
    epsilon: float | None,
    payoff: str = "rewards",
    environment: str = "bernoulli",
) -> list[LowerBound]:
    """All that are known to hold, at the horizons. `epsilon` is that of pure differential privacy,
    None for learners that do not have it; means are of rewards, or of losses if `payoff` says so,
    each of so many arms as `counts` says (one). For environments other than Bernoulli and
    deterministic arms there are none."""
    values = np.asarray(means, dtype=np.float64)
    rewards = 1.0 - values if payoff == "losses" else values
    many = [1] * len(rewards) if counts is None else [int(count) for count in counts]
    groups = list(zip(rewards.tolist(), many, strict=True))
    rounds = np.asarray(horizons, dtype=np.float64)
    if environment not in ("bernoulli", "deterministic") or np.ptp(rewards) == 0.0:
        return []
    found = _at_every_horizon(groups, rounds, epsilon, environment == "deterministic")
    if feedback == "bandit" and environment == "bernoulli":
        found = _asymptotic(groups, rounds, epsilon) + found
    return [bound for bound in found if np.any(bound.values > 0.0)]


def by_epsilon(
    means: Sequence[float] | Floats,
    horizon: int,
    epsilons: Sequence[float],
    *,
    feedback: str,
    payoff: str = "rewards",
) -> list[LowerBound]:
    """The same at one horizon: values by epsilon, 0 where a bound says nothing. Bounds of the same
    values are one, with both names."""
    found: dict[str, LowerBound] = {}
    for place, epsilon in enumerate(epsilons):
        asked = lower_bounds(means, [horizon], feedback=feedback, epsilon=epsilon, payoff=payoff)
        for each in asked:
            empty = replace(each, values=np.zeros(len(epsilons)))
            found.setdefault(each.name, empty).values[place] = each.values[-1]
    merged: list[LowerBound] = []
    for bound in found.values():
        for place, other in enumerate(merged):
            if np.allclose(bound.values, other.values, rtol=1e-9, atol=0.0):
                merged[place] = replace(other, name=f"{other.name}; {bound.name}")
                break
        else:
            merged.append(bound)
    return merged


def strongest(bounds: Sequence[LowerBound], *, asymptotic: bool | None = None) -> LowerBound | None:
    """The largest at the last horizon; of the asymptotic ones, or of the others, if it is said."""
    found = [b for b in bounds if asymptotic is None or b.asymptotic == asymptotic]
    return max(found, key=lambda b: float(b.values[-1]), default=None)


def yardstick(bounds: Sequence[LowerBound]) -> LowerBound | None:
    """The one to measure a learner by: the strongest asymptotic one, if there is one (for bandits),
    else the strongest that holds at every horizon."""
    return strongest(bounds, asymptotic=True) or strongest(bounds)


def _asymptotic(groups: Groups, rounds: Floats, epsilon: float | None) -> list[LowerBound]:
    grows = np.log(rounds)

    def bound(name: str, source: str, rate: float, *, private: bool) -> LowerBound:
        whom = f"epsilon-DP, {CONSISTENT}" if private else CONSISTENT
        return LowerBound(name, source, whom, rate * grows, asymptotic=True, recalled=private)

    plain = bandits.lai_robbins(groups)
    found = [bound("Lai-Robbins", "Lai & Robbins (1985)", plain, private=False)]
    if epsilon is not None:
        sources = {
            "Azize et al.": ("Azize, Wu, Honda, Orabona, Ito & Basu (2025)", bandits.azize_et_al),
            "Azize-Basu": ("Azize & Basu (2022)", bandits.azize_basu),
            "Shariff-Sheffet": ("Shariff & Sheffet (2018)", bandits.shariff_sheffet),
        }
        for name, (source, rate) in sources.items():
            found.append(bound(name, source, rate(groups, epsilon), private=True))
    return found


def _at_every_horizon(
    groups: Groups, rounds: Floats, epsilon: float | None, deterministic: bool
) -> list[LowerBound]:
    asked = full_information.exchanges(groups, deterministic=deterministic)
    if not asked:
        return []
    found = []
    if not deterministic:
        tested = [full_information.fano(each, rounds) for each in asked]
        tested.append(full_information.two_points(groups, rounds))
        found.append(LowerBound("testing", "Fano; Bretagnolle & Huber", ALL, _most(tested)))
    if epsilon is not None:
        private = [full_information.group_privacy(each, epsilon, rounds) for each in asked]
        source = "as Wu & Wang, Theorem 7, for any instance"
        found.append(LowerBound("group privacy", source, PRIVATE, _most(private)))
    return found + _published(groups, rounds, epsilon, deterministic)


def _most(values: list[Floats]) -> Floats:
    return np.asarray(np.max(np.array(values), axis=0))


def _published(
    groups: Groups, rounds: Floats, epsilon: float | None, deterministic: bool
) -> list[LowerBound]:
    """The papers' own theorems, where the instance is one of theirs."""
    down = descending(groups)
    arms = sum(count for _, count in down)
    if arms < 4 or down[0][1] > 1:
        return []
    gap = down[0][0] - down[1][0]
    flat = all(math.isclose(x, 0.5, rel_tol=CLOSE) for x, _ in down[1:])
    if not deterministic and flat and 0.0 < gap < 0.25:
        values = full_information.theorem_12(gap, arms, epsilon, rounds)
        whom = ALL if epsilon is None else PRIVATE
        return [LowerBound("Theorem 12", "Hu, Huang & Mehta (2021)", whom, values)]
    if deterministic and epsilon is not None and _of_theorem_7(down, gap):
        values = full_information.theorem_7(arms, epsilon, rounds)
        return [LowerBound("Theorem 7", "Wu & Wang (2025)", PRIVATE, values)]
    return []


def _of_theorem_7(down: Groups, gap: float) -> bool:
    """Whether the rewards are 1, twice 1 - gap, and 0."""
    place = 0
    for x, count in down:
        for rank in (place, place + count - 1):
            if abs(x - (1.0 if rank == 0 else 1.0 - gap if rank < 3 else 0.0)) > CLOSE:
                return False
        place += count
    return True


__all__ = ["LowerBound", "by_epsilon", "lower_bounds", "strongest", "yardstick"]
