"""Follow the private leader of a random prefix: Cesari & Colomboni, "Optimal gap-dependent regret
for private stochastic decision-theoretic online learning" (arXiv 2605.29148, 2026)."""

from __future__ import annotations

from typing import Any

from dpaudit.algorithm.card import Adjacency, Card, Line, Notion, Parameter, PrivacyClaim
from dpaudit.algorithm.contract import Algorithm, Arms, Own, no_opening
from dpaudit.algorithm.exact import PrefixNoisyMax
from dpaudit.machine.noisy_max import GUMBEL
from dpaudit.machine.releases import noisy_argmax

ANY = 1.0

CARD = Card(
    name="random-prefix-ftl",
    title="exponential mechanism on a random prefix of the last block, blocks doubling",
    paper="cesari_colomboni_2026",
    where="the algorithm of the abstract",
    feedback="full-information",
    payoff="losses",
    privacy=PrivacyClaim(Notion.PURE, "proof in the notes", "epsilon-DP"),
    regret="1000 (log K / gap + log K / epsilon), whatever T",
    neighbours=Adjacency.LOSSES,
    parent="follow-the-leader",
    parent_limit="plays the leader of a part of the last block only, and keeps it for a block",
    parameters=(
        Parameter(
            "lengths",
            "second-half",
            "which lengths a block's prefix may have, all of them equally likely",
            words=("second-half", "any"),
        ),
        Parameter("factor", 2.0, "the Gumbel noise's scale is factor / epsilon", 1e-9, 1e9),
    ),
    fixed={"factor": 2.0},
    pseudocode=(
        Line("s. 1", "J uniform over the actions", "own.playing = int(rng.random()"),
        Line("s. 2", "for blocks of 1, 2, 4, ... rounds"),
        Line(
            "s. 3",
            "draw the length M of a prefix: uniform over the second half of the block",
            "own.prefix = length - int(",
        ),
        Line("s. 4", "play J in all rounds of the block", "return int(own.playing)"),
        Line("s. 5", "G = the sums of the losses in its first M rounds", "arms[j].total += "),
        Line(
            "s. 6",
            "J = j with a probability proportional to exp(-epsilon G_j / 2)",
            "own.playing = noisy_argmax(",
        ),
        Line("s. 7", "end for"),
    ),
    notes=(
        "Losses: what the learner is handed is a loss vector, and means are mean losses.",
        "The exponential mechanism is the argmax of -G + Gumbel(2/epsilon).",
        "Proof: M does not depend on the losses; a replaced vector is in one prefix at most and "
        "moves no sum by more than 1, so no score by more than 2 against another one.",
        "The paper's text is not at hand. Public, in its abstract: blocks of exponentially "
        "increasing size, one action a block, the mechanism, a prefix that is random and does not "
        "depend on data, block regret as a sum over all prefix lengths, the bound. Not found: the "
        "blocks' ratio (here 2), the first action (here uniform), the law of M.",
        "M is read as uniform over n/2 + 1, ..., n in a block of n rounds: then every length is "
        "counted four times at most whatever T. Uniform over 1, ..., n (lengths=any) counts "
        "it in every later block, so that regret grows with log T, which the bound excludes.",
        "Definition recalled from the literature until checked against the text.",
    ),
)


def start(arms: Arms, own: Own) -> None:
    """The first block is one round, which is its own prefix."""
    own.prefix = 1


def select(arms: Arms, own: Own, t: int, rng: Any) -> int:
    """The last block's choice, the first one uniform."""
    if t == 1:
        own.playing = int(rng.random() * len(arms))  # s. 1
    return int(own.playing)  # s. 4


def observe(
    arms: Arms, own: Own, arm: int, pulls: int, losses: Any, losses_in_neighbour: Any, rng: Any
) -> None:
    """Collect the prefix; at the block's end choose by it, and draw the next one's length."""
    if own.played < own.prefix:
        for j in range(len(arms)):
            arms[j].total += losses[j]  # s. 5
            arms[j].total_in_neighbour += losses_in_neighbour[j]
    own.played += pulls
    if own.played == 1 << own.block:
        scale = own.factor / own.epsilon
        totals, there_totals = -arms["total"], -arms["total_in_neighbour"]
        own.playing = noisy_argmax(own, totals, there_totals, scale, GUMBEL, rng)  # s. 6
        own.block += 1
        own.played = 0
        for j in range(len(arms)):
            arms[j].total = 0.0
            arms[j].total_in_neighbour = 0.0
        draw_prefix(own, rng)


def draw_prefix(own: Own, rng: Any) -> None:
    """A length for the block that begins."""
    length = 1 << own.block
    many = length if own.lengths == ANY else length >> 1
    own.prefix = length - int(rng.random() * many)  # s. 3


def leap(arms: Arms, own: Own, t: int, arm: int) -> int:
    """Until the prefix ends, or the block."""
    if own.played < own.prefix:
        return int(own.prefix - own.played)
    return int((1 << own.block) - own.played)


ENTRIES = [
    Algorithm(
        card=CARD,
        arm={"total": float, "total_in_neighbour": float},
        own={"playing": int, "block": int, "played": int, "prefix": int},
        select=select,
        observe=observe,
        leap=leap,
        lazy=True,
        opening=no_opening,
        exact=PrefixNoisyMax("gumbel", 2.0),
        start=start,
    )
]
