"""Agents as for Gymnasium, policies as for scikit-learn, and contexts of adapted learners."""

import numpy as np
import pytest

from dpaudit.adapters import from_agent, from_cli, from_loop, from_methods, from_sklearn
from dpaudit.adapters.looking import propose
from dpaudit.auditor.engines.black_box.sampling import LearnerSampler
from dpaudit.auditor.search import make_pair
from dpaudit.cli import main
from dpaudit.errors import UsageError
from dpaudit.play.catalogue import resolve_target
from dpaudit.play.kinds.setting import Setting, setting_of

HEARD = []


class Agent:
    """As in Gymnasium's tutorials."""

    def __init__(self, n_actions):
        self.n_actions, self.turn = n_actions, 0

    def get_action(self, obs):
        self.turn += 1
        return np.int64(self.turn % self.n_actions)

    def update(self, obs, action, reward, terminated, next_obs):
        HEARD.append((np.sum(obs), int(action), reward, terminated))


class Policy:
    def __init__(self, n_arms):
        self.n_arms = n_arms

    def predict(self, X):
        assert X.shape[0] == 1
        return np.array([X.shape[1] % self.n_arms])

    def partial_fit(self, X, a, r):
        HEARD.append((X.shape, a.tolist(), r.tolist()))


class Sums(Policy):
    def partial_fit(self, X, a, r):
        HEARD.append((float(X.sum()), a, r))


class Linear:
    def __init__(self, n_arms):
        self.n_arms = n_arms

    def choose(self, x):
        return int(x.sum() > 0)

    def update(self, x, a, r):
        HEARD.append((float(x.sum()), a, r))

    def outputs(self):
        return [7.0]


PAIR = make_pair(np.zeros((3, 4)), 2, np.zeros(4), np.ones(4))
BARE = make_pair(np.zeros((3, 2)), 2, np.zeros(2), np.ones(2))


def play(made, setting, pair, world):
    HEARD.clear()
    target = resolve_target(made).told(horizon=3, delta=0.0, parameters={})
    sampler = LearnerSampler(target, "stranger", 1.0, 3, setting=setting)
    return sampler.sample(pair, world, 1)[0].tolist()


def test_an_agent_is_handed_observations():
    made = from_agent(Agent)
    assert play(made, Setting(), BARE, 1) == [1, 0, 1]
    assert HEARD == [(0, 1, 0.0, False), (0, 0, 1.0, False), (0, 1, 0.0, False)]
    play(made, Setting(contexts="private:2"), PAIR, 1)
    assert [round(heard[0], 3) for heard in HEARD] == [0.0, 1.414, 0.0]


def test_a_policy_is_handed_rows():
    assert play(from_sklearn(Policy), Setting(), BARE, 1) == [1, 1, 1]
    assert HEARD[1] == ((1, 1), [1], [1.0])
    assert play(from_sklearn(Policy), Setting(contexts="public:2"), PAIR, 0) == [0, 0, 0]
    assert HEARD[0][0] == (1, 2)


def test_what_is_called_x_is_the_context_and_what_is_published_stays_so():
    made = from_methods(Linear, "choose", "update")
    setting = setting_of(made, "Linear", contexts="private:2")
    assert setting.sees == "actions+outputs"
    assert play(made, setting, PAIR, 1) == [0, 1, 0, 7]
    assert HEARD[1] == (pytest.approx(2**0.5), 1, 1.0)
    with pytest.raises(UsageError, match=r"contexts: none given, and Linear.choose asks for one"):
        play(made, Setting(), BARE, 0)


@pytest.mark.parametrize(
    ("made", "told"),
    [
        (from_agent(Agent), [0.0, 1.414, 0.0]),
        (from_methods(Linear, "choose", "update"), [0.0, 1.414, 0.0]),
        (from_sklearn(Sums), [0.0, 1.414, 0.0]),
    ],
)
def test_late_feedback_comes_with_the_context_of_its_own_round(made, told):
    for late in ({}, {"batch": 3}):
        play(made, Setting(contexts="private:2", **late), PAIR, 1)
        assert [round(heard[0], 3) for heard in HEARD] == told


def test_who_knows_the_last_reward_only_is_not_told_late():
    def loop(pull):
        while True:
            pull(0)

    class Steps:
        def go(self, reward):
            return 0

    for made in (from_loop(loop), from_methods(Steps, step="go")):
        for late in ({"batch": 2}, {"delay": 1}):
            with pytest.raises(UsageError, match=f"^{next(iter(late))}: Late takes the reward of"):
                setting_of(made, "Late", **late)
        assert setting_of(made, "Late").usual


def test_a_program_is_told_contexts(tmp_path):
    file = tmp_path / "shows.py"
    file.write_text(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    said = json.loads(line)\n"
        "    if 't' in said:\n"
        "        print(int(sum(said['context']) > 0), flush=True)\n"
    )
    made = from_cli(["python3", str(file)])
    assert play(made, Setting(contexts="private:2"), PAIR, 1) == [0, 1, 0]


@pytest.mark.parametrize(
    ("thing", "line"),
    [
        (Agent, "from_agent(Agent, act='get_action', learn='update')"),
        (Linear, "from_methods(Linear, select='choose', observe='update')"),
    ],
)
def test_they_are_proposed(thing, line):
    assert propose(thing).line(thing.__name__) == line


def test_wrap_writes_what_was_asked(capsys):
    asked = ["--contexts", "private:2", "--sees", "others+outputs", "--delay", "1"]
    assert main(["wrap", f"{__file__}:Linear", *asked]) == 0
    written = capsys.readouterr().out
    assert 'sees="others+outputs", contexts="private:2", delay=1)' in written
    assert main(["wrap", f"{__file__}:Linear"]) == 2
    assert "contexts: none given" in capsys.readouterr().err


def test_what_has_no_such_method_is_said():
    with pytest.raises(UsageError, match="act: Linear has no method act or get_action"):
        play(from_agent(Linear, learn="update"), Setting(), BARE, 0)
