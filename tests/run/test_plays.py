"""Plays: the same numbers for any number of workers, bounded memory, and errors in one line."""

import subprocess
import sys

import numpy as np
import pytest

from dpaudit.errors import UsageError
from dpaudit.play.environments import play_environment
from dpaudit.play.tables import play_tables, trace
from dpaudit.run.task import blocks

TABLE = np.round(np.random.default_rng(0).random((12, 2)))
OTHER = TABLE.copy()
OTHER[3] = 1 - OTHER[3]


@pytest.mark.parametrize("workers", [2, 3, 8])
def test_any_number_of_workers_gives_the_same_numbers(workers):
    one = play_tables("anytime-lazy-ucb", TABLE, OTHER, epsilon=1.0, runs=50_000, seed=3)
    many = play_tables(
        "anytime-lazy-ucb", TABLE, OTHER, epsilon=1.0, runs=50_000, seed=3, workers=workers
    )
    assert np.array_equal(one.actions, many.actions)
    assert np.array_equal(one.loss, many.loss)
    one = play_environment("dp-ts", [0.7, 0.3], [50, 500], epsilon=1.0, runs=3000, seed=3)
    many = play_environment(
        "dp-ts", [0.7, 0.3], [50, 500], epsilon=1.0, runs=3000, seed=3, workers=workers
    )
    assert np.array_equal(one.regret, many.regret)


def test_more_runs_begin_with_the_same_runs():
    few = play_tables("anytime-lazy-ucb", TABLE, epsilon=1.0, runs=20_000, seed=1)
    more = play_tables("anytime-lazy-ucb", TABLE, epsilon=1.0, runs=40_000, seed=1)
    assert np.array_equal(few.actions[:16_384], more.actions[:16_384])


def test_another_seed_gives_other_numbers():
    one = play_tables("lazy-dp-ts", TABLE, epsilon=1.0, runs=100, seed=1)
    two = play_tables("lazy-dp-ts", TABLE, epsilon=1.0, runs=100, seed=2)
    assert not np.array_equal(one.actions, two.actions)


def test_blocks_cover_all_runs_once():
    for runs, rounds in ((1, 1), (100_000, 12), (7, 10**9), (16_385, 1)):
        cut = list(blocks(runs, rounds))
        assert [b.first for b in cut] == list(np.cumsum([0] + [b.runs for b in cut])[:-1])
        assert sum(b.runs for b in cut) == runs


def test_leaps_and_single_rounds_have_the_same_mean_regret():
    """Two-sample z at 5.2 sigma (2e-7); the control is an epsilon twice as large."""
    means, horizon = [0.8, 0.5], 2000

    def sample(epsilon, runs, *, leaping):
        play = play_environment(
            "anytime-lazy-ucb", means, horizon, epsilon=epsilon, runs=runs, seed=5, leaping=leaping
        )
        return play.regret[:, -1]

    single = sample(1.0, 4000, leaping=False)
    for epsilon, same in ((1.0, True), (2.0, False)):
        leaps = sample(epsilon, 4000, leaping=True)
        error = np.sqrt((single.var() + leaps.var()) / 4000)
        assert (abs(single.mean() - leaps.mean()) < 5.2 * error) == same


def test_losses_have_the_gaps_of_losses_and_the_deterministic_setting_is_deterministic():
    play = play_environment(
        "rnm-ftnl-gumbel",
        [0.25, 0.75],
        [1, 1000],
        epsilon=50.0,
        environment="deterministic",
        runs=200,
        seed=1,
    )
    # At a huge epsilon only the uniform first round, and rarely the second epoch, cost 0.5.
    assert 0.1 < play.regret[:, 0].mean() < 0.4
    assert play.regret[:, 1].mean() < 0.5


def test_a_trace_adds_up_to_the_book_of_the_run():
    for name in ("dp-ucb", "ts-gaussian", "rnm-ftnl", "dp-ucb-int"):
        steps = trace(name, TABLE, OTHER, epsilon=0.9, seed=4)
        run = play_tables(name, TABLE, OTHER, epsilon=0.9, seed=4)
        plain = trace(name, TABLE, OTHER, epsilon=0.9, seed=4, python=True)
        assert np.array_equal(steps.pure, plain.pure)
        assert np.array_equal(steps.path, plain.path)
        # The trace uses the generator of the seed itself, a play that of its first block.
        forced = trace(name, TABLE, OTHER, [int(a) for a in run.actions[0]], epsilon=0.9, seed=4)
        assert forced.pure.sum() == pytest.approx(run.pure[0])
        assert forced.gdp.sum() == pytest.approx(run.gdp[0])


