"""Whole audits: engines, verdicts, bad learners, replays."""

import json
import math

import numpy as np
import pytest

import dpaudit
from dpaudit.auditor.accountant import gdp_delta
from dpaudit.auditor.adversaries import ADVERSARIES
from dpaudit.auditor.engines.black_box.sampling import LearnerSampler
from dpaudit.auditor.proved import proved
from dpaudit.auditor.search import shrink
from dpaudit.auditor.statistics import Alpha
from dpaudit.auditor.upper import Accounting
from dpaudit.errors import UsageError
from dpaudit.play.catalogue import find, home, resolve_target
from dpaudit.play.tables import configured
from dpaudit.results.audit import Guarantee
from dpaudit.results.found import Pair
from dpaudit.run import process
from tests.auditor import learners
from tests.prover.mutants import Mutant


def accounted(name, claim, rounds, **parameters):
    who = configured(name, arms=2, rounds=rounds, epsilon=1.0, parameters=parameters)
    return Accounting(who, claim, rounds)


FAST = {"workers": 1, "runs": 40_000}
HOME = "algorithms/hu_huang_mehta_2021/anytime_lazy_ucb.py"
NOISE = "1.0 / own.epsilon"


@pytest.mark.parametrize(("name", "proved"), [("rnm-ftnl", False), ("rnm-ftnl-repaired", True)])
def test_an_exact_answer_about_nothing_is_no_evidence(name, proved):
    """The first action is chosen before any reward: of two epsilon it shows nothing."""
    found = dpaudit.audit(name, epsilon=1.0, rounds=1, engine="exact", **FAST)
    assert (found.engine, found.lower_bound) == ("exact", 0.0)
    assert found.verdict == ("consistent" if proved else "inconclusive")
    assert any("no action depends on the rewards" in said for said in found.untested) != proved


def test_two_world_reaches_099_of_the_epsilon_of_anytime_lazy_ucb():
    result = dpaudit.audit("anytime-lazy-ucb", epsilon=1.0, rounds=12, engine="two-world")
    assert 0.99 <= result.lower_bound <= 1.0
    assert result.upper_bound == pytest.approx(1.0)
    assert result.verdict == "consistent"
    assert 1.0 < result.power < 1.05


def test_a_consistent_answer_says_how_rare_an_event_it_would_have_found_leaking():
    """Twice the claim is found where the event is three times as frequent, not where it is a
    tenth: then the answer is about the other events."""

    def leaks_in(share):
        def sample(world, n, rng):
            often = rng.random(n) < (0.2 if world else 0.15)
            rarely = rng.random(n) < share * math.exp(-2.0 * (1 - world))
            return np.where(rarely, 2.0, often)

        return dpaudit.audit_mechanism(sample, 0, 1, epsilon=1.0, runs=40_000, seed=3)

    rarest = leaks_in(0.0).rarest
    found = leaks_in(0.1 * rarest)
    assert (found.verdict, found.rarest) == ("consistent", pytest.approx(rarest, rel=0.2))
    assert leaks_in(3.0 * rarest).verdict == "violated"
    for said in (found.sentence(), found._repr_html_()):
        assert f"2 in events of {100 * found.rarest:.2g} % of the runs or more" in said


def test_the_engines_agree_where_they_overlap():
    """anytime-lazy-ucb, T = 8: exact; two-world just below; black-box below that."""
    exact, worlds, box = (
        dpaudit.audit("anytime-lazy-ucb", epsilon=1.0, rounds=8, engine=engine, runs=1_000_000)
        for engine in ("exact", "two-world", "black-box")
    )
    assert exact.lower_bound >= worlds.lower_bound >= exact.lower_bound - 0.02
    assert exact.lower_bound >= box.lower_bound >= 0.6
    exact, worlds, box = (
        dpaudit.audit("rnm-ftnl", epsilon=1.0, rounds=8, engine=engine, runs=1_000_000)
        for engine in ("exact", "two-world", "black-box")
    )
    assert exact.lower_bound >= worlds.lower_bound >= exact.lower_bound - 0.02
    assert exact.lower_bound >= box.lower_bound >= exact.lower_bound - 0.2
    assert {exact.verdict, worlds.verdict, box.verdict} == {"violated"}


