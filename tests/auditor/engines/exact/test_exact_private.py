"""Private numbers that decide: the derived law is what plays do on every table, and what the other
world's rewards decide is refused."""

import dataclasses
import itertools
import math
from collections import Counter

import numpy as np
import pytest

from dpaudit.auditor.engines.exact.engine import exact_lower, refusal
from dpaudit.auditor.engines.exact.steps import deriving, following
from dpaudit.auditor.engines.exact.steps.deriving import TooLarge, law_of
from dpaudit.machine.releases import laplace, noisy_argmax
from dpaudit.play.catalogue import find
from dpaudit.play.tables import configured, play_tables
from tests.auditor.engines.exact.laws import collect, playing, sequences, wipe

ARM = {"total": float, "total_in_neighbour": float}
OWN = {"played": int, "playing": int}


def fitting(observe, arms=2, rounds=4, select=playing):
    entry = dataclasses.replace(find("ftnl"), arm=ARM, own=OWN, observe=observe, select=select)
    return configured(entry, arms=arms, rounds=rounds, epsilon=1.0, parameters={})


def above(arms, own, arm, pulls, reward, there, rng):
    collect(arms, own, reward, there)
    own.playing = 1 if arms[0].total > 0.0 else 0


def well_above(arms, own, arm, pulls, reward, there, rng):
    collect(arms, own, reward, there)
    own.playing = 1 if arms[0].total > 1.0 else 0


def exactly(arms, own, arm, pulls, reward, there, rng):
    collect(arms, own, reward, there)
    own.playing = 1 if arms[0].total == 1.0 else 0


def all_of_them(arms, own, arm, pulls, reward, there, rng):
    collect(arms, own, reward, there)
    own.playing = 1 if arms[0].total == own.played else 0


def less_than_the_other(arms, own, arm, pulls, reward, there, rng):
    collect(arms, own, reward, there)
    own.playing = 1 if arms[0].total - arms[1].total < 0.0 else 0


def none_or_more(arms, own, arm, pulls, reward, there, rng):
    collect(arms, own, reward, there)
    own.playing = 1 if arms[0].total >= 1.0 and arms[1].total != 0.0 else 0


CERTAIN = [above, well_above, exactly, all_of_them, less_than_the_other, none_or_more]


@pytest.mark.parametrize("observe", CERTAIN, ids=lambda each: each.__name__)
def test_what_is_certain_is_played_so_on_every_table(observe):
    who = fitting(observe)
    law = law_of(who)
    assert exact_lower(who)[0].bound == 700.0
    for bits in itertools.product((0.0, 1.0), repeat=6):
        table = np.vstack([np.array(bits).reshape(3, 2), np.zeros((1, 2))])
        plays = play_tables(who.algorithm, table, epsilon=1.0, runs=1, seed=1, python=True)
        chances = {actions: p for actions, p in sequences(law, table).items() if p != 0.0}
        assert chances == {tuple(plays.actions[0].tolist()): 1.0}


def one_of(arms, own, arm, pulls, reward, there, rng):
    """A noisy maximum of all arms."""
    collect(arms, own, reward, there)
    if own.played == 1:
        own.playing = noisy_argmax(own, arms["total"], arms["total_in_neighbour"], 1.0, 2, rng)


@pytest.mark.parametrize("arms", [2, 3, 4])
def test_every_arm_may_win_a_contest(arms):
    """Against 20,000 plays: 5.5 standard errors, below 1e-6 for all together."""
    who = fitting(one_of, arms, 2)
    table = np.zeros((2, arms))
    table[0, : arms - 1] = np.linspace(1.0, 0.0, arms - 1)
    table = np.round(table)
    law = sequences(law_of(who), table)
    plays = play_tables(who.algorithm, table, epsilon=1.0, runs=20_000, seed=7, python=True)
    counts = Counter(map(tuple, plays.actions.tolist()))
    assert sum(law.values()) == pytest.approx(1.0, abs=1e-6)
    assert len(law) == arms
    for actions, p in law.items():
        assert abs(counts[actions] - 20_000 * p) < 5.5 * math.sqrt(20_000 * p * (1.0 - p))


