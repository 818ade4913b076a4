"""Each kind of learner: a private one is never accused, a leaky one is, with a witness.

Seeds are fixed. A private learner is accused with probability 1e-7 at most: its audits have that
confidence; leaky ones have theirs found at the usual confidence.
"""

import json

import numpy as np
import pytest

import dpaudit
from dpaudit.cli import main
from dpaudit.errors import UsageError
from dpaudit.results.documents import parse
from dpaudit.results.words import describe, replay
from tests.kinds import learners

FILE = learners.__file__


def audit(who, runs=2000, rounds=4, **asked):
    return dpaudit.audit(who, **{"arms": 2, "workers": 1, "runs": runs, "rounds": rounds} | asked)


PURE = {"epsilon": 1.0}
KINDS = {
    "outputs": (learners.Means, PURE, 0.3),
    "released": (learners.Releases, PURE, 0.3),
    "a ranking": (learners.Ranks, PURE, 0.05),
    "the stopping time": (learners.Stops, PURE, 0.05),
    "a run that stops": (learners.Halts, PURE, 0.05),
    "the stop alone": (learners.Halts, PURE | {"sees": "stop"}, 0.05),
    "a stop, seen by the others": (learners.Halts, PURE | {"sees": "others"}, 0.05),
    "a stop, where nobody may come": (learners.Halts, PURE | {"neighbours": "add-remove"}, 0.05),
    "reports": (learners.Response, PURE, 0.3),
    "shuffled reports": (learners.Response, PURE | {"sees": "shuffled"}, 0.02),
    "a user's rounds": (learners.User, PURE | {"neighbours": "rounds:3", "rounds_": 3}, 0.3),
    "add and remove": (learners.User, PURE | {"neighbours": "add-remove"}, 0.3),
    "joint DP": (learners.Linear, PURE | {"contexts": "private:2", "sees": "others"}, 0.02),
    "public contexts": (learners.Linear, PURE | {"contexts": "public:2"}, 0.02),
    "GDP": (learners.Gaussian, {"mu": 1.0}, 0.4),
    "zCDP": (learners.Gaussian, {"rho": 0.5}, 0.4),
    "Rényi DP": (learners.Gaussian, {"rdp": "4:2.0", "own": {"rho": 0.5}}, 0.4),
    "batches": (learners.Means, PURE | {"batch": 2}, 0.3),
    "delay": (learners.Means, PURE | {"delay": 1}, 0.3),
}


def asked_of(asked, **more):
    own = asked.get("own", {}) | ({"rounds": asked["rounds_"]} if "rounds_" in asked else {})
    usual = {name: v for name, v in asked.items() if name not in ("own", "rounds_")}
    return usual | {"parameters": own | more}


@pytest.mark.parametrize("kind", KINDS)
def test_a_private_learner_is_not_accused_and_a_leaky_one_is(kind):
    who, asked, share = KINDS[kind]
    sound = audit(who, 400, confidence=1 - 1e-7, **asked_of(asked))
    assert sound.verdict in ("consistent", "inconclusive")
    leaky = audit(who, **asked_of(asked, share=share))
    assert leaky.verdict == "violated"
    assert leaky.lower_bound > leaky.claim.level
    changed = leaky.witness.changed
    most = 3 if leaky.neighbours == "rounds:3" else 1
    assert 1 <= len(changed) <= most


def test_randomised_response_shows_its_epsilon_and_no_more():
    found = audit(learners.Response, 8_000, 2, epsilon=1.0)
    assert 0.8 < found.lower_bound <= 1.0
    assert "report number" in found.witness.event


def test_a_user_with_three_rounds_loses_three_epsilon():
    one = audit(learners.User, 8_000, epsilon=1.0)
    three = audit(learners.User, 8_000, epsilon=1.0, neighbours="rounds:3")
    assert one.lower_bound <= 1.0 < 1.8 < three.lower_bound <= 3.0
    assert (one.verdict, three.verdict) == ("consistent", "violated")
    assert len(three.witness.changed) == 3


def test_who_acts_on_a_private_context_gives_it_away_but_not_to_the_others():
    asked = {"epsilon": 1.0, "contexts": "private:2"}
    assert audit(learners.Linear, 2000, **asked).verdict == "violated"
    assert audit(learners.Linear, 800, sees="others", **asked).verdict != "violated"
    assert audit(learners.Linear, 800, own=False, **asked).verdict != "violated"


def test_a_count_of_rounds_is_private_unless_a_round_may_be_missing():
    asked = {"epsilon": 1.0, "runs": 2000}
    assert audit(learners.Counts, **asked).verdict != "violated"
    gone = audit(learners.Counts, neighbours="add-remove", **asked)
    assert gone.verdict == "violated"
    assert gone.witness.without in ("rewards", "neighbour")


