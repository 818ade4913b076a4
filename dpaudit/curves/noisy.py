"""The law of all action sequences of a learner that keeps Laplace noise, from its own steps.

Its steps run on linear forms of noise that has not been drawn: a noisy sum in a tree is one, and so
is an index made of it. What they compare is answered both ways, and each sequence of actions is a
set of linear inequalities, whose probability has a closed form. Covered are learners of two arms
whose only draws are Laplace, and which add, scale and compare them; another function of noise is
refused.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from types import FunctionType, SimpleNamespace
from typing import Any

import numpy as np

from dpaudit.curves.draws import STEP_ERROR, Fork
from dpaudit.curves.laplace import chance
from dpaudit.curves.losses import Worst
from dpaudit.curves.paths import Floats, Laws
from dpaudit.errors import UsageError
from dpaudit.play.tables import Configured

LONGEST, LONGEST_OF_ALL = 8, 6
"""Rounds of a pair of tables, and of all."""
NOT_LINEAR = "target: a function of noise that is not linear, which is not covered"
KEEPS = "allowed for a learner that keeps its noise are"
MOST_FORKS = 6
"""Comparisons of noise in one step."""
MOST_TERMS = 30_000
"""Of the closed form."""
Inequality = tuple["Form", "Form"]
"""The first is less than the second."""


@dataclass(frozen=True, eq=False)
class Form:
    """A number plus multiples of standard Laplace variables."""

    asks: Asks
    number: float
    parts: dict[int, float] = field(default_factory=dict)

    __array_ufunc__ = None  # numpy's numbers leave the arithmetic to us

    def _with(self, other: Any, sign: float) -> Form:
        if not isinstance(other, Form):
            return Form(self.asks, self.number + sign * float(other), self.parts)
        keys = [*self.parts, *(k for k in other.parts if k not in self.parts)]
        both = {k: self.parts.get(k, 0.0) + sign * other.parts.get(k, 0.0) for k in keys}
        return Form(self.asks, self.number + sign * other.number, both)

    def __add__(self, other: Any) -> Form:
        return self._with(other, 1.0)

    def __sub__(self, other: Any) -> Form:
        return self._with(other, -1.0)

    def __rsub__(self, other: Any) -> Form:
        return self.__mul__(-1.0)._with(other, 1.0)

    def __mul__(self, other: Any) -> Form:
        by = _plain_number(other)
        return Form(self.asks, self.number * by, {k: a * by for k, a in self.parts.items()})

    def __truediv__(self, other: Any) -> Form:
        by = _plain_number(other)
        return Form(self.asks, self.number / by, {k: a / by for k, a in self.parts.items()})

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> Form:
        return self * -1.0

    def __lt__(self, other: Any) -> bool:
        return self.asks.less(self, other)

    def __gt__(self, other: Any) -> bool:
        return self.asks.less(other, self)

    __le__, __ge__ = __lt__, __gt__  # noise is continuous

    def __float__(self) -> float:
        raise UsageError(NOT_LINEAR)

    def __eq__(self, other: object) -> bool:
        raise UsageError("target: asks whether noise is a number, which is not covered")

    __hash__ = None  # type: ignore[assignment]


def _plain_number(x: Any) -> float:
    if isinstance(x, Form):
        raise UsageError(NOT_LINEAR)
    return float(x)


class Asks:
    """In place of a generator: noise that is not drawn, and answers about it as told."""

    def __init__(self, drawn: int, answers: tuple[bool, ...] = ()) -> None:
        self.drawn, self._answers, self.asked = drawn, answers, list[Inequality]()

    def laplace(self, location: Any, scale: float) -> Form:
        self.drawn += 1
        noise = Form(self, 0.0, {self.drawn: float(scale)})
        return noise._with(location, 1.0)

    def __getattr__(self, name: str) -> Any:
        raise UsageError(f"target: draws {name}, which is not covered")

    def less(self, a: Any, b: Any) -> bool:
        apart = (a - b) if isinstance(a, Form) else Form(self, float(a)) - b
        if math.isinf(apart.number) or not any(apart.parts.values()):
            return bool(apart.number < 0.0)
        if len(self.asked) == len(self._answers):
            raise Fork
        answer = self._answers[len(self.asked)]
        zero = Form(self, 0.0)
        self.asked.append((apart, zero) if answer else (zero, apart))
        return answer


@dataclass(frozen=True)
class State:
    arms: list[Any]
    own: Any
    drawn: int = 0
    known: tuple[Inequality, ...] = ()


@dataclass(frozen=True)
class Path:
    """Actions, what was seen, and the inequalities that must hold."""

    actions: tuple[int, ...]
    seen: tuple[int, ...]
    known: tuple[Inequality, ...]

    def ball(self) -> Any:
        """Its probability."""
        noise = sorted({k for pair in self.known for form in pair for k in form.parts})
        rows, thresholds = np.zeros((len(self.known), len(noise))), np.zeros(len(self.known))
        for row, (low, high) in enumerate(self.known):
            apart = low - high
            thresholds[row] = -apart.number
            rows[row] = [apart.parts.get(k, 0.0) for k in noise]
        if math.comb(len(noise) + len(thresholds), len(thresholds)) > MOST_TERMS:
            raise UsageError("rounds: too much noise for so many rounds, allowed are fewer")
        return chance(rows, thresholds)


class Noisy:
    """A learner's steps on forms."""

    def __init__(self, who: Configured) -> None:
        self.full = who.algorithm.card.feedback == "full-information"
        rebind = functools.cache(_rebound)
        self._select = rebind(who.algorithm.select)
        self._observe = rebind(who.algorithm.observe)
        arms, owns = who.algorithm.fresh(who.settings)
        self.start = State([_plain(arm) for arm in arms], _plain(owns[0]))

    def _ways(self, state: State, step: Callable[..., Any]) -> Iterator[tuple[Any, State]]:
        """Each way through a step: what it returns, and the state after it."""
        open_: list[tuple[bool, ...]] = [()]
        while open_:
            answers = open_.pop()
            asks = Asks(state.drawn, answers)
            *arms, own = _aware([*state.arms, state.own], asks)
            try:
                returned = step(arms, own, asks)
            except Fork:
                if len(answers) >= MOST_FORKS:
                    raise UsageError("target: a step of too many comparisons") from None
                open_ += [(*answers, True), (*answers, False)]
                continue
            except (TypeError, AttributeError, IndexError) as error:
                raise UsageError(f"target: a step that is not covered ({error})") from None
            yield returned, State(arms, own, asks.drawn, (*state.known, *asks.asked))

    def paths(
        self, rounds: int, seen: Callable[[int, int], Sequence[tuple[int, Any]]]
    ) -> Iterator[Path]:
        """All paths of so many rounds. In round t, arm a sees each of `seen(t, a)`: a letter, and
        the reward."""
        open_: list[tuple[int, tuple[int, ...], tuple[int, ...], State]] = [(1, (), (), self.start)]
        while open_:
            t, actions, letters, state = open_.pop()
            for arm, chosen in self._ways(state, functools.partial(self._chosen, t)):
                if t == rounds:
                    yield Path((*actions, arm), letters, chosen.known)
                    continue
                for letter, reward in seen(t, arm):
                    after = self._ways(chosen, functools.partial(self._seen, arm, reward))
                    for _, state_after in after:
                        follows = (*actions, arm), (*letters, letter)
                        open_.append((t + 1, *follows, state_after))

    def _chosen(self, t: int, arms: Any, own: Any, asks: Asks) -> int:
        return int(self._select(arms, own, t, asks))

    def _seen(self, arm: int, reward: Any, arms: Any, own: Any, asks: Asks) -> None:
        self._observe(arms, own, arm, 1, reward, reward, asks)


