"""What holds over all binary tables is what enumeration by hand finds."""

import dataclasses
import itertools
import json
import math

import numpy as np
import pytest

from dpaudit.cli import main
from dpaudit.curves.answer import privacy_along, privacy_curve, privacy_losses
from dpaudit.curves.automaton import automaton, rows_of
from dpaudit.curves.everywhere import NEAR, everywhere, mus, pairs, table_laws, worst_curve
from dpaudit.curves.losses import worst_losses
from dpaudit.curves.noise.laws import noisy_laws
from dpaudit.curves.paths import Laws, laws
from dpaudit.curves.tradeoff import curve, delta_at, largest_loss, tight_mu
from dpaudit.errors import UsageError
from dpaudit.play.catalogue import catalogue
from dpaudit.play.tables import configured

COVERED = ("ts-gaussian", "thompson", "hedge", "dp-ts-ucb")
EPSILONS = (0.0, 0.3, 1.0)
ROWS = rows_of(2)


def who(name, rounds, epsilon=None):
    return configured(name, arms=2, rounds=rounds, epsilon=epsilon, parameters={})


def all_tables(rounds):
    """The last row comes after the last choice: it stays 0."""
    for rows in itertools.product(range(4), repeat=rounds - 1):
        yield np.vstack([ROWS[list(rows)], [[0.0, 0.0]]])


def by_hand(name, rounds, most):
    """Laws of all pairs that differ in at most so many rows, each pair once."""
    learner = who(name, rounds)
    for here, there in itertools.combinations(all_tables(rounds), 2):
        changed = int((here != there).any(axis=1).sum())
        if changed <= most:
            yield changed, laws(learner, here, there)


@pytest.mark.parametrize("name", COVERED)
def test_losses_mu_delta_and_curve_are_the_worst_of_all_pairs(name):
    rounds = 3
    found = list(by_hand(name, rounds, 2))
    for worst in worst_losses(automaton(who(name, rounds), rounds), 2):
        loss = max(largest_loss(law) for changed, law in found if changed <= worst.changed)
        assert worst.loss == pytest.approx(loss, abs=1e-12)
    single = [law for changed, law in found if changed == 1]
    answer = everywhere(table_laws(automaton(who(name, rounds), rounds)), ROWS, 1e-12, EPSILONS)
    assert answer.pairs == len(single)
    assert answer.loss == pytest.approx(max(map(largest_loss, single)), abs=1e-12)
    mu = max(tight_mu(law).high for law in single)
    assert answer.mu.low <= mu <= answer.mu.high <= answer.mu.low + 2 * NEAR
    for epsilon, delta in zip(EPSILONS, answer.deltas, strict=True):
        worst_delta = max(delta_at(law, epsilon) for law in single)
        assert delta == pytest.approx(worst_delta, abs=1e-12)
    for law in single:
        # The law's curve is linear between its points; all of these are there.
        assert np.all(np.interp(answer.profile[0], *curve(law)) >= answer.profile[1] - 1e-12)


@pytest.mark.parametrize("name", COVERED)
def test_the_witness_has_the_loss_that_is_stated(name):
    """At eight rounds, too, where no enumeration goes."""
    result = privacy_losses(name, rounds=8, most=3)
    learner = who(name, 8)
    for worst in result.losses:
        here, there = np.array(worst.rewards), np.array(worst.neighbour)
        assert 0 < (here != there).any(axis=1).sum() <= worst.changed
        assert largest_loss(laws(learner, here, there)) >= worst.epsilon - 1e-9
    assert [w.epsilon for w in result.losses] == sorted(w.epsilon for w in result.losses)


def test_no_pair_at_random_loses_more_than_all_pairs():
    rng = np.random.default_rng(7)
    result = privacy_losses("ts-gaussian", rounds=7, most=2)
    learner = who("ts-gaussian", 7)
    largest = 0.0
    for _ in range(30):
        here = rng.integers(0, 2, (7, 2)).astype(float)
        there = here.copy()
        rows = rng.choice(6, 2, replace=False)
        there[rows] = 1.0 - there[rows]
        largest = max(largest, largest_loss(laws(learner, here, there)))
    assert 0.0 < largest <= result.losses[1].epsilon + 1e-9


