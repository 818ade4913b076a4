"""Optional (`make libraries`): bandits of other people's libraries, one line of glue each.

None of them claims privacy, and all but those that choose at random give away what they learn: each
is refuted at a claim of 1, and its library's random policy, the control, is not.
"""

import sys

import pytest

import dpaudit
from dpaudit.adapters import (
    from_cli,
    from_loop,
    from_mabwiser,
    from_methods,
    from_obp,
    from_river,
    from_smpybandits,
)


def verdict(made, runs=4_000, **asked):
    return dpaudit.audit(
        made, epsilon=1.0, arms=2, rounds=8, runs=runs, confidence=1 - 1e-6, **asked
    ).verdict


def test_mabwiser():
    policy = pytest.importorskip("mabwiser.mab").LearningPolicy
    assert verdict(from_mabwiser(policy.EpsilonGreedy(0.1))) == "violated"
    assert verdict(from_mabwiser(policy.Random())) != "violated"


def test_river():
    bandit = pytest.importorskip("river.bandit")
    # It shows only where the other arm was tried at first, once in twenty runs.
    assert verdict(from_river(bandit.EpsilonGreedy, epsilon=0.1), runs=40_000) == "violated"
    assert verdict(from_river(bandit.RandomPolicy)) != "violated"


def test_contexts_are_handed_on():
    """Who acts on a private context by what it has learned gives it away."""
    policy = pytest.importorskip("mabwiser.mab").LearningPolicy
    bandit = pytest.importorskip("river.bandit")
    for made in (
        from_mabwiser(policy.LinUCB(alpha=0.1)),
        from_river(bandit.LinUCBDisjoint, alpha=0.1),
    ):
        assert verdict(made, contexts="private:2") == "violated"
    assert verdict(from_mabwiser(policy.Random()), contexts="private:2") != "violated"


def test_smpybandits(monkeypatch):
    import scipy.special

    # Its last release asks SciPy for a name that is gone, for one of its posteriors.
    monkeypatch.setattr(scipy.special, "btdtri", scipy.special.betaincinv, raising=False)
    policies = pytest.importorskip("SMPyBandits.Policies")
    assert verdict(from_smpybandits(policies.UCB)) == "violated"
    assert verdict(from_smpybandits(policies.Uniform)) != "violated"


def test_open_bandit_pipeline():
    policy = pytest.importorskip("obp.policy")
    assert verdict(from_obp(policy.EpsilonGreedy, epsilon=0.1)) == "violated"
    assert verdict(from_obp(policy.Random)) != "violated"


def test_a_loop_over_a_gymnasium_environment():
    gymnasium = pytest.importorskip("gymnasium")

    class Arms(gymnasium.Env):
        """What an agent that was written for Gymnasium steps."""

        def __init__(self, arms):
            self.arms = arms
            self.action_space = gymnasium.spaces.Discrete(arms.n_arms)

        def step(self, action):
            return 0, self.arms.pull(action), False, False, {}

    def train(env, rng):
        env, last = Arms(env), 0
        while True:
            arm = last if rng.random() < 0.9 else int(rng.integers(env.action_space.n))
            _, reward, *_ = env.step(arm)
            last = arm if reward > 0.5 else 1 - arm

    def at_random(env, rng):
        env = Arms(env)
        while True:
            env.step(int(rng.integers(env.action_space.n)))

    assert verdict(from_loop(train)) == "violated"
    assert verdict(from_loop(at_random)) != "violated"


def test_scikit_learn():
    linear = pytest.importorskip("sklearn.linear_model")

    class Regressor:
        """A bandit over a regressor that learns by `partial_fit`."""

        def __init__(self, n_arms):
            self.models = [linear.SGDRegressor() for _ in range(n_arms)]
            for model in self.models:
                model.partial_fit([[1.0]], [0.5])

        def predict(self):
            values = [model.predict([[1.0]])[0] for model in self.models]
            return values.index(max(values))

        def partial_fit(self, arm, reward):
            self.models[arm].partial_fit([[1.0]], [reward])

    assert verdict(from_methods(Regressor)) == "violated"


PROGRAM = """
import json, random, sys
from river import bandit
for line in sys.stdin:
    said = json.loads(line)
    if "new" in said:
        new = said["new"]
        policy = bandit.UCB(delta=1.0, seed=new["seed"])
    elif "t" in said:
        arm = policy.pull(range(new["arms"]))
        print(arm, flush=True)
    else:
        policy.update(arm, said["reward"])
"""


def test_a_program_in_another_environment(tmp_path):
    pytest.importorskip("river.bandit")
    file = tmp_path / "program.py"
    file.write_text(PROGRAM)
    assert verdict(from_cli([sys.executable, str(file)])) == "violated"
