"""What a block of a two-world audit answers: counts that add up, rounded down, the same for any
cut into pieces."""

import json

import numpy as np
import pytest

from dpaudit.auditor.engines.black_box.scorers import (
    Negative,
    bare,
    frequency_scorer,
    scorers,
)
from dpaudit.auditor.engines.two_world import tasks
from dpaudit.auditor.engines.two_world.tasks import count_weights, select
from dpaudit.auditor.engines.two_world.events import STEP, Counted, choose, encode
from dpaudit.machine.drivers import count_event
from dpaudit.play.tables import configured
from dpaudit.results.audit import Guarantee, Pair
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
    monkeypatch.setattr(tasks, "PIECE", 77)
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
