"""Means that change, late feedback, anybody's function of rewards, and what is measured besides."""

import json
import math

import numpy as np
import pytest

import dpaudit
from dpaudit.cli import main
from dpaudit.errors import UsageError
from dpaudit.laboratory.learners import Late, arguments_of
from dpaudit.play.environments import stochastic
from dpaudit.play.instances import read_instances
from dpaudit.play.worlds import measured, world_of
from dpaudit.run.task import Block

DEVIATIONS = 5.3
"""Standard errors two correct estimates may differ by: false alarms below 1e-6 a comparison."""
BOTH = [0.7, 0.3]


class Always:
    """Plays the arm that it is made with."""

    def __init__(self, arms, epsilon, rng, arm=0):
        self.arm = arm

    def select(self, t):
        return self.arm

    def observe(self, t, arm, reward):
        pass


@pytest.mark.parametrize("losses", [False, True])
def test_sums_and_limits_of_a_world_are_those_of_its_rounds(losses):
    ends = np.array([1, 2, 4, 5, 9, 30])
    worlds = (
        world_of([0.7, 0.3, 0.5], 30, losses=losses),
        world_of([0.7, 0.3], 30, changes=[(5, [0.2, 0.8]), (9, [0.1, 0.1])], losses=losses),
        world_of([0.7, 0.3, 0.1], 30, drift=[0.2, 0.8, 0.6], losses=losses),
        world_of(lambda t: [1 / t, 0.5], 30, losses=losses),
    )
    for world in worlds:
        rows = np.array([world.at(t) for t in range(1, 31)])
        sums = np.cumsum(rows, axis=0)[ends - 1]
        assert world.sums(ends) == pytest.approx(sums)
        best = sums.min(axis=1) if losses else sums.max(axis=1)
        assert world.best(ends) == pytest.approx(best)
        least, most = np.cumsum([rows.min(axis=1), rows.max(axis=1)], axis=1)[:, ends - 1]
        bottom, top = world.within(ends)
        low, high = (least - best, most - best) if losses else (best - most, best - least)
        assert np.all(bottom <= low + 1e-9)
        assert np.all(top >= high - 1e-9)
        if not world.drifting:
            assert bottom == pytest.approx(low)
            assert top == pytest.approx(high)
        fixed = most[-1] - best[-1] if not losses else best[-1] - least[-1]
        assert world.beyond_fixed() == pytest.approx(fixed)
    assert worlds[1].until(6).starts.tolist() == [1, 5]
    assert worlds[1].squeezed(15).starts.tolist() == [1, 3, 5]
    assert worlds[1].squeezed(3).at(1).tolist() == worlds[1].at(9).tolist()


@pytest.mark.parametrize(
    ("name", "horizon", "given"),
    [("ucb1", 700, {}), ("anytime-lazy-ucb", 10**5, {"epsilon": 0.5}), ("thompson", 10**7, {})],
)
def test_measuring_changes_no_draw(name, horizon, given):
    ends = np.array([10, 100, horizon])
    asked = stochastic(name, [0.7, 0.5, 0.3], ends, **given)
    plain, _ = asked.runs(Block(0, 0, 4), 3)
    world = world_of([0.7, 0.5, 0.3], horizon)
    regret, _, seen = measured(asked, world, ()).runs(Block(0, 0, 4), 3)
    assert np.array_equal(plain, regret)
    assert np.all(np.diff(seen[:, :, 2], axis=1) >= 0)


def test_any_number_of_workers_measures_the_same_bits():
    given = {"means": BOTH, "changes": [(900, [0.1, 0.6])], "horizon": 2000, "runs": 1500}
    found = [dpaudit.regret("ucb1", workers=w, metrics="all", **given).public() for w in (1, 3)]
    assert {**found[0], "seconds": 0} == {**found[1], "seconds": 0}
    assert found[0] != dpaudit.regret("ucb1", seed=1, metrics="all", **given).public()


