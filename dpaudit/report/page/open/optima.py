"""The least regret of any private learner as a section of a page: what no private learner reaches,
and how much of its regret and of its epsilon each learner of the catalogue wastes."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

from dpaudit.report.page.markup import (
    Html,
    again,
    anchor,
    article,
    distinct,
    element,
    figures,
    number,
    percent,
    remarks,
    section,
    table,
)
from dpaudit.report.page.open.policy import policy_part
from dpaudit.report.page.pictures import Series, plot
from dpaudit.report.policy import in_words
from dpaudit.results.optima import Beside, OptimumResult

DIGITS = 5


def optima_sentence(found: Sequence[OptimumResult]) -> str:
    e = max(found, key=lambda e: (e.rounds, e.arms))
    return (
        f"Optima: no private learner has less regret than {number(e.certified, DIGITS)} at T = "
        f"{e.rounds}, K = {e.arms}, ε = {number(e.epsilon)} ({e.feedback}, gap "
        f"{number(e.instance_gap)}); {len(found)} such bounds, each with an exact certificate."
    )


def optima_section(found: Sequence[OptimumResult]) -> Html:
    games: dict[tuple[object, ...], list[OptimumResult]] = {}
    for e in found:
        games.setdefault((e.feedback, e.arms, e.rounds, e.instance_gap, e.delta), []).append(e)
    idents = distinct([anchor("optimum", *game) for game in games])
    parts = [
        _game(sorted(entries, key=lambda e: e.epsilon), ident)
        for entries, ident in zip(games.values(), idents, strict=True)
    ]
    what = (
        "A lower bound is proved by its certificate, in whole numbers, for every private learner. "
        "The instances are all on which one arm's losses are Bernoulli with mean 1/2 - gap/2 and "
        "the others' with 1/2 + gap/2. A learner whose regret is below the bound is not private "
        "at that ε."
    )
    return section("optima", "Optima", element("p", what), *parts, again("dpaudit optimal --sweep"))


def _game(entries: Sequence[OptimumResult], ident: str) -> Html:
    e = entries[0]
    title = f"{e.feedback}, K = {e.arms}, T = {e.rounds}, gap {number(e.instance_gap)}"
    bounds = table(
        f"The least regret: {title}",
        ("ε", "proved for every private learner", "reached", "uniform play"),
        [
            (number(o.epsilon), number(o.certified, 9), number(o.value, 9), number(o.uniform))
            for o in entries
        ],
        ident=f"{ident}-bounds",
    )
    epsilons = [o.epsilon for o in entries]
    series = [Series("the least possible", epsilons, [o.certified for o in entries], marked=True)]
    picture = plot(
        series, title=title, x="ε", y="worst-case regret", log=(True, False), ident=ident + "-plot"
    )
    rows = [
        (b.name, number(o.epsilon), _regret(b), _above(b, o), _needed(b, entries), _used(b, o))
        for o in entries
        for b in o.learners
    ]
    header = (
        "learner",
        "ε",
        "regret",
        "above the least",
        "the best learner has it at ε",
        "of its ε",
    )
    beside = table(f"The catalogue: {title}", header, rows, ident=f"{ident}-beside")
    notes = list(dict.fromkeys(note for o in entries for note in o.notes))
    policies = [policy_part(o, f"{ident}-{place}") for place, o in enumerate(entries)]
    shown = beside if rows else ""
    return article(
        ident, [title], figures([("", picture)]), bounds, shown, *policies, remarks(notes)
    )


def _regret(b: Beside) -> str:
    if not b.runs:
        return f"{number(b.high, DIGITS)}, exact"
    return f"{number(b.low, DIGITS)} to {number(b.high, DIGITS)}"


def _above(b: Beside, o: OptimumResult) -> str:
    if b.high < o.certified:
        return "below: not private at this ε"
    return percent((b.low + b.high) / (2 * o.certified) - 1.0)


def _used(b: Beside, o: OptimumResult) -> str:
    """The share of its epsilon that the best learner needs for the same regret."""
    if b.needed_low is None or b.needed_high is None:
        return ""
    if not b.needed_low:
        return f"below {percent(b.needed_high / o.epsilon)}"
    return f"{percent(b.needed_low / o.epsilon)} to {percent(b.needed_high / o.epsilon)}"


def _needed(b: Beside, entries: Sequence[OptimumResult]) -> str:
    """Between two epsilons that were solved for; else where the bounds, joined in a straight line
    over log epsilon, are at the learner's regret."""
    if b.needed_low is not None:
        return in_words(b)
    if len(entries) == 1:
        return ""
    regret = (b.low + b.high) / 2
    if regret >= entries[0].certified:
        return f"below {number(entries[0].epsilon)}"
    for left, right in itertools.pairwise(entries):
        if left.certified >= regret >= right.certified:
            share = (left.certified - regret) / (left.certified - right.certified)
            between = math.log(right.epsilon / left.epsilon)
            return f"about {number(left.epsilon * math.exp(share * between), 2)}"
    return f"above {number(entries[-1].epsilon)}"
