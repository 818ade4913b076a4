"""Candidates by envelopes choose arms as draws from all laws do: their chances against integrals.

A chance of 20,000 tries is taken for another one beyond 6 deviations: 2e-9 for each arm.
"""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import beta, kstest

from dpaudit.algorithm.contract import LAW, PACE
from dpaudit.machine.leaps import envelopes

TRIES = 20_000


def records(fields, count):
    return np.zeros(count, np.dtype(list(fields.items()), align=True)).view(np.recarray)


LAWS = [(30.0, 12.0), (12.0, 14.0), (9.0, 12.0)]


def chances(laws):
    """That each arm's draw is the largest."""
    known = [beta(a, b) for a, b in laws]
    return [
        quad(
            lambda x, j=j: (
                known[j].pdf(x) * math.prod(k.cdf(x) for i, k in enumerate(known) if i != j)
            ),
            0.0,
            1.0,
            epsabs=1e-10,
        )[0]
        for j in range(len(laws))
    ]


def deviations(level, laws, others):
    """Of how often each arm is chosen by candidates, from the chances of the other laws."""
    rng = np.random.default_rng(5)
    here, pace = records(LAW, len(laws)), records(PACE, 1)[0]
    here.a, here.b = np.transpose(laws)
    chosen = np.zeros(len(laws))
    for _ in range(TRIES):
        pace.chance, pace.level, pace.kept = 0.6, level, 0
        arm = envelopes.candidate(here, pace, rng) if rng.random() < 0.6 else 0
        chosen[arm] += 1
    right = np.array(chances(others))
    return np.abs(chosen - TRIES * right) / np.sqrt(TRIES * right * (1.0 - right))


# At the first level the leader's draw is below in one round of seven, at the second of twenty.
@pytest.mark.parametrize("level", [0.64, 0.6])
def test_candidates_choose_arms_as_all_draws_do(level):
    assert max(deviations(level, LAWS, LAWS)) < 6.0
    more = [LAWS[0], (LAWS[1][0] + 2.0, LAWS[1][1]), LAWS[2]]
    assert max(deviations(level, LAWS, more)) > 6.0


def test_a_leader_who_is_never_below_the_level_is_seen(monkeypatch):
    """What leaps would do that neglect it at this level."""
    monkeypatch.setattr(envelopes, "proposed", below_is_thinned_away(envelopes.proposed))
    assert max(deviations(0.64, LAWS, LAWS)) > 6.0


def below_is_thinned_away(proposed):
    def above_only(a, b, level, rng):
        return -1.0 if (b, a) == LAWS[0] else proposed(a, b, level, rng)

    return above_only


@pytest.mark.parametrize(
    ("a", "b", "level"),
    [(5.0, 9.0, 0.55), (1.0, 40.0, 0.06), (50.0, 2.0, 0.99), (3e5, 1e5, 0.7515)],
)
def test_a_proposal_has_the_law_of_a_draw_above_the_level(a, b, level):
    """Its mass times the part that is kept is the tail, at 6 deviations; Kolmogorov-Smirnov at
    1e-6. The control is the tail at a level which is higher by a tenth of a deviation."""
    law, rng = beta(a, b), np.random.default_rng(3)
    drawn = np.array([envelopes.proposed(a, b, level, rng) for _ in range(TRIES)])
    kept = drawn[drawn >= 0.0]
    mass = envelopes.mass(a, b, level)
    assert mass >= law.sf(level) * (1.0 - 1e-9)
    right = law.sf(level) / mass
    error = 6.0 * math.sqrt(TRIES * right * (1.0 - right)) + 1e-6 * TRIES
    assert abs(len(kept) - TRIES * right) < error
    assert kstest(kept, lambda x: 1.0 - law.sf(x) / law.sf(level)).pvalue > 1e-6
    higher = min(level + 0.1 * law.std(), 0.5 * (1.0 + level))
    assert kstest(kept, lambda x: 1.0 - law.sf(x) / law.sf(higher)).pvalue < 1e-6


def test_a_mass_is_largest_where_a_block_says_so():
    """It grows with the mode as long as it is below WORTH; for the leader it falls with pulls."""
    rng = np.random.default_rng(9)
    met = 0
    for _ in range(20_000):
        n, mode, level = math.exp(rng.uniform(0.0, 12.0)), rng.random(), rng.random()
        higher = mode + (1.0 - mode) * rng.random() ** 4
        most = envelopes.mass(higher * n + 1.0, (1.0 - higher) * n + 1.0, level)
        if 0.0 < most <= envelopes.WORTH:
            met += 1
            assert envelopes.mass(mode * n + 1.0, (1.0 - mode) * n + 1.0, level) <= most
        divergence = 0.0
        if 0.0 < mode < level:
            divergence = mode * math.log(mode / level)
            divergence += (1.0 - mode) * math.log((1.0 - mode) / (1.0 - level))
        if n * divergence > envelopes.SURE and most > 0.0:
            more = n * (1.0 + rng.random())
            few = envelopes.mass(mode * n + 1.0, (1.0 - mode) * n + 1.0, level)
            assert envelopes.mass(mode * more + 1.0, (1.0 - mode) * more + 1.0, level) <= few
    assert met > 1_000
