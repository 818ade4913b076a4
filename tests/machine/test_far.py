"""Far play has the law of play round by round: 20,000 runs of each, two tests, and what must fail.

Seeds are fixed. Each pair is compared by Kolmogorov-Smirnov and by the z of the means; either is
taken for a difference below p = 5e-7, so that a false alarm of a pair has probability 1e-6 at most.
"""

import dataclasses
import math
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import beta, ks_2samp, kstest, norm

from dpaudit.machine.compiling import deep_copy
from dpaudit.machine.leaps import tails, thinning
from dpaudit.play.catalogue import find
from dpaudit.play.environments import LONG, play_environment, stochastic

DIFFERENT = 5e-7
RUNS = 20_000


def regret(target: Any, settings: dict[str, Any], *, far: bool) -> Any:
    given = {"epsilon": 1.0, "runs": RUNS, "seed": 11 + far, "far": far, "leaping": False}
    return play_environment(target, **given | settings)


def p_value(one: Any, other: Any) -> float:
    """The smaller one of the two tests."""
    error = math.sqrt((one.var() + other.var()) / RUNS)
    z = abs(one.mean() - other.mean()) / error if error > 0 else 0.0
    return min(float(ks_2samp(one, other).pvalue), float(2.0 * ndtr(-z)))


def with_others(entry: Any, others: dict[Any, Any]) -> Any:
    """The entry whose far play calls others in place of some functions."""
    return dataclasses.replace(
        entry, stretch=deep_copy(entry.stretch, lambda inner: inner, dict(others))
    )


def rarer(chance, rng):
    """Half of the candidates are overlooked."""
    return int(rng.standard_exponential() / (0.5 * chance + 1e-18)) + 1


# Where, what is wrong in the control, and the largest part of the rounds that may be steps.
CASES = {
    "thompson": ({"means": [0.9, 0.3], "horizons": 600}, {thinning.geometric: rarer}, 0.8),
}


@pytest.mark.parametrize("name", CASES)
def test_far_play_has_the_law_of_single_rounds(name):
    settings, wrong, part = CASES[name]
    entry = find(name.split()[0])
    plain = regret(entry, settings, far=False).regret[:, -1]
    played = regret(entry, settings, far=True)
    assert played.steps.mean() < part * settings["horizons"]
    assert played.neglected.max() < 1e-15
    assert p_value(played.regret[:, -1], plain) > DIFFERENT
    broken = regret(with_others(entry, wrong), settings, far=True).regret[:, -1]
    assert p_value(broken, plain) < DIFFERENT
