"""One round of an algorithm on symbols, along every way through its comparisons.

`select` and `observe` run as plain Python. In place of a generator stands one whose draws are noise
variables, in place of rewards stand private variables; a release returns its form and books
nothing, for both worlds are the same here. Each open comparison is answered every way in turn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dpaudit.algorithm.contract import BOOK, Algorithm, Settings
from dpaudit.auditor.engines.exact.steps.bands import (
    NEIGHBOUR,
    Asked,
    Condition,
    Contest,
    Neighbour,
    decided,
    note,
)
from dpaudit.auditor.engines.exact.steps.forms import Form, exact
from dpaudit.auditor.engines.exact.steps.records import Arms, Record, kinds
from dpaudit.machine import releases
from dpaudit.machine.compiling import Function, deep_copy
from dpaudit.machine.noisy_max import NOISES
from dpaudit.play.reach.steps import Unfit, admit

BOOKED = 2 * NEIGHBOUR
"""The number that stands for what is booked: it hangs on both worlds."""
MOST_WAYS = 4096
"""Ways through one round that are followed."""


class Ways:
    """Answers comparisons, each open one every way in turn, and notes what was answered."""

    def __init__(self) -> None:
        self.asked = Asked()
        self._answers: tuple[int, ...] = ()
        self._open: list[tuple[int, ...]] = []
        self._met = 0

    def through(self, run: Callable[[Asked], Any], before: Asked) -> Iterator[Any]:
        """What `run` gives on each way, starting with what was asked before."""
        self._open = [()]
        ways = 0
        while self._open:
            ways += 1
            if ways > MOST_WAYS:
                raise Unfit(f"a round has more than {MOST_WAYS} ways through its comparisons")
            self._answers, self._met = self._open.pop(), 0
            self.asked = before.copy()
            yield run(self.asked)

    def _choose(self, many: int) -> int:
        self._met += 1
        if self._met <= len(self._answers):
            return self._answers[self._met - 1]
        self._open += [(*self._answers, other) for other in range(many - 1, 0, -1)]
        self._answers = (*self._answers, 0)
        return 0

    def positive(self, form: Form) -> bool:
        if not form.noise:
            return self._condition(form, 1)
        answer = decided(self.asked, form)
        if answer is None:
            answer = self._choose(2) == 0
            note(self.asked, form, answer)
        return answer

    def zero(self, form: Form) -> bool:
        return False if form.noise else self._condition(form, 0)

    def _condition(self, form: Form, sign: int) -> bool:
        """A comparison of private numbers as they are, for rewards from 0 to 1."""
        if any(name >= NEIGHBOUR for name in form.data):
            raise Neighbour("a reward of the neighbouring world decides")
        least = form.constant + sum((w for w in form.data.values() if w < 0), exact(0))
        most = form.constant + sum((w for w in form.data.values() if w > 0), exact(0))
        if least > 0:
            return sign == 1
        if most < 0 or (most == 0 and sign == 1):
            return False
        for known in self.asked.conditions:
            if (known.data, known.constant, known.sign) == (form.data, form.constant, sign):
                return known.holds
        holds = self._choose(2) == 0
        self.asked.conditions.append(Condition(form.data, form.constant, sign, holds))
        return holds

    def whole(self, form: Form) -> int:
        """The whole part of a multiple of a uniform variable that is nowhere negative."""
        (name, *others) = form.noise or (-1,)
        if others or form.data or name < 0 or self.asked.kinds[name] != "uniform":
            raise Unfit("a noisy or private value is made a whole number")
        factor = form.noise[name]
        if factor < 0 or form.constant < 0:
            raise Unfit("a uniform variable that may be negative is made a whole number")
        first, last = int(form.constant.floor()), int((form.constant + factor).ceil()) - 1
        for number in range(first, last):
            if not self.positive(form - (number + 1)):
                return number
        return last

    def contest(self, scores: Any, scale: Any, noise: int) -> int:
        values = tuple(
            (score.data, score.constant) if isinstance(score, Form) else ({}, exact(score))
            for score in scores
        )
        if any(name >= NEIGHBOUR for data, _ in values for name in data):
            raise Neighbour("a reward of the neighbouring world decides")
        winner = self._choose(len(values))
        first = len(self.asked.kinds)
        self.asked.kinds += [NOISES[noise]] * len(values)
        self.asked.contests.append(Contest(values, winner, first, exact(scale), noise))
        return winner


class Draws:
    """In place of a generator: its draws are symbols."""

    def __init__(self, ways: Ways) -> None:
        self.ways = ways

    def _drawn(self, kind: str, loc: Any, scale: Any) -> Any:
        if isinstance(scale, Form) or not scale > 0:
            raise Unfit(f"{kind} noise of a scale that is no positive number is drawn")
        self.ways.asked.kinds.append(kind)
        number = len(self.ways.asked.kinds) - 1
        return loc + Form(self.ways, {number: exact(scale)}, {}, exact(0))

    def laplace(self, loc: Any = 0.0, scale: Any = 1.0) -> Any:
        return self._drawn("laplace", loc, scale)

    def normal(self, loc: Any = 0.0, scale: Any = 1.0) -> Any:
        return self._drawn("gaussian", loc, scale)

    def standard_normal(self) -> Any:
        return self._drawn("gaussian", 0.0, 1.0)

    def gumbel(self, loc: Any = 0.0, scale: Any = 1.0) -> Any:
        return self._drawn("gumbel", loc, scale)

    def exponential(self, scale: Any = 1.0) -> Any:
        return self._drawn("exponential", 0.0, scale)

    def standard_exponential(self) -> Any:
        return self._drawn("exponential", 0.0, 1.0)

    def random(self) -> Any:
        return self._drawn("uniform", 0.0, 1.0)

    def uniform(self, low: Any = 0.0, high: Any = 1.0) -> Any:
        return self._drawn("uniform", low, high - low)

    def __getattr__(self, name: str) -> Any:
        raise Unfit(f"noise of the kind {name} is drawn")


def _one_world(release: Callable[..., Any]) -> Callable[..., Any]:
    """The release itself, with the same values in both worlds: it books nothing."""

    def released(own: Any, value: Any, _: Any, *law: Any) -> Any:
        return release(own, value, value, *law)

    return released


def _noisy_argmax(own: Any, scores: Any, there: Any, scale: Any, noise: Any, rng: Any) -> int:
    """One question of as many answers as there are scores, where these have no noise yet."""
    if any(isinstance(score, Form) and score.noise for score in scores) or not scale > 0:
        return releases.noisy_argmax(own, scores, scores, scale, noise, rng)
    return int(rng.ways.contest(scores, scale, int(noise)))


REPLACED = {
    releases.laplace: _one_world(releases.laplace),
    releases.gaussian: _one_world(releases.gaussian),
    releases.unprotected: _one_world(releases.unprotected),
    releases.noisy_argmax: _noisy_argmax,
}


def _float(value: Any = 0.0) -> Any:
    """In place of the built-in, which would make a number of a form."""
    return value if isinstance(value, Form) else float(value)


def _on_forms(algorithm: Algorithm) -> dict[str, Any]:
    """The steps with all that they call, the releases being those of one world."""

    def made(function: Function) -> Function:
        admit(function)
        function.__globals__.setdefault("float", _float)
        return function

    done: dict[Any, Any] = dict(REPLACED)
    steps = {"select": algorithm.select, "observe": algorithm.observe, "start": algorithm.start}
    return {name: made(deep_copy(step, made, done)) for name, step in steps.items()}  # type: ignore[arg-type]


@dataclass
class Place:
    """Where a path stands: the state behind its rounds, and what it has asked."""

    arms: Arms
    own: Record
    asked: Asked = field(default_factory=Asked)
    actions: tuple[int, ...] = ()

    @property
    def clean(self) -> bool:
        """Whether nothing of the noise and the data is left in the state."""
        values = (value for record in (*self.arms, self._unbooked) for value in record.all())
        return not any(isinstance(value, Form) for value in values)

    @property
    def _unbooked(self) -> Record:
        own = self.own.copy()
        for name in BOOK:
            own[name] = 0.0
        return own

    @property
    def key(self) -> tuple[Any, ...]:
        """What a clean state is, to the last bit."""
        values = (value for record in (*self.arms, self._unbooked) for value in record.all())
        return tuple(value.tobytes() for value in values)


class Rounds:
    """An algorithm's rounds on symbols. The neighbour's rewards are symbols too, none of which may
    decide anything; or, with `beside`, numbers."""

    def __init__(
        self, algorithm: Algorithm, settings: Settings, beside: Callable[[int], float] | None = None
    ) -> None:
        self.ways, self._beside = Ways(), beside
        self._draws = Draws(self.ways)
        self._arms = int(settings["arms"])
        self._steps = _on_forms(algorithm)
        self._all = algorithm.card.feedback != "bandit"
        arms, owns = algorithm.fresh(dict(settings))
        of_arm, of_own = kinds(algorithm.arm_dtype), kinds(algorithm.own_dtype)
        records = Arms(Record.of(of_arm, arm) for arm in arms)
        self.start = Place(records, Record.of(of_own, owns[0]))
        for name in BOOK:  # a step that decides by it decides by the neighbour's rewards
            self.start.own[name] = self._variable(BOOKED)

    def after(self, place: Place, t: int) -> Iterator[Place]:
        """Where round t leads from there."""

        def run(asked: Asked) -> Place:
            arms, own = place.arms.copy(), place.own.copy()
            arm = self._steps["select"](arms, own, t, self._draws)
            if isinstance(arm, Form) or not 0 <= arm < self._arms:
                raise Unfit(f"round {t} has no arm")
            arm = int(arm)
            here, there = self._rewards(t, arm, 0), self._rewards(t, arm, NEIGHBOUR)
            self._steps["observe"](arms, own, arm, 1, here, there, self._draws)
            return Place(arms, own, asked, (*place.actions, arm))

        return self.ways.through(run, place.asked)

    def _rewards(self, t: int, arm: int, world: int) -> Any:
        """Variables of the round: of the arm that is pulled, or of all."""
        first = (t - 1) * self._arms
        if world and self._beside is not None:
            if not self._all:
                return np.float64(self._beside(first + arm))
            return np.array([self._beside(first + j) for j in range(self._arms)])
        if not self._all:
            return self._variable(world + first + arm)
        row = np.empty(self._arms, object)
        row[:] = [self._variable(world + first + j) for j in range(self._arms)]
        return row

    def _variable(self, number: int) -> Form:
        return Form(self.ways, {}, {number: exact(1)}, exact(0))
