"""Comparisons: what is called better is, copies are not told apart, and nothing is said twice."""

import itertools
import json

import msgspec
import numpy as np
import pytest

from dpaudit.algorithm.card import Notion
from dpaudit.errors import UsageError
from dpaudit.laboratory.comparing import compare
from dpaudit.laboratory.comparing import comparison as module
from dpaudit.laboratory.comparing.duels import Runs, chance_of_less, fight, interval, ranks
from dpaudit.laboratory.comparing.fields import Entrant, Played, field_of, remarks
from dpaudit.laboratory.comparing.suites import SUITES, instances
from dpaudit.laboratory.lower_bounds import lower_bounds
from dpaudit.laboratory.lower_bounds.beside import beside
from dpaudit.laboratory.lower_bounds.known_privacy import privacy_of
from dpaudit.laboratory.studies import regret
from dpaudit.laboratory.tally import Tally, tallied
from dpaudit.play.catalogue import catalogue, resolve_target
from dpaudit.results.comparison import Duel, Privacy
from dpaudit.results.documents import parse

SURE = 1.0 - 1e-6
TWO = {"means": [0.7, 0.3], "horizon": 2000, "runs": 60, "epsilon": 1.0, "workers": 1}


def runs(values):
    bins, counts = np.unique(np.asarray(values), return_counts=True)
    return Runs(bins, counts)


def test_the_chance_is_that_over_all_pairs():
    rng = np.random.default_rng(1)
    for _ in range(20):
        a, b = rng.integers(0, 8, 11), rng.integers(2, 9, 17)
        pairs = [(x < y) + 0.5 * (x == y) for x, y in itertools.product(a, b)]
        assert chance_of_less(runs(a), runs(b)) == pytest.approx(np.mean(pairs))
        assert chance_of_less(runs(a), runs(b)) + chance_of_less(runs(b), runs(a)) == (
            pytest.approx(1.0)
        )


def misses(alpha, share):
    """How many of 4,000 intervals at error alpha miss the chance, which is 0.6, if they had a share
    of the width that they have."""
    rng, missed = np.random.default_rng(5), 0
    for _ in range(4000):
        first, second = rng.random(25), rng.random(25) * 1.25
        found = chance_of_less(runs(first), runs(second))
        low, high = interval(found, 25, alpha)
        missed += not found - share * (found - low) <= 0.6 <= found + share * (high - found)
    return missed


def test_an_interval_misses_no_more_often_than_it_says():
    """At alpha = 0.05 at most 200 of 4,000 are expected; more than 280 have probability 1e-8."""
    assert misses(0.05, 1.0) <= 280


def test_an_interval_of_a_third_of_the_width_is_seen_to_miss():
    assert misses(0.05, 1 / 3) > 280


def test_intervals_are_exact_at_the_ends_and_tighten_with_runs():
    low, high = interval(1.0, 100, 0.01)
    assert high == 1.0
    assert low == pytest.approx((0.01 / 2) ** (1 / 100))  # exp(-n kl(1, c)) = c^n
    assert interval(0.0, 100, 0.01) == pytest.approx((0.0, 1.0 - low))
    wide, narrow = interval(0.6, 50, 0.01), interval(0.6, 5000, 0.01)
    assert wide[0] < narrow[0] < 0.6 < narrow[1] < wide[1]


def test_ranks_hold_who_is_certainly_better_and_worse():
    duels = [Duel(0, 1, 0.9, 0.8, 1.0), Duel(0, 2, 0.5, 0.3, 0.7), Duel(1, 2, 0.1, 0.0, 0.2)]
    assert ranks(3, duels) == [(1, 2), (3, 3), (1, 2)]


def test_what_leaps_neglect_widens_the_interval():
    both = [runs([1] * 50), runs([2] * 50)]
    [plain] = fight(both, [0.0, 0.0], 0.01)
    [wider] = fight(both, [0.02, 0.01], 0.01)
    assert wider.low == pytest.approx(plain.low - 0.03)
    assert wider.chance == plain.chance


