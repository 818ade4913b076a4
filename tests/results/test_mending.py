"""What would mend a violation: what is said is done, and the prover asked again."""

import json

import msgspec
import pytest

import dpaudit
from dpaudit.results.documents import parse
from dpaudit.results.made import checkout
from dpaudit.results.proofs import ProofResult
from dpaudit.results.proofs.mending import mends
from dpaudit.results.words import describe
from tests.prover.mutants import load

TEXT = '''
"""Two releases of an arm's rewards."""

from dpaudit import Algorithm, Card, Line, Notion, PrivacyClaim
from dpaudit.machine.releases import laplace

CARD = Card(
    name="two",
    title="two releases",
    paper="mine",
    where="",
    feedback="bandit",
    privacy=PrivacyClaim(Notion.PURE, "", "epsilon-DP"),
    regret="",
    pseudocode=(Line("l. 1", "two releases"),),
)


def select(arms, own, t, rng):
    best = 0
    for j in range(len(arms)):
        if arms[j].noisy > arms[best].noisy:
            best = j
    return best


def observe(arms, own, arm, pulls, reward, reward_in_neighbour, rng):
    pulled = arms[arm]
    pulled.total += reward
    pulled.total_in_neighbour += reward_in_neighbour
    pulled.pulls += pulls
    if pulled.pulls == 1:
        here, there = pulled.total, pulled.total_in_neighbour
        pulled.noisy = laplace(own, here, there, FIRST / own.epsilon, rng)
        pulled.total, pulled.total_in_neighbour = AFTER
    if pulled.pulls == 2:
        here, there = pulled.total, pulled.total_in_neighbour
        pulled.noisy = laplace(own, here, there, SECOND / own.epsilon, rng)
        pulled.total, pulled.total_in_neighbour = 0.0, 0.0


STATE = {"pulls": int, "noisy": float, "total": float, "total_in_neighbour": float}
ENTRIES = [Algorithm(card=CARD, arm=STATE, own={}, select=select, observe=observe)]
'''
KEPT, CLEARED = "pulled.total, pulled.total_in_neighbour", "0.0, 0.0"


def proof(folder, first, second, after):
    path = folder / "two.py"
    text = TEXT.replace("FIRST", repr(first)).replace("SECOND", repr(second))
    path.write_text(text.replace("AFTER", after))
    return dpaudit.prove(load(path).ENTRIES[0])


def committed(name):
    text = (checkout() / "proofs" / f"{name}.json").read_text()
    return msgspec.convert(json.loads(text)["result"], ProofResult)


def line_of(mend):
    """Which of the two releases."""
    (line,) = [int(mend.where.rpartition(" ")[2])]
    return TEXT.splitlines()[line - 1]


def test_a_sum_that_is_not_cleared_is_named_and_clearing_it_mends(tmp_path):
    broken = proof(tmp_path, 1.0, 1.0, KEPT)
    assert broken.bound == 2.0
    found = {mend.kind: mend for mend in mends(broken, 1.0)}
    assert "FIRST" in line_of(found["clear"])
    assert "clear arm0.total after the release" in found["clear"].text
    assert found["clear"].bound == 1.0
    assert found["release"].bound == 1.0
    assert found["scale"].factor == 2.0
    mended = proof(tmp_path, 1.0, 1.0, CLEARED)
    assert mended.bound == 1.0
    assert mends(mended, 1.0) == []
    scaled = proof(tmp_path, 2.0, 2.0, KEPT)
    assert scaled.bound == 1.0


@pytest.mark.parametrize(
    ("first", "second", "after", "which", "factor"),
    [
        (1.0, 0.4, CLEARED, "SECOND", 2.5),
        (0.25, 1.0, CLEARED, "FIRST", 4.0),
        (4.0, 1.0, KEPT, "SECOND", 4 / 3),
    ],
)
def test_the_scale_that_is_too_small_grows_by_just_so_much(
    first, second, after, which, factor, tmp_path
):
    broken = proof(tmp_path, first, second, after)
    (own,) = (m for m in mends(broken, 1.0) if m.kind == "scale" and m.where)
    assert which in line_of(own)
    assert own.factor == pytest.approx(factor, rel=1e-12)
    assert own.bound == pytest.approx(1.0)

    def with_factor(times):
        one, two = (s * times if which == name else s for s, name in
                    ((first, "FIRST"), (second, "SECOND")))  # fmt: skip
        return proof(tmp_path, one, two, after).bound

    assert with_factor(own.factor) <= 1.0 + 1e-9
    assert with_factor(0.99 * own.factor) > 1.001


def test_an_epsilon_that_is_small_enough_is_rounded_down(tmp_path):
    broken = proof(tmp_path, 0.3, 1.0, CLEARED)
    (smaller,) = (m for m in mends(broken, 0.5, epsilon=0.5) if m.kind == "epsilon")
    assert "epsilon = 0.15:" in smaller.text
    (smaller,) = (m for m in mends(broken, 0.1, epsilon=0.7) if m.kind == "epsilon")
    assert "epsilon = 0.03:" in smaller.text
    assert smaller.factor == pytest.approx(0.3 * 0.1 / 0.7)


def test_what_is_released_again_and_again_and_what_is_not_released_are_named():
    again = mends(dpaudit.prove("ts-gaussian"), 1.0)
    assert [m.kind for m in again] == ["clear"]
    assert "ts_gaussian.py, line" in again[0].text
    leak = mends(dpaudit.prove("ucb1"), 1.0)
    assert [m.kind for m in leak] == ["leak"]
    assert "ucb1.py, line" in leak[0].where


def test_the_hybrid_mechanism_releases_each_reward_once_too_often():
    found = mends(committed("dp-ucb"), 1.0)
    assert [m.kind for m in found] == ["release", "release", "scale", "epsilon"]
    assert [m.bound for m in found] == [1.0] * 4


def test_gdp_scales_by_the_root_of_what_is_booked():
    result = committed("dp-ts-ucb")
    (found,) = (m for m in mends(result, result.bound / 3) if m.kind == "scale")
    assert found.factor == pytest.approx(3.0)
    assert not [m for m in mends(result, result.bound / 3) if m.kind == "epsilon"]


@pytest.mark.parametrize("name", ["anytime-lazy-ucb", "rnm-ftnl-repaired", "dp-ucb-repaired"])
def test_what_keeps_its_claim_needs_no_mending(name):
    assert mends(committed(name), 1.0) == []


def test_an_audit_that_violates_says_what_would_mend_it():
    result = dpaudit.audit("rnm-ftnl", epsilon=1.0, arms=2, rounds=4, engine="exact")
    assert [m.kind for m in result.mends] == ["entry", "scale", "epsilon"]
    assert "rnm-ftnl-repaired" in result.mends[0].text
    assert result.mends[1].factor == 2.0
    document = json.loads(result.json())
    assert document["mends"][1]["where"].endswith("rnm_ftnl.py, line 95")
    assert parse(document) == result
    said = "\n".join(describe(result))
    assert "mended by     rnm-ftnl-repaired, the repaired entry: it books at most 1" in said
    sound = dpaudit.audit("rnm-ftnl-repaired", epsilon=1.0, arms=2, rounds=3, engine="exact")
    assert sound.mends == []
    assert "mends" not in json.loads(sound.json())