def _plain(record: Any) -> Any:
    """A record whose fields hold anything."""
    fields = {name: record[name] for name in record.dtype.names}
    return SimpleNamespace(
        **{name: x.tolist() if hasattr(x, "tolist") else x for name, x in fields.items()}
    )


def _aware(records: list[Any], asks: Asks) -> list[Any]:
    """Copies of the records, whose forms put their questions to these answers."""

    def moved(value: Any) -> Any:
        if isinstance(value, Form):
            return Form(asks, value.number, value.parts)
        return [moved(each) for each in value] if isinstance(value, list) else value

    return [SimpleNamespace(**{k: moved(v) for k, v in vars(r).items()}) for r in records]


def _same(value: Any) -> Any:
    """In place of `float`."""
    return value if isinstance(value, Form) else float(value)


def _rebound(step: Any) -> Any:
    """The same code, in which `float` leaves forms as they are, here and in what it calls."""
    if not isinstance(step, FunctionType) or not step.__module__.startswith("dpaudit."):
        return step
    names = dict(step.__globals__)
    own = FunctionType(step.__code__, names, step.__name__, step.__defaults__, step.__closure__)
    own.__kwdefaults__ = step.__kwdefaults__
    for name in step.__code__.co_names:
        value = names.get(name)
        if isinstance(value, FunctionType) and value is not step:
            names[name] = _rebound(value)
    names["float"] = _same
    return own


