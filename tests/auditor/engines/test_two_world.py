"""What a block of a two-world audit answers: counts that add up, rounded down, the same for any
cut into pieces."""

import json
import re
import time

import numpy as np
import pytest

import dpaudit
from dpaudit.auditor.engines.black_box.scorers import (
    Negative,
    bare,
    frequency_scorer,
    scorers,
)
from dpaudit.auditor.engines.two_world import engine as engine_module
from dpaudit.auditor.engines.two_world.engine import TwoWorlds, count_weights, select
from dpaudit.auditor.engines.two_world.events import (
    STEP,
    Chosen,
    Counted,
    Weighted,
    Windows,
    choose,
    encode,
    power,
)
from dpaudit.auditor.engines.two_world.features import Scored
from dpaudit.auditor.samples import Selection
from dpaudit.auditor.search import candidates, make_pair
from dpaudit.auditor.statistics import Alpha, fixed_stake_lower
from dpaudit.machine.drivers import count_event
from dpaudit.play.tables import configured
from dpaudit.results.audit import Guarantee
from dpaudit.results.found import Pair
from dpaudit.run.plain import Parcel, pack, unpack
from dpaudit.run.task import Block, stream

TABLE = np.tile([1.0, 0.0], (8, 1))


@pytest.fixture
def pair():
    other = TABLE.copy()
    other[0] = [0.0, 1.0]
    return Pair(TABLE, other, 1)


def text(thing):
    return json.dumps(pack(thing, Parcel()))


def there_and_back(thing):
    parcel = Parcel()
    again = unpack(json.loads(json.dumps(pack(thing, parcel))), parcel)
    assert not parcel.stays
    return again


CLAIM = Guarantee("pure", 1.0)


@pytest.fixture
def who():
    return configured("anytime-lazy-ucb", arms=2, rounds=8, epsilon=1.0, parameters={})


def test_counts_are_of_the_weights_rounded_down(who, pair):
    selection = select(who, pair, 5000, stream(5, 1))
    sample = selection.sample
    chosen = choose(selection, CLAIM, pair, 10**6, 0.001)
    event = chosen.event
    inside = event.happened(sample.actions)
    books = np.stack([-np.log(sample.weights), sample.weights, sample.weights], axis=1)
    part = Counted.empty(chosen.top)
    codes = np.sort(event.codes)
    given = event.depth, event.arms, codes, part.low, STEP, part.bins
    part.hits = count_event(sample.actions, books, *given)
    part.runs = len(sample.weights)
    assert part.hits == inside.sum()
    truth = np.sort(sample.weights[inside])
    weights, counts = part.weighted
    found = np.sort(np.repeat(weights, counts))
    assert np.all(found <= truth)
    assert np.all(found >= truth * (1 - 1.01 * STEP))
    assert part.mean == pytest.approx(truth.mean(), rel=2 * STEP)
    assert part.deviation == pytest.approx(truth.std(), abs=1e-3)


def test_weights_above_and_below_the_bins_are_rounded_down_too():
    part = Counted.empty(0.0)
    books = np.zeros((4, 3))
    books[:, 0] = [-50.0, 50.0, 0.0, np.inf]
    codes = np.zeros(1, np.int64)
    actions = np.zeros((4, 1), np.int16)
    part.hits = count_event(actions, books, 1, 2, codes, part.low, STEP, part.bins)
    weights, counts = part.weighted
    assert dict(zip(np.round(weights, 3), counts, strict=True)) == {0.0: 2, 1.0: 1, 2.718: 1}
    assert weights.max() < np.e


def test_a_block_is_the_same_in_pieces_of_any_size(who, pair, monkeypatch):
    chosen = choose(select(who, pair, 5000, stream(5, 1)), CLAIM, pair, 10**6, 0.001)
    play = count_weights(who, stream(5, 3), pair, chosen)
    whole = text(play(Block(4, 0, 3000)))
    monkeypatch.setattr(engine_module, "PIECE", 77)
    assert text(play(Block(4, 0, 3000))) == whole
    assert text(play(Block(5, 0, 3000))) != whole
    sample = Counted.empty(chosen.top)
    for number in range(3):
        sample.add(play(Block(number, 0, 500)))
    assert sample.runs == 1500
    assert sample.hits >= sample.bins.sum() > 0


