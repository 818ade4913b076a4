"""DP-TS: Hu & Hegde, "Near-optimal Thompson Sampling-based algorithms for differentially private
stochastic bandits" (UAI 2022), Algorithm 1."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dpaudit.algorithm.card import Card, Line, Notion, Parameter, PrivacyClaim
from dpaudit.algorithm.contract import Algorithm, Arms, Own
from dpaudit.machine.leaps.envelopes import candidate, low_end, wait
from dpaudit.machine.leaps.passage import (
    GROWTH,
    TILT,
    changed,
    grow_at_once,
    grow_singly,
    noise_of,
    walk,
)
from dpaudit.machine.leaps.thinning import waiting
from dpaudit.machine.releases import clip01, laplace, unprotected
from dpaudit.machine.trees import (
    TREE,
    bit_length,
    tree_clear,
    tree_put,
    tree_redraw,
    tree_release,
    tree_sum,
)

PRINTED = 1.0
AFRESH = 1.0
RETRY = 32
"""Rounds after which two at once are tried again."""
FEW = 12
"""Items whose nodes are all drawn rather than walked."""
ROOM, ROOM_A_LEVEL = 2.0, 2.0
"""Scales of a node by which the noise may fall in a block, and more for each doubling of it."""
NARROW = 0.06
"""Of the others' deviations, by how much the leader's mean is lowered rather than watched."""
UNLIKELY = 69.0
"""Minus the logarithm of the chance that noise falls by more than is taken to be possible."""

CARD = Card(
    name="dp-ts",
    title="Thompson sampling on a modified logarithmic plus a bounded binary mechanism",
    paper="hu_hegde_2022",
    where="Algorithm 1",
    feedback="bandit",
    privacy=PrivacyClaim(Notion.PURE, "Theorem 1", "epsilon-DP", claims=("theorem-1",)),
    regret="Theorem 2: O(sum of max(log T / gap, log T / epsilon log(log T / (epsilon gap))))",
    regret_claims=("theorem-2",),
    parent="thompson",
    parent_limit="pulls each arm once before the first posterior draw",
    parameters=(
        Parameter(
            "average",
            "intended",
            "the mean in line 7: the private one of lines 3 and 19, or the printed non-private one",
            words=("intended", "printed"),
        ),
        Parameter(
            "invoke",
            "continue",
            "line 17: append to a running binary mechanism, or run a new one on all of Psi",
            words=("continue", "afresh"),
        ),
        Parameter("log_base", 2.0, "base of the logarithm in line 7", 1.0 + 1e-9, 1e9),
    ),
    pseudocode=(
        Line("l. 1", "input: arms, epsilon"),
        Line("l. 2", "for t = 1, ..., K", "if t <= len(arms):"),
        Line(
            "l. 3",
            "pull arm t: O = 1, Psi empty, C = reward + Lap(2/epsilon), r = 0, B = 0",
            "return t - 1",
        ),
        Line("l. 4", "end for"),
        Line("l. 5", "for t = K+1, K+2, ..."),
        Line("l. 6", "for each arm"),
        Line(
            "l. 7",
            "m = mean + 6 sqrt(8) log(O+1) log t / (epsilon O), clipped to [0, 1]",
            "shifted = clip01(",
        ),
        Line("l. 8", "alpha = m O, beta = (1 - m) O", "alpha, beta ="),
        Line("l. 9", "draw theta from Beta(alpha + 1, beta + 1)", "theta = rng.beta("),
        Line("l. 10", "end for"),
        Line("l. 11", "pull the arm of largest theta", "return best"),
        Line("l. 12", "O += 1, append the reward to Psi", "pulled.observations += 1"),
        Line("l. 13", "if O = 2^0 + ... + 2^(r+1)", "if pulled.observations =="),
        Line("l. 14", "C += sum of Psi + Lap(2/epsilon)", "pulled.logarithmic += laplace("),
        Line("l. 15", "Psi empty, r += 1, B = 0", "pulled.psi = 0.0"),
        Line("l. 16", "else"),
        Line(
            "l. 17",
            "B = 2^(r+1)-bounded binary mechanism of Psi with budget epsilon/2",
            "level = tree_put(",
        ),
        Line("l. 18", "end if"),
        Line("l. 19", "noisy mean = (C + B) / O", "pulled.noisy_mean ="),
        Line("l. 20", "end for"),
    ),
    notes=(
        "Rewards; ties go to the lowest arm; log is base 2, as Section 3 declares.",
        "Line 7 prints the non-private mean. Lines 3 and 19 compute a private mean that nothing "
        "else would use, and Theorem 1's proof calls lines 6-11 post-processing: the intention "
        "is evident and the accent may be lost in print. Default: the private mean.",
        "The binary mechanism's nodes have Lap((r+1)/(epsilon/2)), as remark (b) says: the "
        "2^(r+1) - 1 items it may hold are in r+1 nodes at most. Default: it keeps running "
        "(Chan et al. define it as an online mechanism).",
    ),
)


def select(arms: Arms, own: Own, t: int, rng: Any) -> int:
    """Each arm once, then the arm of the largest posterior draw."""
    if t <= len(arms):  # l. 2
        return t - 1  # l. 3
    unit = math.log(own.log_base)
    log_t = math.log(t) / unit
    best = 0
    best_theta = -1.0
    for j in range(len(arms)):
        arm = arms[j]
        n = arm.observations
        average = arm.noisy_mean
        if own.average == PRINTED:
            average = unprotected(own, arm.total, arm.total_in_neighbour) / n
        bonus = 6.0 * math.sqrt(8.0) * (math.log(n + 1.0) / unit) * log_t / (own.epsilon * n)
        shifted = clip01(average + bonus)  # l. 7
        alpha, beta = shifted * n, (1.0 - shifted) * n  # l. 8
        theta = rng.beta(alpha + 1.0, beta + 1.0)  # l. 9
        if theta > best_theta:
            best = j
            best_theta = theta
    return best  # l. 11


def observe(
    arms: Arms, own: Own, arm: int, pulls: int, reward: float, reward_in_neighbour: float, rng: Any
) -> None:
    """Append the reward and release either the whole epoch or a node of its tree."""
    pulled = arms[arm]
    pulled.observations += 1  # l. 12
    pulled.total += reward
    pulled.total_in_neighbour += reward_in_neighbour
    pulled.psi += reward
    pulled.psi_in_neighbour += reward_in_neighbour
    scale = 1.0 / (0.5 * own.epsilon)
    # r starts at -1, so that line 3 is lines 14 and 15 for the epoch of one observation.
    if pulled.observations == (1 << (pulled.epoch + 2)) - 1:  # l. 13
        pulled.logarithmic += laplace(own, pulled.psi, pulled.psi_in_neighbour, scale, rng)  # l. 14
        pulled.psi = 0.0  # l. 15
        pulled.psi_in_neighbour = 0.0
        pulled.epoch += 1
        tree_clear(pulled)
    else:
        level = tree_put(pulled, reward, reward_in_neighbour)  # l. 17
        if own.invoke == AFRESH:
            tree_redraw(own, pulled, (pulled.epoch + 1) * scale, rng)
        else:
            tree_release(own, pulled, level, (pulled.epoch + 1) * scale, rng)
    pulled.noisy_mean = (pulled.logarithmic + tree_sum(pulled)) / pulled.observations  # l. 19


def bonus(own: Own, n: float, log_t: float) -> float:
    """Of line 7."""
    unit = math.log(own.log_base)
    return float(6.0 * math.sqrt(8.0) * math.log(n + 1.0) * log_t / (unit * unit * own.epsilon * n))


def posteriors(arms: Arms, own: Own, laws: Any, t: int) -> None:
    """Each arm's law in round t; of an arm that waits it only moves up, with ln t."""
    log_t = math.log(t)
    for j in range(len(arms)):
        n = arms[j].observations
        average = arms[j].total / n if own.average == PRINTED else arms[j].noisy_mean
        raised = clip01(average + bonus(own, n, log_t))
        laws[j].a, laws[j].b = raised * n + 1.0, (1.0 - raised) * n + 1.0


