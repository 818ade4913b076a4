"""A learner as a person steps through it: `select(t)`, then `observe(t, arm, reward)`.

That is also the interface of anyone's own learner. `Stepped` gives it to a catalogue algorithm, as
plain Python, with the state open to inspection. `step` is the one loop that steps a learner, for
audits, regret and the conformance suite alike.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from dpaudit.algorithm.contract import Algorithm
from dpaudit.errors import UsageError, check_count, last_line, one_line, shortened
from dpaudit.play.catalogue import resolve
from dpaudit.play.kinds.setting import stops
from dpaudit.run import process
from dpaudit.run.plain import travels


class Learner(Protocol):
    """What the auditor needs of a learner. Its class is called with what it names of arms=,
    epsilon=, rng=, horizon=, delta=, of mu= and rho= where those are claimed, and of the parameters
    of the audit. It may set `feedback = "full-information"`; then `reward` is the whole vector; and
    `reward_range = (low, high)` where that is not (0, 1). With `stops = True` it may end a run
    early: `select` returns None, and nothing more is asked but for what it publishes at the end.

    What it may have besides: `select(t, context)`; `released(t)`, what it publishes after round t;
    `outputs()`, what it publishes at the end; `reports()`, what the users have sent it."""

    def select(self, t: int) -> int | None:
        """The arm for round t; arms from 0, rounds from 1. None: the run ends before it."""

    def observe(self, t: int, arm: int, reward: Any) -> None:
        """Take the feedback of round t."""


UNIT = (0.0, 1.0)
Rewards = Callable[[int, Sequence[int]], Any]
"""(round, actions before it) -> the rewards of all arms."""


def at_once(t: int) -> int:
    """Feedback at the end of its own round."""
    return t


Contexts = Callable[[int], Any]
"""round -> the context that `select` is shown."""


@dataclass
class Played:
    """A run: the arms that were played, and what `released(t)` gave after each round. `stopped` is
    the round in which `select` gave no arm, `left` how many rounds were not played for that."""

    learner: Any
    actions: list[int]
    released: list[Any]
    stopped: int | None = None
    left: int = 0


def step(
    name: str,
    fresh: Callable[[], Any],
    arms: int,
    rounds: int,
    rewards: Rewards,
    run: int = 0,
    told: Callable[[int], int] = at_once,
) -> list[int]:
    """The arms that a new learner plays."""
    found: list[int] = played(name, fresh, arms, range(1, rounds + 1), rewards, run, told).actions
    return found


def played(
    name: str,
    fresh: Callable[[], Any],
    arms: int,
    rounds: Iterable[int],
    rewards: Rewards,
    run: int = 0,
    told: Callable[[int], int] = at_once,
    contexts: Contexts | None = None,
    seen: Callable[[Played], Any] | None = None,
    last: int = 0,
) -> Any:
    """A run of a new learner, or what `seen` takes of it. It is told of round t at the end of round
    `told(t)`, which does not decrease, and not at all of what would come after the last: of the
    clock, which goes on to `last` where rounds are left out. An error names the learner and the
    round; this process's watch is told where it is."""
    at = process.at
    at[0], at[1] = run, 0
    late: deque[tuple[int, int, Any]] = deque()
    t = 0
    try:
        learner = fresh()
        chosen: list[int] = []
        whole = Played(learner, chosen, [])
        bandit = getattr(learner, "feedback", "bandit") == "bandit"
        released = getattr(learner, "released", None) if seen is not None else None
        scale = _scale(learner)
        may_stop = seen is not None and stops(learner)
        turns = iter(rounds)
        for t in turns:
            at[1] = t
            while late and told(late[0][0]) < t:  # was due in a round that is left out
                learner.observe(*late.popleft())
            arm = learner.select(t) if contexts is None else learner.select(t, contexts(t))
            if arm is None and may_stop:
                whole.stopped, whole.left = t, 1 + sum(1 for _ in turns)
                break
            if not (isinstance(arm, (int, np.integer)) and 0 <= arm < arms):
                raise UsageError(
                    f"learner {name}: in round {t} select returned {shortened(repr(arm), 60)}, "
                    f"allowed is an arm from 0 to {arms - 1}{_why_not(arm, learner, seen)}"
                )
            row = rewards(t, chosen)
            reward = float(row[arm]) if bandit else np.asarray(row)
            reward = reward if scale is None else scale(reward)
            chosen.append(int(arm))
            if told is at_once:
                learner.observe(t, int(arm), reward)
            else:
                late.append((t, int(arm), reward))
                while late and told(late[0][0]) <= t:
                    learner.observe(*late.popleft())
            if released is not None:
                whole.released.append(released(t))
        while whole.stopped is None and late and told(late[0][0]) <= last:
            learner.observe(*late.popleft())
        return whole if seen is None else seen(whole)
    except UsageError:
        raise
    except (Exception, SystemExit) as error:
        frame = last_line(error)
        raise UsageError(
            f"learner {name}: {process.place(t)} it raised {type(error).__name__}: "
            f"{one_line(error)} ({frame.name}, line {frame.lineno})"
        ) from None


