"""The loops that play a learner. Templates: `select`, `observe`, `leap` and the feedback are bound
to one algorithm's own functions by `dpaudit.machine.compiling`, as plain Python or compiled.

A driver's state is the arms' and the learner's records to work on, and the same as they were before
the first round, which it goes back to before each run. One generator has all its randomness.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dpaudit.algorithm.contract import no_leap as leap
from dpaudit.machine.feedback import bernoulli_of_pulled as draw
from dpaudit.machine.feedback import bernoulli_sum_of_pulled as draw_sum
from dpaudit.machine.feedback import table_of_pulled as read

scalar_feedback = True
"""Bound too: whether feedback is a number."""


def select(arms: Any, own: Any, t: int, rng: Any) -> int:
    """Bound to the algorithm's rule."""
    raise TypeError("driver not bound to an algorithm")


def observe(arms: Any, own: Any, arm: int, pulls: int, x: Any, y: Any, rng: Any) -> None:
    """Bound to the algorithm's update."""
    raise TypeError("driver not bound to an algorithm")


def stretch(
    arms: Any, own: Any, pace: Any, laws: Any, t: int, last: int, rng: Any
) -> tuple[int, int]:
    """Bound to the algorithm's far play."""
    raise TypeError("driver not bound to an algorithm")


def take(arms: Any, own: Any, arm: int, pulls: int, x: Any, y: Any, rng: Any) -> None:
    """Bound to the algorithm's update by all rounds of a stretch."""
    raise TypeError("driver not bound to an algorithm")


def reset(state: Any) -> None:
    """Put the state back to what it was before the first round."""
    arms, owns, fresh_arms, fresh_owns = state
    owns[0] = fresh_owns[0]
    for j in range(len(arms)):
        arms[j] = fresh_arms[j]


def play_tables(
    state: Any, rewards: Any, neighbour: Any, leaping: bool, actions: Any, books: Any, rng: Any
) -> None:
    """Play a table of rewards in two worlds, once a row of `actions` (runs x rounds).

    `books` (runs x 3) receives the realised loss, the pure and the GDP booking of each run.
    """
    arms, own = state[0], state[1][0]
    horizon = len(rewards)
    for run in range(len(actions)):
        reset(state)
        t = 1
        while t <= horizon:
            arm = select(arms, own, t, rng)
            pulls = 1
            if leaping:
                pulls = min(leap(arms, own, t, arm), horizon - t + 1)
            x = read(rewards, t, pulls, arm)
            y = read(neighbour, t, pulls, arm)
            observe(arms, own, arm, pulls, x, y, rng)
            for s in range(t - 1, t - 1 + pulls):
                actions[run, s] = arm
            t += pulls
        books[run, 0] = own.loss
        books[run, 1] = own.pure
        books[run, 2] = own.gdp


def play_environment(
    state: Any, means: Any, gaps: Any, horizons: Any, leaping: bool, regret: Any, rng: Any
) -> None:
    """Play a stochastic environment, once a row of `regret` (runs x horizons), which receives the
    pseudo-regret at each of the increasing horizons."""
    arms, own = state[0], state[1][0]
    for run in range(len(regret)):
        reset(state)
        total = 0.0
        t = 1
        for h in range(len(horizons)):
            while t <= horizons[h]:
                arm = select(arms, own, t, rng)
                pulls = 1
                if leaping:
                    pulls = min(leap(arms, own, t, arm), horizons[h] - t + 1)
                # A single round is drawn apart: the code for sums costs more than the round.
                x = draw(means, arm, rng) if pulls == 1 else draw_sum(means, pulls, arm, rng)
                observe(arms, own, arm, pulls, x, x, rng)
                total += pulls * gaps[arm]
                t += pulls
            regret[run, h] = total


def play_far(
    state: Any,
    pace: Any,
    laws: Any,
    means: Any,
    gaps: Any,
    horizons: Any,
    regret: Any,
    beside: Any,
    rng: Any,
) -> None:
    """Play a stochastic environment by stretches, once a row of `regret`, as `play_environment`.

    `beside` (runs x 2) receives each run's neglected chance and its number of stretches.
    """
    arms, own = state[0], state[1][0]
    for run in range(len(regret)):
        reset(state)
        pace[0] = pace[1]
        total = 0.0
        steps = 0
        t = 1
        for h in range(len(horizons)):
            while t <= horizons[h]:
                arm, pulls = stretch(arms, own, pace[0], laws, t, horizons[h], rng)
                x = draw(means, arm, rng) if pulls == 1 else draw_sum(means, pulls, arm, rng)
                take(arms, own, arm, pulls, x, x, rng)
                total += pulls * gaps[arm]
                t += pulls
                steps += 1
            regret[run, h] = total
        beside[run, 0] = pace[0].neglected
        beside[run, 1] = steps


def trace_path(state: Any, rewards: Any, neighbour: Any, path: Any, booked: Any, rng: Any) -> None:
    """Play one run along `path`; where it is negative the rule chooses, and the choice is written
    there. `booked` (rounds x 3) receives what each round booked: loss, pure, GDP.

    The rule is called in forced rounds too: some algorithms make releases there.
    """
    arms, own = state[0], state[1][0]
    reset(state)
    loss, pure, gdp = 0.0, 0.0, 0.0
    for t in range(1, len(path) + 1):
        chosen = select(arms, own, t, rng)
        if path[t - 1] < 0:
            path[t - 1] = chosen
        arm = path[t - 1]
        observe(arms, own, arm, 1, read(rewards, t, 1, arm), read(neighbour, t, 1, arm), rng)
        booked[t - 1, 0] = own.loss - loss
        booked[t - 1, 1] = own.pure - pure
        booked[t - 1, 2] = own.gdp - gdp
        loss, pure, gdp = own.loss, own.pure, own.gdp


