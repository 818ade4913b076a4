"""What the best learner does after each history, and where a learner of the catalogue differs.

The catalogue's is played on a table for each letter sequence, and its choices are counted: a
difference comes with a radius that holds for all histories together.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np

from dpaudit.errors import UsageError
from dpaudit.optimal.program import Floats, chances
from dpaudit.optimal.question import Question
from dpaudit.play.catalogue import find
from dpaudit.play.tables import play_tables
from dpaudit.results.optima import Choice, Policy

ERROR = 1e-6
"""Probability that any of a policy's radii is too small."""
RUNS = 20_000
MOST_TABLES = 243
TYPICAL = {"full-information": "rnm-ftnl-gumbel", "bandit": "anytime-lazy-ucb"}
"""With whom the best one is compared if nobody is named."""


def check_beside(question: Question, name: str) -> None:
    """Whether a learner of the catalogue can be played on all letter sequences."""
    card = find(name).card
    if card.feedback != question.feedback:
        raise UsageError(f"policy: {name} learns from {card.feedback}, not {question.feedback}")
    tables = len(question.letters) ** question.seen(question.levels)
    if tables > MOST_TABLES:
        raise UsageError(f"policy: {tables:,} letter sequences, allowed are {MOST_TABLES}")


def policy(
    question: Question,
    learner: Floats,
    name: str,
    *,
    runs: int = RUNS,
    seed: int = 0,
    progress: Callable[[str], None] = lambda _: None,
) -> Policy:
    """Of a learner (`Solved.learner`), beside one of the catalogue."""
    check_beside(question, name)
    theirs = by_level(question, _played(question, name, runs, seed, progress))
    mine = by_level(question, learner)
    histories = sum(level.size // question.arms for level in mine)
    choices, before = [], np.ones((1, 1))
    for t, (here, there) in enumerate(zip(mine, theirs, strict=True), 1):
        wider = here.shape[1] // before.shape[1]
        before = np.repeat(before, wider, axis=1)
        likely = np.mean([chances(question, i, t) for i in range(question.arms)], axis=0)
        tables = len(question.letters) ** (question.seen(question.levels) - question.seen(t))
        for a, o in np.ndindex(before.shape):
            rows = slice(a * question.arms, (a + 1) * question.arms)
            visited = float(there[rows, o].sum())
            times = visited * runs * tables
            # Hoeffding's inequality, for each arm of each history.
            radius = math.sqrt(
                math.log(2 * histories * question.arms / ERROR) / (2 * max(times, 1e-9))
            )
            choices.append(
                Choice(
                    actions=_digits(a, question.arms, t - 1),
                    letters=_shown(question, o, question.seen(t)),
                    reached=float(before[a, o] * likely[a * question.arms, o]),
                    best=(here[rows, o] / before[a, o]).tolist(),
                    other=(there[rows, o] / visited).tolist() if times else None,
                    radius=min(1.0, radius * question.arms / 2),
                )
            )
        before = here
    return Policy(other=name, runs=runs, choices=choices)


def by_level(question: Question, learner: Floats) -> list[Floats]:
    """Probabilities of histories of each length. What is seen later is averaged over."""
    found, k = [learner], question.arms
    for level in range(question.levels - 1, 0, -1):
        shorter = found[0].reshape(k**level, k, -1).sum(axis=1)
        width = len(question.letters) ** question.seen(level)
        found.insert(0, shorter.reshape(k**level, width, -1).mean(axis=2))
    return found


def _played(
    question: Question, name: str, runs: int, seed: int, progress: Callable[[str], None]
) -> Floats:
    """How often each action sequence was played for each letter sequence."""
    card, k, levels = find(name).card, question.arms, question.levels
    epsilon = float(question.epsilon) if card.privacy.notion != "none" else None
    seen = question.seen(levels)
    found = np.zeros((k**levels, len(question.letters) ** seen))
    for column, letters in enumerate(itertools.product(question.letters, repeat=seen)):
        progress(f"{name} on table {column + 1} of {found.shape[1]}")
        table = np.zeros((question.rounds, k))
        # With bandit feedback a letter is the loss of whoever is pulled.
        table[:seen] = letters
        rewards = table if card.payoff == "losses" else 1.0 - table
        plays = play_tables(name, rewards, epsilon=epsilon, runs=runs, seed=seed + column)
        code = plays.actions[:, -levels:] @ k ** np.arange(levels - 1, -1, -1)
        found[:, column] = np.bincount(code, minlength=k**levels) / runs
    return found


def _digits(code: int, base: int, many: int) -> str:
    return "".join(str(code // base**p % base) for p in range(many - 1, -1, -1))


def _shown(question: Question, code: int, many: int) -> str:
    """Losses, a round after the other."""
    size = len(question.letters)
    places = [code // size**p % size for p in range(many - 1, -1, -1)]
    return " ".join("".join(map(str, question.letters[place])) for place in places)
