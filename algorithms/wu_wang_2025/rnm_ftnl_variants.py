"""Variants of RNM-FTNL: Wu & Wang, "Improved regret in stochastic decision-theoretic online
learning under differential privacy" (ALT 2025), Algorithm 1, with each of its three noises."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpaudit.algorithm.card import Adjacency, Card, Line, Notion, Parameter, PrivacyClaim
from dpaudit.algorithm.contract import Algorithm, Arms, Own, Settings, no_opening
from dpaudit.algorithm.exact import NoisyMax
from dpaudit.algorithms.hu_huang_mehta_2021.rnm_ftnl import ARM, OWN, PARENT_LIMIT, forget
from dpaudit.algorithms.hu_huang_mehta_2021.rnm_ftnl import leap as rest_of_epoch
from dpaudit.machine.noisy_max import NOISES
from dpaudit.machine.releases import noisy_argmax

PSEUDOCODE = (
    Line("l. 1", "variant: resample B in {0, 1}; noise Q"),
    Line("l. 2", "input: actions, epsilon"),
    Line("l. 3", "J_0 uniform over the actions", "own.playing = int(rng.random()"),
    Line("l. 4", "for r = 1, ..., ceil(log2(T - 1)) + 1"),
    Line("l. 5", "G = 0", "forget(arms, own)"),
    Line("l. 6", "for t = 2^(r-1), ..., 2^r - 1", "if own.played == 1 << own.epoch:"),
    Line("l. 7", "play J_(r-1)", "return int(own.playing)"),
    Line("l. 8", "receive the loss vector", "here, there = losses[j]"),
    Line("l. 9", "if B = 0", "if own.resample == 1.0:"),
    Line("l. 10", "keep the losses as they are", "here, there = losses[j]"),
    Line("l. 11", "else"),
    Line(
        "l. 12",
        "replace each loss by a Bernoulli variable of that mean",
        "here = 1.0 if uniform < here else 0.0",
    ),
    Line("l. 13", "end if"),
    Line("l. 14", "add them to G", "arms[j].total += here"),
    Line("l. 15", "end for"),
    Line("l. 16", "J_r = argmax of -G + Q", "own.playing = noisy_argmax("),
    Line("l. 17", "end for"),
)
PARAMETERS = (
    Parameter("resample", "0", "B: replace losses by Bernoulli variables", words=("0", "1")),
    Parameter("noise", "laplace", "Q's family", words=NOISES),
    Parameter("factor", 2.0, "the noise's scale is factor / epsilon", 1e-9, 1e9),
)


def card(suffix: str, fixed: Mapping[str, float | str], note: str, repaired: bool = False) -> Card:
    """The card of one noise."""
    family = str(fixed["noise"])
    return Card(
        name=f"rnm-ftnl-{suffix}",
        title=f"noisy leader of the last epoch, {family} noise {fixed['factor']:g}/epsilon",
        paper="wu_wang_2025",
        where="Algorithm 1, repaired" if repaired else "Algorithm 1",
        feedback="full-information",
        payoff="losses",
        privacy=PrivacyClaim(
            Notion.PURE,
            "proof in the notes" if repaired else "Theorem 3",
            "epsilon-DP",
            claims=() if repaired else (f"privacy-{family}",),
        ),
        regret="Theorem 3 (resample=1): O(log K / gap + log^2 K / epsilon), whatever T"
        + (
            ""
            if family == "laplace"
            else "; Theorem 11 (deterministic losses, resample=0): O(log K / epsilon)"
        ),
        regret_claims=("theorem-3-regret", "theorem-11-regret")[: 1 if family == "laplace" else 2],
        neighbours=Adjacency.LOSSES,
        parent="follow-the-leader",
        parent_limit=PARENT_LIMIT,
        parameters=PARAMETERS,
        fixed=fixed,
        pseudocode=PSEUDOCODE,
        notes=(
            "Losses: what the learner is handed is a loss vector, and means are mean losses.",
            "The loop's bound in line 4 only says when to stop; the algorithm is anytime.",
            "With resample=1 each round's losses are redrawn singly; far play redraws their sum.",
            note,
        ),
    )


def select(arms: Arms, own: Own, t: int, rng: Any) -> int:
    """J_(r-1), the first one uniform."""
    if t == 1:
        own.playing = int(rng.random() * len(arms))  # l. 3
    return int(own.playing)  # l. 7


def observe(
    arms: Arms, own: Own, arm: int, pulls: int, losses: Any, losses_in_neighbour: Any, rng: Any
) -> None:
    """Collect the epoch; at its end report the noisy maximum of the negated losses."""
    for j in range(len(arms)):
        here, there = losses[j], losses_in_neighbour[j]  # l. 8, 10
        if own.resample == 1.0:  # l. 9
            # The same uniform in both worlds: the loss booked is that of uniform and output.
            uniform = rng.random()
            here = 1.0 if uniform < here else 0.0  # l. 12
            there = 1.0 if uniform < there else 0.0
        arms[j].total += here  # l. 14
        arms[j].total_in_neighbour += there
    own.played += pulls
    if own.played == 1 << own.epoch:  # l. 6
        scale = own.factor / own.epsilon
        totals, there_totals = -arms["total"], -arms["total_in_neighbour"]
        own.playing = noisy_argmax(own, totals, there_totals, scale, own.noise, rng)  # l. 16
        forget(arms, own)  # l. 5


def leap(arms: Arms, own: Own, t: int, arm: int) -> int:
    """Until the epoch ends; one by one where losses are resampled."""
    return 1 if own.resample == 1.0 else rest_of_epoch(arms, own, t, arm)


def stretch(
    arms: Arms, own: Own, pace: Any, laws: Any, t: int, last: int, rng: Any
) -> tuple[int, int]:
    """Until the epoch ends, always: the sum of Bernoulli losses is what redrawing leaves of it."""
    arm = select(arms, own, t, rng)
    return arm, min(rest_of_epoch(arms, own, t, arm), last - t + 1)


def take(
    arms: Arms, own: Own, arm: int, pulls: int, losses: Any, losses_in_neighbour: Any, rng: Any
) -> None:
    """Line 12 leaves Bernoulli losses as they are."""
    resample = own.resample
    own.resample = 0.0
    observe(arms, own, arm, pulls, losses, losses_in_neighbour, rng)
    own.resample = resample


def redraws(settings: Settings) -> bool:
    """Line 9."""
    return str(settings["resample"]) == "1"


CARDS = (
    card("laplace", {"noise": "laplace", "factor": 2.0}, "Lap(2/epsilon), as printed."),
    card("exponential", {"noise": "exponential", "factor": 1.0}, "Exp(1/epsilon), as printed."),
    card("gumbel", {"noise": "gumbel", "factor": 2.0}, "Gumbel(2/epsilon), as printed."),
    card(
        "exponential-repaired",
        {"noise": "exponential", "factor": 2.0},
        "Exp(2/epsilon). Proof: a replaced vector moves no score by more than 2 against another "
        "one, and the survival function of Exp(2/epsilon) then moves by exp(epsilon) at most.",
        repaired=True,
    ),
)
ENTRIES = [
    Algorithm(
        card=c,
        arm=ARM,
        own=OWN,
        select=select,
        observe=observe,
        leap=leap,
        stretch=stretch,
        take=take,
        redraws=redraws,
        lazy=True,
        opening=no_opening,
        exact=NoisyMax(str(c.fixed["noise"]), float(c.fixed["factor"])),
    )
    for c in CARDS
]