def force_paths(
    state: Any,
    base: Any,
    opening: int,
    first_path: int,
    paths: int,
    best: Any,
    where: Any,
    rng: Any,
) -> None:
    """Force `paths` action sequences behind the opening, from the one whose base-K code is
    `first_path` on, with every round changed in every direction, and keep the largest bookings.

    The changed round has rewards in {0, 1} in one world and their complement in the other: bookings
    are convex in the change, so their maximum over all changes is at such a corner. `best` receives
    the largest pure and GDP booking, `where` the path, round and direction of each.
    """
    arms, own = state[0], state[1][0]
    rounds, count = base.shape
    here, there = base.copy(), base.copy()
    path = np.empty(rounds, np.int64)
    # Bandit learners see one entry of the row; of each complement pair one direction is enough.
    directions = 1 if scalar_feedback else 1 << (count - 1)
    for code in range(first_path, first_path + paths):
        rest = code
        for t in range(rounds - 1, opening - 1, -1):
            path[t] = rest % count
            rest //= count
        for changed in range(rounds):
            for direction in range(directions):
                for j in range(count):
                    here[changed, j] = float((direction >> j) & 1)
                    there[changed, j] = 1.0 - here[changed, j]
                reset(state)
                for t in range(1, rounds + 1):
                    chosen = select(arms, own, t, rng)
                    arm = path[t - 1] if t > opening else chosen
                    x, y = read(here, t, 1, arm), read(there, t, 1, arm)
                    observe(arms, own, arm, 1, x, y, rng)
                for book in range(2):
                    booked = own.pure if book == 0 else own.gdp
                    if booked > best[book]:
                        best[book] = booked
                        where[book, 0], where[book, 1], where[book, 2] = code, changed, direction
            here[changed] = base[changed]
            there[changed] = base[changed]


def book_runs(
    state: Any,
    base: Any,
    stretch: int,
    changed: int,
    here: Any,
    there: Any,
    horizon: int,
    leaping: bool,
    runs: int,
    most: Any,
    booked: Any,
    kept: Any,
    rng: Any,
) -> int:
    """Play tables that are too long to hold: the rows of `base` in turn, each for `stretch` rounds,
    but for round `changed`, which is the row `here` in one world and `there` in the other.

    `most` receives the largest pure and GDP booking, the largest sum of both, and the first round
    that booked an infinite loss. `kept` receives what the steps of the run of the largest sum
    booked, pure and GDP, as far as there is room (`booked`, of the same shape, is to work on).
    Returns how many steps of that run booked something.
    """
    arms, own = state[0], state[1][0]
    rows = len(base)
    cycle = rows * stretch
    steps = 0
    for _ in range(runs):
        reset(state)
        count = 0
        t = 1
        while t <= horizon:
            pure, gdp = own.pure, own.gdp
            arm = select(arms, own, t, rng)
            pulls = 1
            if leaping:
                pulls = min(leap(arms, own, t, arm), horizon - t + 1)
            total = 0.0 * read(base, 1, 1, arm)
            s, end = t, t + pulls
            if pulls > cycle:
                whole = pulls // cycle
                for row in range(rows):
                    total = total + float(whole * stretch) * read(base[row:], 1, 1, arm)
                s += whole * cycle
            while s < end:
                stop = min(end, ((s - 1) // stretch + 1) * stretch + 1)
                total = total + (stop - s) * read(base[(s - 1) // stretch % rows :], 1, 1, arm)
                s = stop
            x, y = total, total
            if t <= changed < end:
                total = total - read(base[(changed - 1) // stretch % rows :], 1, 1, arm)
                x, y = total + read(here, 1, 1, arm), total + read(there, 1, 1, arm)
            observe(arms, own, arm, pulls, x, y, rng)
            t += pulls
            if own.pure > pure or own.gdp > gdp:
                if own.pure == math.inf and (most[3] == 0.0 or t - 1 < most[3]):
                    most[3] = t - 1
                if count < len(booked):
                    booked[count, 0] = own.pure - pure
                    booked[count, 1] = own.gdp - gdp
                count += 1
        most[0] = max(most[0], own.pure)
        most[1] = max(most[1], own.gdp)
        if own.pure + own.gdp > most[2]:
            most[2] = own.pure + own.gdp
            steps = count
            for i in range(min(count, len(booked))):
                kept[i, 0] = booked[i, 0]
                kept[i, 1] = booked[i, 1]
    return steps


def count_event(
    actions: Any, books: Any, depth: int, arms: int, codes: Any, low: float, step: float, bins: Any
) -> int:
    """Runs whose first `depth` actions have one of the increasing codes; returns how many.

    Bin b of `bins` receives those with -loss in [low + b step, low + (b + 1) step); the last also
    what is above. What is below the first is in none: its ratio is rounded down to 0.
    """
    hits = 0
    for run in range(len(actions)):
        code = 0
        for t in range(depth):
            code = code * arms + actions[run, t]
        left = np.searchsorted(codes, code)
        if left == len(codes) or codes[left] != code:
            continue
        hits += 1
        # A millionth of a step covers the rounding of this line.
        place = (-books[run, 0] - low) / step + 1e-6
        if place >= len(bins):
            bins[len(bins) - 1] += 1
        elif place >= 0.0:
            bins[int(place)] += 1
    return hits
