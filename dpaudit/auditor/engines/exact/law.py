"""Is an exact law the law of these very steps?

The steps run as plain Python on noise of our choosing, which falls a hair's breadth on either side
of each boundary between what the law says comes out and something else. They must follow. So the
steps' outcome as a function of the noise is compared, not a frequency: nothing here is by chance.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from dpaudit.algorithm.contract import Algorithm
from dpaudit.algorithm.exact import LazyLaplace, NoisyMax, PrefixNoisyMax
from dpaudit.auditor.engines.exact import lazy
from dpaudit.machine.compiling import bound
from dpaudit.play.tables import Configured
from dpaudit.results.audit import Floats

HAIR = 1e-9
"""How far from a boundary noise falls, relative to its place."""
SIZES = ((2, 1024, 8), (8, 64, 16), (1024, 8, 2))
"""Noisy maxima are compared on at most so many arms and rounds, and on so many tables."""


class Differs(Exception):
    """Where the steps leave the law, in words."""


class Forced:
    """In place of a generator: hands out the given standard noise of one kind in order, and a
    uniform that must not matter, if any is allowed; no other noise is to be had."""

    def __init__(self, kind: str, noise: list[float], uniform: float | None = None) -> None:
        self._kind, self._noise, self._uniform, self.drawn = kind, noise, uniform, 0

    def _next(self) -> float:
        self.drawn += 1
        return self._noise[self.drawn - 1] if self.drawn <= len(self._noise) else 0.0

    def laplace(self, loc: float = 0.0, scale: float = 1.0) -> float:
        if self._kind != "laplace":
            raise Differs("they draw laplace noise")
        return loc + scale * self._next()

    def standard_exponential(self) -> float:
        if self._kind == "laplace":
            raise Differs("they draw exponential noise")
        noise = self._next()
        return noise if self._kind == "exponential" else math.exp(-noise)

    def random(self) -> float:
        if self._uniform is None:
            raise Differs("they draw a uniform")
        return self._uniform

    def check_used_up(self) -> None:
        if self.drawn != len(self._noise):
            raise Differs(f"they draw noise {self.drawn} times and not {len(self._noise)}")

    def __getattr__(self, name: str) -> Any:
        raise Differs(f"they draw {name}")


def refusal(algorithm: Algorithm, settings: Mapping[str, Any]) -> str | None:
    """Where the steps leave the exact law that the algorithm states, at these settings (arms,
    epsilon, horizon, parameters); None if they do not. Remembered for this version of their source.
    """
    return _compared(Configured(algorithm, dict(settings)))


@functools.cache
def _compared(who: Configured) -> str | None:
    algorithm, given, exact = who.algorithm, who.settings, who.algorithm.exact
    if isinstance(exact, PrefixNoisyMax | None):
        return "none is stated that an audit computes with"
    if who.source is None:
        return "their source is not to be had"
    try:
        if isinstance(exact, LazyLaplace):
            _lazy_laplace(algorithm, exact, given)
        else:
            _noisy_max(algorithm, exact, given)
    except Differs as where:
        return str(where)
    except (ArithmeticError, ValueError, TypeError, LookupError) as error:
        return f"they raise {type(error).__name__}"
    return None


def _played(
    algorithm: Algorithm, settings: Mapping[str, Any], here: Floats, there: Floats, rng: Forced
) -> tuple[int, ...]:
    """The actions on two tables and this noise."""
    fresh = algorithm.fresh(settings)
    state = (*(records.copy() for records in fresh), *fresh)
    actions = np.empty((1, len(here)), np.int64)
    bound("play_tables", algorithm)(state, here, there, False, actions, np.empty((1, 3)), rng)
    return tuple(actions[0].tolist())


def _lazy_laplace(algorithm: Algorithm, exact: LazyLaplace, settings: Mapping[str, Any]) -> None:
    """Every path that can happen: noise in the middle of its bands and just inside each edge must
    lead along it, noise just outside an edge off it."""
    rule, epsilon, rounds = exact.at(settings), settings["epsilon"], settings["horizon"]
    rng = np.random.default_rng(0)
    for path in lazy.paths(rounds, epsilon, rule):
        for differences, stays in _around(path):
            table = rng.integers(0, 2, (rounds, 2)).astype(float)
            means: dict[int, float] = dict.fromkeys(range(len(path.epochs)), 0.0)
            before = -1
            for stage, difference in zip(path.stages, differences, strict=True):
                zero, one = stage.epochs
                if before in (-1, zero):  # arm 1's mean is the new one, or both are
                    means[one] = means[zero] - difference
                else:
                    means[zero] = means[one] + difference
                before = zero
            noise = [
                (length * means[e] - sum(table[t - 1, arm] for t in played)) * epsilon / rule.scale
                for e, (arm, length, played) in enumerate(path.epochs)
            ]
            forced = Forced("laplace", noise)
            actions = _played(algorithm, settings, table, 1.0 - table, forced)
            shown, led = (" ".join(map(str, each)) for each in (path.actions, actions))
            if (actions == path.actions) != stays:
                where = "of" if stays else "beyond"
                raise Differs(f"noise {where} the path {shown} leads along {led}")
            if stays:
                forced.check_used_up()


def _around(path: lazy.Path) -> Iterator[tuple[list[float], bool]]:
    """Differences of the means, one a stage, and whether they stay on the path."""
    edges = [[side and side[0] for side in (stage.low, stage.high)] for stage in path.stages]
    middle = []
    for low, high in edges:
        least = high - 1.0 if low is None and high is not None else low
        most = low + 1.0 if high is None and low is not None else high
        middle.append(0.5 * ((least or 0.0) + (most or 0.0)))
    yield middle, True
    for k, (low, high) in enumerate(edges):
        width = math.inf if low is None or high is None else high - low
        for edge, inwards in ((low, 1.0), (high, -1.0)):
            if edge is None:
                continue
            hair = HAIR * (1.0 + abs(edge)) * inwards
            if 4.0 * abs(hair) < width:
                yield [*middle[:k], edge + hair, *middle[k + 1 :]], True
            yield [*middle[:k], edge - hair, *middle[k + 1 :]], False


def _noisy_max(algorithm: Algorithm, exact: NoisyMax, settings: Mapping[str, Any]) -> None:
    """In every epoch two actions lead, the one by a hair: it must be played in the next epoch."""
    scale = exact.factor / settings["epsilon"]
    sign = -1.0 if algorithm.card.payoff == "losses" else 1.0
    rng = np.random.default_rng(0)
    most = settings["arms"], settings["horizon"]
    sizes = {(min(a, most[0]), min(r, most[1])): tables for a, r, tables in SIZES}
    for arms, rounds in (size for size, tables in sizes.items() for _ in range(tables)):
        table = rng.integers(0, 2, (rounds, arms)).astype(float)
        noise: list[float] = []
        winners: list[int] = []
        for epoch in range((rounds + 1).bit_length() - 1):
            scores = sign * table[2**epoch - 1 : 2 ** (epoch + 1) - 1].sum(axis=0)
            drawn = rng.random(arms)
            first, second = rng.permutation(arms)[[0, -1]]
            top = float((scores + scale * drawn).max()) + 1.0
            drawn[second] = (top - scores[second]) / scale
            drawn[first] = (top + HAIR * (1.0 + abs(top)) - scores[first]) / scale
            if exact.noise == "gumbel":
                drawn = np.minimum(drawn, 600.0)  # what a double can hold the exponential of
            if exact.noise != "exponential" and rng.random() < 0.5:
                drawn -= drawn.max() + 1.0
            noise += drawn.tolist()
            winners.append(int(np.argmax(scores + scale * drawn)))
        forced = Forced(exact.noise, noise, rng.choice((0.0, rng.random(), 1.0 - 2.0**-53)))
        # What more than two actions lose is long to compute: there both worlds are the same.
        there = 1.0 - table if arms == 2 else table
        actions = _played(
            algorithm, {**settings, "arms": arms, "horizon": rounds}, table, there, forced
        )
        forced.check_used_up()
        for epoch, winner in enumerate(winners, 1):
            played = set(actions[2**epoch - 1 : 2 ** (epoch + 1) - 1])
            if not played <= {winner}:
                raise Differs(
                    f"noise that makes action {winner} win epoch {epoch} leads to "
                    f"{min(played - {winner})}"
                )