def test_a_choice_goes_there_and_back(who, pair):
    chosen = choose(select(who, pair, 5000, stream(5, 1)), CLAIM, pair, 10**6, 0.001)
    again = there_and_back(chosen)
    assert text(again) == text(chosen)
    assert np.array_equal(again.event.codes, chosen.event.codes)


def test_the_event_is_the_best_over_all_lengths(who, pair):
    """Shorter sequences are summed from longer ones; here each length is looked at by itself."""
    selection = select(who, pair, 20_000, stream(5, 1))
    sample = selection.sample
    chosen = choose(selection, CLAIM, pair, 10**6, 0.001)
    inside = chosen.event.happened(sample.actions)
    assert chosen.share == pytest.approx(inside.mean())
    assert chosen.mean == pytest.approx(sample.weights[inside].mean())
    assert chosen.variance == pytest.approx(sample.weights[inside].var(), abs=1e-12)
    codes = encode(sample.actions[:, : chosen.event.depth], 2)
    assert set(chosen.event.codes) <= set(codes)


@pytest.mark.parametrize("integral", [True, False])
def test_a_sent_event_holds_the_same_outputs(integral):
    rng = np.random.default_rng(0)
    first, second = (rng.normal(m, 1.0, (4000, 3)) for m in (0.0, 0.5))
    fresh = rng.normal(0.2, 1.5, (3000, 3))
    if integral:
        first, second, fresh = (np.round(x) for x in (first, second, fresh))
    tried = 0
    for _, scorer in scorers(first, second):
        for each in (scorer, Negative(scorer)):
            for threshold in np.quantile(each(second), [0.1, 0.5, 0.9]):
                again = there_and_back(bare(each, float(threshold)))
                assert np.array_equal(again(fresh) >= threshold, each(fresh) >= threshold)
                tried += 1
    assert tried >= 12
    never = frequency_scorer(first, second)
    assert not (there_and_back(bare(never, 1e9))(fresh) >= 1e9).any()


LONG = 10**6


def worlds(name="anytime-lazy-ucb", arms=10, rounds=LONG, epsilon=1.0, claim=CLAIM, **more):
    who = configured(name, arms=arms, rounds=rounds, epsilon=epsilon, parameters={})
    return TwoWorlds(who, claim, rounds, 0, 1, **more)


def lower_of(engine, runs=200_000, seconds=None):
    return engine.lower(runs, seconds, Alpha(1e-3))


def first_releases(arms, rounds, level=1.0):
    """The first arm's first reward is 0, or 1 in the neighbour; all others are alike."""
    table = np.full((rounds, arms), level)
    return make_pair(table, 1, np.zeros(arms), np.ones(arms))


def test_a_bound_at_a_million_rounds_comes_from_the_first_few():
    lower = lower_of(worlds(), 1_000_000)
    assert 0.99 < lower.bound <= 1.0
    assert lower.pair.shape[0] < 100
    assert "the first" in lower.searched
    assert "the bound holds" in lower.searched


def test_a_bound_from_a_prefix_is_that_of_the_padded_tables():
    """What comes later changes nothing; what comes earlier does (the control)."""
    short = first_releases(4, 6)
    padded = first_releases(4, 40)
    earlier = first_releases(4, 6)
    earlier.rewards[1:4] = earlier.neighbour[1:4] = 0.0
    who = configured("anytime-lazy-ucb", arms=4, rounds=LONG, epsilon=1.0, parameters={})
    event = Windows(5, np.zeros(1, np.int64), 4, 4, (0, 1, 2, 3))
    chosen = Chosen(event, 1.0, 0.1, 2.0, 0.1, 1.0)
    found = []
    for pair in (short, padded, earlier):
        sample = Counted.empty(1.0)
        for number in range(6):
            sample.add(count_weights(who, 5, pair, chosen)(Block(number, 0, 50_000)))
        found.append((sample.hits / sample.runs, sample.mean))
    share, mean = found[0]
    # 300,000 runs: 5 standard deviations of a share, and of a mean of weights in [1/e, e].
    assert abs(found[1][0] - share) < 5 * np.sqrt(2 * share / 300_000)
    assert abs(found[1][1] - mean) < 5 * 2.4 * np.sqrt(2 / (share * 300_000))
    assert abs(found[2][0] - share) > 5 * np.sqrt(2 * share / 300_000)


