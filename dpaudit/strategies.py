"""Hypothesis strategies: reward tables, neighbouring pairs, environments. They shrink towards what
a person can check: few rounds, few arms, rewards 0, the change in the first round."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpaudit.errors import extras_for
from dpaudit.results.found import Floats, Pair

with extras_for("dpaudit.strategies"):
    from hypothesis import strategies as st

Size = st.SearchStrategy[int] | int
ARMS, MORE_ARMS, ROUNDS = st.integers(2, 4), st.integers(2, 5), st.integers(1, 12)


@dataclass(frozen=True)
class StochasticEnvironment:
    """Mean rewards and how they are drawn, as `dpaudit.regret` takes them."""

    means: list[float]
    environment: str


def rewards(*, binary: bool = True) -> st.SearchStrategy[float]:
    """One reward: 0 or 1, or, with `binary=False`, anything in [0, 1]."""
    corners = st.sampled_from([0.0, 1.0])
    if binary:
        return corners
    return corners | st.floats(0.0, 1.0, allow_subnormal=False)


def reward_rows(arms: int, *, binary: bool = True) -> st.SearchStrategy[list[float]]:
    """One reward vector: a reward for each arm."""
    return st.lists(rewards(binary=binary), min_size=arms, max_size=arms)


@st.composite
def reward_tables(
    draw: st.DrawFn,
    *,
    arms: Size = ARMS,
    rounds: Size = ROUNDS,
    binary: bool = True,
) -> Floats:
    """A table of rewards, rounds x arms."""
    width, length = _drawn(draw, arms), _drawn(draw, rounds)
    rows = st.lists(reward_rows(width, binary=binary), min_size=length, max_size=length)
    return np.array(draw(rows), dtype=np.float64).reshape(length, width)


@st.composite
def neighbouring_pairs(
    draw: st.DrawFn,
    *,
    arms: Size = ARMS,
    rounds: Size = ROUNDS,
    binary: bool = True,
) -> Pair:
    """Two tables that differ in exactly one row."""
    width, length = _drawn(draw, arms), _drawn(draw, rounds)
    changed = draw(st.integers(0, length - 1))
    table = draw(reward_tables(arms=width, rounds=length, binary=binary))
    neighbour = table.copy()
    neighbour[changed] = draw(reward_rows(width, binary=binary))
    if np.array_equal(neighbour[changed], table[changed]):
        # Rather than draw again: the last arm's reward moves to the end that is farther away.
        neighbour[changed, -1] = 1.0 if table[changed, -1] < 0.5 else 0.0
    return Pair(table, neighbour, changed + 1)


@st.composite
def environments(draw: st.DrawFn, *, arms: Size = MORE_ARMS) -> StochasticEnvironment:
    """Bernoulli or deterministic arms; means are multiples of 1/16, so that gaps are exact."""
    width = _drawn(draw, arms)
    means = draw(st.lists(st.integers(0, 16), min_size=width, max_size=width))
    named = draw(st.sampled_from(["bernoulli", "deterministic"]))
    return StochasticEnvironment([m / 16 for m in means], named)


def _drawn(draw: st.DrawFn, size: Size) -> int:
    return size if isinstance(size, int) else draw(size)
