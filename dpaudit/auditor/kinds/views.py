"""One of two neighbouring inputs as a learner meets it, and what is seen of its runs.

Tables of a setting with contexts are wider: behind the rewards of the arms stand the numbers of the
context. Public contexts are the first table's in both worlds. Of neighbours by add/remove one
world is the other without the changed rounds: nobody comes then, and the clock goes on.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dpaudit.play.kinds.rows import row
from dpaudit.play.kinds.setting import Setting
from dpaudit.play.learner import Contexts, Played, Rewards
from dpaudit.results.found import Floats, Pair


class Inputs(Protocol):
    """Two neighbouring inputs of a learner: tables, or an adversary."""

    @property
    def shape(self) -> tuple[int, int]: ...

    @property
    def changed(self) -> list[int]:
        """The rounds that differ, counted from 1."""

    def row(self, world: int, t: int, actions: Sequence[int]) -> list[float]:
        """The rewards of round t in a world, given the actions before it."""


@dataclass(frozen=True)
class View:
    """What a run is played on in one world, and what is seen of it."""

    rounds: list[int]
    rewards: Rewards
    contexts: Contexts | None
    seen: Callable[[Played], list[Any]]


def view(setting: Setting, pair: Inputs, world: int, arms: int) -> View:
    rounds, width = pair.shape
    without = pair.without if isinstance(pair, Pair) else 1
    gone = pair.changed if setting.removes and world == without else []
    played_on = [t for t in range(1, rounds + 1) if t not in gone]
    own = 1 - without if setting.removes else world
    # Looked up in each round of each run, not made.
    table = [pair.row(own, t, ()) for t in range(1, rounds + 1)] if isinstance(pair, Pair) else None

    def rewards(t: int, chosen: Sequence[int]) -> list[float]:
        return (pair.row(own, t, chosen) if table is None else table[t - 1])[:arms]

    scale = 1.0 / math.sqrt(max(1, width - arms))

    def contexts(t: int) -> Floats:
        whose = own if setting.private else 0
        return scale * np.asarray(pair.row(whose, t, ())[arms:], np.float64)

    return View(
        played_on,
        rewards,
        contexts if width > arms else None,
        lambda run: row(run, setting, pair.changed, left_out=bool(gone)),
    )


def arms_in_row(setting: Setting, pair: Inputs) -> int:
    """How many numbers of a row are arms."""
    hidden = len(pair.changed) if setting.own_hidden else 0
    return pair.shape[0] - hidden if setting.arms_seen else 0


def without_own(actions: NDArray[np.int16], pair: Inputs) -> NDArray[np.int16]:
    """The arms of the rounds that do not differ."""
    return np.delete(actions, [t - 1 for t in pair.changed], axis=1)


STOP = "the round in which it stops"


@dataclass(frozen=True)
class Names(Sequence[str]):
    """What the numbers of a row are: those of the arms, the round of the stop, then what is
    published, counted."""

    arms: tuple[str, ...]
    stop: tuple[str, ...]
    published: str

    @property
    def stop_at(self) -> int:
        """Which number is the round of the stop: before it are arms, or their features."""
        return len(self.arms)

    @property
    def said(self) -> str:
        published = self.published.replace("number", "numbers")
        known = ["arms" if self.arms else "", *self.stop, published]
        return " and ".join(filter(None, known))

    def __len__(self) -> int:
        return len(self.arms) + len(self.stop) + bool(self.published)

    def __getitem__(self, j: Any) -> Any:
        known = (*self.arms, *self.stop)
        return known[j] if j < len(known) else f"{self.published} {j - len(known) + 1}"


def names(setting: Setting, pair: Inputs, features: Sequence[str]) -> Sequence[str]:
    """Of a setting in which more is seen than arms. `features`: of the arms, where there are more
    than are looked at one by one."""
    if setting.only_arms:
        return features
    hidden = pair.changed if setting.own_hidden else []
    rounds = [t for t in range(1, pair.shape[0] + 1) if t not in hidden]
    shown = [f"the arm of round {t}" for t in rounds] if setting.arms_seen else []
    stop = (STOP,) if "stop" in setting.parts else ()
    what = [part for part in setting.parts if part not in ("actions", "others", "stop")]
    one = {"outputs": "output number", "reports": "report number", "shuffled": "shuffled number"}
    published = "published number" if len(what) > 1 else one[what[0]] if what else ""
    return Names(tuple(features if features and setting.arms_seen else shown), stop, published)


def about_features(text: str, names: Sequence[str], inside: NDArray[Any]) -> str:
    """An event of features in words, or of what is published, with the stop that is most frequent
    among the outputs `inside` it."""
    if isinstance(names, Names):
        text = text.replace("the output is", "what is seen of the run is").replace(
            "entries", f"numbers that are seen ({names.said})"
        )
        if not names.stop or text.startswith(STOP) or not len(inside):
            return text
        rounds, counts = np.unique(inside[:, names.stop_at], return_counts=True)
        return f"{text}; {STOP} is most often {rounds[counts.argmax()]:g}"
    if text.startswith("the first "):
        number = text.split()[2]
        return f"the last {number} actions are among those seen more often there"
    return text.replace("the output is", "the features of the actions are").replace(
        "the sum of the entries' log ratios", "the sum of the features' log ratios"
    )
