"""A learner that ends its run: the round in which it stops is seen, and nothing comes after it."""

import json

import numpy as np
import pytest

import dpaudit
from dpaudit.adapters import from_agent, from_loop, from_methods
from dpaudit.auditor.search import make_pair
from dpaudit.cli import main
from dpaudit.errors import UsageError
from dpaudit.play.kinds.rows import NOTHING
from dpaudit.play.kinds.setting import Setting, setting_of
from dpaudit.results.documents import parse
from tests.kinds import learners
from tests.kinds.test_interface import PAIR, rows


class Fourth:
    """Stops in round `at`; publishes of each round what it has been told, and at the end."""

    stops = True

    def __init__(self, at=4, moves=False):
        self.at, self.moves, self.told = at, moves, []

    def select(self, t):
        early = self.moves and len(self.told) < t - 1
        return None if t >= self.at - early else t % 2

    def observe(self, t, arm, reward):
        self.told.append(t)

    def released(self, t):
        return [t, len(self.told)]

    def reports(self):
        return [[t, 0.5] for t in self.told]


def test_what_a_run_did_not_come_to_is_nothing():
    whole = rows(Fourth, Setting(sees="actions+stop+outputs"), PAIR, at=9)
    assert whole == [1, 0, 1, 0, 1, 0, 7, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6]
    short = rows(Fourth, Setting(sees="actions+stop+outputs"), PAIR)
    assert short == [1, 0, 1, -1, -1, -1, 4, 1, 1, 2, 2, 3, 3] + [NOTHING] * 6
    assert rows(Fourth, Setting(sees="stop"), PAIR) == [4]
    sent = rows(Fourth, Setting(sees="reports"), PAIR)
    assert sent == [1, 0.5, 2, 0.5, 3, 0.5] + [NOTHING] * 6
    mixed = rows(Fourth, Setting(sees="shuffled"), PAIR)
    assert mixed == [*sent, 6, 1.5]


def test_what_is_due_after_the_stop_is_not_told():
    """In rounds 1 to 3 it is told of rounds up to 3 - delay; the clock does not go on."""
    for delay, told in ((0, 3), (2, 1), (5, 0)):
        late = rows(Fourth, Setting(sees="reports", delay=delay), PAIR)
        assert late.count(0.5) == told


@pytest.mark.parametrize(("at", "seen"), [(2, 2), (3, 4), (4, 4), (6, 6), (7, 7)])
def test_a_stop_in_a_round_that_is_not_seen_is_seen_by_the_next(at, seen):
    """Round 3 is the one that differs: nobody else can tell whether it was played."""
    others = rows(Fourth, Setting(sees="others+stop"), PAIR, at=at)
    assert others[-1] == seen
    gone = Setting("add-remove", "others+stop")
    assert {rows(Fourth, gone, PAIR, world, at=at)[-1] for world in (0, 1)} == {seen}
    last = make_pair(np.zeros((6, 2)), 6, np.zeros(2), np.ones(2))
    ends = {tuple(rows(Fourth, gone, last, world, at=6)) for world in (0, 1)}
    assert ends == {(1, 0, 1, 0, 1, 7)}


def test_the_clock_is_no_leak_and_a_stop_for_a_missing_round_is():
    asked = {"epsilon": 1.0, "arms": 2, "rounds": 6, "runs": 400, "workers": 1}
    asked |= {"neighbours": "add-remove", "pair": PAIR, "sees": "others"}
    sound = dpaudit.audit(Fourth, confidence=1 - 1e-7, **asked)
    assert sound.verdict == "inconclusive"
    leaky = dpaudit.audit(Fourth, moves=True, at=6, **asked)
    assert leaky.verdict == "violated"


def test_the_stop_is_the_witness(tmp_path, capsys):
    """Its arms are played in turn, whatever the rewards: only when it stops tells anything."""
    who = f"{learners.__file__}:Halts"
    command = ["audit", who, "--epsilon", "1", "--rounds", "6", "--runs", "3000"]
    more = ["--param", "share=0.05", "--workers", "1", "--json", "-"]
    for sees in ("actions+stop", "stop"):
        code = main([*command, *more, *(["--sees", "stop"] if sees == "stop" else [])])
        found = parse(json.loads(capsys.readouterr().out), "out")
        assert (code, found.verdict, found.sees) == (1, "violated", sees)
        assert "the round in which it stops is " in found.witness.event
    page = tmp_path / "page.html"
    assert main([*command, "--param", "share=0.05", "--workers", "1", "--html", str(page)]) == 1
    assert "seen: the arms, the round in which it stops" in capsys.readouterr().out
    assert "the round in which it stops" in page.read_text()


def test_a_long_run_that_stops_is_seen():
    asked = {"epsilon": 1.0, "arms": 1, "rounds": 70, "runs": 800, "workers": 1}
    asked["pair"] = make_pair(np.zeros((70, 1)), 66, np.zeros(1), np.ones(1))
    sound = dpaudit.audit(AtOnce, confidence=1 - 1e-7, **asked)
    assert sound.verdict != "violated"
    leaky = dpaudit.audit(AtOnce, share=0.05, **asked)
    assert leaky.verdict == "violated"
    assert "the round in which it stops" in leaky.witness.event


class AtOnce(learners.Alternates):
    """Stops where a noisy reward is large: each is looked at once."""

    stops, noisy = True, 0.0

    def select(self, t):
        return None if self.noisy > 0.5 else 0

    def observe(self, t, arm, reward):
        self.noisy = reward + self.rng.laplace(0, self.scale) if t > 60 else 0.0


def test_a_learner_that_does_not_say_so_may_not_stop():
    class Forgets(learners.Alternates):
        def select(self, t):
            return 0 if t < 3 else None

    asked = {"epsilon": 1.0, "rounds": 4, "runs": 200, "workers": 1}
    with pytest.raises(UsageError, match=r"in round 3 .* returned None, .* has stops = True"):
        dpaudit.audit(Forgets, **asked)
    Forgets.stops = True
    found = dpaudit.audit(Forgets, **asked)
    assert found.verdict == "inconclusive"
    assert "the same in every run" in found.untested[0]
    with pytest.raises(UsageError, match=r"in round 3 .*only an audit of a class with stops"):
        dpaudit.regret(Forgets, means=[0.6, 0.4], horizon=8, runs=2, epsilon=1.0)


def test_arms_are_not_seen_without_the_stop():
    """Which they show themselves."""
    assert setting_of(Fourth, "Fourth").sees == "actions+stop+outputs+reports"
    assert setting_of(Fourth, "Fourth", sees="actions").sees == "actions+stop"
    assert setting_of(Fourth, "Fourth", "add-remove", "actions").sees == "others+stop"
    assert setting_of(Fourth, "Fourth", sees="outputs").sees == "outputs"


def test_adapted_code_may_stop():
    def loop(pull):
        for _ in range(3):
            pull(0)

    class Gives(Fourth):
        def select(self):
            return None if len(self.told) == 3 else 0

        def observe(self, reward):
            self.told.append(reward)

        released = reports = None

    class Acts(Gives):
        def __init__(self):
            super().__init__()

        act, learn = Gives.select, Gives.observe

    for made in (from_loop(loop, stops=True), from_methods(Gives), from_agent(Acts)):
        assert setting_of(made, "it").sees == "actions+stop"
        assert rows(made, Setting(sees="actions+stop"), PAIR) == [0, 0, 0, -1, -1, -1, 4]
    assert not from_loop(loop).stops
