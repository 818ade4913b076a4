"""How a sentence about a figure is held against curves: confirmed, contradicted, or open.

Two means are compared by Welch's t-test on single runs. It is approximate for skew runs, and no
test of a few runs knows of rare ones that are not among them: an answer is about the experiment,
not about the learners' true means. "At every point" is confirmed if each point by itself is (an
intersection-union test needs no correction) and contradicted if some point is, at a level divided
by the number of points.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dpaudit.laboratory.experiments.terms import ROUNDING, Answer, Check, Curves, Floats, Measured

LEVEL = 0.001
"""Error probability of a sentence's confirmation, and of its contradiction."""
SIMILAR = 1.25
"""Two regrets are called similar, or their difference small, up to this ratio. Ours: the papers
give no number."""
FEW = 6
"""Up to so many points are printed one by one."""


@dataclass(frozen=True)
class Difference:
    """Of two means, second minus first, at each point: estimate, standard error, degrees."""

    value: Floats
    error: Floats
    degrees: Floats
    rounding: Floats

    def surely_positive(self, level: float) -> Any:
        return self.value - self._slack(level) > self.rounding

    def surely_negative(self, level: float) -> Any:
        return self.value + self._slack(level) < -self.rounding

    def _slack(self, level: float) -> Floats:
        from scipy.special import stdtrit

        return np.where(self.error > 0.0, stdtrit(self.degrees, 1.0 - level) * self.error, 0.0)


def difference(first: Floats, second: Floats) -> Difference:
    """Second minus first, of independent samples (runs x points); one row is exact."""
    (mean_a, error_a, free_a), (mean_b, error_b, free_b) = _moments(first), _moments(second)
    both = error_a + error_b
    # Welch-Satterthwaite; with no variance at all the degrees don't matter.
    degrees = both**2 / np.maximum(error_a**2 / free_a + error_b**2 / free_b, 1e-300)
    rounding = ROUNDING * np.maximum(np.abs(mean_a), np.abs(mean_b))
    return Difference(mean_b - mean_a, np.sqrt(both), np.maximum(degrees, 1.0), rounding)


def _moments(sample: Floats) -> tuple[Floats, Floats, int]:
    n = len(sample)
    if n == 1:
        return sample[0], np.zeros(sample.shape[1]), 1
    return sample.mean(axis=0), sample.var(axis=0, ddof=1) / n, n - 1


def always_below(panel: str, lower: str, *others: str) -> Check:
    """At every point the curve is below the others."""

    def check(curves: Curves) -> Answer:
        one = curves[panel, lower]
        points = len(one.x)
        level = LEVEL / (points * len(others))
        verdicts, words = [], []
        for name in others:
            other = curves[panel, name]
            found = difference(one.samples, other.samples)
            sure, against = found.surely_positive(LEVEL), found.surely_negative(level)
            verdicts.append(_verdict(sure, against))
            if points <= FEW:
                each = (
                    f"{one.at(i)} against {other.at(i)} ({rounds(x)})" for i, x in enumerate(one.x)
                )
                words.append(f"{name}: {', '.join(each)}")
            else:
                below = int(np.sum(found.value > found.rounding))
                tail = f", surely above it {_span(one.x, found, against)}" if against.any() else ""
                words.append(
                    f"{name} {other.at(-1)}: below it at {below} of {points} points, "
                    f"surely at {int(sure.sum())}{tail}"
                )
        head = "" if points <= FEW else f"{one.at(-1)} at the end; "
        return _all(verdicts), head + "; ".join(words)

    return check


def below_at(panel: str, lower: str, *others: str, fraction: float = 1.0) -> Check:
    """At one time, a fraction of the horizon, the curve is below the others."""

    def check(curves: Curves) -> Answer:
        one = curves[panel, lower]
        i = nearest(one, fraction)
        verdicts = []
        for name in others:
            found = difference(one.samples[:, [i]], curves[panel, name].samples[:, [i]])
            against = found.surely_negative(LEVEL / len(others))
            verdicts.append(_verdict(found.surely_positive(LEVEL), against))
        rest = ", ".join(f"{name} {curves[panel, name].at(i)}" for name in others)
        return _all(verdicts), f"{one.at(i)} against {rest}, at {rounds(one.x[i])}"

    return check


def best_of(panel: str, best: str, *others: str) -> Check:
    return below_at(panel, best, *others)


def worst_of(panel: str, worst: str, *others: str) -> Check:
    """At the end the curve is above all others."""

    def check(curves: Curves) -> Answer:
        answers = [below_at(panel, name, worst)(curves)[0] for name in others]
        against = ", ".join(f"{name} {curves[panel, name].at(-1)}" for name in others)
        return _all(answers), f"{curves[panel, worst].at(-1)} against {against}"

    return check


def similar(panel: str, first: str, second: str) -> Check:
    """At the end neither curve is more than `SIMILAR` times the other."""

    def check(curves: Curves) -> Answer:
        one, two = curves[panel, first], curves[panel, second]
        a, b = one.samples[:, [-1]], two.samples[:, [-1]]
        sides = difference(a, SIMILAR * b), difference(b, SIMILAR * a)
        ratio = float(one.mean[-1] / two.mean[-1])
        sure = [side.surely_positive(LEVEL) for side in sides]
        against = [side.surely_negative(LEVEL) for side in sides]
        words = f"{one.at(-1)} against {two.at(-1)}: ratio {ratio:.3g}"
        return _verdict(sure, against), words

    return check


def _verdict(sure: Any, against: Any) -> bool | None:
    """Of one comparison, by where it is surely as said, and where surely the other way round."""
    return True if np.all(sure) else False if np.any(against) else None


def _all(verdicts: list[bool | None]) -> bool | None:
    if any(verdict is False for verdict in verdicts):
        return False
    return True if all(verdicts) else None


def nearest(one: Measured, fraction: float) -> int:
    return int(np.argmin(np.abs(one.x - fraction * one.x[-1])))


def rounds(x: float) -> str:
    return f"{x:,.0f}" if x >= 1000 else f"{x:g}"


def plain(value: float, digits: int = 4) -> str:
    return f"{value:,.0f}" if abs(value) >= 10 ** (digits - 1) else f"{value:.{digits}g}"


def _span(x: Floats, found: Difference, where: Any) -> str:
    hit = x[where]
    place = f"at {rounds(hit[0])}"
    if len(hit) > 1:
        place = f"at {len(hit)} ({rounds(hit[0])} to {rounds(hit[-1])})"
    return f"{place} by up to {plain(float(-found.value[where].min()), 3)}"