def test_auto_takes_the_strongest_engine_and_says_why():
    taken = {
        name: dpaudit.audit(name, epsilon=1.0, rounds=rounds, **FAST)
        for name, rounds in (
            ("rnm-ftnl", 8),
            ("anytime-lazy-ucb", 8),
            ("adap-klucb", 8),
            ("ucb1", 8),
        )
    }
    assert [r.engine for r in taken.values()] == ["exact", "exact", "two-world", "black-box"]
    why = taken["adap-klucb"].why
    assert why.startswith("the steps do not fit the exact engine: algorithms/baselines/adap_ucb.py")
    assert why.endswith("; every run carries its exact privacy loss")
    code = home(find("ucb1")).read_text().splitlines()
    (line,) = (number for number, text in enumerate(code, 1) if "return unprotected(" in text)
    where = f"past the releases in algorithms/baselines/ucb1.py, line {line}"
    assert where in taken["ucb1"].why
    assert taken["ucb1"].verdict == "violated"
    assert taken["ucb1"].upper_bound is None


@pytest.mark.parametrize(
    ("name", "settings", "bound"),
    [
        ("rnm-ftnl", {}, 2.0),
        ("rnm-ftnl-repaired", {}, 1.0),
        ("rnm-ftnl-exponential", {}, 2.0),
        ("rnm-ftnl-gumbel", {}, 1.0),
        ("ftnl", {}, 1.0),
        ("anytime-lazy-ucb", {}, 1.0),
        ("dp-ts", {}, 1.0),
        ("dp-ts", {"invoke": "afresh"}, 1.25),
        ("dp-ts", {"average": "printed"}, math.inf),
        ("dp-ucb-bound", {}, 2.0),
        ("dp-ucb-bound-repaired", {}, 1.0),
        ("dp-ucb-repaired", {}, 1.0),
        ("private-ucb", {}, 0.375),
    ],
)
def test_accounted_epsilon_by_forced_paths(name, settings, bound):
    """K = 2, T = 8: by hand from the noise scales."""
    accounting = accounted(name, Guarantee("pure", 1.0), 8, **settings)
    upper = accounting.upper()
    assert upper.bound == pytest.approx(bound)
    forced = upper.how.startswith("search only: all 2^8 action sequences")
    assert forced or (bound == math.inf and upper.how.startswith("none, and where it leaks"))
    assert upper.proof != forced


@pytest.mark.parametrize("schedule", ["interval", "lemma-x", "lemma-y"])
def test_dp_ucb_int_books_no_more_than_theorem_3_4_says_of_its_schedule(schedule):
    """On one arm's pulls, first reward changed. Basic composition for the interval and the x
    series; the y series is held to the second bound only, and does exceed the first."""
    entry = find("dp-ucb-int")
    for epsilon, v in ((0.05, 1.1), (0.1, 1.5), (0.3, 1.1)):
        given = {"schedule": schedule, "v": v}
        settings = entry.settings(arms=2, epsilon=epsilon, horizon=60, given=given)
        here, there = np.zeros((60, 2)), np.zeros((60, 2))
        there[0] = 1.0
        arms, owns = entry.fresh(settings)
        opening = entry.opening(arms, owns[0])
        path = [-1] * opening + [0] * (60 - opening)
        booked = dpaudit.trace(entry, here, there, path, epsilon=epsilon, **given).pure.sum()
        basic = epsilon * sum(n ** (-v / 2) for n in range(1, 61))
        if schedule != "lemma-y":
            assert booked <= basic + 1e-12
        elif epsilon < 0.1:
            assert booked > basic


def test_accounted_gdp_by_forced_paths():
    """TS-Gaussian: one draw a round on n >= 2 - 1 pulls plus the offset, so T - 1 times 1/2."""
    for offset, bound in (("1", math.sqrt(7 / 2)), ("0", math.sqrt(6))):
        accounting = accounted("ts-gaussian", Guarantee("gdp", eta=2.0), 8, offset=offset)
        assert accounting.upper().bound == pytest.approx(bound)


@pytest.mark.parametrize(
    "claim", [Guarantee("gdp", eta=1.0), Guarantee("approximate", 1.0, 1e-5)], ids=str
)
@pytest.mark.parametrize("name", ["rnm-ftnl", "rnm-ftnl-gumbel", "ftnl", "ts-gaussian", "dp-ucb"])
def test_lower_bounds_are_below_upper_bounds_in_every_notion(name, claim):
    result = dpaudit.audit(name, epsilon=1.0, claim=claim, rounds=8, runs=400_000)
    assert result.engine == "two-world"
    assert result.upper_bound > 0.0
    assert result.lower_bound <= result.upper_bound


