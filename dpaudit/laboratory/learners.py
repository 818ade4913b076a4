"""Runs round by round, in plain Python: anyone's learner, or a catalogue algorithm whose rewards or
feedback are such that it cannot be played compiled.

Rewards are drawn from a world of known means, or by anybody's function: of a generator, or of the
round, the actions before it, and a generator. Feedback may come late, or in batches.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpaudit.errors import UsageError, one_line
from dpaudit.laboratory.measures import Linear, told_of
from dpaudit.machine.feedback import ENVIRONMENTS
from dpaudit.play.catalogue import Target
from dpaudit.play.learner import Stepped, SteppedClass, at_once, step
from dpaudit.play.worlds import World
from dpaudit.results.regret import Floats
from dpaudit.run.plain import travels
from dpaudit.run.task import Block, Play

Draw = Callable[[int, Sequence[int], np.random.Generator], Any]
"""(round, actions before it, generator) -> the rewards of all arms."""
KINDS = (1, 3)
"""How many arguments the function of an environment may have."""


@travels
@dataclass(frozen=True)
class Late:
    """Feedback comes `delay` rounds after the end of a batch of so many rounds."""

    delay: int = 0
    batch: int = 1

    def __call__(self, t: int) -> int:
        """The round at whose end the learner is told of round t."""
        return -(-t // self.batch) * self.batch + self.delay

    def __bool__(self) -> bool:
        return self.delay > 0 or self.batch > 1


class Patient:
    """A catalogue algorithm whose feedback comes late. Its rounds are played as its code says; but
    until it has been told of its whole opening, it has nothing to decide by, and plays that again.
    """

    def __init__(self, stepped: Stepped) -> None:
        self.stepped, self.feedback = stepped, stepped.feedback
        self.opening = stepped.algorithm.opening(stepped.arms, stepped.own)
        self.opened: list[int] = []
        self.told = 0

    def select(self, t: int) -> int:
        if t > self.opening and self.told < self.opening:
            return self.opened[(t - 1) % self.opening]
        arm = self.stepped.select(t)
        if t <= self.opening:
            self.opened.append(arm)
        return arm

    def observe(self, t: int, arm: int, reward: Any) -> None:
        self.told += 1
        self.stepped.observe(t, arm, reward)


def arguments_of(function: Callable[..., Any]) -> int:
    """1 or 3: what an environment's function is given."""
    try:
        found = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return 1
    if any(each.kind == each.VAR_POSITIONAL for each in found):
        return 3
    by_place = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD
    places = [each for each in found if each.kind in by_place]
    needed = sum(each.default is each.empty for each in places)
    fits = [n for n in KINDS if needed <= n <= len(places)]
    if not fits:
        raise UsageError(
            f"environment: got a function of {needed} arguments, allowed is one of (rng) or of "
            "(round, history, rng)"
        )
    return fits[0]


class Clipped:
    """Anybody's function of rewards: what is no row of numbers is refused, what is not in [0, 1] is
    clipped and counted."""

    def __init__(self, function: Callable[..., Any], arms: int) -> None:
        self.function, self.arms = function, arms
        self.whole = arguments_of(function) == 3
        self.count = 0

    def __call__(self, t: int, history: Sequence[int], rng: np.random.Generator) -> Floats:
        try:
            given = self.function(t, tuple(history), rng) if self.whole else self.function(rng)
        except UsageError:
            raise
        except Exception as error:
            raised = f"{type(error).__name__}: {one_line(error)}"
            raise UsageError(f"environment: in round {t} the function raised {raised}") from None
        try:
            rewards = np.asarray(given, dtype=np.float64)
        except (TypeError, ValueError):
            rewards = np.zeros(0)
        if rewards.shape != (self.arms,) or not np.all(np.isfinite(rewards)):
            said = " ".join(repr(given).split())
            raise UsageError(
                f"environment: in round {t} the function returned {said[:80]}, allowed are "
                f"{self.arms} numbers in [0, 1]"
            )
        inside = np.clip(rewards, 0.0, 1.0)
        self.count += int(np.count_nonzero(inside != rewards))
        return inside