def highest_draw(laws: Any, rng: Any) -> int:
    """The choice of `select` by the arms' laws."""
    arm, highest = 0, -1.0
    for j in range(len(laws)):
        drawn = rng.beta(laws[j].a, laws[j].b)
        if drawn > highest:
            arm, highest = j, drawn
    return arm


def grow(arms: Arms, own: Own, arm: int, room: float, rounds: int, rng: Any) -> int:
    """The noise of so many more items, to the end of the epoch at most, or until it has fallen by
    more than the room; how many they are. The rewards come later: `take`."""
    pulled = arms[arm]
    n, scale = pulled.observations, 2.0 / own.epsilon
    left = (1 << (pulled.epoch + 2)) - 1 - n
    if left == 1:
        for i in range(bit_length(pulled.tree_items)):
            pulled.tree_noisy[i] = 0.0
        pulled.tree_items = 0
        pulled.epoch += 1
        pulled.logarithmic += rng.laplace(0.0, scale)
        return 1
    rounds = min(rounds, left - 1)
    scale *= pulled.epoch + 1
    if own.invoke == AFRESH:
        return grow_at_once(pulled, bit_length(pulled.tree_items + rounds), rounds, scale, rng)
    if rounds <= FEW:
        return grow_singly(pulled, room, rounds, scale, rng)
    if room == math.inf:
        return grow_at_once(pulled, changed(pulled.tree_items, rounds), rounds, scale, rng)
    return walk(arms[arm : arm + 1], np.full(1, room), np.full(1, -1.0), rounds, scale, rng)