def _why_not(arm: Any, learner: Any, seen: Any) -> str:
    """What is said of a run that ends where it may not."""
    if arm is not None:
        return ""
    if stops(learner) and seen is None:
        return "; only an audit of a class with stops = True, not of a function, ends runs so"
    return "; None ends a run where the class has stops = True"


def _scale(learner: Any) -> Callable[[Any], Any] | None:
    """From [0, 1] to the rewards that a learner says it expects."""
    low, high = getattr(learner, "reward_range", UNIT)
    if (low, high) == UNIT:
        return None
    return lambda reward: low + (high - low) * reward


class Stepped:
    """A catalogue algorithm, one round at a time, in plain Python.

    `arms` holds one record an arm and `own` the learner's record, `own.loss` being the privacy loss
    so far if rewards of a second world are handed to `observe` too.
    """

    def __init__(
        self,
        algorithm: Algorithm,
        arms: int,
        epsilon: float | None = None,
        rng: np.random.Generator | None = None,
        horizon: int | None = None,
        **parameters: float | str,
    ) -> None:
        settings = algorithm.settings(
            arms=check_count("arms", arms, 1, 2**15 - 1),
            epsilon=epsilon,
            horizon=None if horizon is None else check_count("horizon", horizon),
            given=parameters,
        )
        self.algorithm = algorithm
        self.feedback = algorithm.card.feedback
        self.rng = np.random.default_rng() if rng is None else rng
        self.arms, self._owns = algorithm.fresh(settings)

    @property
    def own(self) -> Any:
        return self._owns[0]

    def select(self, t: int) -> int:
        return int(self.algorithm.select(self.arms, self.own, t, self.rng))

    def observe(
        self,
        t: int,
        arm: int,
        reward: float | Sequence[float],
        reward_in_neighbour: float | Sequence[float] | None = None,
    ) -> None:
        """Take the feedback of round t, and that of the second world if there is one."""
        x = self._check(reward)
        y = x if reward_in_neighbour is None else self._check(reward_in_neighbour)
        self.algorithm.observe(self.arms, self.own, arm, 1, x, y, self.rng)

    def _check(self, reward: float | Sequence[float]) -> Any:
        values = np.asarray(reward, dtype=np.float64)
        bandit = self.feedback == "bandit"
        shape: tuple[int, ...] = () if bandit else (len(self.arms),)
        if values.shape != shape or not np.all((values >= 0.0) & (values <= 1.0)):
            allowed = "a number in [0, 1]" if bandit else f"{len(self.arms)} numbers in [0, 1]"
            raise UsageError(f"reward: got {reward!r}, allowed is {allowed}")
        return float(values) if bandit else values


@travels
@dataclass(frozen=True)
class SteppedClass:
    """A catalogue algorithm with its settings, called as a learner's class is."""

    algorithm: Algorithm
    epsilon: float | None
    horizon: int | None
    parameters: dict[str, Any]

    @property
    def feedback(self) -> str:
        return self.algorithm.card.feedback

    def __call__(self, arms: int, epsilon: float | None, rng: np.random.Generator) -> Stepped:
        return Stepped(self.algorithm, arms, self.epsilon, rng, self.horizon, **self.parameters)


def learner(
    name: str,
    *,
    arms: int,
    epsilon: float | None = None,
    rng: np.random.Generator | None = None,
    horizon: int | None = None,
    **parameters: float | str,
) -> Stepped:
    """A catalogue algorithm, run as plain Python and stepped by hand: `select`, then `observe`. Its
    state is open: `arms` and `own`."""
    return Stepped(resolve(name), arms, epsilon, rng, horizon, **parameters)
