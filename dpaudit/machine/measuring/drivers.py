"""Environments whose means may change, and more than the regret: templates as in
`dpaudit.machine.drivers`, apart from those that are counted on to be fast."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpaudit.algorithm.contract import no_leap as leap
from dpaudit.machine.drivers import observe, reset, select, stretch, take
from dpaudit.machine.feedback import bernoulli_of_pulled as draw
from dpaudit.machine.feedback import bernoulli_sum_of_pulled as draw_sum
from dpaudit.machine.feedback import of_pulled as paid


def measure(
    state: Any,
    starts: Any,
    means: Any,
    slopes: Any,
    gaps: Any,
    gap_slopes: Any,
    best: Any,
    horizons: Any,
    leaping: bool,
    regret: Any,
    seen: Any,
    rng: Any,
) -> None:
    """`play_environment` with means that may change, and with more measured. The segment that
    begins in round `starts[s]` draws from `means[s]`, and its gaps are `gaps[s]`; slopes are what
    they change by in a round.

    `seen` (runs x horizons x 3) receives what was paid, whether the arm pulled most (of equals the
    first) is not among the `best` of the horizon, and the number of changes of arm.
    """
    arms, own = state[0], state[1][0]
    pulled = np.zeros(len(arms), np.int64)
    now = means[0].copy()
    for run in range(len(regret)):
        reset(state)
        pulled[:] = 0
        total, got = 0.0, 0.0
        segment, before, switches, t = -1, -1, 0, 1
        drifting = False
        for h in range(len(horizons)):
            while t <= horizons[h]:
                if segment + 1 < len(starts) and t == starts[segment + 1]:
                    segment += 1
                    now[:] = means[segment]
                    drifting = bool(np.any(slopes[segment] != 0.0))
                since = t - starts[segment]
                if drifting:
                    now[:] = means[segment] + slopes[segment] * since
                end = horizons[h]
                if segment + 1 < len(starts):
                    end = min(end, starts[segment + 1] - 1)
                arm = select(arms, own, t, rng)
                pulls = 1
                if leaping:
                    pulls = min(leap(arms, own, t, arm), end - t + 1)
                x = draw(now, arm, rng) if pulls == 1 else draw_sum(now, pulls, arm, rng)
                observe(arms, own, arm, pulls, x, x, rng)
                total += pulls * (gaps[segment, arm] + gap_slopes[segment, arm] * since)
                got += paid(x, arm)
                pulled[arm] += pulls
                switches += arm != before and before >= 0
                before = arm
                t += pulls
            regret[run, h] = total
            seen[run, h, 0] = got
            seen[run, h, 1] = 0.0 if best[h, np.argmax(pulled)] else 1.0
            seen[run, h, 2] = switches


def measure_far(
    state: Any,
    pace: Any,
    laws: Any,
    starts: Any,
    means: Any,
    slopes: Any,
    gaps: Any,
    gap_slopes: Any,
    best: Any,
    horizons: Any,
    regret: Any,
    beside: Any,
    seen: Any,
    rng: Any,
) -> None:
    """`play_far`, measured as by `measure`; nothing drifts."""
    arms, own = state[0], state[1][0]
    pulled = np.zeros(len(arms), np.int64)
    now = means[0].copy()
    for run in range(len(regret)):
        reset(state)
        pace[0] = pace[1]
        pulled[:] = 0
        total, got = 0.0, 0.0
        segment, before, switches, steps, t = -1, -1, 0, 0, 1
        for h in range(len(horizons)):
            while t <= horizons[h]:
                if segment + 1 < len(starts) and t == starts[segment + 1]:
                    segment += 1
                    now[:] = means[segment]
                end = horizons[h]
                if segment + 1 < len(starts):
                    end = min(end, starts[segment + 1] - 1)
                arm, pulls = stretch(arms, own, pace[0], laws, t, end, rng)
                x = draw(now, arm, rng) if pulls == 1 else draw_sum(now, pulls, arm, rng)
                take(arms, own, arm, pulls, x, x, rng)
                total += pulls * gaps[segment, arm]
                got += paid(x, arm)
                pulled[arm] += pulls
                switches += arm != before and before >= 0
                before = arm
                t += pulls
                steps += 1
            regret[run, h] = total
            seen[run, h, 0] = got
            seen[run, h, 1] = 0.0 if best[h, np.argmax(pulled)] else 1.0
            seen[run, h, 2] = switches
        beside[run, 0] = pace[0].neglected
        beside[run, 1] = steps
