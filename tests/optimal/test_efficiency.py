"""No learner of the catalogue is better than the best with its privacy; one without any is."""

import functools
import json
from pathlib import Path

import pytest

from dpaudit.auditor.accountant import gdp_delta
from dpaudit.optimal import sweep
from dpaudit.optimal.certificate import document
from dpaudit.optimal.efficiency import beside
from dpaudit.optimal.question import asked
from dpaudit.optimal.solving import solve
from dpaudit.play.catalogue import catalogue
from dpaudit.recheck.optima import proved

ROUNDS = (2, 4)
EPSILONS = ("0.25", "1", "4")
PUBLISHED = json.loads((Path(__file__).parents[2] / "reports" / "optima.json").read_text())
AUDITS = json.loads((Path(__file__).parents[2] / "reports" / "catalogue.json").read_text())


@functools.cache
def least(rounds, epsilon, feedback, delta="0"):
    """The certified bound."""
    given = {"rounds": rounds, "epsilon": epsilon, "feedback": feedback, "delta": delta}
    return float(proved(document(solve(asked(**given)))))


@functools.cache
def really():
    """What pure learners are in multiples of epsilon: their upper bounds, where the claim fails."""
    upper = {}
    for audit in AUDITS["audits"]:
        if audit["claim"]["notion"] == "pure" and audit["upper_bound"] is not None:
            now = max(1.0, audit["upper_bound"] / audit["claim"]["epsilon"])
            upper[audit["target"]] = max(now, upper.get(audit["target"], 0.0))
    return upper


def bound(name, rounds, epsilon, feedback):
    """Of all learners with the privacy that this one has."""
    entry = catalogue()[name]
    claim = entry.claim(arms=2, epsilon=float(epsilon), horizon=rounds, given={})
    if claim is None:
        return least(rounds, "20", feedback)  # e^20 is as good as no privacy
    notion, level, delta = claim
    if notion == "pure":
        # To three digits, upwards; if no upper bound is known, none is taken for granted.
        times = really().get(name, 20.0 / float(epsilon))
        return least(rounds, f"{min(20.0, times * float(epsilon) * 1.0001 + 0.0005):.3f}", feedback)
    if notion == "approximate":
        # More information does not make the best learner worse.
        shown = f"{min(1.0, delta + 1e-6):.6f}"
        return least(rounds, f"{min(20.0, level + 0.0005):.3f}", "full-information", shown)
    return max(
        least(rounds, e, "full-information", f"{min(1.0, gdp_delta(level, float(e)) + 1e-6):.6f}")
        for e in ("0.5", "2")
    )


@pytest.mark.parametrize("feedback", ["full-information", "bandit"])
def test_no_learner_lies_below_the_optimum(feedback):
    """Of a table's intervals one is wrong with probability 1e-6; there are six a feedback."""
    for rounds in ROUNDS:
        for epsilon in EPSILONS:
            question = asked(rounds=rounds, epsilon=epsilon, feedback=feedback)
            for each in beside(question):
                least_here = bound(each.name, rounds, epsilon, feedback)
                assert each.high >= least_here - 1e-9, (each, rounds, epsilon)


def test_the_whole_catalogue_is_looked_at():
    names = [
        each.name
        for feedback in ("full-information", "bandit")
        for each in beside(asked(rounds=2, epsilon=1, feedback=feedback), runs=10)
    ]
    assert sorted(names) == sorted(catalogue())


def test_a_learner_without_privacy_falls_below():
    """The control. Follow the leader has an exact regret, so that nothing here is by chance."""
    question = asked(rounds=4, epsilon="0.1")
    [found] = beside(question, names=["follow-the-leader"])
    assert found.runs == 0
    assert found.high < least(4, "0.1", "full-information") - 0.03


def test_a_learner_that_is_less_private_than_it_claims_falls_below_its_claim():
    """Wu & Wang's Exponential noise: its regret alone shows that it is not epsilon-DP."""
    for rounds, epsilon in ((4, "1"), (5, "1")):
        [found] = beside(asked(rounds=rounds, epsilon=epsilon), names=["rnm-ftnl-exponential"])
        assert found.runs == 0
        assert found.high < least(rounds, epsilon, "full-information") - 0.03
        assert found.low > least(rounds, str(2 * float(epsilon)), "full-information")


def test_published_regrets_lie_above_the_published_bounds():
    """Of the learners that are certainly as private as they claim; and the controls lie below."""
    below, longest = set(), 0
    for entry in PUBLISHED["entries"]:
        assert 0.0 <= entry["gap"] <= 1e-6
        longest = max(longest, entry["rounds"])
        for each in entry["learners"]:
            card = catalogue()[each["name"]].card
            if card.privacy.notion == "pure" and really().get(each["name"], 20.0) <= 1.0 + 1e-6:
                assert each["high"] >= entry["certified"], (each, entry["rounds"])
            elif each["high"] < entry["certified"]:
                below.add(each["name"])
    assert longest == 8
    assert {"follow-the-leader", "hedge", "rnm-ftnl-exponential"} <= below


def test_a_coarse_bracket_of_what_is_needed_holds_the_fine_one(tmp_path, monkeypatch):
    """Where solving takes long the grid is the table's own epsilons, which the notes say."""
    names = ["hedge", "rnm-ftnl-exponential", "rnm-ftnl-gumbel"]
    monkeypatch.setattr(sweep, "beside", functools.partial(beside, names=names))
    tables = {}
    for fine in (True, False):
        monkeypatch.setattr(sweep, "small", lambda _, is_small=fine: is_small)
        found = list(sweep.game("full-information", 3, ("0.5", "1"), tmp_path, lambda _: None))
        assert [sweep.COARSE in each.notes for each in found] == [not fine] * 2
        tables[fine] = {(e.epsilon, b.name): b for e in found for b in e.learners}
    ends = set()
    for key, coarse in tables[False].items():
        fine = tables[True][key]
        assert coarse.needed_low <= fine.needed_low
        assert coarse.needed_high is None or fine.needed_high <= coarse.needed_high
        ends |= {coarse.needed_low, coarse.needed_high}
    assert ends == {0.0, 0.5, 1.0, None}


def test_published_brackets_of_long_games_are_those_of_their_optima():
    """The regret is above the optimum at the one end and below it at the other, in the table."""
    seen = 0
    for rounds in (7, 8):
        entries = [e for e in PUBLISHED["entries"] if e["rounds"] == rounds]
        entries = [e for e in entries if e["feedback"] == "full-information"]
        optimum = {e["epsilon"]: e for e in entries}
        assert all(sweep.COARSE in e["notes"] for e in entries)
        for each in (b for e in entries for b in e["learners"]):
            low, high = each["needed_low"], each.get("needed_high")
            assert low in (0.0, *optimum)
            assert low == 0.0 or optimum[low]["value"] >= each["high"] - 1e-6
            assert high is None or optimum[high]["certified"] <= each["low"] + 2e-6
            seen += bool(low and high)
    assert seen > 10


def test_published_needs_hold_the_regret():
    """At the ends of what is needed the optimum is above and below the learner's regret."""
    seen = 0
    for entry in PUBLISHED["entries"]:
        if entry["rounds"] != 4 or entry["epsilon"] != 1.0:
            continue
        for each in entry["learners"]:
            low, high = each.get("needed_low"), each.get("needed_high")
            if low:
                assert least(4, f"{low:.6g}", entry["feedback"]) >= each["high"] - 1e-6, each
                seen += 1
            if high:
                assert least(4, f"{high:.6g}", entry["feedback"]) <= each["low"] + 1e-6, each
    assert seen > 10