def unlikely_fall(own: Own, arm: Arms, rounds: int) -> float:
    """By how much more the tree's noise falls in none of so many rounds, but for a chance of
    e^-UNLIKELY; in each of them where all is drawn anew.

    What falls is what nodes go, and new ones: at most `levels` at once, of which any subset is met
    once at most. With E exp(-TILT x) = MOMENT of one in units of its scale, all that are met have
    (1 + MOMENT)^levels = exp(GROWTH levels) together.
    """
    levels = arm.epoch + 1 if own.invoke == AFRESH else changed(arm.tree_items, rounds)
    gone = 0.0
    for i in range(levels):
        gone += max(0.0, arm.tree_noisy[i])
    return gone + 2.0 * (arm.epoch + 1) / own.epsilon / TILT * (UNLIKELY + GROWTH * levels)


def block(
    arms: Arms, own: Own, pace: Any, laws: Any, t: int, last: int, rng: Any
) -> tuple[int, int]:
    """The leader and for how many rounds it is chosen, up to the next candidate; or no rounds,
    where a single one had better be played. It ends with the leader's epoch."""
    leader = 0
    for j in range(1, len(arms)):
        if low_end(laws[j].a, laws[j].b, RETRY) > low_end(laws[leader].a, laws[leader].b, RETRY):
            leader = j
    arm = arms[leader]
    n = arm.observations
    most = waiting(pace, n, min((1 << (arm.epoch + 2)) - 2 - n, last - t + 1))
    if most < 2:
        return leader, 0
    # The leader's mean is lowest when all pulls fail and the noise has fallen by the room.
    total, room = arm.total, math.inf
    if own.average != PRINTED:
        room = unlikely_fall(own, arm, most)
        total = n * arm.noisy_mean - room
        if own.invoke == AFRESH:
            pace.neglected += math.exp(-UNLIKELY) * most
            room = math.inf
        elif room * math.sqrt(t - n) < NARROW * n:
            pace.neglected += math.exp(-UNLIKELY)
            room = math.inf
        else:
            room = 2.0 * (arm.epoch + 1) / own.epsilon * (ROOM + ROOM_A_LEVEL * bit_length(most))
            total = n * arm.noisy_mean - room
    least = min(total / n, total / (n + most))
    lowest = clip01(least + bonus(own, n + most, math.log(t)))
    posteriors(arms, own, laws, t + most - 1)
    a, b = lowest * n + 1.0, (1.0 - lowest) * n + 1.0
    rounds = wait(laws, pace, leader, a, b, most, rng)
    if rounds < 1:
        posteriors(arms, own, laws, t)
        return (candidate(laws, pace, rng), -1) if rounds == 0 else (leader, 0)
    before = noise_of(arm)
    done = grow(arms, own, leader, room, rounds, rng)
    if done < rounds or noise_of(arm) < before - room:
        pace.chance = 0.0  # the waiting time has no memory: it begins anew
    return leader, done


def stretch(
    arms: Arms, own: Own, pace: Any, laws: Any, t: int, last: int, rng: Any
) -> tuple[int, int]:
    """From candidate to candidate, to the end of the leader's epoch at most."""
    if len(arms) >= t:
        arm = t - 1
        return arm, grow(arms, own, arm, 0.0, 1, rng)
    posteriors(arms, own, laws, t)
    if pace.chance > 0.0:
        arm = candidate(laws, pace, rng)
        return arm, grow(arms, own, arm, 0.0, 1, rng)
    if t % RETRY == 0:
        pace.share = max(pace.share, 2.5 / t)
    if pace.share * t >= 2.0:
        arm, rounds = block(arms, own, pace, laws, t, last, rng)
        if rounds > 0:
            return arm, rounds
        if rounds < 0:
            return arm, grow(arms, own, arm, 0.0, 1, rng)
    arm = highest_draw(laws, rng)
    return arm, grow(arms, own, arm, 0.0, 1, rng)


def take(
    arms: Arms, own: Own, arm: int, pulls: int, reward: float, reward_in_neighbour: float, rng: Any
) -> None:
    """All rewards are kept in one sum, for it does not matter which are whose."""
    there = arms[arm]
    there.observations += pulls
    there.total += reward
    noise = there.logarithmic + noise_of(there)
    there.noisy_mean = (there.total + noise) / there.observations


def start(arms: Arms, own: Own) -> None:
    """No epoch has been processed."""
    for j in range(len(arms)):
        arms[j].epoch = -1


def invariant(arm: Arms, own: Own) -> tuple[Any, ...]:
    """Epoch r has the observations from 2^(r+1) - 1 on, and its tree all but the first of them."""
    return (
        arm.observations + 1 == arm.tree_items + 2.0 ** (arm.epoch + 1),
        bit_length(arm.observations + 1) == arm.epoch + 2,
    )


ENTRIES = [
    Algorithm(
        card=CARD,
        arm={
            "observations": int,
            "epoch": int,
            "noisy_mean": float,
            "logarithmic": float,
            "psi": float,
            "psi_in_neighbour": float,
            "total": float,
            "total_in_neighbour": float,
            **TREE,
        },
        own={},
        select=select,
        observe=observe,
        start=start,
        invariant=invariant,
        stretch=stretch,
        take=take,
    )
]
