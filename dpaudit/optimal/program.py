"""The linear program of the best private learner.

Its variables are x[a|o], the probability that a learner who is shown the letters o plays the
actions a, for each history (a, o), up to renaming. Its rows say that the probabilities of what
follows a history sum up to its own, and that whole histories whose letters differ in one place are
within e^epsilon of each other: shorter ones are sums of them. With delta > 0 what is beyond is a
variable of its own, and for each pair of letter sequences these sum up to delta at most.

Nothing here merges histories by counts: a learner that forgets the order of what it saw is as good
but perhaps not as private, for privacy is about all its actions at once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from dpaudit.errors import UsageError
from dpaudit.optimal.orbits import Ints, Orbits, Renamed
from dpaudit.optimal.question import Question

Floats = NDArray[np.float64]

BYTES_A_PAIR = 2_000
"""Of memory, about, that HiGHS takes for a pair of histories (1,100 at T = 7, K = 2)."""
ARRAYS = 20
"""Numbers for each pair that the interior-point method holds at once, about."""
MOST_BYTES = 12 * 2**30


@dataclass(frozen=True)
class Pairs:
    """Whole histories that differ in one letter, up to renaming: here and there are histories'
    orbits, code and size the pair's own. A code is (history, place, new letter) in mixed digits."""

    here: Ints
    there: Ints
    code: Ints
    size: Ints


@dataclass(frozen=True)
class Program:
    """Minimise cost x, where equal x = right and, for the pairs, x[here] <= ratio x[there]."""

    question: Question
    levels: list[Orbits]
    offsets: list[int]
    """Where each level's variables begin, and their number."""
    cost: Floats
    equal: csr_array
    right: Floats
    pairs: Pairs
    groups: Ints | None
    """With delta > 0: to which pair of letter sequences, up to renaming, a pair belongs, once for
    each action sequence (row: the group; column: pairs)."""


