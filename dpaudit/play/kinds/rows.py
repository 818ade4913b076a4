"""What is seen of a run as a row of numbers: the arms, then what the learner publishes."""

from __future__ import annotations

import hashlib
import itertools
import math
from collections.abc import Collection
from typing import Any

import numpy as np

from dpaudit.errors import UsageError, shortened
from dpaudit.play.kinds.setting import Setting
from dpaudit.play.learner import Played

NOTHING = -1e18
"""Stands for None, and for what is no number."""
NO_ARM = -1
"""Stands for the arm of a round that was not played, as the run had stopped."""
LARGEST = 1e18


def label_number(label: str) -> int:
    """A 52-bit hash of a label: exact as a double, and the same in every sample."""
    return int.from_bytes(hashlib.blake2b(label.encode(), digest_size=8).digest(), "big") >> 12


def numbers(value: Any) -> list[float]:
    """A value as numbers: of labels a hash, of what contains others all of them in order."""
    if value is None:
        return [NOTHING]
    if isinstance(value, (bool, int, float, np.number, np.bool_)):
        try:
            number = float(value)
        except OverflowError:  # a whole number of hundreds of digits
            number = LARGEST if value > 0 else -LARGEST
        return [NOTHING if math.isnan(number) else min(max(number, -LARGEST), LARGEST)]
    if isinstance(value, str):
        return [float(label_number(value))]
    if isinstance(value, dict):
        return [x for key in sorted(value, key=str) for x in numbers(value[key])]
    if isinstance(value, (set, frozenset)):
        return sorted(x for each in value for x in numbers(each))
    if hasattr(value, "tolist"):
        return numbers(value.tolist())
    if isinstance(value, (list, tuple)):
        return [x for each in value for x in numbers(each)]
    raise UsageError(
        f"outputs: got {shortened(repr(value), 60)}, allowed are numbers, words, None, and lists"
    )


def row(played: Played, setting: Setting, changed: Collection[int], *, left_out: bool) -> list[Any]:
    """What is seen of a run. `changed` are the rounds that differ; `left_out`: they were not
    played in this world, so that there is nothing of theirs to hide. What a run that stopped did
    not come to is nothing, as many numbers of it as there would have been."""
    hidden = changed if setting.own_hidden and not left_out else ()
    found: list[Any] = []
    if setting.arms_seen:
        arms = played.actions + [NO_ARM] * played.left
        found += [arm for t, arm in enumerate(arms, 1) if t not in hidden]
    if "stop" in setting.parts:
        found.append(_stop(played, changed if setting.own_hidden else (), len(changed) * left_out))
    if "outputs" in setting.parts:
        each = _filled([numbers(released) for released in played.released], played)
        for t, released in enumerate(each, 1):
            found += [] if t in hidden and setting.removes else released
        if callable(getattr(played.learner, "outputs", None)):
            found += numbers(played.learner.outputs())
    if "reports" in setting.parts or "shuffled" in setting.parts:
        found += _reports(played, shuffled="shuffled" in setting.parts)
    return found


def _stop(played: Played, hidden: Collection[int], fewer: int) -> int:
    """The round in which it stopped, one behind the last where it did not. Whoever does not see a
    round sees of a stop in it that the next is not played."""
    if played.stopped is None:
        return len(played.actions) + fewer + 1
    return next(t for t in itertools.count(played.stopped) if t not in hidden)


def _filled(each: list[list[float]], played: Played) -> list[list[float]]:
    """With nothing for the rounds that were not played: as many numbers as the first round had."""
    if not played.left or not callable(getattr(played.learner, "released", None)):
        return each
    return each + [[NOTHING] * (len(each[0]) if each else 1)] * played.left


def _reports(played: Played, *, shuffled: bool) -> list[float]:
    """What all users sent; shuffled it is the multiset, told in ascending order and by the sums of
    its columns, which follow from it."""
    each = [numbers(report) for report in played.learner.reports()]
    if shuffled and len({len(report) for report in each}) > 1:
        raise UsageError("reports: of several lengths, allowed is one length where they are mixed")
    sums = [math.fsum(column) for column in zip(*each, strict=True)] if shuffled else []
    each = sorted(each) if shuffled else each
    width = len(each[0]) if each else 1
    nobody = [[NOTHING] * width] * played.left
    return [x for report in each + nobody for x in report] + (sums or [0.0] * width * shuffled)