def test_a_leak_in_one_state_is_found():
    """The control: a learner that tells its first reward to whoever plays arm 1 four times."""
    entry = catalogue()["ts-gaussian"]

    def select(arms, own, t, rng):
        if t == 6 and arms[1].pulls == 4 and arms[0].total == 1.0:
            return 1
        return entry.select(arms, own, t, rng)

    leaky = configured(dataclasses.replace(entry, select=select), arms=2, rounds=6, parameters={})
    graph = automaton(leaky, 6)
    assert worst_losses(graph, 1)[0].loss == math.inf
    assert everywhere(table_laws(graph), ROWS, 1e-12, EPSILONS).loss == math.inf
    sound = automaton(who("ts-gaussian", 6), 6)
    assert worst_losses(sound, 1)[0].loss == pytest.approx(2.572834924, abs=1e-9)


@pytest.mark.parametrize("name", COVERED)
def test_a_table_in_the_array_has_its_own_law(name):
    logs = table_laws(automaton(who(name, 5), 5))
    assert np.allclose(np.exp(logs).sum(axis=1), 1.0)
    for number in (0, 27, 255):
        rows = [number // 4 ** (3 - t) % 4 for t in range(4)]
        table = np.vstack([ROWS[rows], [[0.0, 0.0]]])
        mine = logs[number][logs[number] > -np.inf]
        assert np.allclose(np.sort(mine), np.sort(laws(who(name, 5), table, table).here))


def test_the_quick_mu_is_near_the_one_with_an_error_bound():
    rng = np.random.default_rng(11)
    here, there = (rng.dirichlet(np.full(32, 0.2), 200) for _ in range(2))
    quick = mus(np.log(here), np.log(there))
    for p, q, mu in zip(here, there, quick, strict=True):
        assert abs(tight_mu(Laws(np.log(p), np.log(q), 0.0)).high - mu) < NEAR
    assert mus(np.log(here), np.log(here)).max() == 0.0


def test_each_pair_of_tables_is_there_once():
    found = [
        tuple(sorted(pair))
        for _, a, b in pairs(4)
        for pair in zip(a.tolist(), b.tolist(), strict=True)
    ]
    assert len(set(found)) == len(found) == 3 * 6 * 4**2
    for a, b in found:
        assert sum((a // 4**i) % 4 != (b // 4**i) % 4 for i in range(3)) == 1


def test_a_worst_curve_of_pure_privacy_is_its_own():
    first, second = worst_curve(np.array([1.0]), np.array([0.0]))
    expected = np.maximum(1.0 - math.e * first, (1.0 - first) / math.e)
    assert np.allclose(second, np.maximum(expected, 0.0))


def test_the_worst_pair_to_seven_rounds_is_the_first_row():
    result, found = privacy_curve("ts-gaussian", rounds=7, everything=True)
    pair, _ = privacy_curve("ts-gaussian", rounds=7)
    assert (result.rewards, result.neighbour) == (pair.rewards, pair.neighbour)
    assert result.mu_low == pytest.approx(pair.mu_low, abs=1e-9)
    assert result.mu_high - result.mu_low < 2 * NEAR
    assert len(found.here) == 128


def test_rewards_of_three_levels_are_all_tried():
    learner = who("hedge", 3)
    rows = rows_of(3)
    loss = mu = 0.0
    for table in itertools.product(rows, repeat=2):
        for s, row in itertools.product(range(2), rows[::4]):
            here = np.vstack([*table, [0.0, 0.0]])
            there = here.copy()
            there[s] = row
            law = laws(learner, here, there)
            loss, mu = max(loss, largest_loss(law)), max(mu, tight_mu(law).high)
    answer, _ = privacy_curve("hedge", rounds=3, everything=True, levels=3)
    losses = privacy_losses("hedge", rounds=3, most=1, levels=3)
    assert loss <= answer.epsilon + 1e-12
    assert answer.epsilon == pytest.approx(losses.losses[0].epsilon, abs=1e-12)
    assert mu <= answer.mu_high
    assert "3 levels" in answer.searched


def test_binary_tables_are_not_the_worst_of_a_learner_that_keeps_noise():
    """So what is said of binary tables is said of these only."""
    binary, _ = privacy_curve("dp-ucb-bound", rounds=4, everything=True)
    three, found = privacy_curve("dp-ucb-bound", rounds=4, everything=True, levels=3)
    assert binary.mu_high == pytest.approx(0.595036, abs=1e-6)
    assert three.mu_low == pytest.approx(0.615787, abs=1e-6)
    assert three.rewards[1] == [0.0, 0.5]
    direct = noisy_laws(
        who("dp-ucb-bound", 4, 1.0), np.array(three.rewards), np.array(three.neighbour)
    )
    assert tight_mu(direct).low == pytest.approx(three.mu_low, abs=1e-9)
    assert tight_mu(found).low == pytest.approx(three.mu_low, abs=1e-9)


def test_rewards_between_0_and_1_are_no_worse_where_they_were_tried():
    """Evidence, not a proof: 60 pairs at random and the worst binary pair, moved inwards."""
    rng = np.random.default_rng(13)
    learner = who("ts-gaussian", 4)
    worst, _ = privacy_curve("ts-gaussian", rounds=4, everything=True)
    tries = [rng.uniform(0, 1, (4, 2)) for _ in range(30)]
    tries += [
        np.clip(np.array(worst.rewards) + rng.uniform(0, 0.2, (4, 2)), 0, 1) for _ in range(30)
    ]
    for here in tries:
        there = here.copy()
        there[0] = 1.0
        assert tight_mu(laws(learner, here, there)).high <= worst.mu_high


def test_a_sequence_alone_gives_no_more_than_all():
    points = privacy_along("ts-gaussian", rounds=12, begins=[0, 1]).points
    assert [p.rounds for p in points] == [2, 4, 8, 12]
    for point in points:
        result, found = privacy_curve("ts-gaussian", rounds=point.rounds)
        assert 0.0 < point.mu_low <= result.mu_high < result.claimed_mu
        assert point.epsilon_low <= largest_loss(found) + 1e-12
        assert point.claimed_mu == pytest.approx(math.sqrt(point.rounds / 2))
    # The sequence is the one of largest loss: so what is found for it is its own probability.
    assert points[-1].epsilon_low == pytest.approx(largest_loss(found), abs=1e-9)


def test_mu_grows_as_the_root_of_the_rounds_and_not_slower():
    """At 4^k rounds by a factor of 2, which no power below 1/2 has."""
    points = {
        p.rounds: p.mu_low for p in privacy_along("ts-gaussian", rounds=256, begins=[0, 1]).points
    }
    assert points[256] > 2.0 * points[64] > 4.0 * points[16]


def test_a_sequence_that_cannot_happen_is_refused():
    with pytest.raises(UsageError, match="round 2 of the sequence cannot happen"):
        privacy_along("m-ts-gaussian", rounds=4, begins=[0, 0], b=1)


@pytest.mark.parametrize(
    ("words", "schema", "shown"),
    [
        (["--losses", "2"], "dpaudit/losses/1", "times that of one"),
        (["--along", "0,1"], "dpaudit/along/1", "lower bounds"),
        (["--all"], "dpaudit/curve/1", "all pairs are mu-GDP"),
    ],
)
def test_the_command_says_what_was_searched(words, schema, shown, capsys):
    command = ["curve", "ts-gaussian", "--rounds", "4", *words]
    assert main([*command, "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["schema"] == schema
    assert main(command) == 0
    out = capsys.readouterr().out
    assert shown in out
    assert ("not covered" in out) == ("--along" not in words)
