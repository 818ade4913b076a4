"""The quality suite, reduced: fewer runs, the same assertions. `make quality` runs it in full."""

import pytest

from tests.quality import suite
from tests.quality.mechanisms import KNOWN
from tests.quality.zoo import CAUGHT, SOUND


def test_the_zoo_is_large_enough():
    assert len(CAUGHT) >= 25
    assert len(SOUND) >= 10
    assert all(CAUGHT.values())


RUNS, HARDER = (
    20_000,
    {
        "CountsTwice": 40_000,
        "GaussianLeader": 40_000,
        "LooseResponder": 40_000,
        "OneSidedScale": 40_000,
        "RedrawsEachRound": 40_000,
        "NeverForgets": 100_000,
        "ReleasesEachPull": 100_000,
        "DividedTwice": 400_000,
    },
)
"""Enough for all but those; `make quality` spends ten seconds on each."""


@pytest.mark.parametrize("learner", CAUGHT, ids=lambda c: c.__name__)
def test_a_broken_learner_is_caught(learner):
    result = suite.caught(learner, runs=HARDER.get(learner.__name__, RUNS), workers=1)
    assert result.verdict == "violated", result.sentence()
    assert result.witness["round"] >= 1
    assert result.witness["actions"]


@pytest.mark.parametrize("learner", SOUND, ids=lambda c: c.__name__)
def test_a_sound_learner_is_not_accused(learner):
    """False-alarm probability 1e-6: the confidence of this audit."""
    result = suite.dpaudit.audit(
        learner, epsilon=1.0, rounds=suite.ROUNDS, runs=20_000, confidence=1 - 1e-6, workers=1
    )
    assert result.verdict != "violated", result.sentence()


def test_lower_bounds_of_known_mechanisms_are_below_the_truth_and_close():
    findings = list(suite.known(200_000, full=False))
    assert len(findings) == len(KNOWN)
    assert [f for f in findings if not f.good] == []


def test_false_alarms_stay_within_the_confidence():
    audits = 300
    assert suite.alarms(audits, 1000) <= suite.most_alarms(audits)


def test_an_auditor_that_reports_estimates_as_bounds_raises_too_many_alarms():
    """The control: the count of alarms does tell honest bounds from others."""
    audits = 100
    assert suite.alarms(audits, 1000, cheat=True) > suite.most_alarms(audits)
