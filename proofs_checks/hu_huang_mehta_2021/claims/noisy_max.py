"""Section 5 and Appendix D.1: the privacy of RNM-FTNL (Theorem 8) and of FTNL.

With two actions and noise Lap(1/eps) on each sum, the action behind by u >= 0 is reported with
probability S(u) = (2 + eps u) exp(-eps u)/4.
"""

from __future__ import annotations

from dpaudit.ledger import (
    at,
    bookings,
    chain,
    claim,
    counts,
    each,
    holds,
    proved,
    refuted,
)
from dpaudit.ledger.claims import Finding
from dpaudit.ledger.parts import Part

BEHIND = "(2 + {e}*({u}))*exp(-{e}*({u}))/4"
"""S(u)."""


def tail_ratio() -> list[Part]:
    """P{noise > x} <= e^(eps c) P{noise > x + c} for Lap(1/eps): its density is at most its tail.

    Given the other noises, an action is reported if its own noise exceeds a threshold. Replacing
    a vector moves that by c <= 2 (own sum and another's); by 1 if all sums move the same way.
    """
    return [
        # scale 1; for u >= 0 both are exp(-u)/2, for u = -w < 0:
        chain("exp(-w)/2 <= 1 - exp(-w)/2", "w", 0, factors=("exp(w)",)),
    ]


def loss(gap: str, change: str, epsilon: str) -> str:
    """ln S(gap - change) - ln S(gap)."""
    near = BEHIND.format(e=epsilon, u=f"{gap} - {change}")
    return f"log({near}) - log({BEHIND.format(e=epsilon, u=gap)})"


@claim("Theorem 8", "Algorithm 4, with Lap(1/eps) on every sum, is eps-DP")
def theorem_8_privacy() -> Finding:
    """Replacing a reward vector moves one sum up and another down."""
    return refuted(
        "A replaced vector can lower one sum and raise another. With two actions and T = 4 the "
        "privacy loss is then 2 eps - ln(1 + eps), more than eps for every eps > 0, and with "
        "longer epochs it tends to 2 eps but not beyond: Lap(2/eps) makes the theorem true",
        # T = 4, rounds 2 and 3 are epoch 1: S(0)/S(2) = exp(2 eps)/(1 + eps).
        chain("log(1 + e) <= e", "e", 0, factors=("1 + e",)),
        at(f"{loss('2', '2', '1')} > 1.3068"),
        each(f"{loss('2', '2', 'e')} > e", e=["1/1000", "1/10", "1/2", 1, 2, 10], grid=True),
        # T = 2048: an epoch of 1024 rounds.
        at(f"{loss('1024', '2', '1')} > 1.998"),
        counts(
            "rnm-ftnl",
            "1.28",
            rewards=[[1, 0], [1, 0], [1, 0], [1, 0]],
            neighbour=[[1, 0], [1, 0], [0, 1], [1, 0]],
            event="...1",
            epsilon=1.0,
            runs=10**6,
            seed=8,
        ),
        # The repair, for any K, T and eps; and the reading under which Lap(1/eps) does.
        *tail_ratio(),
        bookings("rnm-ftnl-repaired", "1", epsilon=1.0, arms=2, rounds=7),
        bookings("rnm-ftnl", "2", epsilon=1.0, arms=2, rounds=7),
        counterexample="eps = 1, K = 2, T = 4. Rewards in rounds 2 and 3: (1,0), (1,0), or (1,0), "
        "(0,1) in the neighbour. P{action 2 in round 4} is S(2) = e^-2 = 0.1353 or S(0) = 1/2; "
        "ln of the ratio is 2 - ln 2 = 1.307 > 1. (S(u) = (2 + u) e^-u/4 is the chance that the "
        "difference of two Lap(1) is above u)",
        scope="conclusion",
        repair="Lap(2/eps) in lines 2 and 5",
        considered=(
            "If neighbouring vectors had to be ordered coordinate by coordinate, differences of "
            "sums would move by 1 at most and Lap(1/eps) would do (the same tail ratio). That is "
            "the setting of Dwork & Roth's Claim 3.9, counts with a row added or removed; "
            "Section 2.2 lets a vector be replaced by any other.",
            "Wu & Wang (2025) quote the algorithm with Lap(2/eps).",
            "The order of the regret bound does not change.",
        ),
        tight="2 eps",
    )


@claim(
    "Appendix D.1, eq. (50)",
    "P{J = a} changes by a factor e^eps at most when one reward vector is replaced",
)
def eq_50_noisy_max() -> Finding:
    """The step behind Theorem 8, see theorem_8_privacy."""
    return refuted(
        "This is the step behind Theorem 8 (see theorem-8-privacy). The factor tends to e^(2 eps) "
        "for long epochs, and e^(2 eps) is right for any K",
        at(f"{loss('2', '2', '1')} > 1"),
        at(f"{loss('1024', '2', '1')} > 1.998"),
        *tail_ratio(),
        counterexample="eps = 1, K = 2, an epoch of two rounds: sums (2, 0), or (1, 1) after one "
        "vector is replaced. Action 2 is reported with probability e^-2 or 1/2, and "
        "1/2 > e * e^-2 = 0.368",
        scope="step",
        repair="e^(2 eps), or Lap(2/eps)",
        considered=(
            "Claim 3.9 of Dwork & Roth is about counts that all move in the same direction; "
            "it is right there, and does not cover a replaced vector.",
        ),
        tight="e^(2 eps)",
    )


@claim(
    "Appendix D.1, eqs. (48) and (49)",
    "a replaced vector matters for one recommendation only, the next epoch's",
    breaks={"level": "1.999"},
)
def eq_48_one_recommendation(level: str = "2") -> Finding:
    """Sums are forgotten, noise is fresh: given the vectors, epochs are independent."""
    return holds(
        "with Lap(1/eps) one recommendation books at most 2 eps, and so do all paths of 7 rounds "
        "(two recommendations that are played) together, whichever round is replaced",
        bookings("rnm-ftnl", level, epsilon=1.0, arms=2, rounds=7),
        proved("rnm-ftnl", level),
    )


@claim(
    "Section 5, Follow-the-Noisy-Leader",
    "making each of the K means (eps/K)-private makes the algorithm eps-DP",
    breaks={"level": "0.999"},
)
def ftnl_budget(level: str = "1") -> Finding:
    """K releases of an epoch's sums with Lap(K/eps), each of sensitivity 1."""
    return holds(
        "2 actions and 7 rounds, 3 actions and 4 rounds: no path books more than eps",
        bookings("ftnl", level, epsilon=1.0, arms=2, rounds=7),
        bookings("ftnl", level, epsilon=1.0, arms=3, rounds=4),
        proved("ftnl", level),
    )