def test_what_a_result_says_of_its_question(tmp_path, capsys):
    command = [
        "audit", f"{FILE}:Linear", "--epsilon", "1", "--rounds", "4", "--runs", "2000",
        "--contexts", "private:2", "--sees", "others", "--neighbours", "rounds:2", "--delay", "1",
        "--param", "share=0.02", "--workers", "1",
    ]  # fmt: skip
    page = tmp_path / "page.html"
    code = main([*command, "--json", "-", "--html", str(page)])
    said = capsys.readouterr().out
    found = parse(json.loads(said), "out")
    assert code == (found.verdict == "violated")
    asked = (found.contexts, found.sees, found.neighbours, found.delay, found.batch)
    assert asked == ("private:2", "others", "rounds:2", 1, 1)
    assert len(found.witness.contexts[0]) == 2
    assert len(found.witness.rewards[0]) == 2
    again = replay(found).split()
    assert main([*again[1:], "--workers", "1", "--json", "-"]) == code
    twice = parse(json.loads(capsys.readouterr().out), "out")
    assert twice.lower_bound == found.lower_bound
    text = "\n".join(describe(found))
    assert "seen: the arms of all other rounds (joint DP)" in text
    assert "neighbours: up to 2 rounds differ" in text
    assert "joint DP" in page.read_text()


def test_the_usual_question_is_written_as_ever():
    found = audit(learners.Alternates, 200, epsilon=1.0)
    plain = found.public()
    names = {"neighbours", "sees", "contexts", "batch", "delay"}
    assert not names & plain.keys()
    assert "contexts" not in plain["witness"]


@pytest.mark.parametrize(
    ("who", "asked", "said"),
    [
        ("Means", {"sees": "everything"}, "sees: got 'everything', allowed are actions, others"),
        ("Means", {"sees": "actions+others"}, "allowed is actions or others, not both"),
        ("Alternates", {"sees": "outputs"}, "has no method outputs or released"),
        ("Alternates", {"sees": "reports"}, "has no method reports"),
        ("Alternates", {"sees": "actions+stop"}, "never stops; a class that may has stops = True"),
        ("Means", {"neighbours": "rounds:0"}, "neighbours: got 0, allowed is a number in"),
        ("Means", {"neighbours": "users"}, "allowed is round, rounds:M or add-remove"),
        ("Response", {"neighbours": "add-remove"}, "allowed is round or rounds:M"),
        ("Means", {"contexts": "private:2"}, "but select of"),
        ("Linear", {}, "contexts: none given, and select of"),
        ("Linear", {"contexts": "secret:2"}, "allowed is public:D or private:D"),
        ("Means", {"batch": 0}, "batch: got 0"),
        ("Means", {"rho": 1.0}, "rho: got beside"),
        ("Means", {"adversary": "balance", "neighbours": "rounds:2"}, "adversary: got one beside"),
        ("Means", {"engine": "two-world", "sees": "outputs"}, "black-box only"),
        ("Means", {"parameters": {"sahre": 2}}, "sahre: .* does not take it; allowed is share"),
        ("CannotBeMade", {}, "in its constructor it raised KeyError: 'no such file'"),
        ("Uneven", {}, "in one run and 6 in another; allowed is one length"),
    ],
)
def test_what_cannot_be_asked_is_said_in_a_line(who, asked, said):
    with pytest.raises(UsageError, match=said) as error:
        audit(
            getattr(learners, who),
            200,
            **({"epsilon": 1.0, "mu": 1.0} if "rho" in asked else PURE) | asked,
        )
    assert len(str(error.value)) < 300
    assert "\n" not in str(error.value)


def test_the_claim_of_a_renyi_audit_must_be_one():
    for given in ("2", "1:1", "x:1", "2:-1", (2, 3, 4)):
        with pytest.raises(UsageError, match="rdp: "):
            audit(learners.Gaussian, rdp=given)


def test_a_catalogue_algorithm_is_asked_about_users_too():
    asked = {"arms": 2, "rounds": 6, "runs": 20_000, "epsilon": 1.0, "workers": 1}
    one = dpaudit.audit("rnm-ftnl-repaired", engine="black-box", **asked)
    two = dpaudit.audit("rnm-ftnl-repaired", neighbours="rounds:2", **asked)
    assert one.lower_bound + 0.1 < two.lower_bound <= 2.0
    assert one.verdict != "violated"
    assert two.upper is None
    with pytest.raises(UsageError, match="outputs"):
        dpaudit.audit("rnm-ftnl-repaired", sees="outputs", **asked)
    seen = np.array(two.witness.rewards) != np.array(two.witness.neighbour)
    assert seen.any(axis=1).sum() == 2


@pytest.mark.parametrize(("who", "method"), [("Means", "outputs"), ("Releases", "released")])
def test_a_function_does_not_hide_what_its_learners_publish(who, method):
    """Its arms are private: with these alone it would come out well."""

    def made(arms, epsilon, rng):
        return getattr(learners, who)(arms, epsilon, rng, share=0.01)

    with pytest.raises(UsageError, match=rf"sees: .*makes learners with {method}\(\)") as error:
        audit(made, 2000, **PURE)
    assert len(str(error.value)) < 200
    assert audit(made, 2000, sees="actions", **PURE).lower_bound == 0.0
    assert audit(made, 2000, sees="actions+outputs", **PURE).verdict == "violated"