@pytest.fixture(scope="module")
def found():
    """A learner, the same under other seeds, one that is clearly worse, and two of another kind."""
    names = ["adap-ucb", "ucb1", "ucb1", "rnm-ftnl-gumbel", "hedge"]
    return compare(names, confidence=SURE, **TWO)


def test_a_copy_under_another_seed_is_not_told_apart_and_a_worse_one_is(found):
    """A false alarm has probability 1e-6 at most, over all pairs and means of the comparison."""
    [bandits, _] = found.fields
    names = [s.name for s in bandits.standings]
    assert names == ["adap-ucb", "ucb1", "ucb1 (2)"]
    assert [s.ranks for s in bandits.standings] == [(3, 3), (1, 2), (1, 2)]
    one, other = bandits.standings[1:]
    assert one.seed != other.seed
    assert one.mean != other.mean
    # Negative control: the same words about adap-ucb would be wrong.
    worse = next(d for d in bandits.duels if (d.first, d.second) == (0, 1))
    assert worse.high < 0.5


def test_learners_with_full_information_stand_apart(found):
    assert [f.feedback for f in found.fields] == ["bandit", "full-information"]
    assert {s.name for s in found.fields[1].standings} == {"rnm-ftnl-gumbel", "hedge"}
    assert any("not compared with bandits" in note for note in found.notes)
    assert {each.feedback for each in found.overall} == {"bandit", "full-information"}


def test_learners_on_losses_are_given_the_same_instance(found):
    """rnm-ftnl-gumbel would lose 0.4 T if it took rewards for losses."""
    gumbel = found.fields[1].standings[0]
    assert gumbel.mean < 100


def test_each_says_how_far_it_is_from_the_best_possible(found):
    bandits, full = found.fields
    private, plain, _ = bandits.standings
    assert (private.floor.name, private.floor.asymptotic) == ("Azize et al.", True)
    assert plain.floor.name == "Lai-Robbins"
    about = {"feedback": "bandit", "epsilon": 1.0}
    bounds = {b.name: b.values[-1] for b in lower_bounds([0.7, 0.3], [2000], **about)}
    assert private.ratio == pytest.approx(private.mean / bounds["Azize et al."])
    assert {f.name: f.regret for f in bandits.floors} == bounds
    assert all(not s.floor.asymptotic and s.ratio > 1.0 for s in full.standings)
    assert bandits.least.regret == sorted(bandits.least.regret, reverse=True)
    assert any("asymptotic" in note for note in found.notes)


def test_a_result_is_read_again_and_made_again(found):
    assert parse(json.loads(found.json())) == found
    once = compare(["ucb1", "adap-ucb"], **TWO)
    again = compare(["ucb1", "adap-ucb"], **{**TWO, "workers": 2})
    assert [f.duels for f in once.fields] == [f.duels for f in again.fields]
    assert [s.mean for s in once.fields[0].standings] == [s.mean for s in again.fields[0].standings]


def made_up(instance, **values):
    """A field of learners whose runs lose these."""
    played = []
    for place, (name, runs) in enumerate(values.items()):
        name = name.replace("_", "-")
        tally = Tally.empty(1)
        tally.add(tallied(np.array(runs)[:, None]))
        mean = np.array([np.mean(runs)])
        result = regret(name, means=[0.7, 0.3], horizon=50, runs=2, points=1, workers=1)
        found = {f"{level:g}": tally.quantile(level).tolist() for level in (0.5, 0.95)}
        ends = {"low": mean - 1.0, "high": mean + 1.0, "normal_low": None, "normal_high": None}
        result = msgspec.structs.replace(result, mean=mean, quantiles=found, **ends)
        played.append(Played(Entrant(name, resolve_target(name), place), result, tally))
    return field_of(instance, played[0].who.feedback, played, 50, 1e-3)


