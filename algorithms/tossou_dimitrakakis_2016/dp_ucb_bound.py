"""DP-UCB-BOUND: Tossou & Dimitrakakis, "Algorithms for differentially private multi-armed bandits"
(AAAI 2016), Algorithm 1, and the entry whose two halves share the budget."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np

from dpaudit.algorithm.card import Card, Line, Notion, Parameter, PrivacyClaim
from dpaudit.algorithm.contract import Algorithm, Arms, Own
from dpaudit.machine.leaps.optimism import highest, law_of, least_mean, plan
from dpaudit.machine.leaps.passage import hybrid_walk, noise_of
from dpaudit.machine.trees import HYBRID, bit_length, hybrid_add, hybrid_invariant, hybrid_sum

LN = 1.0

PARAMETERS = (
    Parameter("split", 1.0, "each half of the hybrid mechanism gets epsilon / split", 1.0, 2.0),
    Parameter(
        "node_noise",
        "levels",
        "scale of a node: (levels of the tree)/epsilon, or ln(items so far)/epsilon",
        words=("levels", "ln"),
    ),
    Parameter("log_base", math.e, "base of log n in nu (equation 2.2)", 1.0 + 1e-9, 1e9),
)
PSEUDOCODE = (
    Line("l. 1", "input: epsilon"),
    Line("l. 2", "one hybrid mechanism per arm", "**HYBRID"),
    Line("l. 3", "for t = 1, ..., T"),
    Line("l. 4", "if t <= K: play arm t and insert its reward into mechanism t", "return t - 1"),
    Line(
        "l. 5",
        "else, for each arm: s = sum from its hybrid mechanism",
        "mean = hybrid_sum(arm) / n",
    ),
    Line("l. 6", "if n is a power of 2: nu = sqrt(8)/epsilon ln(4 t^4)", "nu = math.sqrt(8.0)"),
    Line(
        "l. 7",
        "else nu = sqrt(8)/epsilon ln(4 t^4) log n + sqrt(8)/epsilon ln(4 t^4)",
        "nu = nu * math.log(n)",
    ),
    Line("l. 8", "pull the arm of largest s/n + sqrt(2 ln t / n) + nu/n", "return best"),
    Line("l. 9", "insert the reward into that arm's mechanism", "hybrid_add("),
)
NOTES = (
    "The pseudo-code is not numbered; the lines are counted here. Rewards; ties to the lowest arm.",
    "Section 2.3: Lap(1/epsilon) on the sum of the block at each power of two, and Lap(log t / "
    "epsilon) on the nodes of the tree in between. The log of the printed scale stands for the "
    "tree's depth, floor(log2 items); node_noise=ln reads it as a natural logarithm.",
    "The budget is not split between the halves: Section 2.3 prints both scales with epsilon, and "
    "Lemma B.2's proof says that no composition theorem is needed (Chan et al. split it).",
    "log(4 t^4) is natural, as ln(4/gamma) in Appendix A; the base of log n is a parameter.",
)
REGRET = (
    "Theorem 3.2: sum over suboptimal arms of max(B (ln B + 7), 8 ln t / (lambda^2 gap)) + "
    "gap (1 + 2 pi^2 / 3), B = sqrt(8) ln(4 t^4) / (epsilon (1 - lambda))"
)

CARD = Card(
    name="dp-ucb-bound",
    title="UCB on sums of a hybrid mechanism, with a bonus for its noise",
    paper="tossou_dimitrakakis_2016",
    where="Algorithm 1",
    feedback="bandit",
    privacy=PrivacyClaim(
        Notion.PURE, "Theorem 3.1", "epsilon-DP", per_step=True, claims=("theorem-3-1",)
    ),
    regret=REGRET,
    regret_claims=("theorem-3-2",),
    parent="ucb1",
    parameters=PARAMETERS,
    fixed={"split": 1.0},
    pseudocode=PSEUDOCODE,
    notes=NOTES,
)
REPAIRED = dataclasses.replace(
    CARD,
    privacy=dataclasses.replace(
        CARD.privacy, where="proof in the notes", statement="epsilon-DP, as claimed", claims=()
    ),
    name="dp-ucb-bound-repaired",
    title="DP-UCB-BOUND whose two halves of the hybrid mechanism share the budget",
    where="Algorithm 1, repaired",
    regret="as Theorem 3.2 with epsilon/2",
    fixed={"split": 2.0},
    notes=(
        *NOTES,
        "Proof: a reward is in one block and, with depth k, in at most k nodes of its tree (of "
        "2^k - 1 items at most); 1/(2/epsilon) + k/(2k/epsilon) = epsilon. This needs "
        "node_noise=levels.",
    ),
)


def node_scale(own: Own, items: int) -> float:
    """Scale of the noise on the node that the given item (not a power of two) completes."""
    if own.node_noise == LN:
        return own.split * math.log(items) / float(own.epsilon)
    return own.split * (bit_length(items) - 1) / float(own.epsilon)


def index(arm: Arms, own: Own, t: int) -> float:
    """Private upper confidence bound."""
    n = arm.pulls
    nu = math.sqrt(8.0) * own.split / own.epsilon * math.log(4.0 * float(t) ** 4)  # l. 6
    if n & (n - 1) != 0:
        nu = nu * math.log(n) / math.log(own.log_base) + nu  # l. 7
    mean = hybrid_sum(arm) / n  # l. 5
    return float(mean + math.sqrt(2.0 * math.log(t) / n) + nu / n)


def select(arms: Arms, own: Own, t: int, rng: Any) -> int:
    """Each arm once, then the arm of the largest index."""
    if t <= len(arms):
        return t - 1  # l. 4
    best = 0
    best_index = index(arms[0], own, t)
    for j in range(1, len(arms)):
        this = index(arms[j], own, t)
        if this > best_index:
            best = j
            best_index = this
    return best  # l. 8


def observe(
    arms: Arms, own: Own, arm: int, pulls: int, reward: float, reward_in_neighbour: float, rng: Any
) -> None:
    """Insert the reward into the pulled arm's mechanism."""
    pulled = arms[arm]
    pulled.pulls += 1
    nodes = node_scale(own, pulled.pulls)
    log_scale = own.split / own.epsilon
    hybrid_add(own, pulled, reward, reward_in_neighbour, log_scale, nodes, rng)  # l. 9


