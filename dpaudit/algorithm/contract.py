"""The contract of an algorithm: its state, and a few steps over it.

The steps are plain Python functions in the subset that numba compiles, written once: the same
source runs as plain Python and compiled, with the same draws. The files of `algorithms/` fill it
in; `dpaudit.machine` binds the steps into drivers, and `dpaudit.play` plays them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from dpaudit.algorithm.card import Card, Notion
from dpaudit.algorithm.exact import Exact
from dpaudit.errors import UsageError, check_number, unknown

Arms: TypeAlias = Any
"""Array of one record per arm; its fields are those the algorithm declares."""
Own: TypeAlias = Any
"""The learner's own record: the book, epsilon, the parameters, and what the algorithm declares."""
Settings: TypeAlias = Mapping[str, Any]
"""What a run was set to: arms, epsilon, horizon and every parameter by name."""

BOOK = {"loss": float, "pure": float, "gdp": float}
"""What releases book in the learner's record: the realised privacy loss; the sum of the worst
losses of the pure releases; the sum of the squared GDP parameters of the Gaussian releases."""


PACE = {"neglected": float, "level": float, "chance": float, "share": float, "kept": int}
"""What far play keeps beside the state: the chance that its leaps have neglected so far; the level
and chance of a candidate round that comes next; how far to leap; what a stretch likes to keep."""
LAW = {"a": float, "b": float, "chance": float}
"""And for each arm: the law of its next draw, and the chance that this exceeds a level."""


def no_start(arms: Arms, own: Own) -> None:
    """For algorithms whose state starts at zero."""


def each_arm_once(arms: Arms, own: Own) -> int:
    """The opening of most bandit algorithms: the first K rounds."""
    return len(arms)


def no_opening(arms: Arms, own: Own) -> int:
    """Every round's choice may depend on data or chance."""
    return 0


def first_round(arms: Arms, own: Own) -> int:
    """The opening of an epoch-based learner with full information: its first choice."""
    return 1


def no_leap(arms: Arms, own: Own, t: int, arm: int) -> int:
    """For algorithms that may choose anew in every round."""
    return 1


def never(settings: Settings) -> bool:
    """For algorithms that take payoffs as they are."""
    return False


def _fields(declared: Mapping[str, Any]) -> np.dtype[Any]:
    taken = set(dir(np.record))
    clashing = sorted(taken & set(declared))
    if clashing:
        raise TypeError(f"state field {clashing[0]!r} is a name of numpy's own; choose another")
    parts = [
        (name, kind[0], (kind[1],)) if isinstance(kind, tuple) else (name, kind)
        for name, kind in declared.items()
    ]
    return np.dtype(parts, align=True)


