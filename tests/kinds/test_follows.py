"""What follows for zCDP and Rényi claims from a proof in epsilon or mu, and from nothing else."""

import math
import re

import mpmath
import numpy as np
import pytest
from scipy import integrate, stats

import dpaudit
from dpaudit.auditor.accountant import implied
from dpaudit.auditor.proved import proved
from dpaudit.auditor.upper import Accounting
from dpaudit.play.catalogue import find
from dpaudit.play.tables import configured
from dpaudit.results.claimed import concentrated, renyi
from dpaudit.results.found import Upper

ORDERS = (1 + 1e-8, 1.01, 1.5, 2.0, 7.0, 300.0)


def divergence(p, q, order):
    """Of finite distributions, by its definition; next to order 1 that of order 1."""
    if order < 1.001:
        return float(np.sum(p * np.log(p / q)))
    logs = order * np.log(p) + (1.0 - order) * np.log(q)
    return float(np.logaddexp.reduce(logs)) / (order - 1.0)


def pairs(epsilon, rng, count=200):
    """Distributions of a few outcomes whose log ratios are epsilon at most, among them randomised
    response."""
    yield np.array([1.0, math.exp(-epsilon)]) / (1.0 + math.exp(-epsilon)), None
    for _ in range(count):
        q = rng.dirichlet(np.ones(4))
        p = q * np.exp(rng.choice([0.0, epsilon], 4))
        yield p / p.sum(), q


@pytest.mark.parametrize("epsilon", [0.01, 1.0, 6.0, 300.0])
@pytest.mark.parametrize("order", ORDERS)
def test_what_follows_from_epsilon_is_no_less_than_any_pair_has(epsilon, order):
    least = implied(renyi(order, 1.0), "pure", epsilon)
    rho = implied(concentrated(1.0), "pure", epsilon)
    seen = []
    for p, q in pairs(epsilon, np.random.default_rng(1)):
        found = divergence(p, p[::-1] if q is None else q, order)
        assert found <= least * (1 + 1e-8)
        assert found <= order * rho
        seen.append(found)
    assert seen[0] == max(seen)
    if order > 1.001 and epsilon < 10:
        assert seen[0] == pytest.approx(least)
        assert seen[0] > implied(renyi(order, 1.0), "pure", 0.95 * epsilon)


@pytest.mark.parametrize("order", [1.000002, 1.0001, 1.01, 1.5, 5.0, 1e4])
@pytest.mark.parametrize("epsilon", [1e-8, 1e-6, 1e-4, 1e-2, 0.1, 700.0])
def test_no_rounding_makes_what_follows_less_than_it_is(epsilon, order):
    """Of many digits: where a little epsilon or an order next to 1 leaves a float few."""
    with mpmath.workdps(80):
        e, a = mpmath.mpf(epsilon), mpmath.mpf(order)
        both = (mpmath.exp((a - 1) * e) + mpmath.exp(-a * e)) / (1 + mpmath.exp(-e))
        exact = mpmath.log(both) / (a - 1)
        found = implied(renyi(order, 1.0), "pure", epsilon)
        assert found >= exact * (1 - mpmath.mpf(10) ** -40)
        assert found <= order * epsilon**2 / 2 * (1 + 1e-12)


@pytest.mark.parametrize("mu", [0.2, 1.0, 3.0])
@pytest.mark.parametrize("order", [1.5, 2.0, 5.0])
def test_what_follows_from_mu_is_what_gaussian_noise_has(mu, order):
    here, there = stats.norm(mu, 1), stats.norm(0, 1)
    low, high = order * mu - 12, order * mu + 12
    total, _ = integrate.quad(
        lambda x: math.exp(order * here.logpdf(x) + (1 - order) * there.logpdf(x)), low, high
    )
    exact = math.log(total) / (order - 1)
    assert implied(renyi(order, 1.0), "gdp", mu) == pytest.approx(exact)
    assert implied(concentrated(1.0), "gdp", mu) == pytest.approx(exact / order)


def of(name, epsilon=1.0, **more):
    return configured(find(name), arms=2, rounds=4, epsilon=epsilon, parameters=more)


@pytest.mark.parametrize(
    ("name", "rho", "said"),
    [
        ("rnm-ftnl", 2.0, "proved for every T: .* from 2-DP"),
        ("rnm-ftnl-repaired", 0.5, "proved for every T: .* from 1-DP"),
        ("dp-ts-ucb", 2.0329120585217417**2 / 2, r"proved for every T: .* from 2\.033-GDP"),
        ("ucb1", math.inf, "none, and where it leaks: .*ucb1.py, line"),
        ("dp-ucb-int", 3.634283478682416, "proved to T = 4: .* from 2.696-DP"),
        ("ts-gaussian", 0.75, "proved to T = 4: .* from 1.225-GDP"),
    ],
)
def test_a_proof_in_other_terms_is_an_upper_end(name, rho, said):
    found = proved(of(name), concentrated(0.3), 4)
    assert found.proof
    assert found.bound == pytest.approx(rho)
    assert re.match(said, found.how)


def test_an_upper_end_speaks_for_a_claim(monkeypatch):
    """The rounds show next to nothing; the proof is of the claim, and of no smaller one."""
    asked = {"epsilon": 1.0, "rounds": 2, "runs": 200, "workers": 1}
    kept = dpaudit.audit("dp-ts", rho=0.5, **asked)
    assert (kept.upper_bound, kept.upper.proof) == (0.5, True)
    order = dpaudit.audit("dp-ts", rdp=(4, 0.8), **asked)
    assert 0.8 < order.upper_bound < 0.9
    assert any("would have been found" in each for each in order.untested)
    assert not any("would have been found" in each for each in kept.untested)
    late = dpaudit.audit("dp-ts", rho=0.5, neighbours="rounds:2", **asked)
    assert late.upper is None
    monkeypatch.setattr("dpaudit.auditor.auditing.proved", lambda *_: None)
    none = dpaudit.audit("ts-gaussian", rho=0.5, **asked)
    assert (none.upper_bound, none.upper.proof) == (None, False)
    assert none.upper.how == "none: nothing is proved from which it would follow"


def test_forced_paths_are_a_proof_for_their_rounds():
    """Where the releases are all Gaussian, or none is; a search is no proof."""
    nothing = Upper(math.inf, "none: nothing is proved from which it would follow", proof=False)
    gaussian = Accounting(of("ts-gaussian"), concentrated(0.5), 4)
    found = gaussian.tightened(nothing, 0.0)
    assert found.proof
    assert found.how.startswith("proved to T = 4: all 2^")
    forced = Accounting(of("ts-gaussian"), dpaudit.results.claimed.gaussian(1.0), 4)._forced()
    assert found.bound == pytest.approx(forced.bound**2 / 2)
