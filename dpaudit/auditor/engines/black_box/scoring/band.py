"""The whole trade-off of a pair, from how often a score was at least each of some thresholds.

The score and the thresholds are chosen on the selection; the counts are of the evaluation, the same
outputs that bound the event. All of them are bounded at once, so that any point of the band, and
any delta, may be read off.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dpaudit.auditor.engines.black_box.events import ScoreEvent
from dpaudit.auditor.statistics import Alpha, proportions_between
from dpaudit.results.tradeoff import TradeOff

SHARE = 0.1
"""Part of the error probability for the band, where it is asked for."""
SPENT_ON = "the trade-off band"


def tradeoff(counts: Any, runs: int, event: ScoreEvent, alpha: Alpha) -> TradeOff:
    """The band, from counts of the two worlds by increasing thresholds."""
    confidence = 1.0 - alpha.value
    above = np.asarray(counts)
    # Large scores may speak for the first world: the other side of the threshold is the test then.
    said = runs - above if event.swapped else above[:, ::-1]
    low, high = proportions_between(said, runs, alpha)
    return TradeOff(
        confidence=confidence,
        runs=runs,
        score=event.text,
        first_low=low[0].tolist(),
        first_high=high[0].tolist(),
        second_low=(1.0 - high[1]).tolist(),
        second_high=(1.0 - low[1]).tolist(),
    )
