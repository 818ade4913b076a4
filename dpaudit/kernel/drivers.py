"""The loops that play a learner. Templates: `select`, `observe`, `leap` and the feedback are bound
to one algorithm's own functions by `dpaudit.running.binding`, as plain Python or compiled.

Every driver resets the state before each run and takes its randomness from one generator.
"""

from __future__ import annotations

from typing import Any

from dpaudit.contract import no_leap as leap
from dpaudit.kernel.feedback import bernoulli_of_pulled as draw
from dpaudit.kernel.feedback import bernoulli_sum_of_pulled as draw_sum
from dpaudit.kernel.feedback import table_of_pulled as hand


def select(arms: Any, own: Any, t: int, rng: Any) -> int:
    """Bound to the algorithm's rule."""
    raise TypeError("driver not bound to an algorithm")


def observe(arms: Any, own: Any, arm: int, pulls: int, x: Any, y: Any, rng: Any) -> None:
    """Bound to the algorithm's update."""
    raise TypeError("driver not bound to an algorithm")


def reset(arms: Any, owns: Any, fresh_arms: Any, fresh_owns: Any) -> None:
    """Put the state back to what it was before the first round."""
    owns[0] = fresh_owns[0]
    for j in range(len(arms)):
        arms[j] = fresh_arms[j]


def play_tables(
    arms: Any,
    owns: Any,
    fresh_arms: Any,
    fresh_owns: Any,
    rewards: Any,
    neighbour: Any,
    leaping: bool,
    actions: Any,
    books: Any,
    rng: Any,
) -> None:
    """Play a table of rewards in two worlds, once a row of `actions` (runs x rounds).

    `books` (runs x 3) receives the realised loss, the pure and the GDP booking of each run.
    """
    own = owns[0]
    horizon = len(rewards)
    for run in range(len(actions)):
        reset(arms, owns, fresh_arms, fresh_owns)
        t = 1
        while t <= horizon:
            arm = select(arms, own, t, rng)
            pulls = 1
            if leaping:
                pulls = min(leap(arms, own, t, arm), horizon - t + 1)
            x = hand(rewards, t, pulls, arm)
            y = hand(neighbour, t, pulls, arm)
            observe(arms, own, arm, pulls, x, y, rng)
            for s in range(t - 1, t - 1 + pulls):
                actions[run, s] = arm
            t += pulls
        books[run, 0] = own.loss
        books[run, 1] = own.pure
        books[run, 2] = own.gdp


def play_environment(
    arms: Any,
    owns: Any,
    fresh_arms: Any,
    fresh_owns: Any,
    means: Any,
    gaps: Any,
    horizons: Any,
    leaping: bool,
    regret: Any,
    rng: Any,
) -> None:
    """Play a stochastic environment, once a row of `regret` (runs x horizons), which receives the
    pseudo-regret at each of the increasing horizons."""
    own = owns[0]
    for run in range(len(regret)):
        reset(arms, owns, fresh_arms, fresh_owns)
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


def trace_path(
    arms: Any,
    owns: Any,
    fresh_arms: Any,
    fresh_owns: Any,
    rewards: Any,
    neighbour: Any,
    path: Any,
    booked: Any,
    rng: Any,
) -> None:
    """Play one run along `path`; where it is negative the rule chooses, and the choice is written
    there. `booked` (rounds x 3) receives what each round booked: loss, pure, GDP.

    The rule is called in forced rounds too: some algorithms make releases there.
    """
    own = owns[0]
    reset(arms, owns, fresh_arms, fresh_owns)
    loss, pure, gdp = 0.0, 0.0, 0.0
    for t in range(1, len(path) + 1):
        chosen = select(arms, own, t, rng)
        if path[t - 1] < 0:
            path[t - 1] = chosen
        arm = path[t - 1]
        observe(arms, own, arm, 1, hand(rewards, t, 1, arm), hand(neighbour, t, 1, arm), rng)
        booked[t - 1, 0] = own.loss - loss
        booked[t - 1, 1] = own.pure - pure
        booked[t - 1, 2] = own.gdp - gdp
        loss, pure, gdp = own.loss, own.pure, own.gdp