def test_a_learner_that_is_better_in_most_runs_and_worse_on_average_is_named(found):
    """One run in ten loses 10,000 times as much."""
    field = made_up(found.fields[0].instance, ucb1=[1.0] * 90 + [1e5] * 10, kl_ucb=[10.0] * 100)
    assert field.notes == ["ucb1 is better than kl-ucb in most runs, and worse on average"]
    assert field.standings[0].ranks == (1, 1)


def test_rare_runs_are_said_to_carry_a_mean_only_where_they_do(found):
    """A quantile of equal runs stands up to half a bin below them, and is no sign of rare ones."""
    alike, rare = [511.5] * 100, [1.0] * 99 + [1e4]
    field = made_up(found.fields[0].instance, ucb1=alike, kl_ucb=rare)
    same, carried = field.standings
    assert same.quantiles["0.95"] < same.mean
    assert same.notes == []
    assert carried.notes == ["95 of 100 runs have less regret than the mean: rare runs carry it"]


def test_a_mean_below_a_bound_at_this_horizon_is_explained(found):
    """The bound is of the worst labelling; an asymptotic one says nothing of a horizon."""
    instance = found.fields[0].instance
    lucky = made_up(instance, hedge=[1e-4] * 100, follow_the_leader=[100.0] * 100)
    sure = [s.floor is not None and not s.floor.asymptotic for s in lucky.standings]
    (note,) = [n for n in remarks([], [lucky]) if "worst labelling" in n]
    assert sure == [True, True]
    assert "hedge on 0.7, 0.3;" in note
    assert "leader" not in note
    asymptotic = made_up(instance, ucb1=[1e-4] * 100)
    assert not any("worst labelling" in n for n in remarks([], [asymptotic]))


def test_bounds_stand_beside_a_curve_at_its_horizons():
    """Losses are not taken for rewards, nor a learner for one that is more private than it is."""
    about = {"means": [0.2, 0.6], "horizon": 4000, "runs": 2, "workers": 1, "epsilon": 1.0}
    found = {}
    for name in ("ucb1", "dp-ucb", "adap-ucb", "rnm-ftnl-gumbel"):
        curve = regret(name, points=4, **about)
        found[name] = {b.name: b for b in beside(name, curve)}
        assert all(len(b.values) == len(curve.horizons) for b in found[name].values())
    assert set(found["ucb1"]) == {"Lai-Robbins", "testing"}
    private, leaky = (found[n]["Azize et al."].values for n in ("adap-ucb", "dp-ucb"))
    assert private[-1] > leaky[-1]  # dp-ucb is held to twice its epsilon
    direct = lower_bounds([0.8, 0.4], [4000], feedback="full-information", epsilon=1.0)
    assert found["rnm-ftnl-gumbel"]["testing"].values[-1] == pytest.approx(direct[0].values[-1])


def test_privacy_is_taken_from_audits_and_proofs_of_these_steps():
    about = {"arms": 5, "horizon": 1000}
    found = privacy_of(resolve_target("dp-ucb"), epsilon=1.0, **about)
    assert 1.0 < found.lower <= found.upper == 2.0
    assert found.held == 2.0  # more than the 1 that it claims
    scaled = privacy_of(resolve_target("dp-ucb"), epsilon=0.5, **about)
    assert (scaled.lower, scaled.upper) == (None, 1.0)  # the audit was at epsilon = 1
    assert privacy_of(resolve_target("ucb1"), epsilon=1.0, **about).notion == Notion.NONE
    gdp = privacy_of(resolve_target("ts-gaussian"), epsilon=1.0, **about)
    assert (gdp.notion, gdp.held) == ("gdp", None)


def test_evidence_of_other_steps_is_not_taken(monkeypatch):
    home = "dpaudit.laboratory.lower_bounds.known_privacy.source_of"
    monkeypatch.setattr(home, lambda _: "other steps")
    found = privacy_of(resolve_target("dp-ucb"), epsilon=1.0, arms=2, horizon=100)
    assert (found.lower, found.upper, found.how) == (None, None, "not audited")


