"""A gate bets against lines that no event is above if the claim holds, whatever it is claimed in.

Private learners and samples are met at levels that accuse them with probability 1e-7 at most.
"""

import math

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

import dpaudit
from dpaudit.auditor.accountant import gdp_delta
from dpaudit.auditor.engines.black_box.gate import best_stake, gate, payoffs, power
from dpaudit.auditor.engines.black_box.scoring.power import likeliest
from dpaudit.auditor.kinds import renyi
from dpaudit.auditor.kinds.lines import Line, lines
from dpaudit.auditor.statistics import Alpha
from dpaudit.cli import main
from dpaudit.results.claimed import Guarantee, concentrated, gaussian, guarantee
from dpaudit.results.claimed import renyi as of_order
from tests.kinds import learners

CLAIMS = {
    "pure": guarantee(1.0),
    "approximate": guarantee(0.5, 0.2),
    "GDP": gaussian(1.0),
    "zCDP": concentrated(0.5),
    "RDP": of_order(4, 2.0),
    "RDP of a large order": of_order(600, 3.0),
    "RDP of an order next to 1": of_order(1 + 1e-9, 0.5),
}
QS = (1e-4, 0.003, 0.1, 0.5, 0.9, 0.999)


def most(claim, q):
    """The largest probability that a claim allows beside q."""
    if claim.notion in ("pure", "approximate"):
        return min(1.0, math.exp(claim.level) * q + claim.delta)
    if claim.notion == "gdp":
        return float(ndtr(ndtri(q) + claim.level))
    return min(1.0, renyi.most_likely(q, claim.level, claim))


@pytest.mark.parametrize("claim", CLAIMS.values(), ids=CLAIMS)
def test_no_event_that_a_claim_allows_is_above_its_lines_and_others_are(claim):
    grid = np.concatenate([np.geomspace(1e-9, 0.5, 200), 1 - np.geomspace(1e-9, 0.5, 200)])
    allowed = np.array([most(claim, float(q)) for q in grid])
    larger = Guarantee(**claim.public() | {claim.symbol: 1.1 * claim.level})
    for q in QS:
        for line in lines(claim, q):
            assert line.slope > 0.0
            assert (allowed <= line.slope * grid + line.delta).all()
        beyond = most(larger, q)
        if q < 0.2 and beyond < 1.0:
            assert any(beyond > line.slope * q + line.delta for line in lines(claim, q))


def test_the_lines_of_gdp_are_what_it_implies():
    for line in lines(gaussian(1.3), 0.1):
        assert line.delta == pytest.approx(gdp_delta(1.3, math.log(line.slope)), abs=1e-8)


def test_a_stake_is_never_lost_and_does_not_grow_on_the_line():
    for line in (Line(math.e), Line(2.0, 0.1), Line(0.4, 0.7)):
        for q in (0.05, 0.3):
            on = min(1.0, line.slope * q + line.delta)
            assert best_stake(on, q, line) == 0.0
            stake = best_stake(min(1.0, 1.2 * on), q, line)
            assert stake > 0.0 or on > 0.9
            assert (1.0 + stake * payoffs(line) > 0.0).all()


def normal(shift, seed=0):
    """Outputs of N(0, 1) and N(shift, 1)."""

    def draw(stage, number, n):
        seeds = ([seed, stage, number, world] for world in (0, 1))
        here, there = (np.random.default_rng(seed).normal(size=(n, 1)) for seed in seeds)
        return here, there + shift

    return draw


NOISE_1 = (
    gaussian(1.0),
    concentrated(0.5),
    of_order(4, 2.0),
    guarantee(1.0, gdp_delta(1.0, 1.0)),
)
"""What holds, and no less, of Gaussian noise of the size of what it hides."""