def test_gdp_of_rnm_ftnl_is_not_found_on_the_pair_that_is_worst_for_pure_epsilon():
    """1.19-GDP is attained at K = 2, T = 8: a claim of 1 is violated."""
    result = dpaudit.audit(
        "rnm-ftnl", epsilon=1.0, claim=Guarantee("gdp", eta=1.0), rounds=8, runs=1_000_000
    )
    assert result.verdict == "violated"
    with pytest.raises(UsageError, match="the exact engine takes pure claims"):
        dpaudit.audit("rnm-ftnl", epsilon=1.0, claim=Guarantee("gdp", eta=1.0), engine="exact")


def test_too_long_for_forcing_is_a_search_and_says_so():
    upper = accounted("anytime-lazy-ucb", Guarantee("pure", 1.0), 40).upper()
    assert upper.bound == pytest.approx(1.0)
    assert not upper.proof
    assert "too many paths" in upper.how


@pytest.mark.parametrize(
    ("name", "rounds", "settings", "bound", "how"),
    [
        ("anytime-lazy-ucb", 40, {}, 1.0, "proved for every T"),
        ("rnm-ftnl", 8, {}, 2.0, "proved for every T"),
        ("anytime-lazy-ucb", 10**6, {}, 1.0, "proved for every T"),
        ("dp-ucb-int", 9, {"redraw": "printed"}, 8.0, "proved to T = 9"),
        ("ucb1", 8, {}, math.inf, "none, and where it leaks"),
        ("dp-ts", 8, {"average": "printed"}, math.inf, "none, and where it leaks"),
    ],
)
def test_the_upper_end_is_a_proof_about_these_very_steps(name, rounds, settings, bound, how):
    who = configured(name, arms=2, rounds=rounds, epsilon=1.0, parameters=settings)
    upper = proved(who, Guarantee("pure", 1.0), rounds)
    assert upper.proof
    assert upper.bound == pytest.approx(bound)
    assert upper.how.split(":")[0] == how


def test_another_source_is_proved_anew(tmp_path):
    """Half the noise under the catalogue's name: its proof does not count."""
    half = Mutant("half", "anytime-lazy-ucb", HOME, NOISE, NOISE.replace("1.0", "0.5"), 2.0)
    result = dpaudit.audit(half.algorithm(tmp_path), epsilon=1.0, rounds=6, **FAST)
    assert result.upper_bound == pytest.approx(2.0)
    assert result.upper.how.startswith("proved for every T")


def test_dp_ucb_violates_theorem_3_1():
    """The hybrid mechanism without composition: K = 2, T = 8, epsilon = 1."""
    result = dpaudit.audit("dp-ucb", epsilon=1.0, rounds=8, runs=2_000_000)
    assert result.verdict == "violated"
    assert result.upper_bound == pytest.approx(2.0)
    assert result.per_step is not None
    repaired = dpaudit.audit("dp-ucb-repaired", epsilon=1.0, rounds=8, runs=200_000)
    assert repaired.verdict == "consistent"
    assert repaired.upper_bound == pytest.approx(1.0)


def test_a_leaky_learner_is_violated_with_a_witness_that_replays():
    result = dpaudit.audit(learners.Leaky, epsilon=1.0, rounds=4, runs=60_000, workers=1)
    assert result.verdict == "violated"
    pair = result.witness.pair
    assert (pair.rewards != pair.neighbour).any(axis=1).sum() == 1
    sampler = LearnerSampler(resolve_target(learners.Leaky), "Leaky", 1.0, 99)
    inside = {tuple(actions) for actions in result.witness.actions}
    hits = [
        sum(tuple(row) in inside for row in sampler.sample(pair, world, 20_000, 1).astype(int))
        for world in (0, 1)
    ]
    assert math.log(hits[1] / hits[0]) > 1.0


def test_the_same_seed_gives_the_same_result_for_any_number_of_workers():
    def answer(workers):
        one = dpaudit.audit(learners.Leaky, epsilon=1.0, rounds=4, runs=20_000, workers=workers)
        two = dpaudit.audit("adap-klucb", epsilon=1.0, rounds=8, runs=200_000, workers=workers)
        return [(r.lower_bound, r.witness.event, r.runs, r.witness) for r in (one, two)]

    assert answer(1) == answer(2)


def test_the_gate_stops_early_on_a_leak_and_not_on_a_private_learner():
    leak = dpaudit.audit(learners.Leaky, epsilon=1.0, rounds=8, gate=True, workers=1)
    assert leak.verdict == "violated"
    assert leak.runs < 200_000
    assert leak.engine == "gate"
    fine = dpaudit.audit(learners.Blind, epsilon=1.0, rounds=8, gate=True, **FAST)
    assert fine.verdict == "inconclusive"  # nothing moves its actions
    assert "not seen to change its actions" in fine.untested[0]