def drawing(environment: Any, world: World | None, arms: int) -> Draw:
    """How a round's rewards are drawn; bad ones are refused here as far as can be seen."""
    if callable(environment):
        return Clipped(environment, arms)
    assert world is not None
    named = environment if isinstance(environment, str) else "finite"
    one = ENVIRONMENTS[named]["draw"]
    numbers = environment if named == "finite" else world.means[0]

    def draw(t: int, history: Sequence[int], rng: np.random.Generator) -> Floats:
        now = world.at(t) if world.changing else numbers
        return np.array([one(now, j, rng) for j in range(arms)])

    return draw


class Seen:
    """The rewards of one run, drawn round by round: what was paid in each, and in worlds that are
    not known how much each arm would have paid up to each horizon."""

    def __init__(self, draw: Draw, arms: int, ends: Any, rng: np.random.Generator) -> None:
        self.draw, self.ends, self.rng = draw, ends, rng
        self.paid = np.empty(int(ends[-1]))
        self.row, self.running = np.zeros(arms), np.zeros(arms)
        self.sums, self.next = np.empty((len(ends), arms)), 0

    def __call__(self, t: int, history: Sequence[int]) -> Any:
        if t > 1:
            self.paid[t - 2] = self.row[history[-1]]
        row = self.draw(t, history, self.rng)
        self.row[:] = row
        self.running += row
        if t == self.ends[self.next]:
            self.sums[self.next] = self.running
            self.next += 1
        return row

    def received(self, actions: Any) -> Floats:
        """In sum up to each horizon."""
        self.paid[-1] = self.row[actions[-1]]
        return np.asarray(np.cumsum(self.paid)[self.ends - 1])


@travels
def regret_of_learner(
    who: Target | SteppedClass,
    name: str,
    arms: int,
    losses: bool,
    epsilon: float | None,
    world: World | None,
    environment: Any,
    ends: Any,
    late: Late,
    linear: Linear | None,
    seed: int,
) -> Play:
    """Block i: its part of the tally, and of what is measured beside it. Without a world, that is
    known means, regret is against the arm that was best in the rewards drawn."""
    last, sign = int(ends[-1]), -1.0 if losses else 1.0

    def fresh(rng: np.random.Generator) -> Any:
        learner = who(arms=arms, epsilon=epsilon, rng=rng)
        return Patient(learner) if late and isinstance(learner, Stepped) else learner

    def play(block: Block) -> dict[str, Any]:
        rng = block.generator(seed)
        regret, seen = np.empty((block.runs, len(ends))), np.empty((block.runs, len(ends), 3))
        draw = drawing(environment, world, arms)
        for run in range(block.runs):
            told = late if late else at_once
            rewards = Seen(draw, arms, ends, rng)
            begin = functools.partial(fresh, rng)
            actions = np.array(step(name, begin, arms, last, rewards, run, told))
            sums = sign * (rewards.sums if world is None else world.sums(ends))
            best = sums.max(axis=1)
            seen[run, :, 0] = best - sign * rewards.received(actions)
            at = np.arange(len(ends)), _counts(actions, ends, arms).argmax(axis=1)
            seen[run, :, 1] = sums[at] < best
            seen[run, :, 2] = np.cumsum(np.diff(actions, prepend=actions[0]) != 0)[ends - 1]
            regret[run] = seen[run, :, 0] if world is None else _pseudo(world, actions, ends)
        count = draw.count if isinstance(draw, Clipped) else 0
        return {**told_of(regret, linear, seen), "clipped": count}

    return play


def _pseudo(world: World, actions: Any, ends: Any) -> Floats:
    """Against the best fixed arm of the means."""
    if not world.changing:
        _, gaps, _ = world.gaps()
        return np.asarray(np.cumsum(gaps[0][actions])[ends - 1])
    less = world.best(ends) - np.cumsum(world.of(actions))[ends - 1]
    return np.asarray(-less if world.losses else less)


def _counts(actions: Any, ends: Any, arms: int) -> Any:
    """Pulls of each arm up to each horizon."""
    parts = [np.bincount(part, minlength=arms) for part in np.split(actions, ends)[: len(ends)]]
    return np.cumsum(parts, axis=0)
