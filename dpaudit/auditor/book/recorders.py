"""Recorders in place of releases: they hand out outputs drawn beforehand, book what the releases'
formulas say, and hold every run to the actions and releases of the first one with these outputs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dpaudit.algorithm.contract import Algorithm, Own
from dpaudit.machine import releases
from dpaudit.machine.compiling import replacing
from dpaudit.machine.safe_laplace import grid_of, on_grid, safe_laplace

STYLES = ("typical", "typical", "typical", "far", "coarse", "any", "extreme", "far")
"""How the outputs of a stream are spread: as the release's own would be on the first table, with
20 times the noise, in whole scales (which makes ties), without looking at any table, or beyond all
measure."""


class Broken(Exception):
    """Where a book is not to be believed, in words."""


@dataclass
class Transcript:
    """The actions, the releases and their outputs of the first run with a stream of outputs."""

    rng: np.random.Generator
    style: str
    words: str = ""
    releases: list[tuple[int, str, float, int]] = field(default_factory=list)
    outputs: list[Any] = field(default_factory=list)
    plays: list[tuple[Any, ...]] = field(default_factory=list)
    last: int = 0
    done: bool = False

    @classmethod
    def drawn(cls, stream: int) -> Transcript:
        """Nothing has happened yet."""
        return cls(np.random.default_rng([stream, 0]), STYLES[stream % len(STYLES)])

    def where(self, release: int) -> str:
        t, kind, *_ = self.releases[release]
        return f"round {t}, release {release + 1} ({kind})"

    def number(self, value: float, scale: float, gaussian: bool = False) -> float:
        """An output of a release of numbers."""
        noise = self.rng.standard_normal() if gaussian else self.rng.laplace()
        value = float(value)
        if self.style == "far":
            return value + 20.0 * scale * noise
        if self.style == "coarse":
            return scale * round(min(max(value / scale + noise, -1e9), 1e9)) if scale > 0 else value
        if self.style == "any":
            return float(scale * noise)
        if self.style == "extreme":
            return float(math.copysign(1e6 * (1.0 + scale), noise))
        return value + scale * noise

    def index(self, scores: Any, scale: float) -> int:
        """An output of a noisy maximum."""
        noise = self.rng.gumbel(size=len(scores))
        if self.style != "typical":
            return int(np.argmax(noise))
        return int(np.argmax(np.asarray(scores) + scale * noise))


class Recorder:
    """One for all runs of an algorithm; `begin` starts the next one."""

    def __init__(self) -> None:
        self.round = 0
        self.values: list[tuple[Any, Any]] = []

    def steps(self, algorithm: Algorithm) -> dict[str, Any]:
        """The algorithm's steps with recorders as their releases."""
        others = {
            releases.laplace: self.laplace,
            releases.gaussian: self.gaussian,
            releases.noisy_argmax: self.noisy_argmax,
            releases.unprotected: self.unprotected,
            safe_laplace: self.safe_laplace,
        }
        return replacing(algorithm, others)

    def begin(self, shared: Transcript, own: Own, words: str) -> None:
        self.shared, self.own, self.words = shared, own, words
        self.values, self.actions = [], 0
        self.booked = [0.0, 0.0, 0.0]
        self.round = 0
        if not shared.done:
            shared.words = words
        self.settle("start")

    def settle(self, where: str) -> None:
        """The book must be what the releases booked."""
        found = self.own.loss, self.own.pure, self.own.gdp
        for name, is_there, due in zip(("loss", "pure", "gdp"), found, self.booked, strict=True):
            if is_there != due and not (math.isnan(is_there) and math.isnan(due)):
                raise Broken(
                    f"round {self.round} {self.words}: {where} leaves {name} at {is_there:.4g} "
                    f"where the releases booked {due:.4g}"
                )

    def played(self, chosen: Any, arm: Any = None, pulls: int = 1) -> None:
        """What a step chose, and what was played."""
        shared, step = self.shared, (self.round, chosen, arm, pulls)
        if not shared.done:
            shared.plays.append(step)
        elif self.actions >= len(shared.plays) or shared.plays[self.actions] != step:
            before = shared.plays[min(self.actions, len(shared.plays) - 1)]
            raise Broken(
                f"round {self.round} {self.words}: {_did(*step[1:])}, and {_did(*before[1:])} "
                f"{shared.words}, though all releases gave the same"
            )
        self.actions += 1

    def end(self, rounds: int) -> None:
        shared = self.shared
        if not shared.done:
            shared.done, shared.last = True, rounds
        elif len(self.values) != len(shared.releases):
            at = shared.where(len(self.values))
            raise Broken(f"{at}: made {shared.words}, and not {self.words}")

    def _release(self, kind: str, value: Any, there: Any, scale: float, size: int = 1) -> int:
        """Its number in the run; what is handed to it is kept."""
        self.settle("what comes before a release")
        shared, number = self.shared, len(self.values)
        made = (self.round, kind, float(scale), size)
        if not shared.done:
            shared.releases.append(made)
        elif number >= len(shared.releases):
            raise Broken(f"round {self.round}: {_made(made)} {self.words}, none {shared.words}")
        elif repr(shared.releases[number]) != repr(made):  # a scale may be nan
            raise Broken(
                f"round {self.round}: {_made(made)} {self.words}, "
                f"{_made(shared.releases[number])} {shared.words}"
            )
        self.values.append((value, there))
        return number

    def _book(self, own: Own, loss: float, pure: float = 0.0, gdp: float = 0.0) -> None:
        for i, (name, more) in enumerate((("loss", loss), ("pure", pure), ("gdp", gdp))):
            if more != 0.0:
                setattr(own, name, getattr(own, name) + more)
                self.booked[i] += more

    def _output(self, number: int, draw: Any) -> Any:
        if number == len(self.shared.outputs):
            self.shared.outputs.append(draw())
        return self.shared.outputs[number]

    def laplace(self, own: Own, value: float, there: float, scale: float, rng: Any) -> float:
        number = self._release("laplace", value, there, scale)
        noisy = self._output(number, lambda: self.shared.number(value, scale))
        if value != there:
            self._book(
                own, (abs(noisy - there) - abs(noisy - value)) / scale, abs(value - there) / scale
            )
        return float(noisy)

    def safe_laplace(self, own: Own, value: float, there: float, scale: float, rng: Any) -> float:
        number = self._release("safe laplace", value, there, scale)
        grid = grid_of(scale)
        noisy = self._output(number, lambda: on_grid(self.shared.number(value, scale), grid))
        first, second, steps = on_grid(value, grid), on_grid(there, grid), math.ceil(scale / grid)
        if first != second:
            loss = (abs(noisy - second) - abs(noisy - first)) / steps
            self._book(own, loss, abs(first - second) / steps)
        return float(noisy * grid)

    def gaussian(self, own: Own, value: float, there: float, sigma: float, rng: Any) -> float:
        number = self._release("gaussian", value, there, sigma)
        noisy = self._output(number, lambda: self.shared.number(value, sigma, gaussian=True))
        if value != there:
            first, second = (noisy - value) / sigma, (noisy - there) / sigma
            loss = 0.5 * (second - first) * (second + first)
            self._book(own, loss, gdp=((value - there) / sigma) ** 2)
        return float(noisy)

    def noisy_argmax(
        self, own: Own, scores: Any, there: Any, scale: float, noise: int, rng: Any
    ) -> int:
        scores, there = np.array(scores), np.array(there)
        number = self._release(
            f"noisy maximum, noise {int(noise)}", scores, there, scale, len(scores)
        )
        best: int = self._output(number, lambda: self.shared.index(scores, scale))
        changes = there - scores
        spread = changes.max() - changes.min()
        if spread > 0.0:
            # Its true loss is long to compute. Any number does that a step had better not look at.
            self._book(own, (changes.max() - changes[best]) / scale, spread / scale)
        return best

    def unprotected(self, own: Own, value: float, there: float) -> float:
        number = self._release("unprotected", value, there, 0.0)
        if value != there:
            own.loss = own.pure = own.gdp = math.inf
            self.booked = [math.inf] * 3
        return float(self._output(number, lambda: value))


def _made(release: tuple[int, str, float, int]) -> str:
    return f"a {release[1]} release of scale {release[2]:.4g} in round {release[0]}"


def _did(chosen: Any, arm: Any, pulls: int) -> str:
    if not isinstance(chosen, int):
        return str(chosen)
    return f"arm {chosen} is chosen" + (f" and played {pulls} times" if pulls > 1 else "")