def weight(own: Own, n: int) -> float:
    """Of line 6, or of line 7, in multiples of nu for a power of two."""
    return 1.0 if n & (n - 1) == 0 else 1.0 + math.log(n) / math.log(own.log_base)


def stretch(
    arms: Arms, own: Own, pace: Any, laws: Any, t: int, last: int, rng: Any
) -> tuple[int, int]:
    """As long as the noise of the pulled arm's tree leaves it ahead, to a power of two at most. The
    noise is drawn here, the rewards come later: `take`."""
    arm, rounds = t - 1, 1
    rooms, sides = np.zeros(1), np.full(1, -1.0)
    if t > len(arms):
        for j in range(len(arms)):
            if j == int(pace.kept) or t == len(arms) + 1:
                noisy = arms[j].block + arms[j].log_noisy + noise_of(arms[j])
                law_of(laws[j], noisy, arms[j].pulls, weight(own, arms[j].pulls))
        slope = 4.0 * math.sqrt(8.0) * own.split / own.epsilon
        base, log_t = 0.25 * slope * math.log(4.0), math.log(t)
        arm = highest(laws, base + slope * log_t, math.sqrt(2.0 * log_t), -1)
        n = arms[arm].pulls
        # A node's scale is the same to the next power of two; with ln it is another each round.
        if n & (n - 1) != 0 and own.node_noise != LN:
            least = least_mean(arms[arm].block, n)
            scale = node_scale(own, n)
            rounds, rooms[0] = plan(pace, laws, arm, n, least, base, slope, scale, t, last)
    pace.kept = arm
    scale = node_scale(own, arms[arm].items + 1)
    trees = arms[arm : arm + 1]
    return arm, hybrid_walk(trees, rooms, sides, rounds, own.split / own.epsilon, scale, rng)


def take(
    arms: Arms, own: Own, arm: int, pulls: int, reward: float, reward_in_neighbour: float, rng: Any
) -> None:
    """All rewards are kept in one sum, for it does not matter which are whose."""
    arms[arm].pulls += pulls
    arms[arm].block += reward


def invariant(arm: Arms, own: Own) -> tuple[Any, ...]:
    """What the depth of an arm's tree follows from."""
    return (hybrid_invariant(arm),)


ARM = {"pulls": int, **HYBRID}  # l. 2
ENTRIES = [
    Algorithm(
        card=card,
        arm=ARM,
        own={},
        select=select,
        observe=observe,
        invariant=invariant,
        stretch=stretch,
        take=take,
    )
    for card in (CARD, REPAIRED)
]