def by_the_other_world(arms, own, arm, pulls, reward, there, rng):
    """The first arm's first reward there has the smallest number of all."""
    own.played += 1
    if own.played == 1:
        own.playing = 1 if there[0] > 0.5 else 0


def beyond_the_arms(arms, own, arm, pulls, reward, there, rng):
    own.playing = 2


def below_the_arms(arms, own, arm, pulls, reward, there, rng):
    own.playing = -1


def noise(arms, own, t, rng):
    return 2.0 * rng.random()


REFUSED = {
    by_the_other_world: "a reward of the neighbouring world decides",
    beyond_the_arms: "round 2 has no arm",
    below_the_arms: "round 2 has no arm",
}


@pytest.mark.parametrize("observe", REFUSED, ids=lambda each: each.__name__)
def test_what_is_no_law_of_actions_is_refused_with_its_reason(observe):
    assert REFUSED[observe] in str(refusal(fitting(observe)))


def test_a_noisy_number_is_no_arm():
    assert "round 1 has no arm" in str(refusal(fitting(above, select=noise)))


def capped(arms, own, arm, pulls, reward, there, rng):
    """What the other world's rewards are made into is released, and decides nothing."""
    own.played += 1
    if own.played == 1:
        kept = there[0] if there[0] < 0.75 else 0.75
        mine = reward[0] if reward[0] < 0.75 else 0.75
        own.playing = 1 if laplace(own, mine, kept, 1.0, rng) > 0.5 else 0


def test_rewards_of_the_other_world_may_be_capped_there():
    who = fitting(capped, rounds=2)
    assert refusal(who) is None
    one, other = (1.0 - math.exp(-0.25) / 2.0, math.exp(-0.5) / 2.0)
    assert exact_lower(who)[0].bound == pytest.approx(math.log(one / other), abs=1e-9)


def test_a_round_with_too_many_ways_is_refused(monkeypatch):
    """A contest of three arms has three."""
    for most, fits in ((3, True), (2, False)):
        monkeypatch.setattr(following, "MOST_WAYS", most)
        law_of.cache_clear()
        said = refusal(fitting(one_of, 3, 2))
        assert (said is None) == fits
        assert fits or "a round has more than 2 ways through its comparisons" in said
    law_of.cache_clear()


def release(arms, own, reward, there, rng):
    collect(arms, own, reward, there)
    if own.played == 2:
        ours, others = arms[0].total, arms[0].total_in_neighbour
        own.playing = 1 if laplace(own, ours, others, 2.0, rng) > 0.5 else 0


def clears_at_times(arms, own, arm, pulls, reward, there, rng):
    """After the first round the sums are gone or not, and the actions are the same."""
    release(arms, own, reward, there, rng)
    if own.played > 1 or rng.laplace() > 0.5:
        wipe(arms)


def clears(arms, own, arm, pulls, reward, there, rng):
    release(arms, own, reward, there, rng)
    wipe(arms)


def test_a_law_is_cut_only_where_the_actions_show_what_became_of_the_state():
    """The control is cut where it always clears."""
    hidden, shown = (law_of(fitting(each)) for each in (clears_at_times, clears))
    assert len(hidden.phases) == 1 < len(shown.phases)
    assert exact_lower(fitting(clears_at_times))[0].bound <= 0.5


@pytest.mark.parametrize(("name", "most"), [("MOST_STEPS", 2), ("MOST_PATHS", 1)])
def test_what_takes_too_many_paths_is_refused_with_the_rounds_that_fit(name, most, monkeypatch):
    law_of.cache_clear()
    monkeypatch.setattr(deriving, name, most)
    with pytest.raises(TooLarge, match=f"more than {most}"):
        law_of(fitting(above))
    monkeypatch.setattr(deriving, name, 1000)
    assert law_of(fitting(above)).rounds == 4
    law_of.cache_clear()