def test_losses_are_measured_as_losses():
    given = {"means": [0.9, 0.2, 0.2], "epsilon": 1.0, "horizon": 64, "points": 1}
    found = dpaudit.regret("rnm-ftnl-gumbel", runs=2000, metrics="all", **given)
    gain, spread = found.metrics["realised"].mean[0], found.metrics["realised"].deviation[0]
    assert abs(gain - found.mean[0]) < DEVIATIONS * spread / math.sqrt(2000)
    assert abs(-gain - found.mean[0]) > DEVIATIONS * spread / math.sqrt(2000)
    assert found.metrics["error"].mean[0] < 0.2  # either of two arms is right


def test_the_compiled_measures_are_those_of_the_rounds():
    given = {"means": [0.8, 0.5, 0.4], "changes": [(60, [0.1, 0.5, 0.9])], "horizon": 200}
    given |= {"points": 4, "metrics": "all"}
    compiled = dpaudit.regret("ucb1", runs=3000, **given)

    def stepped(arms, epsilon, rng):
        return dpaudit.learner("ucb1", arms=arms, rng=rng)

    plain = dpaudit.regret(stepped, epsilon=1, runs=400, seed=1, **given)
    assert compiled.measured == plain.measured != "pseudo-regret"
    for one, other in ((compiled.mean, plain.mean),):
        width = (plain.normal_high - plain.normal_low) / 6.6
        assert np.all(np.abs(one - other) <= DEVIATIONS * 1.1 * width + 1e-9)
        assert abs(one[-1] - other[-1] - 10.0) > DEVIATIONS * 1.1 * width[-1]  # the control
    for name in ("realised", "switches"):
        one, other = compiled.metrics[name].mean, plain.metrics[name].mean
        spread = plain.metrics["realised"].deviation + 5.0
        assert np.all(np.abs(one - other) <= DEVIATIONS * spread / math.sqrt(350))
    chance = compiled.metrics["error"].mean
    assert np.all(plain.metrics["error"].low <= chance + 0.05)
    assert np.all(chance - 0.05 <= plain.metrics["error"].high)


def test_the_regret_of_one_arm_is_known_in_worlds_that_change():
    given = {"epsilon": 1, "horizon": 100, "runs": 2, "points": 1, "metrics": "all"}
    turned = dpaudit.regret(Always, means=BOTH, changes=[(31, [0.2, 0.8])], **given)
    # Arm 0 gets 30 * 0.7 + 70 * 0.2 = 35, arm 1 gets 30 * 0.3 + 70 * 0.8 = 65.
    assert turned.mean[-1] == pytest.approx(30.0)
    assert turned.metrics["error"].mean[-1] == 1.0
    assert turned.metrics["switches"].mean[-1] == 0.0
    assert turned.linear is None
    other = dpaudit.regret(Always, means=BOTH, changes=[(31, [0.2, 0.8])], arm=1, **given)
    assert other.mean[-1] == pytest.approx(0.0)
    drifting = dpaudit.regret(Always, means=BOTH, drift=[0.3, 0.7], arm=1, **given)
    assert drifting.mean[-1] == pytest.approx(0.0, abs=1e-9)
    assert any("against the best arm of each round it is" in note for note in turned.notes)
    exact = {"environment": "deterministic", "changes": [(31, [0.2, 0.8])]}
    plain = dpaudit.regret(Always, means=BOTH, **exact, **given)
    assert plain.metrics["realised"].mean[-1] == pytest.approx(30.0)


def test_leaps_stop_at_change_points():
    given = {"means": BOTH, "changes": [(5000, [0.3, 0.7])], "epsilon": 0.5, "horizon": 10**4}
    found = dpaudit.regret("anytime-lazy-ucb", runs=2000, points=1, **given)
    asked = stochastic("anytime-lazy-ucb", BOTH, [10**4], epsilon=0.5, leaping=False)
    world = world_of(BOTH, 10**4, changes=given["changes"])
    rounds, _, _ = measured(asked, world, ()).runs(Block(0, 0, 300), 1)
    error = math.hypot(rounds.std() / math.sqrt(300), (found.normal_high - found.mean)[0] / 3.3)
    assert abs(found.mean[0] - rounds.mean()) < DEVIATIONS * error
    assert abs(found.mean[0] - rounds.mean() - 0.5 * abs(rounds.mean())) > DEVIATIONS * error