BAD = {
    "epsilon zero": ({"epsilon": 0.0}, "epsilon: got 0.0, allowed is a number in (0, inf)"),
    "epsilon nan": ({"epsilon": float("nan")}, "epsilon: got nan"),
    "epsilon a word": ({"epsilon": "one"}, "epsilon: got 'one'"),
    "epsilon missing": ({"epsilon": None}, "epsilon: lazy-dp-ts needs one"),
    "reward 2": ({"rewards": TABLE + 1}, "rewards: got 2 at round 1, arm 0"),
    "reward nan": ({"rewards": TABLE * np.nan}, "rewards: got nan at round 1, arm 0"),
    "one dimension": ({"rewards": TABLE[0]}, "rewards: got shape (2,)"),
    "no arms": ({"rewards": np.zeros((5, 0))}, "rewards: got shape (5, 0)"),
    "no table": ({"rewards": "abc"}, "rewards: got something that is no table"),
    "other shape": ({"neighbour": TABLE[:3]}, "neighbour: got shape (3, 2), allowed is (12, 2)"),
    "runs": ({"runs": 0}, "runs: got 0"),
    "half a run": ({"runs": 1.5}, "runs: got 1.5, allowed is a whole number"),
    "workers": ({"workers": 0}, "workers: got 0"),
    "unknown name": ({"target": "lazy-dp-st"}, "unknown name 'lazy-dp-st'; did you mean lazy-dp-t"),
    "unknown parameter": ({"log_bse": 2}, "unknown name 'log_bse'; did you mean log_base?"),
    "no parameters": ({"target": "ucb1", "x": 2}, "x: ucb1 has no parameters"),
    "bad word": ({"target": "dp-ts", "invoke": "again"}, "allowed is one of continue, afresh"),
    "fixed": ({"target": "rnm-ftnl", "factor": 2.0}, "rnm-ftnl is the entry with factor = 1.0"),
    "range": ({"target": "adap-ucb", "alpha": -1}, "alpha: got -1, allowed is a number in [0,"),
    "half a pull": (
        {"target": "m-ts-gaussian", "b": 1.5},
        "b: got 1.5, allowed is a whole number",
    ),
    "epsilon above 1": ({"target": "dp-ucb-int", "epsilon": 1.5}, "epsilon: got 1.5, allowed is"),
}


@pytest.mark.parametrize("case", BAD.values(), ids=BAD.keys())
def test_bad_input_is_one_line_that_names_the_argument(case):
    changed, message = case
    arguments = {"target": "lazy-dp-ts", "rewards": TABLE, "epsilon": 1.0, **changed}
    with pytest.raises(UsageError) as caught:
        play_tables(**arguments)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"means": [0.5, 1.2]}, "means: got [0.5, 1.2]"),
        ({"means": []}, "means: got []"),
        ({"horizons": [10, 10]}, "horizons: got [10, 10], allowed is an increasing list"),
        ({"horizons": 0}, "horizon: got 0"),
        ({"environment": "gaussian"}, "environment: got 'gaussian', allowed is one of bernoulli"),
    ],
)
def test_bad_environments_are_refused(changed, message):
    arguments = {"means": [0.5, 0.2], "horizons": [10], **changed}
    with pytest.raises(UsageError) as caught:
        play_environment("ucb1", arguments.pop("means"), arguments.pop("horizons"), **arguments)
    assert message in str(caught.value)


def test_whole_numbers_may_be_written_as_people_write_them():
    play = play_environment("ucb1", [0.5, 0.2], 1e3, runs=2)
    assert list(play.horizons) == [1000]


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_million_run_audit_stays_below_500_megabytes():
    code = """
import numpy as np
from dpaudit.play.tables import play_tables
play = play_tables("anytime-lazy-ucb", np.ones((12, 2)), np.zeros((12, 2)), epsilon=1.0, runs=10**6)
# The peak of this process image; getrusage would inherit the peak of pytest, which forked it.
print(next(int(x.split()[1]) / 1024 for x in open("/proc/self/status") if x.startswith("VmHWM")))
"""
    out = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120
    )
    assert float(out.stdout) < 500
