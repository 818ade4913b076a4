"""Some algorithms written again from the papers, naively and apart: same draws, same arms.

Lists of rewards, no records, no epochs kept as exponents: what they share with `algorithms/` is the
pseudo-code and the order of the draws only.
"""

import math

import numpy as np
import pytest

from dpaudit.play.learner import learner
from dpaudit.play.tables import play_tables


def table(rounds, arms, seed):
    return np.random.default_rng(seed).random((rounds, arms))


def lazy_means(rewards, epsilon, rng, choose):
    """Hu, Huang & Mehta, Algorithms 1 and 3, up to line 4's rule."""
    rounds, arms = rewards.shape
    used, noisy, r, psi = {}, {}, {}, {j: [] for j in range(arms)}
    actions = []
    for t in range(1, rounds + 1):
        if t <= arms:
            j = t - 1
            used[j], noisy[j], r[j] = 1, rewards[t - 1, j] + rng.laplace(0, 1 / epsilon), 0
        else:
            j = choose(t, used, noisy)
            psi[j].append(rewards[t - 1, j])
            if len(psi[j]) == 2 ** (r[j] + 1):
                used[j] = 2 ** (r[j] + 1)
                noisy[j] = (sum(psi[j]) + rng.laplace(0, 1 / epsilon)) / used[j]
                r[j] += 1
                psi[j] = []
        actions.append(j)
    return actions


@pytest.mark.parametrize("seed", range(10))
def test_anytime_lazy_ucb(seed):
    rewards, epsilon = table(300, 3, seed), 0.7

    def choose(t, used, noisy):
        return max(
            noisy,
            key=lambda j: (
                noisy[j]
                + math.sqrt(3 * math.log(t) / used[j])
                + 3 * math.log(t) / (epsilon * used[j]),
                -j,
            ),
        )

    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(0,)))
    ours = play_tables("anytime-lazy-ucb", rewards, epsilon=epsilon, seed=seed).actions[0]
    assert lazy_means(rewards, epsilon, rng, choose) == list(ours)


@pytest.mark.parametrize("base", [math.e, 2])
def test_lazy_dp_ts(base):
    rewards, epsilon, seed = table(300, 3, 5), 0.7, 5
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(0,)))

    def choose(t, used, noisy):
        theta = {}
        for j in noisy:
            m = min(1, max(0, noisy[j] + 3 * math.log(t) / math.log(base) / (epsilon * used[j])))
            theta[j] = rng.beta(m * used[j] + 1, (1 - m) * used[j] + 1)
        return max(theta, key=theta.__getitem__)

    play = play_tables("lazy-dp-ts", rewards, epsilon=epsilon, seed=seed, log_base=base)
    assert lazy_means(rewards, epsilon, rng, choose) == list(play.actions[0])


@pytest.mark.parametrize("name", ["rnm-ftnl", "rnm-ftnl-repaired", "rnm-ftnl-laplace"])
def test_rnm_ftnl(name):
    rewards, epsilon, seed = table(200, 4, 8), 0.4, 8
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(0,)))
    scale = {"rnm-ftnl": 1, "rnm-ftnl-repaired": 2, "rnm-ftnl-laplace": 2}[name] / epsilon
    sign = -1 if name == "rnm-ftnl-laplace" else 1
    playing = int(rng.random() * 4) if name == "rnm-ftnl-laplace" else 0
    actions, t, s = [], 0, 0
    while t < 200:
        epoch = rewards[t : t + 2**s]
        actions += [playing] * len(epoch)
        if len(epoch) == 2**s:
            scores = sign * epoch.sum(axis=0)
            playing = int(np.argmax([x + rng.laplace(0, scale) for x in scores]))
        t, s = t + 2**s, s + 1
    ours = play_tables(name, rewards, epsilon=epsilon, seed=seed).actions[0]
    assert actions == list(ours)


@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0])
def test_dp_ts_ucb(alpha):
    rounds, arms, seed = 250, 3, 4
    rewards = table(rounds, arms, seed)
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(0,)))
    log_t = math.log(rounds)
    phi = (
        math.sqrt(2 * math.pi * math.e)
        * rounds ** (0.5 * (1 - alpha))
        * log_t ** (0.5 * (3 - alpha))
    )
    mean = [rewards[j, j] for j in range(arms)]
    n, r, pending = [1] * arms, [1] * arms, [[] for _ in range(arms)]
    h, highest = [phi] * arms, [0.0] * arms
    actions = list(range(arms))
    for t in range(arms + 1, rounds + 1):
        theta = []
        for i in range(arms):
            if h[i] >= 1:
                theta.append(mean[i] + math.sqrt(log_t**alpha / n[i]) * rng.standard_normal())
                h[i], highest[i] = h[i] - 1, max(highest[i], theta[i])
            else:
                theta.append(highest[i])
        i = int(np.argmax(theta))
        actions.append(i)
        pending[i].append(rewards[t - 1, i])
        if len(pending[i]) == 2 ** r[i]:
            n[i] = 2 ** r[i]
            mean[i] = sum(pending[i]) / n[i]
            h[i], highest[i], pending[i] = phi, 0.0, []
            r[i] += 1
    ours = play_tables("dp-ts-ucb", rewards, seed=seed, alpha=alpha).actions[0]
    assert actions == list(ours)


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