def test_every_entry_has_a_privacy_at_every_instance():
    for name in catalogue():
        found = privacy_of(resolve_target(name), epsilon=1.0, arms=5, horizon=10**6)
        assert isinstance(found, Privacy)


class Blind:
    """Plays the second arm."""

    def __init__(self, arms, epsilon, rng):
        self.arms = arms

    def select(self, t):
        return 1

    def observe(self, t, arm, reward):
        pass


def test_anybodys_class_is_compared_and_not_said_to_be_audited():
    found = compare([Blind, "ucb1"], means=[0.7, 0.3], horizon=30, runs=60, epsilon=0.3, workers=1)
    [field] = found.fields
    blind = field.standings[0]
    assert blind.mean == pytest.approx(12.0)
    assert (blind.privacy.notion, blind.privacy.how) == ("unknown", "not audited")
    assert blind.floor.name == "Azize et al."
    assert blind.ranks == (2, 2)


def test_the_suites_are_instances_with_a_best_arm():
    assert [i.name for i in instances("all", 1.0)] == [a.name for s in list(SUITES)[:-1]
                                                       for a in SUITES[s]]  # fmt: skip
    for suite in SUITES:
        for instance in instances(suite, 2.0):
            assert max(instance.means) > min(instance.means)
            assert 0.0 < instance.epsilon <= 2.0
    assert instances("small-epsilon", 1.0)[0].epsilon == pytest.approx(0.1)


def test_a_file_of_instances_is_a_suite(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(
        '[near]\nmeans = [0.5, 0.4]\n[fixed]\nmeans = [1, 0]\nenvironment = "deterministic"'
    )
    found = instances(str(path), 0.5)
    assert [(i.name, i.means, i.environment) for i in found] == [
        ("near", [0.5, 0.4], "bernoulli"),
        ("fixed", [1.0, 0.0], "deterministic"),
    ]
    for text in ("", "[a]\n", "[a]\nmeans = [2]", "[a]\nmeans = [1]\nworld = 3", "["):
        path.write_text(text)
        with pytest.raises(UsageError):
            instances(str(path), 0.5)


def test_what_would_take_days_is_refused_before_anything_is_played():
    with pytest.raises(UsageError, match=r"would take about \d"):
        compare(["dp-ts-safe", "ucb1"], means=[0.7, 0.3], horizon=2**43, epsilon=1.0, runs=10)
    with pytest.raises(UsageError, match="dp-ts has room for"):
        compare(["dp-ts", "ucb1"], means=[0.7, 0.3], horizon=2**50, epsilon=1.0, runs=10)


def test_if_lenient_who_takes_too_long_or_takes_no_such_settings_is_left_out():
    names = ["adap-ucb", "ts-gaussian", "dp-ucb-int", "private-ucb-safe"]
    about = {"means": [0.7, 0.3], "horizon": 2**40, "epsilon": 5.0, "runs": 2, "workers": 1}
    found = compare(names, lenient=True, longest=30.0, **about)
    left = {each.name: each.reason for each in found.left_out}
    assert "epsilon: got 5.0" in left["dp-ucb-int"]
    assert "would take about" in left["private-ucb-safe"]
    assert "adap-ucb" in {s.name for s in found.fields[0].standings}
    assert {each.name for each in found.overall}.isdisjoint(left)


def test_an_interrupted_comparison_keeps_what_was_done(monkeypatch):
    original, calls = module.regret, []

    def interrupted(*arguments, **more):
        calls.append(more)
        if len(calls) > 1:
            raise KeyboardInterrupt
        return original(*arguments, **more)

    monkeypatch.setattr(module, "regret", interrupted)
    found = compare(["ucb1", "kl-ucb"], **TWO)
    assert not found.complete
    assert [s.name for s in found.fields[0].standings] == ["ucb1"]
    assert found.fields[0].standings[0].ranks == (1, 1)
    with pytest.raises(KeyboardInterrupt):
        compare(["ucb1", "kl-ucb"], **TWO)
