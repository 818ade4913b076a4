"""A second definition of each catalogue algorithm: plain numpy from the paper's words, apart from
`algorithms/` and naive where that is clever.

`f(rewards, epsilon, rng, **parameters)` returns the actions; the rows are the rounds, and losses
where the card says so. The draws are taken in the order in which `algorithms/` takes them, so that
from one seed both must choose the same.
"""

from tests.algorithms.second import (
    baselines,
    hu_et_al,
    hu_hegde,
    hu_huang_mehta,
    tossou_dimitrakakis,
    wu_wang,
)

PAPERS = (hu_huang_mehta, hu_hegde, tossou_dimitrakakis, hu_et_al, wu_wang, baselines)


def second(name):
    """The second definition of an entry."""
    function = name.replace("-", "_")
    found = [getattr(paper, function) for paper in PAPERS if hasattr(paper, function)]
    return found[0]
