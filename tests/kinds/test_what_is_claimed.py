"""What is counted is what the claim is about: whole runs where only their end is published, the
clock that goes on where nobody comes, the pair that was given, the neighbours that a card means.

Private learners are audited at confidence 1 - 1e-7: so rarely are they accused.
"""

import json

import numpy as np
import pytest

import dpaudit
from dpaudit.auditor.search import make_pair
from dpaudit.errors import UsageError
from dpaudit.play.kinds.setting import Setting
from dpaudit.results.documents import parse
from dpaudit.results.found import Pair
from dpaudit.results.words import describe
from tests.kinds import learners
from tests.kinds.test_interface import rows

SURE = {"confidence": 1 - 1e-7, "workers": 1, "epsilon": 1.0}


class AtTheEnd(learners.Alternates):
    """Adds its noise in the last round: what it knows before is not published."""

    def __init__(self, arms, epsilon, rng, horizon, share=1.0):
        super().__init__(arms, epsilon, rng, share)
        self.horizon = horizon

    def observe(self, t, arm, reward):
        super().observe(t, arm, reward)
        if t == self.horizon:
            self.sums += self.rng.laplace(0, self.scale, self.arms)

    def outputs(self):
        return self.sums


def test_outputs_of_the_end_are_not_asked_for_earlier():
    asked = SURE | {"arms": 1, "rounds": 17, "runs": 4000}
    sound = dpaudit.audit(AtTheEnd, **asked)
    assert sound.verdict != "violated"
    assert sound.searched.endswith("at 17 rounds")
    leaky = dpaudit.audit(AtTheEnd, share=0.2, **asked)
    assert leaky.verdict == "violated"
    assert len(leaky.witness.rewards) == 17
    short = make_pair(np.zeros((4, 1)), 2, np.zeros(1), np.ones(1))
    with pytest.raises(UsageError, match="pair: got tables of 4 rounds, allowed is 17"):
        dpaudit.audit(AtTheEnd, pair=short, **asked)


def test_a_shuffle_is_of_all_users():
    """The fewer they are, the less it hides. What is released in its own round is."""
    asked = SURE | {"arms": 1, "rounds": 17, "runs": 2000, "sees": "shuffled"}
    found = dpaudit.audit(learners.Response, **asked)
    assert found.searched.endswith("at 17 rounds")
    released = dpaudit.audit(learners.Releases, **asked | {"sees": "outputs"})
    assert "at 4, 8, 16, 17 rounds" in released.searched


class Later(learners.Alternates):
    """A noisy sum of what it was told by round 5."""

    noisy = None

    def select(self, t):
        if t >= 5 and self.noisy is None:
            self.noisy = self.sums.sum() + self.rng.laplace(0, self.scale)
        return 0

    def outputs(self):
        return self.noisy


@pytest.mark.parametrize(("who", "rounds"), [(Later, 6), (learners.Means, 4)])
def test_a_batch_ends_by_the_clock_where_nobody_comes(who, rounds):
    """The three before round 4 are told of at its end, whether somebody came then or not."""
    pair = make_pair(np.ones((rounds, 1)), 4, np.ones(1), np.zeros(1))
    asked = SURE | {"arms": 1, "runs": 8000, "batch": 4, "sees": "outputs", "pair": pair}
    asked |= {"neighbours": "add-remove", "rounds": rounds}
    assert dpaudit.audit(who, **asked).verdict != "violated"
    assert dpaudit.audit(who, share=0.2, **asked).verdict == "violated"


def test_what_was_due_in_a_round_that_is_left_out_is_told():
    class Notes(learners.Sees):
        def select(self, t):
            self.before = [*getattr(self, "before", ()), len(self.told)]
            return 0

        def outputs(self):
            return [*self.before, len(self.told)]

        released = None

    setting = Setting("add-remove", "outputs", batch=3)
    for changed, seen in ((3, [0, 0, 2, 2, 2, 5]), (6, [0, 0, 0, 3, 3, 5])):
        pair = make_pair(np.zeros((6, 2)), changed, np.zeros(2), np.ones(2))
        assert rows(Notes, setting, pair, 0) == [0, 0, 0, 3, 3, 3, 6]
        assert rows(Notes, setting, pair, 1) == seen