def size_of(question: Question) -> tuple[int, int]:
    """About how many variables and pairs the program has."""
    group, k, letters = math.factorial(question.arms), question.arms, len(question.letters)
    whole = k**question.levels * letters ** question.seen(question.levels)
    variables = sum(
        k**level * letters ** question.seen(level) for level in range(1, question.levels + 1)
    )
    pairs = whole * question.seen(question.levels) * (letters - 1)
    return -(-variables // group), -(-pairs // group)


def bytes_of(question: Question) -> int:
    """About how much memory the solver will take."""
    pairs = size_of(question)[1]
    if question.delta:
        return pairs * BYTES_A_PAIR
    held, k, letters = ARRAYS * pairs, question.arms, len(question.letters)
    for level in range(2, question.levels + 1):
        # What is eliminated (`interior.newton`), and what it is a function of.
        last = (k - 1) * letters ** question.seen(level)
        if level == question.levels and k == 2:
            last -= last // letters
        held += k ** (level - 2) * last * (last + letters ** question.seen(level - 1))
    return 8 * held


def check_size(question: Question, most: int = MOST_BYTES) -> int:
    """The number of pairs. What does not fit is refused before anything is built."""
    variables, pairs = size_of(question)
    needed = bytes_of(question)
    if needed > most:
        raise UsageError(
            f"rounds: a program of {variables:,} variables and {pairs:,} pairs of histories needs "
            f"about {needed / 2**30:,.0f} GB, allowed are {most / 2**30:g}"
        )
    return pairs


def ratio_above(epsilon: Fraction) -> Fraction:
    """A short fraction that is not less than e^epsilon."""
    near = Fraction(math.nextafter(math.exp(float(epsilon)), math.inf)) * (1 + Fraction(1, 2**50))
    return Fraction(math.ceil(near * 2**48), 2**48)


def build(question: Question, *, reduced: bool = True) -> Program:
    """`reduced=False` leaves out the renamings, for a test."""
    check_size(question)
    renamed = Renamed(question)
    if not reduced:
        renamed.renamings, renamed.letters = renamed.renamings[:1], renamed.letters[:1]
    spans = range(1, question.levels + 1)
    levels = [Orbits.under(renamed.histories(t, question.seen(t))) for t in spans]
    offsets = [0, *np.cumsum([len(level) for level in levels]).tolist()]
    cost = np.concatenate(
        [np.bincount(level.of, costs(question, t), len(level)) for t, level in enumerate(levels, 1)]
    )
    equal, right = _consistent(question, levels, offsets)
    pairs, groups = _pairs(question, renamed, levels[-1])
    return Program(question, levels, offsets, cost, equal, right, pairs, groups)


def chances(question: Question, instance: int, level: int) -> Floats:
    """Probability of a history's letters in an instance, given its actions; a row an action
    sequence of the level, a column a letter sequence."""
    k, letters = question.arms, len(question.letters)
    single = np.array(
        [[float(question.likelihood(instance, o, a)) for o in range(letters)] for a in range(k)]
    )
    found = np.ones((1, 1))
    if question.full:
        for _ in range(level):
            found = np.kron(found, single[:1])
        return np.broadcast_to(found, (k**level, found.shape[1]))
    for _ in range(level - 1):
        found = np.einsum("ao,bp->abop", found, single).reshape(len(found) * k, -1)
    return np.repeat(found, k, axis=0)


def costs(question: Question, level: int) -> Floats:
    """What a history's last action costs, on average over the instances; by code."""
    k = question.arms
    last = np.arange(k**level) % k
    total: Any = 0.0
    for instance in range(k):
        total = total + (last != instance)[:, None] * chances(question, instance, level)
    return np.asarray(float(question.gap) / k * total).ravel()


def _consistent(
    question: Question, levels: list[Orbits], offsets: list[int]
) -> tuple[csr_array, Floats]:
    """What follows a history, for each letter that may be seen, sums up to it; at first to 1."""
    k, letters = question.arms, len(question.letters)
    rows, columns, values, right, row = [], [], [], [], 0
    for t, level in enumerate(levels, 1):
        seen = letters ** question.seen(t)
        before = seen // letters ** (question.seen(t) - question.seen(t - 1)) if t > 1 else 1
        of = level.of.reshape(k ** (t - 1), k, seen) + offsets[t - 1]
        after = of.transpose(0, 2, 1).reshape(-1, k)
        parent = np.full(len(after), -1)
        if t > 1:
            above = levels[t - 2].of.reshape(k ** (t - 1), before) + offsets[t - 2]
            parent = np.repeat(above, seen // before, axis=1).ravel()
        # Renamings of one history give the same row.
        distinct = np.unique(np.column_stack([np.sort(after, axis=1), parent]), axis=0)
        here = row + np.arange(len(distinct))
        for c in range(k):
            rows.append(here)
            columns.append(distinct[:, c])
            values.append(np.ones(len(here)))
        if t > 1:
            rows.append(here)
            columns.append(distinct[:, k])
            values.append(-np.ones(len(here)))
        right.append(np.full(len(here), 1.0 if t == 1 else 0.0))
        row += len(here)
    shape = (row, offsets[-1])
    entries = np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))
    return coo_array(entries, shape=shape).tocsr(), np.concatenate(right)


def _pairs(question: Question, renamed: Renamed, whole: Orbits) -> tuple[Pairs, Ints | None]:
    """All pairs, one of each orbit."""
    k, n, letters = question.arms, question.levels, len(question.letters)
    seen = question.seen(n)
    places = seen * letters
    images = []
    for of, moved in zip(renamed.histories(n, seen), renamed.letters, strict=True):
        other = (np.arange(seen)[:, None] * letters + moved[None, :]).ravel()
        images.append((of[:, None] * places + other[None, :]).ravel())
    orbits = Orbits.under(images)
    history, rest = np.divmod(orbits.member, places)
    place, letter = np.divmod(rest, letters)
    unit = letters ** (seen - 1 - place)
    old = history // unit % letters
    real = np.flatnonzero(old != letter)
    there = history + (letter - old) * unit
    pairs = Pairs(
        whole.of[history][real], whole.of[there][real], orbits.member[real], orbits.size[real]
    )
    if not question.delta:
        return pairs, None
    number = np.full(len(orbits), -1)
    number[real] = np.arange(len(real))
    table = number[orbits.of].reshape(k**n, letters**seen * places).T
    table = table[table[:, 0] >= 0]
    return pairs, np.unique(np.sort(table, axis=1), axis=0)
