"""Single sentences of the papers about counts and times: how many noise variables, when a release
is due, after how many pulls an arm is dropped. Whole definitions are in `second/`."""

import math

import numpy as np
import pytest

from dpaudit.play.learner import learner
from dpaudit.play.tables import play_tables


def table(rounds, arms, seed):
    return np.random.default_rng(seed).random((rounds, arms))


def test_dp_ts_counts_the_noise_variables_of_remark_b():
    """r + 1 draws of Lap(2/epsilon), and as many nodes as the items of Psi have ones in binary."""
    me = learner("dp-ts", arms=1, epsilon=1e9, rng=np.random.default_rng(0))
    for t in range(1, 70):
        me.observe(t, me.select(t), 1.0)
        arm = me.arms[0]
        assert arm.observations == t
        # Remark (a): r = floor(log2(O + 1)) - 1.
        assert arm.epoch == math.floor(math.log2(t + 1)) - 1
        assert arm.tree_items == t - (2 ** (arm.epoch + 1) - 1)
        assert arm.noisy_mean == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("schedule", ["interval", "lemma-x", "lemma-y"])
@pytest.mark.parametrize("epsilon", [1.0, 0.3, 0.07])
def test_dp_ucb_int_releases_at_the_times_of_the_schedule(schedule, epsilon):
    v = 1.3
    me = learner(
        "dp-ucb-int",
        arms=1,
        epsilon=epsilon,
        rng=np.random.default_rng(0),
        schedule=schedule,
        v=v,
    )
    released = []
    for t in range(1, 80):
        me.observe(t, me.select(t), 0.5)
        if me.arms[0].released and (not released or me.arms[0].released != released[-1]):
            released.append(int(me.arms[0].released))
    power = {"interval": None, "lemma-x": v / 2, "lemma-y": v}[schedule]
    expected, last = [], 0
    while last < 79:
        if power is None:
            last += math.ceil(1 / epsilon)
        else:
            n = last + 1
            while sum(i**-power for i in range(last + 1, n + 1)) < n**-power / epsilon:
                n += 1
            assert n - last <= math.ceil(1 / epsilon)  # Lemma B.1's last sentence
            last = n
        expected.append(last)
    assert released == expected[: len(released)]
    assert len(released) >= len(expected) - 2


def test_dp_se_eliminates_the_clearly_worse_arm_after_the_stated_pulls():
    horizon, epsilon = 40_000, 1.0
    me = learner("dp-se", arms=2, epsilon=epsilon, rng=np.random.default_rng(0), horizon=horizon)
    log8 = math.log(8 * 2 * horizon)
    first = int(max(32 * log8 * 4, 8 * math.log(4 * 2 * horizon) * 2 / epsilon)) + 1
    actions = []
    for t in range(1, 2 * first + 10):
        arm = me.select(t)
        actions.append(arm)
        me.observe(t, arm, float(arm))
    assert actions[: 2 * first] == [0, 1] * first
    assert set(actions[2 * first :]) == {1}


def test_private_ucb_and_adap_follow_their_schedules():
    play = play_tables("adap-ucb", table(64, 1, 0), epsilon=1.0)
    assert set(play.actions[0]) == {0}
    me = learner("adap-klucb", arms=2, epsilon=1e6, rng=np.random.default_rng(0))
    for t in range(1, 200):
        arm = me.select(t)
        me.observe(t, arm, 1.0 if arm == 0 else 0.0)
        # Episodes double the pulls: when none is running, every count is a power of two.
        if me.own.left == 0:
            for record in me.arms:
                n = int(record.pulls)
                assert n & (n - 1) == 0
                assert record.episode == max(n // 2, min(n, 1))
    assert me.arms[0].pulls > me.arms[1].pulls
