"""The exact engine: the largest log-ratio of two output distributions, certified with balls.

An audit hands it an algorithm with its settings. The law of the actions is derived from the
algorithm's own steps (`steps`), and whatever they are. What does not fit is refused before anything
is computed, with the line where it stopped fitting.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from dpaudit.algorithm.contract import Algorithm
from dpaudit.auditor.engines.exact import noisy_max, search
from dpaudit.auditor.engines.exact.leads import Leads
from dpaudit.auditor.engines.exact.noisy_max import Block
from dpaudit.auditor.engines.exact.outcomes import Chances
from dpaudit.auditor.engines.exact.steps.deriving import (
    Law,
    Outcome,
    Phase,
    TooLarge,
    law_of,
    refused,
)
from dpaudit.auditor.engines.exact.steps.replaying import disagreement
from dpaudit.play.reach.steps import Unfit
from dpaudit.play.tables import Configured
from dpaudit.results.audit import Guarantee
from dpaudit.results.found import Event, Lower, Pair

Came = tuple[Phase, Outcome]

MOST_ARMS = 128
SHOWN = 64
"""Longer sequences of actions are not written out in the event's words."""
MOST_WORK = 3e8
"""Numbers that are worked out for all tables together: some ten seconds."""
NO_EPSILON = 700.0
"""What is said where no epsilon is enough: e to a larger power is no number."""


def not_covered(
    algorithm: Algorithm | None, name: str, claim: Guarantee, pair: Pair | None = None
) -> str | None:
    """Why the engine is not for this question; None if it is."""
    if algorithm is None:
        return f"the exact engine does not cover {name}, whose outputs are all that is seen"
    if claim.notion != "pure":
        return f"the exact engine takes pure claims, and this one is {claim}"
    if pair is not None:
        return "the exact engine searches all pairs, and takes none that is given"
    return None


@dataclass(frozen=True)
class Plan:
    """What is to be computed: outcomes to be searched, or blocks of noisy maxima."""

    law: Law
    outcomes: tuple[tuple[list[Came], Chances], ...]
    """With all that are alike."""
    blocks: tuple[Block, ...]


@functools.lru_cache(maxsize=64)
def refusal(who: Configured) -> str | None:
    """Why the engine does not answer; None if it does. Remembered for this version of the steps."""
    name, arms = who.algorithm.card.name, int(who.settings["arms"])
    if arms > MOST_ARMS:
        return f"for {name} the exact engine takes at most {MOST_ARMS} arms"
    try:
        plan_of(who)
    except TooLarge as large:
        return _too_large(who, large)
    except Unfit as error:
        return f"the steps do not fit the exact engine: {refused(who, error)}"
    where = disagreement(who, law_of(who))
    return None if where is None else f"the derived law is not that of the steps: {where}"


def _too_large(who: Configured, large: TooLarge) -> str:
    """With the number of rounds that it can go to."""
    for rounds in range(min(large.rounds, int(who.settings["horizon"]) - 1), 0, -1):
        try:
            plan_of(Configured(who.algorithm, {**who.settings, "horizon": rounds}))
        except TooLarge:
            continue
        except Unfit:
            break
        return (
            f"for {who.algorithm.card.name} the exact engine takes at most {rounds} rounds of "
            f"{who.settings['arms']} arms: {large}"
        )
    return f"{who.algorithm.card.name} is too large for the exact engine: {large}"


@functools.lru_cache(maxsize=16)
def plan_of(who: Configured) -> Plan:
    """Derived and measured, before anything is computed."""
    law = law_of(who)
    by_round: dict[int, list[Phase]] = {}
    for (first, _), phase in law.phases.items():
        if len(phase.outcomes) > 1:  # else it is certain
            by_round.setdefault(first, []).append(phase)
    blocks, outcomes, work = list[Block](), list[tuple[list[Came], Chances]](), 0.0
    seen: dict[str, list[Came]] = {}
    for _, phases in sorted(by_round.items()):
        (block, *others) = {_block(law, phase) for phase in phases}
        if block is not None and not others and _at_once(law, phases[0].first, block.played):
            blocks.append(block)
            continue
        pairs = [(phase, outcome) for phase in phases for outcome in phase.outcomes]
        for phase, outcome in sorted(pairs, key=lambda pair: pair[1].actions):
            chances = Chances(phase.outcomes[outcome], law.arms)
            if not chances.sums:
                continue
            if (about := chances.signature) in seen:
                seen[about].append((phase, outcome))
                continue
            seen[about] = [(phase, outcome)]
            outcomes.append((seen[about], chances))
            climbs = chances.largest > search.TRIED
            work += 0 if climbs else chances.work
            if climbs and len(chances.sums) > search.MOST_SUMS:
                raise TooLarge(law.rounds - 1, "too many sums of rewards count")
            if work > MOST_WORK:
                raise TooLarge(law.rounds - 1, "too many tables and sequences of actions")
    return Plan(law, tuple(outcomes), tuple(blocks))