def test_linear_runs_are_counted_with_an_exact_interval():
    given = {"means": BOTH, "epsilon": 1, "horizon": 64, "points": 7}
    linear = dpaudit.regret(Always, runs=20, arm=1, **given).linear
    assert (linear.runs, linear.high, linear.after, linear.until) == (20, 1.0, 32, 64)
    assert linear.low == pytest.approx(0.0005**0.05)
    none = dpaudit.regret(Always, runs=20, **given).linear
    assert (none.runs, none.low) == (0, 0.0)
    assert dpaudit.regret(Always, runs=2, **given | {"means": [0.5, 0.5]}).linear is None


def test_a_function_of_round_history_and_generator(tmp_path):
    told = tmp_path / "told"

    def punishing(t, history, rng):
        assert len(history) == t - 1
        with told.open("a") as file:
            file.write(f"{t} ")
        return [0.0 if history and arm == history[-1] else 1.0 for arm in range(2)]

    found = dpaudit.regret("ucb1", arms=2, environment=punishing, horizon=20, runs=3, points=1)
    assert told.read_text().split()[:21] == [*map(str, range(1, 21)), "1"]
    assert "fixed arm of the rewards drawn" in found.measured
    assert found.means == []
    one = dpaudit.regret(
        Always, arms=2, environment=punishing, epsilon=1, horizon=20, runs=1, points=1
    )
    assert one.mean[0] == 19.0
    known = {"means": lambda t: [0.5, 1.0] if t > 10 else BOTH, "horizon": 20}
    moving = dpaudit.regret(Always, environment=punishing, epsilon=1, runs=1, points=1, **known)
    assert moving.mean[0] == pytest.approx(10 * 1.0 + 10 * 0.3 - 10 * 0.5 - 10 * 0.7)


def test_one_argument_or_three_are_told_apart():
    assert arguments_of(lambda rng: rng) == 1
    assert arguments_of(lambda rng, _scale=2.0: rng) == 1
    assert arguments_of(lambda _t, _history, rng: rng) == 3
    assert arguments_of(lambda *given: given) == 3
    assert arguments_of(np.random.Generator.random) in (1, 3)
    with pytest.raises(UsageError, match="a function of 2 arguments"):
        arguments_of(lambda _t, rng: rng)


def test_rewards_outside_the_unit_interval_are_clipped_and_counted():
    def wide(rng):
        return [2.0, -1.0, 0.5]

    found = dpaudit.regret(
        "ucb1", means=[1.0, 0.0, 0.5], environment=wide, horizon=10, runs=4, metrics="realised"
    )
    assert any(note.startswith("80 of 120 rewards") for note in found.notes)
    assert found.metrics["realised"].mean == pytest.approx(found.mean)
    tame = dpaudit.regret("ucb1", means=BOTH, environment=lambda _: BOTH, horizon=10, runs=4)
    assert not any("clipped" in note for note in tame.notes)


class Remembers:
    """Notes when it is told of what, in a file."""

    def __init__(self, arms, epsilon, rng, file=""):
        self.file, self.now = file, 0

    def select(self, t):
        self.now = t
        return t % 2

    def observe(self, t, arm, reward):
        assert arm == t % 2
        with open(self.file, "a") as file:
            file.write(f"{t}@{self.now} ")


@pytest.mark.parametrize(
    ("late", "expected"),
    [
        ({}, "1@1 2@2 3@3 4@4 5@5 6@6 7@7"),
        ({"delay": 2}, "1@3 2@4 3@5 4@6 5@7"),
        ({"batch": 3}, "1@3 2@3 3@3 4@6 5@6 6@6"),
        ({"batch": 3, "delay": 1}, "1@4 2@4 3@4 4@7 5@7 6@7"),
    ],
)
def test_feedback_comes_when_it_is_due(late, expected, tmp_path):
    file = str(tmp_path / "told")
    given = {"means": BOTH, "epsilon": 1, "horizon": 7, "runs": 1, "file": file}
    found = dpaudit.regret(Remembers, **given, **late)
    assert (tmp_path / "told").read_text().split() == expected.split()
    assert (found.delay, found.batch) == (late.get("delay", 0), late.get("batch", 1))


