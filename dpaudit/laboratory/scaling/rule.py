"""The one rule by which every scaling study is decided. It was fixed before the studies were run.

*An explicit bound* is violated where the regret is beyond it whatever the error, and not
contradicted if the regret is certainly within it at every point tried. That says something only if
another learner would have been caught: play at random (bounds from above), a learner that ignores
privacy (bounds from below). If that control passes too, nothing is decided.

*A law* f without constants is tried against one that grows faster, g. By least squares
y = a + b f + c g, each point weighted by its own size (and by its standard error, if simulated).
The extra part is c (g(last) - g(first))/y(last): what the faster term adds over the grid, as a part
of the last value; 0 if y = a + b f, near 1 if y = g. Its interval covers the values of the fits to
all points, to all but any one of them, and to the upper two thirds; and, if the curve is simulated,
the first one's interval at confidence LEVEL. Above THRESHOLD as a whole: the curve grows faster
than stated. Below as a whole: it does not. Else undecided.

A curve says that it grows no faster only if it would have shown a faster growth: with ADDED times
its last value laid on top by the law g, it must be found to grow faster. That is a learner made
false on purpose. What outgrows even g may follow neither law: so f is tried beside three laws
beyond g, too, and the curve grows faster if one of the four says so; and if y/g rises over the
upper two thirds, it is not said that y grows no faster.

Whether all of the stated law is needed is decided in the same way between a slower law and the
stated one. If it is not, the slower law takes the stated one's place beside g.

A finite grid can refute an explicit bound; of a law it shows the growth on that grid, no more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from dpaudit.laboratory.scaling.laws import Curve, Ladder, Law
from dpaudit.results.regret import Floats
from dpaudit.results.scaling import Answer, Control, Judged, Point, Sensitivity, Verdict

THRESHOLD = 0.4
"""Of the last value: more of it from the extra term is growth by the faster law."""
ADDED = 2.0
"""How much is laid on top for the control, in last values."""
ROUGHNESS = 0.02
"""Points of simulated curves are not taken to be nearer to a law than this part of their value."""
FEWEST = 5
"""Points without which a curve says nothing."""
ORDER: tuple[Verdict, ...] = (
    "violated", "not decided", "not needed by any", "not contradicted",
)  # fmt: skip
"""Of two verdicts on one study, by its constants and by its laws, the first counts."""
FACTORS = {"halved": 0.5, "doubled": 2.0}
"""By which thresholds are changed to see what hangs on them."""


def extra_part(
    y: Floats,
    x: Floats,
    law: Law,
    more: Law,
    covariance: Floats | None = None,
    quantile: float = 0.0,
) -> Floats:
    """(low, value, high) of the extra part for one or many curves y (... x points)."""
    f, g = law.at(x), more.at(x)
    columns = [np.ones_like(x), f / f[-1], g / g[-1]]
    if np.ptp(f) <= 1e-12 * abs(f[-1]):
        del columns[1]
    design = np.stack(columns, axis=-1)
    variance = np.zeros(len(x)) if covariance is None else np.diag(covariance)
    floor = ROUGHNESS if covariance is not None else 1.0
    scale = np.sqrt(variance + (floor * y) ** 2)
    rise = (g[-1] - g[0]) / g[-1] / y[..., -1]
    values = []
    slack = np.zeros(y.shape[:-1])
    for part in _parts(len(x)):
        inverse = np.linalg.pinv(design[part] / scale[..., part, None])
        weights = inverse[..., -1, :] / scale[..., part]
        values.append((weights * y[..., part]).sum(-1) * rise)
        if covariance is not None and len(part) == len(x):
            spread = np.einsum("...i,ij,...j->...", weights, covariance, weights)
            slack = quantile * np.sqrt(np.maximum(spread, 0.0)) * np.abs(rise)
    value, every = values[0], np.stack(values)
    low, high = every.min(axis=0), every.max(axis=0)
    return np.stack([np.minimum(low, value - slack), value, np.maximum(high, value + slack)], -1)


def _parts(n: int) -> list[NDArray[np.int64]]:
    """All points, all but one, the upper two thirds."""
    every = np.arange(n, dtype=np.int64)
    return [every, *(np.delete(every, i) for i in range(n)), every[n // 3 :]]


def laid_on_top(y: Floats, x: Floats, more: Law) -> Floats:
    """The curves of a learner that pays besides, by the law `more`, ADDED times its last regret."""
    g = more.at(x)
    return np.asarray(y + ADDED * y[..., -1:] * (g - g[0]) / (g[-1] - g[0]))


def side(part: Floats, threshold: float = THRESHOLD) -> Floats:
    """1 where the extra term is there, -1 where it is not, 0 where that is open."""
    return np.asarray(1.0 * (part[..., 0] > threshold) - 1.0 * (part[..., 2] < threshold))


def said(faster: int, control: int, slower: int | None) -> Answer:
    """The answer from the sides of the three trials."""
    if faster > 0:
        return "faster"
    if faster == 0 or control <= 0:
        return "undecided"
    if slower is None or slower == 0:
        return "no faster"
    return "as stated" if slower > 0 else "slower"


def judge(curve: Curve, ladder: Ladder) -> Judged:
    """A curve between the laws."""
    x, y, v, q = curve.x, curve.y, curve.covariance, curve.quantile
    about = {"curve": curve.name, "laws": ladder.words, "points": len(x)}
    about["over_law"] = [float(each) for each in (y / ladder.stated.at(x))[[0, -1]]]
    if len(x) < FEWEST or not np.all(y > 0.0):
        return Judged(**about, answer="undecided")  # type: ignore[arg-type]
    reference, below = ladder.stated, None
    for slower in ladder.slower:
        trial = extra_part(y, x, slower, reference, v, q)
        below = trial if below is None else below
        if side(trial) >= 0:
            break
        reference = slower
    part = max(
        (extra_part(y, x, reference, more, v, q) for more in ladder.extras),
        key=lambda each: int(side(each)) > 0,
    )
    top = laid_on_top(y, x, ladder.faster)
    control = extra_part(top, x, reference, ladder.faster, v, q)
    late = len(x) // 3
    rising = y[-1] / y[late] > ladder.faster.at(x)[-1] / ladder.faster.at(x)[late]
    return _answered(
        Judged(
            **about,  # type: ignore[arg-type]
            answer="undecided",
            beside=reference.name,
            rising=bool(rising),
            faster=part.tolist(),
            control=control.tolist(),
            slower=[] if below is None else below.tolist(),
        ),
        THRESHOLD,
    )


def _answered(judged: Judged, threshold: float) -> Judged:
    """With another threshold the control stays: it says whether the curve has power at all."""
    from msgspec.structs import replace

    if not judged.faster:
        return judged
    sides = int(side(np.array(judged.faster), threshold)), int(side(np.array(judged.control)))
    slower = int(side(np.array(judged.slower), threshold)) if judged.slower else None
    answer = said(*sides, slower)
    if judged.rising and answer != "faster":
        answer = "undecided"
    return replace(judged, answer=answer)


def of_points(points: Sequence[Point], lower: bool, constant: float = 1.0) -> Verdict | None:
    """What explicit bounds say; None if there are none."""
    bounded = [p for p in points if p.bound is not None]
    if not bounded:
        return None
    sides = [_sides(p, lower, constant) for p in bounded]
    if any(beyond for beyond, _ in sides):
        return "violated"
    return "not contradicted" if all(within for _, within in sides) else "not decided"


def _sides(p: Point, lower: bool, constant: float) -> tuple[bool, bool]:
    """Whether the regret is certainly beyond its bound, and whether it is certainly within."""
    bound = constant * (p.bound or 0.0)
    if lower:
        return p.regret + p.error < bound, p.regret - p.error >= bound
    return p.regret - p.error > bound, p.regret + p.error <= bound


def of_curves(judged: Sequence[Judged], every: bool = False) -> Verdict | None:
    """What laws say; None if there are none. `every`: it takes all curves for a violation."""
    answers = [each.answer for each in judged]
    if not answers:
        return None
    if "faster" in answers and (not every or set(answers) == {"faster"}):
        return "violated"
    if every or "undecided" in answers:
        return "not decided"
    return "not needed by any" if set(answers) == {"slower"} else "not contradicted"


def caught(points: Sequence[Point], control: Sequence[Point], lower: bool) -> int:
    """At how many points the control is beyond the bound: play at random, or the given learner."""
    if lower:
        return sum(_sides(p, lower, 1.0)[0] for p in control if p.bound is not None)
    return sum(
        p.idle is not None and p.bound is not None and p.idle > p.bound for p in (*points, *control)
    )


def verdict(
    points: Sequence[Point],
    judged: Sequence[Judged],
    control: Sequence[Point] = (),
    *,
    lower: bool = False,
    every: bool = False,
    constant: float = 1.0,
    threshold: float = THRESHOLD,
) -> tuple[Verdict, str]:
    """The verdict of a study, and what it rests on: an explicit constant, a law, or both."""
    bound = of_points(points, lower, constant)
    law = of_curves([_answered(each, threshold) for each in judged], every)
    if bound == "not contradicted" and not caught(points, control, lower):
        bound = "not decided"
    said_by = {"constant": bound, "law": law}
    known = {word: each for word, each in said_by.items() if each is not None}
    for worst in ORDER:
        if worst in known.values():
            decisive = worst in ("violated", "not decided")
            words = [w for w, each in known.items() if each == worst or not decisive]
            return worst, " and ".join(words)
    return "not decided", ""


def sensitivity(
    decide: Callable[..., tuple[Verdict, str]], points: Sequence[Point], judged: Sequence[Judged]
) -> list[Sensitivity]:
    """The verdict with each threshold halved and doubled."""
    found = []
    if judged:
        changed = {k: decide(threshold=THRESHOLD * v)[0] for k, v in FACTORS.items()}
        found.append(Sensitivity("extra part", THRESHOLD, **changed))
    if any(p.bound is not None for p in points):
        changed = {k: decide(constant=v)[0] for k, v in FACTORS.items()}
        found.append(Sensitivity("stated constant", 1.0, **changed))
    return found


def control(
    points: Sequence[Point], judged: Sequence[Judged], others: Sequence[Point], *, lower: bool
) -> Control:
    """The learners that are made false on purpose: "violated" if each is caught."""
    words, good = [], []
    if bounded := sum(p.bound is not None for p in (others if lower else points)):
        seen = caught(points, others, lower)
        who = f"{others[0].target} is below" if lower and others else "play at random exceeds"
        words.append(f"{who} the bound at {seen} of {bounded} points")
        good.append(seen > 0)
    if judged:
        seen = sum(bool(each.control) and int(side(np.array(each.control))) > 0 for each in judged)
        words.append(
            f"with {ADDED:g} times the last value laid on top by the faster law, {seen} of "
            f"{len(judged)} curves grow faster"
        )
        good.append(seen == len(judged))
    caught_all = bool(good) and all(good)
    return Control("; ".join(words), "violated" if caught_all else "not decided")
