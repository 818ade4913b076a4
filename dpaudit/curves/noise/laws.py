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
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpaudit.curves.automaton import BINARY
from dpaudit.curves.draws import STEP_ERROR, Fork
from dpaudit.curves.losses import Worst
from dpaudit.curves.noise.forms import Asks, Fields, Inequality, aware, rebound
from dpaudit.curves.noise.laplace import chance
from dpaudit.curves.paths import Floats, Laws
from dpaudit.errors import UsageError
from dpaudit.play.tables import Configured

LONGEST, LONGEST_OF_ALL = 8, 6
"""Rounds of a pair of tables, and of all."""
Progress = Callable[[int], None]
"""Is told how many sequences are done."""
KEEPS = "allowed for a learner that keeps its noise are"
MOST_FORKS = 6
"""Comparisons of noise in one step."""
MOST_TERMS = 30_000
"""Of the closed form."""


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
        rebind = functools.cache(rebound)
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
            *arms, own = aware([*state.arms, state.own], asks)
            try:
                returned = step(arms, own, asks)
            except Fork:
                if len(answers) >= MOST_FORKS:
                    raise UsageError("target: a step of too many comparisons") from None
                open_ += [(*answers, True), (*answers, False)]
                continue
            except UsageError:
                raise
            except (TypeError, ValueError, AttributeError, IndexError) as error:
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
    """A record whose fields hold forms, too, where they are of floats."""
    fields = {name: record[name] for name in record.dtype.names}
    whole = frozenset(n for n in fields if record.dtype[n].kind in "iu")
    return Fields(
        **{name: x.tolist() if hasattr(x, "tolist") else x for name, x in fields.items()},
        whole_numbers=whole,
    )


def noisy_laws(
    who: Configured, here: Floats, there: Floats, progress: Progress = lambda _: None
) -> Laws:
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

        found.append({a: p for (a, _), p in _sums(learner.paths(rounds, seen), progress).items()})
    sequences = sorted(set(found[0]) | set(found[1]))
    logs = np.array([[_log(law.get(a)) for a in sequences] for law in found])
    possible = (logs > -np.inf).any(axis=0)
    return Laws(logs[0, possible], logs[1, possible], STEP_ERROR * rounds)


def _sums(
    paths: Iterator[Path], progress: Progress
) -> dict[tuple[tuple[int, ...], tuple[int, ...]], Any]:
    """Probabilities by actions and letters."""
    found: dict[tuple[tuple[int, ...], tuple[int, ...]], Any] = {}
    for done, path in enumerate(paths):
        progress(done)
        key = path.actions, path.seen
        found[key] = path.ball() + found.get(key, 0)
    return found


def _log(ball: Any) -> float:
    """-inf where it is 0; what is too small to be told from 0 is refused: its loss is finite."""
    if ball is None or ball.is_zero():
        return -math.inf
    if not ball > 0:
        raise UsageError("epsilon: a probability below 1e-120 is not resolved; allowed is less")
    return float(ball.log())


def letter_logs(
    who: Configured, rounds: int, levels: int = BINARY, progress: Progress = lambda _: None
) -> Floats:
    """Log-probabilities by what the sequence is to see, a digit a round to the base of the levels,
    and the sequence; the first round leads. What comes after the last choice is not seen."""
    learner = Noisy(who)
    if learner.full:
        raise UsageError("all: learners that keep noise and see all rewards are not covered")
    if levels ** (rounds - 1) > 2 ** (LONGEST_OF_ALL - 1):
        raise UsageError(
            f"rounds: got {rounds}, {KEEPS} at most {LONGEST_OF_ALL} for all tables, "
            "and fewer with more levels"
        )
    rewards = list(enumerate(np.linspace(0.0, 1.0, levels).tolist()))
    found = _sums(learner.paths(rounds, lambda *_: rewards), progress)
    logs = np.full((levels ** (rounds - 1), 2**rounds), -np.inf)
    for (actions, seen), ball in found.items():
        logs[_number(seen, levels), _number(actions, 2)] = _log(ball)
    return logs


def _number(digits: Sequence[int], base: int) -> int:
    return sum(digit * base**place for place, digit in enumerate(reversed(digits)))


def noisy_table_laws(logs: Floats, levels: int = BINARY) -> Floats:
    """By table and sequence, as `table_laws`."""
    actions = np.arange(logs.shape[1])
    seen_of = logs.shape[1].bit_length() - 2
    found = np.empty((levels ** (2 * seen_of), len(actions)))
    for number, rows in enumerate(itertools.product(range(levels**2), repeat=seen_of)):
        seen = np.zeros(len(actions), np.int64)
        for t, row in enumerate(rows):
            arm = (actions >> (seen_of - t)) & 1
            seen = levels * seen + np.where(arm == 0, row // levels, row % levels)
        found[number] = logs[seen, actions]
    return found


def noisy_losses(logs: Floats, most: int, levels: int = BINARY) -> list[Worst]:
    """epsilon(m) for m = 1, ..., most, as `worst_losses`, from the logs of `letter_logs`."""
    count, rounds = len(logs), logs.shape[1].bit_length() - 1
    places = levels ** np.arange(rounds - 2, -1, -1)
    digits = np.arange(count)[:, None] // places % levels
    differ = (digits[:, None, :] != digits[None, :, :]).sum(axis=2)
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
                table[t, actions[t]] = digits[seen, t] / (levels - 1)
        found.append(Worst(m, float(allowed[a, b, sequence]), actions, tables[0], tables[1]))
    return found