def test_a_witness_of_add_and_remove_says_where_the_round_is():
    """The round is told by its own rewards, which are those of the world that has it."""
    asked = {"arms": 1, "rounds": 3, "runs": 2000, "epsilon": 1.0, "workers": 1, "share": 0.1}
    asked["neighbours"] = "add-remove"
    for here in (1.0, 0.0):
        pair = make_pair(np.zeros((3, 1)), 2, np.full(1, here), np.full(1, 1.0 - here))
        found = dpaudit.audit(learners.Means, pair=pair, **asked)
        assert (found.verdict == "violated") == (here == 1.0)
        if found.verdict == "violated":
            has = "rewards" if found.witness.rewards[1] == [1.0] else "neighbour"
            said = f"round 2 is there in the world of the table {has}, and left out of the other"
            assert said in "\n".join(describe(found))
            assert said[1:] in found._repr_html_()
            again = parse(json.loads(found.json())).witness
            assert again == found.witness
            assert again.pair.without == (has == "rewards")


def test_a_gate_bets_on_the_pair_that_was_given():
    """The rewards of the second arm change nothing; those of the first do."""
    asked = {"arms": 2, "rounds": 4, "runs": 20_000, "epsilon": 1.0, "workers": 1, "gate": True}
    for arm, verdict in ((0, "violated"), (1, "inconclusive")):
        pair = make_pair(np.zeros((4, 2)), 1, np.zeros(2), np.eye(2)[arm])
        found = dpaudit.audit(FirstArm, pair=pair, **asked)
        assert found.verdict == verdict
        if verdict == "violated":
            assert found.witness.changed == [1]
            assert found.searched == "one pair, as asked"


class FirstArm(learners.Alternates):
    """Publishes what its first arm was paid in the first round."""

    feedback = "full-information"

    def observe(self, t, arm, reward):
        self.sums += reward

    def outputs(self):
        return int(self.sums[0] + self.rng.laplace(0, 0.2) > 0.5)


@pytest.mark.parametrize(
    ("tables", "said"),
    [
        ((np.zeros((4, 2)), np.full((4, 2), 0.0) + 3 * np.eye(4, 2)), "numbers out of range"),
        ((np.zeros((4, 2)), np.full((4, 2), np.nan)), "numbers out of range"),
        ((np.zeros((4, 2)), np.zeros((3, 2))), "tables of two shapes"),
        ((np.zeros((4, 2)), np.ones((4, 2))), "tables that differ in 4 rounds"),
    ],
)
def test_a_pair_that_no_claim_is_about_is_refused(tables, said):
    with pytest.raises(UsageError, match=said):
        dpaudit.audit(learners.Alternates, arms=2, rounds=4, epsilon=1.0, pair=Pair(*tables, 1))


def test_a_pair_is_not_beside_an_adversary():
    pair = make_pair(np.zeros((4, 2)), 1, np.zeros(2), np.ones(2))
    asked = {"arms": 2, "rounds": 4, "epsilon": 1.0, "adversary": "balance"}
    with pytest.raises(UsageError, match="pair: got one beside an adversary"):
        dpaudit.audit(learners.Alternates, pair=pair, **asked)


def test_an_adversary_sees_no_more_than_the_event():
    """Who tells by rewards which arms were played, which nobody else sees, would accuse anybody."""
    asked = {"arms": 2, "rounds": 4, "epsilon": 1.0, "adversary": "reward-last", "runs": 200}
    with pytest.raises(UsageError, match="adversary: it sees the arms, got sees 'outputs'"):
        dpaudit.audit(learners.Means, sees="outputs", **asked)
    assert dpaudit.audit(learners.Means, **asked).verdict != "violated"


@pytest.mark.parametrize(
    "asked", [{"neighbours": "rounds:3"}, {"neighbours": "add-remove"}, {"batch": 2}, {"delay": 1}]
)
@pytest.mark.parametrize("claim", [{}, {"claim": "card", "epsilon": 1.0}])
def test_a_card_is_not_accused_of_what_it_does_not_claim(asked, claim):
    (name,) = asked
    with pytest.raises(UsageError, match=f"^{name}: .* no card claims anything"):
        dpaudit.audit("rnm-ftnl-repaired", rounds=6, runs=200, **claim, **asked)


def test_a_proof_for_one_round_is_no_mend_for_three():
    asked = {"epsilon": 1.0, "rounds": 6, "runs": 4_000, "neighbours": "rounds:3", "workers": 1}
    found = dpaudit.audit("rnm-ftnl", **asked)
    assert found.verdict == "violated"
    assert found.mends == []