def noisy_laws(who: Configured, here: Floats, there: Floats) -> Laws:
    """Of all sequences that can happen in one of the two worlds."""
    rounds = len(here)
    if rounds > LONGEST:
        raise UsageError(f"rounds: got {rounds}, {KEEPS} at most {LONGEST}")
    learner = Noisy(who)
    found = []
    for table in (here, there):

        def seen(t: int, arm: int, table: Floats = table) -> list[tuple[int, Any]]:
            row = table[t - 1]
            return [(0, row.copy() if learner.full else float(row[arm]))]

        found.append({a: p for (a, _), p in _sums(learner.paths(rounds, seen)).items()})
    sequences = sorted(set(found[0]) | set(found[1]))
    logs = np.array([[_log(law.get(a)) for a in sequences] for law in found])
    possible = (logs > -np.inf).any(axis=0)
    return Laws(logs[0, possible], logs[1, possible], STEP_ERROR * rounds)


def _sums(paths: Iterator[Path]) -> dict[tuple[tuple[int, ...], tuple[int, ...]], Any]:
    """Probabilities by actions and letters."""
    found: dict[tuple[tuple[int, ...], tuple[int, ...]], Any] = {}
    for path in paths:
        key = path.actions, path.seen
        found[key] = path.ball() + found.get(key, 0)
    return found


def _log(ball: Any) -> float:
    """-inf where it is 0, or so small that the ball contains 0."""
    return float(ball.log()) if ball is not None and ball > 0 else -math.inf


def letter_logs(who: Configured, rounds: int) -> Floats:
    """Log-probabilities by what the sequence is to see, a bit a round, and the sequence; the first
    round leads. What comes after the last choice is not seen."""
    learner = Noisy(who)
    if learner.full:
        raise UsageError("all: learners that keep noise and see all rewards are not covered")
    if rounds > LONGEST_OF_ALL:
        raise UsageError(f"rounds: got {rounds}, {KEEPS} at most {LONGEST_OF_ALL} for all tables")
    found = _sums(learner.paths(rounds, lambda *_: ((0, 0.0), (1, 1.0))))
    logs = np.full((2 ** (rounds - 1), 2**rounds), -np.inf)
    for (actions, seen), ball in found.items():
        logs[_number(seen), _number(actions)] = _log(ball)
    return logs


def _number(bits: Sequence[int]) -> int:
    return sum(bit << place for place, bit in enumerate(reversed(bits)))


def noisy_table_laws(logs: Floats) -> Floats:
    """By table and sequence, as `table_laws`."""
    seen_of, actions_of = len(logs).bit_length() - 1, logs.shape[1]
    found = np.empty((4**seen_of, actions_of))
    actions = np.arange(actions_of)
    for number, rows in enumerate(itertools.product(range(4), repeat=seen_of)):
        seen = np.zeros(actions_of, np.int64)
        for t, row in enumerate(rows):
            arm = (actions >> (seen_of - t)) & 1
            seen = 2 * seen + np.where(arm == 0, row >> 1, row & 1)
        found[number] = logs[seen, actions]
    return found


def noisy_losses(logs: Floats, most: int) -> list[Worst]:
    """epsilon(m) for m = 1, ..., most, as `worst_losses`, from the logs of `letter_logs`."""
    count, rounds = len(logs), logs.shape[1].bit_length() - 1
    differ = np.array([[(a ^ b).bit_count() for b in range(count)] for a in range(count)])
    with np.errstate(invalid="ignore"):
        apart = logs[:, None, :] - logs[None, :, :]
    apart[np.isneginf(logs)[:, None, :].repeat(count, axis=1)] = -np.inf
    found = []
    for m in range(1, most + 1):
        allowed = np.where((differ <= m)[:, :, None], apart, -np.inf)
        a, b, sequence = (int(i) for i in np.unravel_index(int(allowed.argmax()), allowed.shape))
        actions = [sequence >> (rounds - 1 - t) & 1 for t in range(rounds)]
        tables = np.zeros((2, rounds, 2))
        for table, seen in zip(tables, (a, b), strict=True):
            for t in range(rounds - 1):
                table[t, actions[t]] = seen >> (rounds - 2 - t) & 1
        found.append(Worst(m, float(allowed[a, b, sequence]), actions, tables[0], tables[1]))
    return found