def test_the_gate_on_a_noisy_max_with_half_its_noise_needs_few_pairs():
    from dpaudit.auditor.engines.black_box.gate import gate
    from tests.quality.mechanisms import noisy_max

    def pairs(scale, seed):
        sample = noisy_max("laplace", scale)

        def draw(stage, number, n):
            return tuple(
                sample(x, n, np.random.default_rng([seed, stage, number, w])).reshape(n, 1) * 1.0
                for w, x in ((0, [2, 0]), (1, [1, 1]))
            )

        return gate(draw, Guarantee("pure", 1.0), Alpha(0.05), 20_000)

    halved = [pairs(1.0, seed) for seed in range(20)]
    assert all(o.refuted for o in halved)
    assert np.median([o.pairs for o in halved]) <= 3000
    # The control has the noise it needs. 20 gates at 0.05, fixed seeds: P(4 or more) = 0.016.
    assert sum(pairs(2.0, seed).refuted for seed in range(20)) <= 3


def test_an_adaptive_adversary_is_played_against():
    for name in ADVERSARIES:
        result = dpaudit.audit(
            learners.CopiesLast, epsilon=1.0, rounds=5, adversary=name, runs=4000, workers=1
        )
        assert result.verdict == "violated", name
        assert result.adversary is not None
        assert result.witness.pair is not None
    fine = dpaudit.audit(
        "anytime-lazy-ucb", epsilon=1.0, rounds=5, adversary="balance", runs=2000, workers=1
    )
    assert fine.verdict != "violated"
    assert fine.upper_bound == pytest.approx(1.0)


BAD = {
    learners.Raises: "learner Raises: in round 3 it raised ValueError: no third reward please",
    learners.OutOfRange: "learner OutOfRange: in round 2 select returned 7",
    # In which run depends on the clock: one run in 64 is the same twice.
    learners.ReadsTheClock: "it chooses differently for the same rng",
    learners.Crashes: "learner Crashes: in round 2 its process died (exit code 9)",
}


@pytest.mark.parametrize("learner", BAD, ids=lambda c: c.__name__)
def test_a_bad_learner_is_reported_by_name_and_round(learner):
    with pytest.raises(UsageError) as caught:
        dpaudit.audit(learner, epsilon=1.0, rounds=6, **FAST)
    assert BAD[learner] in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_learner_that_never_returns_is_stopped(monkeypatch):
    monkeypatch.setattr(process, "ROUND_LIMIT", 0.5)
    with pytest.raises(
        UsageError, match=r"NeverReturns: in round 5 it did not return within 0.5 s"
    ):
        dpaudit.audit(learners.NeverReturns, epsilon=1.0, rounds=6, **FAST)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"epsilon": 0}, "epsilon: got 0, allowed"),
        ({}, "epsilon: none given"),
        ({"epsilon": 1, "delta": 2}, "delta: got 2"),
        ({"epsilon": 1, "confidence": 1}, "confidence: got 1"),
        ({"epsilon": 1, "engine": "magic"}, "engine: got 'magic'"),
        ({"epsilon": 1, "engine": "exact"}, "engine: the exact engine does not cover"),
        ({"epsilon": 1, "engine": "two-world"}, "engine: two-world is for the catalogue"),
        ({"epsilon": 1, "gate": True, "engine": "exact"}, "the gate is black-box"),
        ({"epsilon": 1, "adversary": "evil"}, "adversary: got 'evil'"),
        ({"epsilon": 1, "nonsense": 3}, "nonsense: Blind does not take it"),
        ({"epsilon": 1, "rounds": 0}, "rounds: got 0"),
        ({"epsilon": 1, "seconds": -1}, "seconds: got -1"),
    ],
)
def test_bad_arguments_are_one_line(arguments, message):
    with pytest.raises(UsageError) as caught:
        dpaudit.audit(learners.Blind, **arguments)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("nowhere:Class", "cannot import 'nowhere'"),
        ("nowhere.py:Class", "no file 'nowhere.py'"),
        ("tests.auditor.learners:Nobody", "has no class 'Nobody'"),
        ("tests.auditor.test_auditing:BAD", "has no class 'BAD'"),
        (3, "target: got 3"),
        (dict, "has no method select"),
    ],
)
def test_unknown_targets_are_one_line(target, message):
    with pytest.raises(UsageError) as caught:
        dpaudit.audit(target, epsilon=1.0)
    assert message in str(caught.value)