@dataclass(frozen=True, eq=False)
class Algorithm:
    """A catalogue entry: the card, the state's fields, and the steps.

    - `start(arms, own)` sets what does not start at zero (no data is seen yet);
    - `select(arms, own, t, rng)` returns the arm for round t (arms from 0, rounds from 1);
    - `observe(arms, own, arm, pulls, reward, reward_in_neighbour, rng)` takes the feedback of
      `pulls` rounds with the same choice, in both worlds, and makes the releases;
    - `leap(arms, own, t, arm)` tells for how many rounds from t on the choice stays `arm`;
    - `stretch(arms, own, pace, laws, t, last, rng)` is for far play: it returns an arm and the
      number of rounds, up to round `last`, for which it is played. Its draws are others than those
      of `select`, the law of what is played is the same, but for the chance that it adds to
      `pace.neglected`. Nothing is booked in far play: there is one world;
    - `take` is what `observe` does with all rounds of a stretch, if that knows single ones only.
    """

    card: Card
    arm: Mapping[str, Any]
    own: Mapping[str, Any]
    select: Callable[..., int]
    observe: Callable[..., None]
    leap: Callable[..., int] = no_leap
    start: Callable[..., None] = no_start
    opening: Callable[..., int] = each_arm_once
    """How many of the first rounds are played the same whatever the data and the draws."""

    exact: Exact | None = None
    """The mathematics from which exact regret may be computed."""
    invariant: Callable[[Any, Own], tuple[Any, ...]] | None = None
    """What holds before every round of any arm's record and the learner's own. A proof may need it,
    and checks it; in it `&` is "and", `|` is "or"."""
    stretch: Callable[..., tuple[int, int]] | None = None
    take: Callable[..., None] | None = None
    redraws: Callable[[Settings], bool] = never
    """Whether payoffs are replaced by Bernoulli variables of the same mean. Then all environments
    of the same means are alike; far play takes the Bernoulli one, where nothing is left to redraw.
    """
    in_order: bool = True
    """Its stretches are played in the order of the rounds; otherwise they do not tell how often it
    goes from one arm to another."""
    lazy: bool = False
    """Its leaps grow with the horizon, so that a run takes O(K log T) steps, not T."""

    @functools.cached_property
    def arm_dtype(self) -> np.dtype[Any]:
        return _fields(self.arm)

    @property
    def longest(self) -> int:
        """The longest horizon that there is room for: an arm's array has a place for each bit of a
        number of rounds."""
        sizes = [int(kind[1]) for kind in self.arm.values() if isinstance(kind, tuple)]
        return int(2 ** min([62, *sizes])) - 1

    @functools.cached_property
    def own_dtype(self) -> np.dtype[Any]:
        """The learner's own record: the book first, then epsilon, horizon, parameters, the rest."""
        parameters: dict[str, Any] = {p.name: float for p in self.card.parameters}
        horizon = {} if self.card.anytime else {"horizon": int}
        return _fields({**BOOK, "epsilon": float, **horizon, **parameters, **self.own})

    @functools.cached_property
    def layout(self) -> str:
        return f"{self.arm_dtype.descr} {self.own_dtype.descr}"

    def settings(
        self, *, arms: int, epsilon: float | None, horizon: int | None, given: Settings
    ) -> dict[str, Any]:
        """Check what a run is set to and fill in the defaults; a bad one is a UsageError."""
        if epsilon is not None:
            epsilon = check_number("epsilon", epsilon, 0.0, self.card.epsilon_max, low_open=True)
        known = {p.name: p for p in self.card.parameters}
        for name in given:
            if name not in known:
                if not known:
                    raise UsageError(f"{name}: {self.card.name} has no parameters")
                raise unknown(f"parameter of {self.card.name}", name, known)
            if name in self.card.fixed and given[name] != self.card.fixed[name]:
                raise UsageError(
                    f"{name}: got {given[name]!r}, but {self.card.name} is the entry with "
                    f"{name} = {self.card.fixed[name]}"
                )
        if epsilon is None and self.card.privacy.notion in (Notion.PURE, Notion.APPROXIMATE):
            raise UsageError(
                f"epsilon: {self.card.name} needs one, allowed is a number in (0, inf)"
            )
        if horizon is None and not self.card.anytime:
            raise UsageError(f"horizon: {self.card.name} is not anytime and needs one")
        chosen = {p.name: p.default for p in self.card.parameters}
        chosen.update(self.card.fixed)
        chosen.update({name: known[name].read(value) for name, value in given.items()})
        return {
            "arms": arms,
            "epsilon": 1.0 if epsilon is None else epsilon,
            "horizon": horizon,
            **chosen,
        }

    def claim(
        self, *, arms: int, epsilon: float, horizon: int, given: Settings
    ) -> tuple[Any, float, float] | None:
        """What the card claims at these settings: notion, level and delta; None if nothing."""
        privacy = self.card.privacy
        if privacy.notion == Notion.NONE:
            return None
        settings = self.settings(arms=arms, epsilon=epsilon, horizon=horizon, given=given)
        approximate = privacy.notion == Notion.APPROXIMATE
        delta = float(settings.get("delta", 0.0)) if approximate else 0.0
        return privacy.notion.value, float(privacy.level(settings)), delta

    def steps(self, rounds: int, *, leaping: bool) -> int:
        """About how many steps a run takes; blocks of runs are cut by it."""
        return min(rounds, 256 * rounds.bit_length()) if leaping and self.lazy else rounds

    def fresh(self, settings: Settings) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        """The state before the first round: the arms' records, and the learner's as an array.

        Both are `recarray`s, so that plain Python reads `arm.pulls` as compiled code does.
        """
        arms = np.zeros(settings["arms"], self.arm_dtype).view(np.recarray)
        owns = np.zeros(1, self.own_dtype).view(np.recarray)
        own = owns[0]
        own.epsilon = settings["epsilon"]
        if not self.card.anytime:
            own.horizon = settings["horizon"]
        for parameter in self.card.parameters:
            value = settings[parameter.name]
            # A word is held by its place among the words.
            setattr(
                own, parameter.name, parameter.words.index(str(value)) if parameter.words else value
            )
        self.start(arms, own)
        return arms, owns

    def pace(self, arms: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        """For far play: what is kept beside the state, now and before the first round; the laws."""
        pace = np.zeros(2, _fields(PACE)).view(np.recarray)
        return pace, np.zeros(arms, _fields(LAW)).view(np.recarray)
