"""Where a black box's outputs come from: a compiled algorithm or anyone's learner, seen through its
actions, or any mechanism. The same path from the seed gives the same outputs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dpaudit.auditor.engines.black_box.events import as_outputs
from dpaudit.auditor.engines.black_box.scorers import Outputs
from dpaudit.auditor.kinds.views import Inputs, arms_in_row, names, view, without_own
from dpaudit.errors import UsageError, one_line
from dpaudit.play.catalogue import Target
from dpaudit.play.isolated import PlayRun, apart, together
from dpaudit.play.kinds.setting import USUAL, Setting, check_said
from dpaudit.play.learner import SteppedClass, at_once, played, step
from dpaudit.play.reach.chance import Chance, Words, words_of
from dpaudit.play.reach.held import renew
from dpaudit.play.tables import Configured
from dpaudit.results.found import Pair
from dpaudit.run.plain import travels
from dpaudit.run.task import Block, Home, blocks, cut, stream

WHOLE = 64
"""So many actions are looked at one by one."""
NEAR = 8
"""Actions at the end, and behind the changed round, that are looked at in longer runs."""
LEARNER_ROUNDS = 40_000
"""Rounds of a learner in one block: starting its process costs as much as a thousand."""
SLOW = 5.0
"""Seconds of a block; a learner for which it takes more is slow."""
COUNTED = 16
"""Arms whose plays are counted in longer runs."""


class Sampler(Protocol):
    """Outputs of a black box on one of two neighbouring inputs."""

    name: str
    home: Home
    kind: type[np.generic]
    """What holds an output's numbers when it is sent."""

    def sample(self, pair: Any, world: int, runs: int, *path: int) -> Outputs: ...

    def block(self, pair: Any, world: int, block: Block, *path: int) -> Outputs: ...

    def blocks(self, runs: int, pair: Any) -> Iterator[Block]: ...

    def names(self, pair: Any) -> Sequence[str]:
        """What an output's numbers are, where they are more than arms."""


@travels
@dataclass(frozen=True)
class AlgorithmSampler(Sampler):
    """A catalogue algorithm, compiled, seen only through its actions."""

    who: Configured
    seed: int
    setting: Setting = USUAL
    home = "thread"
    kind = np.int16

    @property
    def name(self) -> str:  # type: ignore[override]
        return self.who.algorithm.card.name

    def sample(self, pair: Pair, world: int, runs: int, *path: int) -> Outputs:
        here = pair.neighbour if world else pair.rewards
        played = self.who.play(here, here, runs, stream(self.seed, *path, world))
        return seen(played.actions, pair, self.setting)

    def block(self, pair: Pair, world: int, block: Block, *path: int) -> Outputs:
        here = pair.neighbour if world else pair.rewards
        actions = self.who.block(here, here, block, stream(self.seed, *path, world))[0]
        return seen(actions, pair, self.setting)

    def blocks(self, runs: int, pair: Pair) -> Iterator[Block]:
        return blocks(runs, pair.shape[0])

    def names(self, pair: Any) -> Sequence[str]:
        return feature_names(pair)