@pytest.mark.parametrize("name", ["anytime-lazy-ucb", "lazy-dp-ts", "dp-se", "m-ts-gaussian"])
def test_seconds_are_kept_with_many_arms_and_rounds(name):
    lower_of(worlds(name, arms=3, rounds=50), 1000)  # what is compiled is not counted
    claim = Guarantee("gdp", eta=1000.0) if name == "m-ts-gaussian" else CLAIM
    began = time.monotonic()
    lower = lower_of(worlds(name, arms=64, claim=claim), seconds=2.0)
    assert time.monotonic() - began < 2 * 2.0 + 10.0
    assert lower.pair.shape[1] == 64


def test_where_nothing_is_released_the_answer_is_inconclusive_and_says_what_would_help():
    lower = lower_of(worlds("dp-se", arms=2, rounds=100))
    (said,) = lower.untested
    assert "no release" in said
    assert lower.power == np.inf
    due = int(re.search(r"due in round (\d+)", said)[1])
    more = int(re.search(r"--rounds (\d+)", said)[1])
    who = configured("dp-se", arms=2, rounds=more, epsilon=1.0, parameters={})
    booked = who.trace(np.zeros((more, 2)), np.ones((more, 2)), np.full(more, -1)).pure
    assert booked.any()
    assert not booked[: due // 2].any()
    assert lower_of(worlds(arms=2, rounds=30)).untested == ()


def test_a_bound_of_nothing_has_no_power_however_many_runs():
    """All events are as likely in both worlds, though losses were booked."""
    lower = lower_of(worlds("dp-ts", arms=2, rounds=12), 400_000)
    assert lower.bound <= 0.0
    assert lower.power == np.inf
    assert not lower.untested


def test_a_pair_that_lost_nothing_where_it_was_chosen_has_no_power():
    """Few runs choose, and the evaluation may see what they did not."""
    sample = Counted.empty(0.1)
    sample.runs, sample.hits = 100, 50
    sample.bins[-8000] = 50
    assert power(CLAIM, sample, 0.05, 0.1, (0.0, 0.0)) == np.inf
    assert power(CLAIM, sample, 1e-16, 0.0, (0.5, 0.0)) == np.inf
    assert power(CLAIM, sample, 0.05, 0.1, (0.5, 1.0)) == np.inf
    assert power(CLAIM, sample, 0.05, 0.1, (0.5, 0.0)) < np.inf


def test_the_power_counts_how_much_of_the_loss_the_event_shows():
    """private-ucb's trees book more than its actions show."""
    engine = worlds("private-ucb", arms=8, rounds=9, epsilon=32.0, claim=Guarantee("pure", 32.0))
    engine.given = first_releases(8, 9)
    engine.__post_init__()
    lower = lower_of(engine)
    assert engine.most[0] == pytest.approx(2.0)
    assert lower.estimate == pytest.approx(1.0, abs=0.05)
    assert lower.power > 2 * 32.0


def test_a_learnt_score_is_judged_on_runs_that_it_has_not_seen():
    """Weights that have nothing to do with the actions: their mean has logarithm 0.43, and the
    luckiest events of 100 runs promise 0.62 on average. Scores that are judged by the runs that
    they have learnt from promise 0.73."""
    promised = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        actions = rng.integers(0, 2, (200, 200)).astype(np.int16)
        weights = np.where(rng.random(200) < 0.5, np.exp(1.0), np.exp(-1.0))
        sample = Selection(Weighted(actions, weights))
        chosen = choose(sample, CLAIM, first_releases(2, 200), 10**6, 1e-3, 2)
        promised.append(chosen.predicted)
    assert np.mean(promised) < 0.67


def test_the_time_is_kept_where_runs_are_slower_than_they_seemed(monkeypatch):
    """Without a look at the clock this search takes 11 seconds."""
    engine = worlds("lazy-dp-ts", arms=32)
    lower_of(engine, 400)
    monkeypatch.setattr(TwoWorlds, "_affordable", lambda *_: 10**9)
    began = time.monotonic()
    lower_of(worlds("lazy-dp-ts", arms=32), seconds=1.0)
    assert time.monotonic() - began < 6.0


def test_a_score_is_bounded_on_fresh_runs_and_holds_the_same_runs_there():
    who = configured("lazy-dp-ts", arms=2, rounds=400, epsilon=1.0, parameters={})
    table = np.tile([0.0, 0.3], (400, 1))
    pair = make_pair(table, 100, np.zeros(2), np.ones(2))
    chosen = choose(select(who, pair, 4000, 9), CLAIM, pair, 10**5, 1e-3, 2)
    assert isinstance(chosen.event, Scored)
    again = there_and_back(chosen)
    fresh = select(who, pair, 4000, 10).sample
    inside = chosen.event.happened(fresh.actions)
    assert np.array_equal(again.event.happened(fresh.actions), inside)
    part = Counted.empty(chosen.top)
    part.add(count_weights(who, 10, pair, chosen)(Block(0, 0, 2000)))
    share = inside.mean()
    assert abs(part.hits / 2000 - share) < 5 * np.sqrt(share / 1000)
    assert np.log(fresh.weights[inside].mean()) > 0.8


@pytest.mark.parametrize("seed", range(12))
def test_a_tight_algorithm_is_not_accused(seed):
    """Its loss is 1 in truth, and the event shows nearly all of it; claimed a little less, it is
    found (the control)."""
    who = configured("adap-ucb", arms=8, rounds=LONG, epsilon=1.0, parameters={})
    engine = TwoWorlds(who, CLAIM, LONG, seed, 1, first_releases(8, 9))
    assert 0.9 < lower_of(engine, 60_000).bound <= 1.0
    less = Guarantee("pure", 0.8)
    engine = TwoWorlds(who, less, LONG, seed, 1, first_releases(8, 9))
    assert lower_of(engine, 60_000).bound > 0.8


def test_candidates_of_large_tables_are_few():
    pairs = list(candidates(2000, 16))
    assert 10 < len(pairs) <= 2**24 // (2000 * 16)
    assert len({pair.round for pair in pairs}) > 5
    assert len(list(candidates(12, 2))) == 576


def test_a_pair_of_ones_own_is_audited_and_one_of_another_size_refused():
    pair = first_releases(8, 9)
    given = {"epsilon": 1.0, "engine": "two-world", "workers": 1, "runs": 50_000}
    found = dpaudit.audit("dp-ucb-bound", arms=8, rounds=9, pair=pair, **given)
    assert np.array_equal(found.witness.rewards, pair.rewards)
    assert found.lower_bound > 0.9
    with pytest.raises(dpaudit.UsageError, match="pair: got tables of 9 rounds and 8 arms"):
        dpaudit.audit("dp-ucb-bound", arms=7, rounds=9, pair=pair, **given)


def test_a_chosen_event_is_bounded_below_its_truth_on_other_runs_only():
    """200 small selections choose events, each of which other runs bound at level 0.2. More than
    72 bounds above the truth have probability 1e-7. The control bounds on what has chosen."""
    who = configured("dp-ucb", arms=2, rounds=16, epsilon=1.0, parameters={})
    pair = first_releases(2, 16, 0.0)
    many = select(who, pair, 400_000, 1).sample
    wrong = {"other": 0, "same": 0}
    for seed in range(200):
        choosing = select(who, pair, 600, stream(2, seed))
        chosen = choose(choosing, CLAIM, pair, 600, 0.2)
        inside = chosen.event.happened(many.actions)
        truth = np.log(many.weights[inside].mean())
        fresh = select(who, pair, 600, stream(3, seed))
        for name, sample in (("other", fresh.sample), ("same", choosing.sample)):
            held = chosen.event.happened(sample.actions)
            weights, counts = np.unique(sample.weights[held], return_counts=True)
            expected = chosen.share * 600
            low = fixed_stake_lower(weights, counts, Alpha(0.2), expected, chosen.variance)
            wrong[name] += int(low > 0.0 and np.log(low) > truth)
    assert wrong["other"] <= 72 < wrong["same"], wrong