def _at_once(law: Law, *rounds: int) -> bool:
    """Whether no path is in the middle of a phase where these rounds begin."""
    spans = [(p.first, p.first + len(o.actions)) for p in law.phases.values() for o in p.outcomes]
    return not any(first < t < end for first, end in spans for t in rounds)


def _block(law: Law, phase: Phase) -> Block | None:
    """The phase as one noisy maximum whose winner is played next, if it is that."""
    found: set[Block | None] = set()
    for outcome, ways in phase.outcomes.items():
        asked = ways[0]
        moved = any(band.data for band in asked.bands.values())
        if len(ways) > 1 or len(asked.contests) != 1 or asked.conditions or moved:
            return None
        played = phase.first + len(outcome.actions)
        if outcome.then is None or law.following[played, outcome.then] != {
            asked.contests[0].winner
        }:
            return None
        found.add(Block.of(asked.contests[0], played))
    return found.pop() if len(found) == 1 else None


def means(who: Configured) -> str:
    """By which means the engine answers."""
    plan = plan_of(who)
    said = []
    if plan.blocks:
        lengths = ", ".join(str(block.length) for block in plan.blocks)
        said.append(f"report-noisy-max of the sums of {lengths} rounds")
    if plan.outcomes:
        ways = [way for _, chances in plan.outcomes for way in chances.ways]
        kinds = sorted({node.kind for way in ways for tree in way.trees for node in tree.nodes})
        nodes = max((len(tree.nodes) for way in ways for tree in way.trees), default=0)
        said.append(
            f"{len(ways)} ways to {len(plan.outcomes)} outcomes"
            + (f", trees of at most {nodes} noisy values ({', '.join(kinds)})" if nodes else "")
        )
    return "derived from the steps: " + ("; ".join(said) or "no noise and no rewards decide")


def exact_lower(
    who: Configured, progress: Callable[[int, int], None] | None = None
) -> tuple[Lower, str]:
    """The certified answer with its witness, and over what it was maximised."""
    plan = plan_of(who)
    arms, rounds = plan.law.arms, int(who.settings["horizon"])
    found: list[tuple[Lower, str]] = []
    if plan.blocks and arms > 1:
        lower, how = noisy_max.exact_lower(list(plan.blocks), arms, rounds)
        found.append((lower, how + _not_followed(plan, rounds)))
    if plan.outcomes:
        found.append(_searched(plan, rounds, progress))
    if not found:
        nothing = Event("no action depends on the rewards within these rounds")
        found.append((Lower(0.0, None, nothing, 0, 0.0), "nothing to search"))
    lower, how = max(found, key=lambda answer: answer[0].bound)
    return replace(lower, unseen=_not_followed(plan, rounds).removeprefix("; ")), how


def _not_followed(plan: Plan, rounds: int) -> str:
    """A leak that begins later is not seen, which has to be said."""
    first = plan.law.rounds + 1
    return "" if first > rounds else f"; what is decided from round {first} on is not looked at"


def _searched(
    plan: Plan, rounds: int, progress: Callable[[int, int], None] | None
) -> tuple[Lower, str]:
    best: tuple[search.Worst, Came, Chances] | None = None
    climbed, leads = False, Leads(plan.law)
    for done, (places, chances) in enumerate(plan.outcomes, 1):
        if progress is not None:
            progress(done, len(plan.outcomes))
        climbed |= chances.largest > search.TRIED
        worst = search.worst(chances)
        if worst is not None and (best is None or worst.loss > best[0].loss + 1e-9):
            reached = next((came for came in places if leads.to(came[0]) is not None), None)
            best = best if reached is None else (worst, reached, chances)
    how = (
        f"all action sequences of probability above {search.LEAST:g} and "
        + ("neighbouring binary tables by a climb" if climbed else "all neighbouring binary tables")
        + f" of {plan.law.rounds} rounds"
        + _not_followed(plan, rounds)
    )
    if best is None or best[0].loss <= 0.0:
        return Lower(0.0, None, Event("no action depends on the rewards"), 0, 0.0), how
    worst, (phase, outcome), chances = best
    low, middle = search.certified(chances, worst)
    if low == math.inf:
        low = middle = NO_EPSILON
        how += f"; no epsilon is enough, for which {NO_EPSILON:g} stands"
    if low <= 0.0:
        return Lower(0.0, None, Event("nothing above rounding"), 0, 0.0), how
    likely, other, changed = search.tables(chances, worst, rounds, plan.law.arms)
    before: tuple[int, ...] = ()
    for came, chances_of, most in leads.to(phase) or ():
        search.lead(chances_of, most, (likely, other))
        before += came.actions
    ends = plan.law.next_actions(phase, outcome)
    sequences = tuple((*before, *outcome.actions, *end) for end in ends)
    shown = " or ".join(" ".join(str(a) for a in actions) for actions in sequences)
    shown = shown if len(sequences[0]) <= SHOWN else "those that are listed"
    event = Event(f"the actions of rounds 1 to {len(sequences[0])} are {shown}", sequences)
    return Lower(low, Pair(other, likely, changed), event, 0, middle), how