def test_late_is_what_it_says():
    assert [Late(2, 3)(t) for t in range(1, 8)] == [5, 5, 5, 8, 8, 8, 11]
    assert not Late()


@pytest.mark.parametrize("name", ["ucb1", "anytime-lazy-ucb", "dp-se", "rnm-ftnl-laplace"])
def test_the_catalogue_is_played_with_late_feedback(name):
    given = {"means": [0.9, 0.1], "epsilon": 1.0, "horizon": 300, "runs": 30, "points": 1}
    at_once = dpaudit.regret(name, **given)
    late = dpaudit.regret(name, delay=60, batch=5, **given)
    # Successive elimination pulls the arm whose turn it is until it is told; that need not cost.
    assert late.mean[0] > at_once.mean[0] or name == "dp-se"
    assert 0.0 < late.mean[0] < 0.8 * 0.5 * 300
    assert any("told of its whole opening" in note for note in late.notes)


TOML = """
[easy]
means = [0.9, 0.1]
[three-values]
values = [0, 0.5, 1]
probabilities = [[0.2, 0.3, 0.5], [0.5, 0.3, 0.2]]
[turned]
means = [0.7, 0.3]
changes = [{round = 50, means = [0.3, 0.7]}]
[sliding]
means = [0.7, 0.3]
drift = [0.3, 0.7]
environment = "deterministic"
"""


def test_instances_are_read_and_played(tmp_path, capsys):
    (tmp_path / "suite.toml").write_text(TOML)
    found = read_instances(tmp_path / "suite.toml")
    assert [each.name for each in found] == ["easy", "three-values", "turned", "sliding"]
    assert [each.arms for each in found] == [2, 2, 2, 2]
    assert found[2].given()["changes"] == ((50, (0.3, 0.7)),)
    results = [
        dpaudit.regret("ucb1", horizon=100, runs=3, points=1, **each.given()) for each in found
    ]
    assert [r.environment for r in results] == "bernoulli finite bernoulli deterministic".split()
    as_json = {"easy": {"means": [0.9, 0.1]}, "turned": {"means": [1, 0], "changes": []}}
    (tmp_path / "suite.json").write_text(json.dumps(as_json))
    assert [each.means for each in read_instances(tmp_path / "suite.json")] == [(0.9, 0.1), (1, 0)]
    asked = ["regret", "ucb1", "--horizon", "100", "--runs", "3", "--points", "2", "--instances"]
    assert main([*asked, str(tmp_path / "suite.toml")]) == 0
    out = capsys.readouterr().out
    assert all(f"{each.name}: ucb1" in out for each in found)
    one = ["--instance", "turned", "--json", "-"]
    assert main([*asked, str(tmp_path / "suite.toml"), *one]) == 0
    assert json.loads(capsys.readouterr().out)["changes"] == [[50, [0.3, 0.7]]]
    assert main([*asked, str(tmp_path / "suite.toml"), "--json", "-"]) == 2
    assert "json: is for one instance" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[a]\nmeans = [0.5, 1.5]", ", a: means: got [0.5, 1.5]"),
        ("[a]\nmeanz = [0.5]", ", a: field: unknown name 'meanz'; did you mean means"),
        ("[a]\nvalues = [0, 1]", ", a: values, probabilities: one needs the other"),
        ("[a]\ndrift = [0, 1]", ", a: means: none given"),
        ("[a]\nmeans = [0.5]\nchanges = [3]", ", a: changes: got 3"),
        ("[a]\nmeans = [0.5]\nchanges = 3", ", a: changes: got 3, allowed is a list"),
        ("[a]\nmeans = [0.5]\nchanges = [{round = 1, means = [0.5]}]", "change: round: got 1"),
        ("[a]\nmeans = [0.5]\nchanges = [{round = 5, means = [1, 1]}]", "change: got 2 means"),
        ("[a]\nmeans = [0.5]\nenvironment = 'cold'", ", a: environment: got 'cold'"),
        ("a = 3", ", a: got 3, allowed is a table"),
        ("", "got no instances"),
        ("[a", "not TOML"),
    ],
)
def test_a_bad_file_of_instances_is_refused_in_one_line(text, message, tmp_path, capsys):
    (tmp_path / "bad.toml").write_text(text)
    with pytest.raises(UsageError) as error:
        read_instances(tmp_path / "bad.toml")
    assert message in str(error.value)
    asked = ["regret", "ucb1", "--horizon", "9", "--instances", str(tmp_path / "bad.toml")]
    assert main(asked) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def returns(value):
    return lambda *_: value