@pytest.mark.parametrize("claim", NOISE_1, ids=str)
def test_a_gate_on_gaussian_noise_at_its_very_claim(claim):
    """20 gates at 0.05: P(9 or more of them are wrong) = 2e-7. Of 0.6 times the noise all see."""
    wrong = [gate(normal(1.0, s), claim, Alpha(0.05), 8000).refuted for s in range(20)]
    assert sum(wrong) <= 8
    for seed in range(3):
        leaky = gate(normal(1.0 / 0.6, seed), claim, Alpha(1e-3), 40_000)
        assert leaky.refuted


GAUSSIAN = {
    "mu": ({"mu": 1.0}, {}),
    "rho": ({"rho": 0.5}, {}),
    "rdp": ({"rdp": "4:2.0"}, {"rho": 0.5}),
    "delta": ({"epsilon": 1.0, "delta": gdp_delta(1.0, 1.0)}, {"mu": 1.0}),
}


@pytest.mark.parametrize("kind", GAUSSIAN)
def test_a_gate_accuses_who_leaks_and_nobody_else(kind):
    claim, own = GAUSSIAN[kind]
    runs = 20_000 if kind == "rdp" else 4000  # one event shows little of a Rényi divergence
    asked = {"arms": 1, "rounds": 2, "workers": 1, "gate": True, "runs": runs, **claim}
    found = dpaudit.audit(learners.Gaussian, parameters=own | {"share": 0.4}, **asked)
    assert (found.verdict, found.engine) == ("violated", "gate")
    assert found.estimate > found.claim.level
    sound = dpaudit.audit(learners.Gaussian, parameters=own, confidence=1 - 1e-7, **asked)
    assert sound.verdict != "violated"


def coins(q, p, seed):
    """An event that comes with these probabilities."""

    def draw(stage, number, n):
        own = [np.random.default_rng([seed, stage, number, world]) for world in (0, 1)]
        here, there = (each.random((n, 1)) < x for each, x in zip(own, (q, p), strict=True))
        return here * 1.0, there * 1.0

    return draw


@pytest.mark.parametrize("claim", list(CLAIMS.values())[:4], ids=list(CLAIMS)[:4])
def test_a_gate_finds_what_it_says_it_would_have_found(claim):
    """30 gates, each with probability 0.9 at least: P(16 or fewer) < 1e-6. Of what is claimed
    itself no gate says that it would have been found."""
    q = 0.2
    fine = gate(coins(q, q, 99), claim, Alpha(1e-3), 8000)
    level = power(fine, claim)
    assert claim.level < level < 2.0 * claim.level
    found = [gate(coins(q, likeliest(level, q, claim), s), claim, Alpha(1e-3), 8000).refuted
             for s in range(30)]  # fmt: skip
    assert sum(found) > 16
    few = gate(coins(q, q, 99), claim, Alpha(1e-3), 500)
    assert power(few, claim) > level


@pytest.mark.parametrize("more", [{"gate": True}, {}])
def test_the_largest_claim_is_answered(more):
    """What would have been found is looked for above it, where e to its power is no float."""
    asked = {"epsilon": 700.0, "arms": 1, "rounds": 2, "workers": 1, "runs": 300}
    assert dpaudit.audit(learners.Means, **asked, **more).verdict == "inconclusive"


def test_a_gate_of_few_runs_acquits_nobody():
    """2000 pairs tell 2 from 1, but not 0.1 from 0.05."""
    asked = {"arms": 1, "rounds": 2, "workers": 1, "gate": True, "runs": 300}
    for mu, verdict in ((0.05, "inconclusive"), (1.0, "consistent")):
        found = dpaudit.audit(learners.Gaussian, mu=mu, **asked)
        assert found.verdict == verdict
    assert "would have found eta >= 1." in found.sentence()


def test_a_gate_by_the_command_line(capsys):
    asked = ["--arms", "1", "--rounds", "2", "--workers", "1", "--runs", "4000", "--gate"]
    who = f"{learners.__file__}:Gaussian"
    for claim in (["--rho", "0.5"], ["--mu", "1"]):
        assert main(["audit", who, *claim, *asked, "--param", "share=0.4"]) == 1
        assert "the gate refuted the claim after" in capsys.readouterr().out