@travels
@dataclass(frozen=True)
class LearnerSampler(Sampler):
    """Anyone's learner class, or a catalogue algorithm stepped in plain Python. Each run has a seed
    of its own, whatever block it is in; `apart`: and a process of its own."""

    who: Target | SteppedClass
    learner: str
    epsilon: float
    seed: int
    apart: bool = False
    alike: tuple[str, ...] = ()
    """The learner's generators that are seeded alike in every run, and so are set by us."""
    pace: tuple[float, float] = (0.0, 0.0)
    """Of a slow learner, seconds for a run and for a round of it: its blocks take some seconds.
    What a run plays does not depend on its block."""
    setting: Setting = USUAL
    home = "fresh process"

    @property
    def kind(self) -> type[np.generic]:  # type: ignore[override]
        return np.int16 if self.setting.only_arms else np.float64

    @property
    def name(self) -> str:  # type: ignore[override]
        return f"learner {self.learner}"

    @property
    def factory(self) -> Any:
        """What is called for a new learner."""
        return self.who.factory if isinstance(self.who, Target) else self.who

    def blocks(self, runs: int, pair: Inputs) -> Iterator[Block]:
        rounds = pair.shape[0]
        seconds = max(self.pace[0] + self.pace[1] * rounds, 1e-9)
        return cut(runs, max(1, min(LEARNER_ROUNDS // rounds, int(SLOW / seconds))))

    def sample(self, pair: Inputs, world: int, runs: int, *path: int) -> Outputs:
        return self.block(pair, world, Block(0, 0, runs), *path)

    def block(self, pair: Inputs, world: int, block: Block, *path: int) -> Outputs:
        way = apart if self.apart else together
        seeds = self.seeds(world, range(block.first, block.first + block.runs), *path)
        played = way(self.factory, seeds, self.playing(pair, (world,) * block.runs))
        return seen(self._array(played), pair, self.setting)

    def names(self, pair: Any) -> Sequence[str]:
        return names(self.setting, pair, feature_names(pair, self.setting.numbers))

    def _array(self, played: Sequence[Any]) -> NDArray[Any]:
        widths = sorted({len(each) for each in played})
        if len(widths) > 1:
            raise UsageError(
                f"{self.name}: what it publishes has {widths[0]} numbers in one run and "
                f"{widths[-1]} in another; allowed is one length, None standing for nothing"
            )
        return np.array(played, self.kind)

    def seeds(self, world: int, runs: Iterable[int], *path: int) -> list[Words]:
        return [words_of(self.seed, (*path, world), run) for run in runs]

    def playing(self, pair: Inputs, worlds: Sequence[int]) -> PlayRun:
        """How run i of these worlds is played."""
        setting, who = self.setting, self.who
        rounds, arms = pair.shape
        arms -= setting.numbers
        offered = {"arms": arms, "epsilon": self.epsilon}
        given = who.offered(offered) if isinstance(who, Target) else offered
        handed = not isinstance(who, Target) or who.takes("rng")
        tables, views = {}, {}
        for world in set(worlds) if fixed(pair) and setting.usual else ():
            tables[world] = [pair.row(world, t, ()) for t in range(1, rounds + 1)]
        for world in set(worlds) if not setting.usual else ():
            views[world] = view(setting, pair, world, arms)
        told = at_once if setting.prompt else setting.told

        def play(factory: Any, rng: np.random.Generator, run: int) -> list[int]:
            world = worlds[run]
            rows = tables.get(world)

            def fresh() -> Any:
                learner = factory(**given, rng=rng) if handed else factory(**given)
                if setting.unsaid:
                    check_said(learner, self.learner)
                if self.alike:
                    renew(learner, rng, self.alike)
                return learner

            def rewards(t: int, chosen: Sequence[int]) -> list[float]:
                return rows[t - 1] if rows else pair.row(world, t, chosen)

            if setting.usual:
                return step(self.learner, fresh, arms, rounds, rewards, run)
            way = views[world]
            own = way.rounds, way.rewards
            found: list[int] = played(
                self.learner, fresh, arms, *own, run, told, way.contexts, way.seen, rounds
            )
            return found

        return play


def fixed(pair: Any) -> bool:
    """Whether the rewards do not look at the actions."""
    return isinstance(pair, Pair)


def seen(rows: NDArray[Any], pair: Inputs, setting: Setting = USUAL) -> Outputs:
    """What an event can ask about runs: all arms where they are few, else their features, and what
    is published. `rows`: the arms of all rounds, or, of a setting that is not the usual one, what
    `play` made of them."""
    rounds, width = pair.shape
    arms = width - setting.numbers
    whole = setting.only_arms and rows.shape[1] == rounds
    if whole and setting.own_hidden:
        rows = without_own(rows, pair)
    if rounds <= WHOLE or not setting.arms_seen:
        return as_outputs(rows)
    many = rows.shape[1] if setting.only_arms else arms_in_row(setting, pair)
    told = features(rows[:, :many].astype(np.int16), arms, getattr(pair, "round", 1))
    return told if setting.only_arms else np.hstack([told, rows[:, many:]])


def features(actions: NDArray[np.int16], arms: int, changed: int) -> Outputs:
    """A few numbers about long runs, in the order of `feature_names`: the last actions, the first
    ones behind the changed round, how often each arm was played in each quarter, and when the arm
    was first and last switched behind the changed round."""
    rounds = actions.shape[1]
    shown = [actions[:, rounds - 1 - i] for i in range(NEAR)]
    shown += [actions[:, min(changed + i, rounds - 1)] for i in range(NEAR)]
    for quarter in np.array_split(actions, 4, axis=1):
        shown += [(quarter == arm).sum(axis=1) for arm in range(min(arms, COUNTED))]
    later = actions[:, min(changed, rounds - 2) :]
    switched = later[:, 1:] != later[:, :-1]
    width = switched.shape[1]
    first = np.where(switched.any(axis=1), switched.argmax(axis=1), width)
    last = np.where(switched.any(axis=1), width - switched[:, ::-1].argmax(axis=1), 0)
    return np.stack([*shown, first, last, switched.sum(axis=1)], axis=1).astype(np.float64)


def feature_names(pair: Any, numbers: int = 0) -> list[str]:
    """What each feature is; none where outputs are all actions, or a mechanism's."""
    if not hasattr(pair, "shape") or isinstance(pair, np.ndarray):
        return []
    rounds, arms = pair.shape[0], pair.shape[1] - numbers
    if rounds <= WHOLE:
        return []
    changed = getattr(pair, "round", 1)
    names = [f"the arm of round {rounds - i}" for i in range(NEAR)]
    names += [f"the arm of round {min(changed + 1 + i, rounds)}" for i in range(NEAR)]
    for quarter in np.array_split(np.arange(1, rounds + 1), 4):
        where = f"in rounds {quarter[0]} to {quarter[-1]}"
        names += [f"how often arm {j} is played {where}" for j in range(min(arms, COUNTED))]
    start = min(changed, rounds - 2) + 1
    names += [f"how many rounds after round {start} the arm is first switched"]
    names += [f"how many rounds after round {start} the arm is last switched"]
    return [*names, f"how often the arm is switched after round {start}"]


@dataclass(frozen=True)
class MechanismSampler(Sampler):
    """A third-party mechanism: `mechanism(data, n, rng)` returns n outputs."""

    mechanism: Callable[[Any, int, np.random.Generator], Any]
    called: str
    seed: int
    home = "process"
    kind = np.float64

    @property
    def name(self) -> str:  # type: ignore[override]
        return f"mechanism {self.called}"

    def sample(self, pair: Any, world: int, runs: int, *path: int) -> Outputs:
        seed = words_of(stream(self.seed, *path), (world,), 0)
        try:
            with Chance(self.mechanism) as chance:
                outputs = as_outputs(self.mechanism(pair[world], runs, chance.set(seed)))
        except Exception as error:
            raise UsageError(
                f"{self.name}: raised {type(error).__name__}: {one_line(error)}"
            ) from None
        if len(outputs) != runs:
            raise UsageError(f"{self.name}: returned {len(outputs)} outputs, not {runs}")
        return outputs

    def block(self, pair: Any, world: int, block: Block, *path: int) -> Outputs:
        return self.sample(pair, world, block.runs, *path, block.number)

    def blocks(self, runs: int, pair: Any) -> Iterator[Block]:
        return cut(runs, runs)

    def names(self, pair: Any) -> Sequence[str]:
        return ()