def raises(rng):
    raise KeyError("reward")


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"environment": returns([0.5])}, "environment: in round 1 the function returned [0.5]"),
        ({"environment": returns("ab")}, "environment: in round 1 the function returned 'ab'"),
        ({"environment": returns([0.5, math.nan])}, "environment: in round 1 the function"),
        ({"environment": returns([[0.1, 0.2]])}, "environment: in round 1 the function"),
        ({"environment": raises}, "environment: in round 1 the function raised KeyError"),
        ({"environment": lambda _t, _rng: BOTH}, "environment: got a function of 2 arguments"),
        ({"means": None, "environment": returns(BOTH)}, "means: none given"),
        ({"arms": 3}, "arms: got 3, but there are 2 means"),
        ({"changes": [(5, [0.1])]}, "change: got 1 means, allowed is 2"),
        ({"changes": [(5, BOTH), (5, BOTH)]}, "change: got round 5 after 5"),
        ({"changes": [7]}, "change: got 7"),
        ({"drift": BOTH, "changes": [(5, BOTH)]}, "drift: got change points too"),
        ({"means": lambda t: [t]}, "in round 2, means: got [2.0]"),
        ({"means": lambda t: [0.5] * t}, "means: in round 2 got 2, before 1"),
        ({"delay": -1}, "delay: got -1"),
        ({"batch": 0}, "batch: got 0"),
        ({"metrics": "regrets"}, "metric: unknown name 'regrets'"),
        ({"target": "rnm-ftnl", "epsilon": 1, "exact": True, "delay": 1}, "exact: not for"),
    ],
)
def test_bad_input_is_one_line(changed, message):
    given = {"target": "ucb1", "means": BOTH, "horizon": 10, "runs": 3, **changed}
    with pytest.raises(UsageError) as error:
        dpaudit.regret(given.pop("target"), **given)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


ADVERSARY = """
def rewards(t, history, rng):
    return [1.5 * (not history or arm != history[-1]) for arm in range(2)]
"""


def test_an_environment_from_a_file(tmp_path, capsys):
    (tmp_path / "adversary.py").write_text(ADVERSARY)
    place = f"{tmp_path}/adversary.py"
    asked = ["regret", "ucb1", "--horizon", "20", "--runs", "2", "--points", "2"]
    assert main([*asked, "--environment", f"{place}:rewards", "--arms", "2"]) == 0
    out = capsys.readouterr().out
    assert "measured: regret against the best fixed arm of the rewards drawn" in out
    assert "42 of 80 rewards were outside [0, 1] and were clipped" in out
    assert main([*asked, "--environment", f"{place}:nobody", "--arms", "2"]) == 2
    assert "environment: " in capsys.readouterr().err
    assert main([*asked, "--environment", f"{place}:rewards"]) == 2
    assert "means: none given" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--change", "0.3,0.7"], "change: got '0.3,0.7'"),
        (["--change", "x:0.3,0.7"], "change: got 'x'"),
        (["--metric", "speed"], "metric: unknown name 'speed'"),
        (["--instance", "easy"], "instance: given without instances"),
        (["--instances", "/nonexistent.toml"], "means: given with instances"),
        (["--param", "seed=3"], "param: got seed"),
        (["--delay", "x"], "delay: got 'x'"),
    ],
)
def test_bad_options_are_one_line_and_exit_2(more, message, capsys):
    assert main(["regret", "ucb1", "--means", "0.7,0.3", "--horizon", "10", *more]) == 2
    err = capsys.readouterr().err
    assert message in err
    assert len(err.splitlines()) == 1
