"""Section 4: what can be recomputed of the experiments (T = 10^5, five arms)."""

from __future__ import annotations

from typing import Any

from dpaudit.ledger import at, claim, each, holds, regret, undecided
from dpaudit.ledger.claims import Finding
from dpaudit.ledger.parts import Part

MEANS = (0.75, 0.625, 0.5, 0.375, 0.25)
HORIZON = 100_000


def simulated(name: str, relation: str, bound: str, runs: int, **given: Any) -> Part:
    """Mean regret at eps = 0.1."""
    return regret(
        name,
        relation,
        bound,
        means=MEANS,
        horizon=HORIZON,
        runs=runs,
        seed=11,
        epsilon=0.1,
        **given,
    )


@claim(
    "Section 4",
    "the five means are spaced evenly, with gaps 1/8 to 1/2",
    breaks={"step": "0.12"},
)
def arms_of_the_experiments(step: str = "0.125") -> Finding:
    """0.75, 0.625, 0.5, 0.375, 0.25."""
    return holds(
        "arithmetic",
        each(f"0.75 - {step}*i == (6 - i)/8", i=range(5)),
    )


@claim(
    "Section 4",
    "DP-TS is inferior to the three optimal algorithms when eps is very small (here eps = 0.1)",
    breaks={"bound": "29000"},
    slow=True,
)
def dp_ts_inferior(bound: str = "12500") -> Finding:
    """A shift above 1 hides an arm's data behind the clipping."""
    return holds(
        "DP-TS loses more than 12500, the others (DP-SE as recalled from the literature) less; "
        "in the last round DP-TS's shift alone is above 1 for an arm with up to 43426 pulls",
        at("6*sqrt(8)*log2(43426 + 1)*log2(100000)/(0.1*43426) > 1"),
        at("6*sqrt(8)*log2(43427 + 1)*log2(100000)/(0.1*43427) < 1"),
        simulated("dp-ts", ">=", bound, 240),
        simulated("lazy-dp-ts", "<=", "12500", 320, log_base=2.0),
        simulated("anytime-lazy-ucb", "<=", "12500", 1000),
        simulated("dp-se", "<=", "12500", 1000),
    )


@claim("Section 4", "Lazy-DP-TS always outperforms DP-SE and Anytime-Lazy-UCB")
def lazy_outperforms() -> Finding:
    """Figures 2-5."""
    return undecided(
        "the figures' data and numbers of runs are not given, and means of this spread need more "
        "runs than a check affords; it may depend on the base of the logarithm in line 7, which "
        "Section 3 declares to be 2 and HHM's proof takes as e"
    )


@claim("Section 4", "at eps = 500 DP-TS outperforms Lazy-DP-TS, and both the other two")
def large_epsilon() -> Finding:
    """Figure 1."""
    return undecided(
        "the figure's data are not given, and a certified difference of two means this close "
        "would need more runs than a check affords"
    )


@claim("Section 4", "the setting is the one that Sajed & Sheffet (2019) use")
def same_setting() -> Finding:
    """A statement about a paper that is not at hand."""
    return undecided("that paper is not at hand")
