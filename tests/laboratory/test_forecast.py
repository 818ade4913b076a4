"""What will take long is tried first; what would take too long is refused in one line."""

import math
import types

import pytest

import dpaudit
from dpaudit.cli import main
from dpaudit.errors import UsageError
from dpaudit.laboratory import forecast

FIVE = [0.75, 0.625, 0.5, 0.375, 0.25]


def told(monkeypatch, seconds, rounds, runs, workers, **how):
    """The forecast where a run takes `seconds(horizon)`, and the horizons that were tried."""
    clock, tried = [0.0], []

    class Played:
        def __init__(self, workers):
            assert workers == 1

        def one(self, horizon, block):
            tried.append(horizon)
            clock[0] += seconds(horizon)

    monkeypatch.setattr(forecast, "Runner", Played)
    monkeypatch.setattr(forecast, "time", types.SimpleNamespace(perf_counter=lambda: clock[0]))
    return forecast.forecast(lambda horizon: horizon, rounds, runs, workers, **how), tried


def test_time_that_grows_as_a_power_is_extrapolated(monkeypatch):
    for power in (1.0, 0.5):
        found, tried = told(monkeypatch, lambda t, p=power: 1e-6 * t**p, 10**12, 10, 2)
        assert found == pytest.approx(5 * 1e-6 * 10 ** (12 * power), rel=0.01)
        assert max(tried) < 10**12


def test_what_is_short_is_tried_at_its_horizon_and_growth_is_at_most_linear(monkeypatch):
    found, tried = told(monkeypatch, lambda _: 1e-4, 1000, 7, 2)
    assert found == pytest.approx(4e-4)
    assert tried[-1] == 1000
    found, _ = told(monkeypatch, lambda t: 1e-9 * t**2, 10**9, 1, 1)
    assert found < 10**9  # a square would be 10^9


def test_what_looks_hopeless_is_tried_for_longer(monkeypatch):
    """A run that takes its time before it leaps: 0.4 s from 4 million rounds on."""
    found, _ = told(monkeypatch, lambda t: min(1e-7 * t, 0.4), 10**12, 1, 1)
    assert found == pytest.approx(0.4)
    monkeypatch.setattr(forecast, "PATIENT", forecast.ENOUGH)
    found, _ = told(monkeypatch, lambda t: min(1e-7 * t, 0.4), 10**12, 1, 1)
    assert found > 1000.0  # as it would be without that


def late_leaps(t):
    """As DP-TS among close arms on a machine with three times as much to do as it can: a run is as
    long as its rounds to a million, and hardly longer behind that."""
    return min(1.1e-6 * t, 3.0 + 0.1 * max(0.0, math.log2(t / 2**22)))


def test_leaps_that_begin_late_are_waited_for(monkeypatch):
    found, tried = told(monkeypatch, late_leaps, 10**12, 24, 2, leaping=True)
    assert found < 12 * 20.0
    assert sum(map(late_leaps, tried)) < 30.0
    found, _ = told(monkeypatch, late_leaps, 10**12, 24, 2)
    assert found > 86_400.0  # it was refused


def with_delay(late):
    """Seconds of a run that grows without end, where one trial has to wait for the processor."""
    delayed = forecast.FIRST * forecast.GROWTH**late
    return lambda t: 1e-7 * t + 3.0 * (t == delayed)


@pytest.mark.parametrize("late", range(3, 11))
def test_a_trial_that_had_to_wait_does_not_make_a_hopeless_horizon_short(monkeypatch, late):
    found, _ = told(monkeypatch, with_delay(late), 10**12, 1, 1)
    assert found > 0.5e5  # 10^5 without the delay


def test_by_the_last_step_alone_it_would(monkeypatch):
    last = types.SimpleNamespace(median_high=lambda powers: powers[-1])
    monkeypatch.setattr(forecast, "statistics", last)
    found, _ = told(monkeypatch, with_delay(7), 10**12, 1, 1)
    assert found < 1.0


def test_times_are_said_in_their_largest_unit():
    said = {90.0: "1.5 minutes", 86_400.0: "1 day", 4e5: "4.63 days", 0.2: "0.2 seconds"}
    assert {seconds: forecast.in_words(seconds) for seconds in said} == said


def test_a_hopeless_horizon_is_refused_in_one_line(capsys):
    with pytest.raises(UsageError) as error:
        dpaudit.regret(
            "private-ucb-safe", means=FIVE, horizon=10**13, epsilon=0.5, runs=20, workers=1
        )
    assert "20 runs of private-ucb-safe to 1e+13 rounds would take about" in str(error.value)
    assert "\n" not in str(error.value)
    means = ",".join(map(str, FIVE))
    asked = f"regret private-ucb-safe --means {means} --epsilon 0.5 --horizon 1e13 --runs 20"
    assert main(asked.split()) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.strip().splitlines()) == 1
    assert "--yes" in err


def test_far_play_is_forecast_as_it_is_played_and_not_refused():
    seconds = []
    found = dpaudit.regret(
        "dp-ts-ucb",
        means=FIVE,
        horizon=10**12,
        runs=20,
        workers=1,
        points=2,
        announce=seconds.append,
    )
    assert len(seconds) == 1
    assert seconds[0] < 600.0
    assert math.isfinite(found.mean[-1])
    assert found.mean[-1] < 10**6