def test_approximate_and_gdp_claims_are_audited_in_their_own_terms():
    def gaussian(x, n, rng):
        return x + rng.standard_normal(n)

    gdp = dpaudit.audit_mechanism(gaussian, 0.0, 1.0, claim=Guarantee("gdp", eta=0.9), runs=400_000)
    assert gdp.verdict == "violated"
    assert 0.92 < gdp.lower_bound <= 1.0
    assert dpaudit.audit_mechanism(gaussian, 0.0, 1.0, claim=Guarantee("gdp", eta=1.0)).verdict == (
        "consistent"
    )
    # The whole curve at once: below delta(epsilon) of 1-GDP everywhere, and close to it somewhere.
    truth = [gdp_delta(1.0, point.epsilon) for point in gdp.curve]
    found = [point.delta for point in gdp.curve]
    assert all(d <= t for d, t in zip(found, truth, strict=True))
    assert any(d > 0.9 * t for d, t in zip(found, truth, strict=True))
    # delta(1) of 1-GDP is 0.1269: (1, 0.12) is violated and (1, 0.13) is not.
    for delta, verdict in ((0.12, "violated"), (0.13, "consistent")):
        result = dpaudit.audit_mechanism(gaussian, 0.0, 1.0, epsilon=1.0, delta=delta)
        assert result.verdict == verdict


def test_a_mechanism_gives_the_same_bits_in_copies_of_this_process():
    def laplace(x, n, rng):
        return x + rng.laplace(0.0, 1.0, n)

    def audited(workers):
        found = dpaudit.audit_mechanism(
            laplace, 0.0, 1.0, epsilon=1.0, runs=400_000, workers=workers
        )
        return {**found.public(), "seconds": 0}

    assert audited(1) == audited(2) == audited(8)


def test_a_mechanism_may_return_labels_and_a_bad_one_is_named():
    def labels(x, n, rng):
        return np.where(rng.random(n) < (0.9 if x else 0.1), "yes", "no")

    result = dpaudit.audit_mechanism(labels, 0, 1, epsilon=1.0, runs=10_000)
    assert result.verdict == "violated"
    assert 1.9 < result.lower_bound <= math.log(9)

    def rare(x, n, rng):
        """The same for both inputs; a rare label must not renumber the others."""
        return rng.choice(["a rare one", "b", "c"], n, p=[3e-6, 0.7, 0.299997])

    for seed in range(10):
        same = dpaudit.audit_mechanism(rare, 0, 1, epsilon=0.1, runs=50_000, seed=seed)
        assert same.verdict == "consistent"

    def constant(x, n, rng):
        return ["yes" if x else "no"] * n

    assert dpaudit.audit_mechanism(constant, 0, 1, epsilon=1.0, runs=5000).lower_bound > 5

    def fails(x, n, rng):
        raise RuntimeError("out of order")

    with pytest.raises(UsageError, match=r"mechanism .*fails: raised RuntimeError: out of order"):
        dpaudit.audit_mechanism(fails, 0, 1, epsilon=1.0)
    with pytest.raises(UsageError, match="returned 3 outputs, not"):
        dpaudit.audit_mechanism(lambda *_: np.zeros(3), 0, 1, epsilon=1.0)


def test_the_result_as_json_has_the_fixed_keys():
    result = dpaudit.audit("rnm-ftnl", epsilon=1.0, rounds=4)
    data = json.loads(result.json())
    wanted = (
        "schema target claim lower_bound upper_bound confidence verdict engine runs seconds seed "
        "witness version"
    ).split()
    assert set(wanted) <= set(data)
    assert set(data["claim"]) == {"notion", "epsilon", "delta"}
    assert {"rewards", "neighbour", "round", "event"} <= set(data["witness"])


def test_confidence_cannot_be_overdrawn():
    alpha = Alpha(0.001)
    alpha.take(0.0009, "one")
    with pytest.raises(AssertionError, match="overdrawn on two"):
        alpha.take(0.0002, "two")


def test_shrinking_finds_the_shortest_horizon_and_the_fewest_ones():
    """Violating is: round 3 differs, at least 5 rounds, and arm 1 pays in round 1."""
    table = np.ones((12, 2))
    other = table.copy()
    other[2] = 0
    calls = []

    def violates(pair):
        calls.append(1)
        return len(pair.rewards) >= 5 and pair.rewards[0, 1] == 1.0

    small = shrink(Pair(table, other, 3), violates)
    assert len(small.rewards) == 5
    ones = [tuple(map(int, cell)) for cell in np.argwhere(small.rewards) if cell[0] != 2]
    assert ones == [(0, 1)]
    assert (small.rewards != small.neighbour).any(axis=1).sum() == 1
    assert len(calls) < 40
    assert len(shrink(Pair(table, other, 3), violates, cut_rounds=False).rewards) == 12
