"""The band for a pair's trade-off curve covers the truth as often as it says, and says what refutes
a claim."""

import json
import math

import numpy as np
import pytest
from scipy import stats

import dpaudit
from dpaudit.auditor.engines.black_box.events import ScoreEvent
from dpaudit.auditor.engines.black_box.scorers import Coordinate
from dpaudit.auditor.engines.black_box.scoring.band import tradeoff
from dpaudit.auditor.statistics import Alpha
from dpaudit.cli import main
from dpaudit.report.page import audit_page
from dpaudit.results.audit import Guarantee
from dpaudit.results.documents import parse
from dpaudit.results.tradeoff import TradeOff, claimed
from tests.auditor import learners

ACROSS = np.linspace(0.0, 1.0, 41)
EPSILONS = (0.0, 0.3, 0.7, 0.95, 1.2)
RUNS, BANDS, MISSES = 2000, 300, 0.1
"""Outputs of a world, bands, and how many of these may miss the truth."""
HONEST = 1.0 / (1.0 + math.exp(-1.0))


def laplace(x, n, rng):
    return x + rng.laplace(0.0, 1.0, n)


def gaussian(x, n, rng):
    return x + rng.normal(size=n)


def response(x, n, rng):
    return np.where(rng.random(n) < HONEST, x, 1 - x)


TRUTHS = {
    "laplace": (laplace, stats.laplace.cdf(stats.laplace.isf(ACROSS) - 1.0),
                [max(0.0, 1.0 - math.exp((e - 1.0) / 2.0)) for e in EPSILONS]),
    "gaussian": (gaussian, claimed(Guarantee("gdp", eta=1.0), ACROSS),
                 [stats.norm.cdf(0.5 - e) - math.exp(e) * stats.norm.cdf(-0.5 - e)
                  for e in EPSILONS]),
    "response": (response, claimed(Guarantee("pure", 1.0), ACROSS),
                 [max(0.0, HONEST - math.exp(e) * (1.0 - HONEST)) for e in EPSILONS]),
}  # fmt: skip


def missed(case, alpha):
    """Whether each of many bands misses the curve or a delta anywhere."""
    sample, curve, deltas = TRUTHS[case]
    grid = tuple(np.linspace(-3.0, 4.0, 40)) if case != "response" else (0.0, 1.0)
    event = ScoreEvent(Coordinate(0), 0.0, False, 0.5, 0.0, "", grid=grid)
    count = 0
    for seed in range(BANDS):
        rng = np.random.default_rng([7, seed])
        scores = (np.sort(sample(x, RUNS, rng)) for x in (0, 1))
        above = [RUNS - np.searchsorted(s, grid, side="left") for s in scores]
        band = tradeoff(above, RUNS, event, Alpha(alpha))
        inside = (band.below(ACROSS) <= curve + 1e-9) & (curve - 1e-9 <= band.above(ACROSS))
        ends = [band.delta(e) for e in EPSILONS]
        count += not (
            inside.all()
            and all(a - 1e-9 <= d <= b + 1e-9 for (a, b), d in zip(ends, deltas, strict=True))
        )
    return count


@pytest.mark.parametrize("case", TRUTHS)
def test_the_band_covers_the_truth_as_often_as_it_says(case):
    """More misses than that have probability below 1e-6."""
    assert missed(case, MISSES) <= stats.binom.isf(1e-6, BANDS, MISSES)


@pytest.mark.parametrize("case", TRUTHS)
def test_a_band_that_is_good_at_one_point_only_does_not(case):
    """The control: each end by itself at one third, nothing for there being many."""
    ends = 4 if case == "response" else 80
    assert missed(case, 2.0 * ends / 3.0) > stats.binom.isf(1e-6, BANDS, MISSES)


@pytest.mark.parametrize(("x", "y"), [(0, 1), (1, 0)])
@pytest.mark.parametrize("case", TRUTHS)
def test_an_audit_brings_the_band_of_its_pair(case, x, y):
    """Misses have probability 1e-6 each. The three curves are the same both ways round."""
    sample, curve, _ = TRUTHS[case]
    result = dpaudit.audit_mechanism(
        sample, x, y, epsilon=0.5, runs=40_000, confidence=1 - 1e-5, tradeoff=True
    )
    band = result.tradeoff
    assert band.confidence == pytest.approx(1 - 1e-6)
    assert sum(s.alpha for s in result.spent) == pytest.approx(1e-5)
    assert (band.below(ACROSS) <= curve + 1e-9).all()
    assert (curve <= band.above(ACROSS) + 1e-9).all()
    assert np.abs(band.above(ACROSS) - curve).max() < 0.06
    assert band.delta(0.5)[0] > 0.1
    refuted = band.above(ACROSS) < claimed(result.claim, ACROSS)
    assert refuted.any()
    assert not (band.above(ACROSS) < claimed(Guarantee("gdp", eta=1.2), ACROSS)).any()


def test_it_is_in_the_document_and_on_the_page_and_only_where_it_was_asked_for():
    asked, plain = (
        dpaudit.audit_mechanism(laplace, 0.0, 1.0, epsilon=1.0, runs=2000, tradeoff=whole)
        for whole in (True, False)
    )
    assert plain.tradeoff is None
    assert "tradeoff" not in plain.public()
    assert parse(json.loads(asked.json())).tradeoff == asked.tradeoff
    page = audit_page([asked])
    assert "Trade-off curve at confidence 0.9999" in page
    assert "claimed: 1-DP" in page
    assert "Trade-off curve" not in audit_page([plain])


def test_a_learner_is_asked_for_it_from_the_command_line(tmp_path, capsys):
    file = tmp_path / "result.json"
    learner = f"{learners.__file__}:Leaky"
    words = ["--epsilon", "1", "--rounds", "3", "--runs", "2000", "--tradeoff"]
    assert main(["audit", "rnm-ftnl", *words]) == 2
    assert "tradeoff: is for sampled outputs (exact would answer)" in capsys.readouterr().err
    assert main(["audit", learner, *words, "--json", str(file)]) == 1
    low, high = parse(json.loads(file.read_text())).tradeoff.delta(0.0)
    assert 0.5 < low < high <= 1.0
    out = capsys.readouterr().out
    assert "trade-off     delta is" in out
    assert "--tradeoff" in out


def test_claims_allow_their_curves():
    at = np.array([0.0, 0.1, 0.5, 1.0])
    assert claimed(Guarantee("pure", math.log(2)), at) == pytest.approx([1.0, 0.8, 0.25, 0.0])
    both = claimed(Guarantee("approximate", math.log(2), 0.1), at)
    assert both == pytest.approx([0.9, 0.7, 0.2, 0.0])
    assert claimed(Guarantee("gdp", eta=0.0001), at) == pytest.approx(1.0 - at, abs=1e-3)


@pytest.mark.parametrize(
    ("changes", "said"),
    [({"first_low": [0.1]}, "differ in length"), ({"first_low": [0.1, 1.5]}, "no probability")],
)
def test_a_band_that_is_none_is_refused(changes, said):
    ends = {name: [0.1, 0.2] for name in ("first_low", "first_high", "second_low", "second_high")}
    with pytest.raises(ValueError, match=said):
        TradeOff(confidence=0.9, runs=1, score="", **{**ends, **changes})
