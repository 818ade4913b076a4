"""RNM-FTNL, report-noisy-max in follow-the-noisy-leader: Hu, Huang & Mehta (arXiv 2102.07929),
Algorithm 4, and the entry with the noise that its privacy theorem needs."""

from __future__ import annotations

import dataclasses
from typing import Any

from dpaudit.algorithm.card import Card, Line, Notion, Parameter, PrivacyClaim
from dpaudit.algorithm.contract import Algorithm, Arms, Own, first_round
from dpaudit.algorithm.exact import NoisyMax
from dpaudit.machine.noisy_max import LAPLACE
from dpaudit.machine.releases import noisy_argmax

PSEUDOCODE = (
    Line("l. 1", "input: actions, epsilon"),
    Line(
        "l. 2",
        "play the first action once, J = argmax(X + Lap(1/epsilon)), s = 1, sums = 0",
        "own.playing = 0",
    ),
    Line("l. 3", "while there are rounds left"),
    Line("l. 4", "play J for 2^s rounds", "return int(own.playing)"),
    Line(
        "l. 5",
        "J = argmax of the sums over these 2^s rounds + Lap(1/epsilon)",
        "own.playing = noisy_argmax(",
    ),
    Line("l. 6", "s += 1, sums = 0", "forget(arms, own)"),
    Line("l. 7", "end while"),
)
FACTOR = Parameter("factor", 1.0, "the Laplace scale is factor / epsilon", 1e-9, 1e9)
PARENT_LIMIT = "plays the leader of the last epoch only, and keeps it for a whole epoch"
REGRET = "Theorem 9: O(log K / gap + log K log(largest gap / max(gap, epsilon, 1/T)) / epsilon)"

CARD = Card(
    name="rnm-ftnl",
    title="the noisy leader of the last epoch, epochs doubling, Lap(1/epsilon) on each sum",
    paper="hu_huang_mehta_2021",
    where="Algorithm 4",
    feedback="full-information",
    privacy=PrivacyClaim(Notion.PURE, "Theorem 8", "epsilon-DP", claims=("theorem-8-privacy",)),
    regret=REGRET,
    regret_claims=("theorem-9-second-form",),
    parent="follow-the-leader",
    parent_limit=PARENT_LIMIT,
    parameters=(FACTOR,),
    fixed={"factor": 1.0},
    pseudocode=PSEUDOCODE,
    notes=(
        "Rewards; the first action is action 1, as line 2 prints (the text allows any).",
        "Line 2's round is the epoch s = 0: the same code makes its release.",
    ),
)
REPAIRED = dataclasses.replace(
    CARD,
    privacy=dataclasses.replace(
        CARD.privacy, where="proof in the notes", statement="epsilon-DP, as claimed", claims=()
    ),
    name="rnm-ftnl-repaired",
    title="RNM-FTNL with Lap(2/epsilon), which replacing a whole reward vector needs",
    where="Algorithm 4, repaired",
    regret="as Theorem 9 with epsilon/2",
    fixed={"factor": 2.0},
    notes=(
        "Proof: a replaced vector moves one sum up and another down by at most 1 each, so no "
        "score moves by more than 2 against another; with scale 2/epsilon the survival function "
        "of each score's noise moves by a factor exp(epsilon) at most; each vector is used in "
        "one epoch only. Wu & Wang (2025, Algorithm 1) print this scale as the original's.",
    ),
)


def start(arms: Arms, own: Own) -> None:
    """The first action."""
    own.playing = 0  # l. 2


def select(arms: Arms, own: Own, t: int, rng: Any) -> int:
    """The last epoch's noisy leader."""
    return int(own.playing)  # l. 4


def observe(
    arms: Arms, own: Own, arm: int, pulls: int, reward: Any, reward_in_neighbour: Any, rng: Any
) -> None:
    """Collect the epoch; at its end report the noisy maximum and forget the sums."""
    for j in range(len(arms)):
        arms[j].total += reward[j]
        arms[j].total_in_neighbour += reward_in_neighbour[j]
    own.played += pulls
    if own.played == 1 << own.epoch:
        scale = own.factor / own.epsilon
        totals, there = arms["total"], arms["total_in_neighbour"]
        own.playing = noisy_argmax(own, totals, there, scale, LAPLACE, rng)  # l. 5
        forget(arms, own)  # l. 6


def forget(arms: Arms, own: Own) -> None:
    """Begin the next epoch, twice as long, with empty sums."""
    own.epoch += 1
    own.played = 0
    for j in range(len(arms)):
        arms[j].total = 0.0
        arms[j].total_in_neighbour = 0.0


def leap(arms: Arms, own: Own, t: int, arm: int) -> int:
    """Until the epoch ends."""
    return int((1 << own.epoch) - own.played)


ARM = {"total": float, "total_in_neighbour": float}
OWN = {"playing": int, "epoch": int, "played": int}
ENTRIES = [
    Algorithm(
        card=card,
        arm=ARM,
        own=OWN,
        select=select,
        observe=observe,
        leap=leap,
        lazy=True,
        opening=first_round,
        exact=NoisyMax("laplace", float(card.fixed["factor"])),
        start=start,
    )
    for card in (CARD, REPAIRED)
]
