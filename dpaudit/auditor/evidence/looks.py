"""One more look at an event that was chosen once: budgets of many nights add up.

The first look searches, chooses the event and counts it; later ones only count. The bounds on the
event's two probabilities hold after every look at once (Ville 1939), however many there are and
however their sizes were decided, so that the best of them may be reported.
"""

from __future__ import annotations

import math
import sys
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec

from dpaudit.auditor.engines.black_box.engine import BlackBox, as_pair
from dpaudit.auditor.engines.black_box.events import ScoreEvent, level_of
from dpaudit.auditor.engines.black_box.scoring.power import estimate, power, rarest
from dpaudit.auditor.engines.black_box.search.learners import (
    described,
    left_of,
    prepared,
    searched,
    untested_of,
)
from dpaudit.auditor.engines.black_box.search.means import Means, no_time, timed
from dpaudit.auditor.evidence.store import SCHEMA, Evidence, Look, Store
from dpaudit.auditor.statistics import Alpha, anytime_between
from dpaudit.errors import UsageError, shortened
from dpaudit.results.found import Event, Lower
from dpaudit.run.plain import Parcel, pack, unpack
from dpaudit.run.pools import OutOfTime

if TYPE_CHECKING:
    from dpaudit.auditor.auditing import Request

CHOOSING = 0.25
"""Part of the first look's runs that chooses the event."""
MANY = 30
"""The event is chosen for as many looks: what little is seen of it at first adds up."""
FIRST_STAGE = 1000
"""Where the looks' seeds begin: below are those of what chooses."""


def looked(request: Request, alpha: Alpha) -> Lower:
    """The bound from all looks so far, this one included."""
    target = _lasting(request)
    store = Store(str(request.evidence), _asked(request, alpha.value), target)
    with store.held():
        try:
            engine, means, notes = prepared(request)
            found = store.read()
            news = "" if found is not None else _anew(store)
            if found is None:
                found, left = _chosen(request, engine, means, store, alpha)
            else:
                left = _left(request, engine, means, found)
            found, done = _counted(request, engine, means, store, found, left)
        except OutOfTime as late:
            return no_time(request, str(late))
    lower = _bounded(request, engine, found, alpha)
    many = f"{len(found.looks)} look{'s' if len(found.looks) > 1 else ''}"
    told = f"evidence of {many} at one event, this one of {done} runs: {store.file}"
    return replace(lower, budget=means.budget, notes=tuple(filter(None, (*notes, told, news))))


def _lasting(request: Request) -> Any:
    """Who is asked about, as plain data that is the same in another process; what lives in this one
    alone may be made with other values tomorrow, and nothing here would tell."""
    made, parcel = request.target, Parcel()
    if made.factory is not None and made.place is None:
        raise UsageError(
            f"evidence: {made.name} lives in this process alone, allowed is file.py:Class, "
            "module:Class or a name of the catalogue"
        )
    pack(request.adversary, parcel)
    if parcel.stays:
        raise UsageError("evidence: this adversary cannot be kept, allowed are the built-in ones")
    plain = pack(made, parcel)
    if parcel.untold:
        raise UsageError(
            f"evidence: {shortened(parcel.untold, 90)}, which nothing tells from another; allowed "
            "is file.py:Class, or none"
        )
    return plain


def _asked(request: Request, alpha: float) -> dict[str, Any]:
    """What makes it the same question; not how much is spent on it, nor the seed."""
    pair = request.pair
    about: dict[str, Any] = {
        "target": request.target.name,
        "claim": request.claim.public(),
        "settings": [request.epsilon, request.parameters, request.setting.shown()],
        "size": [request.arms, request.rounds],
        "alpha": alpha,
        "adversary": getattr(request.adversary, "__qualname__", None),
        "pair": None if pair is None else [pair.rewards.tolist(), pair.neighbour.tolist()],
    }
    if pair is not None and request.setting.removes:
        about["without"] = pair.without
    plain: dict[str, Any] = pack(about, Parcel())
    return plain


def _anew(store: Store) -> str:
    """What there is of other code, which does not count."""
    others = store.others()
    if not others:
        return ""
    runs = sum(2 * look.runs for each in others for look in each.looks)
    said = f"evidence: the code has changed, {runs} runs of other code do not count; starting anew"
    print(f"dpaudit: {said}", file=sys.stderr)
    return said


def _chosen(
    request: Request, engine: BlackBox, means: Means, store: Store, alpha: Alpha
) -> tuple[Evidence, int]:
    """Pair and event from the first look's own runs, and how many runs are left to count them."""
    search = searched(request, engine, means, alpha.value)
    pair = request.pair if request.pair is not None else search.pair()
    runs = left_of(request, engine, means, search, pair.shape[0]) // 2
    selection = max(50, int(CHOOSING * runs))
    sample = engine.drawn(pair, selection, 6)
    event, words = engine.choose(pair, sample, MANY * max(50, runs - selection), alpha.value)
    plain = pack([pair, replace(event, grid=())], Parcel())
    found = Evidence(
        schema=SCHEMA,
        question=store.question,
        code=store.code,
        asked=store.asked,
        pair=plain[0],
        event=plain[1],
        text=words.text,
        actions=[list(map(int, each)) for each in words.actions],
        untested=untested_of(request, engine, search, shown=True),
        unmoved=untested_of(request, engine, search),
        searched=described(search),
        spent=search.spent + 2 * selection,
    )
    return found, max(50, runs - selection)


def _left(request: Request, engine: BlackBox, means: Means, found: Evidence) -> int:
    """Runs a world that this look can pay."""
    rounds = unpack(found.pair, Parcel()).shape[0]
    if means.deadline is None:
        return max(50, int(means.purse / means.prices.of(rounds)) // 2)
    price = timed(engine, request, rounds, 20)
    seconds = max(0.0, means.deadline - time.monotonic())
    return max(50, int(seconds * engine.runner.at_a_time / price) // 2)


def _counted(
    request: Request, engine: BlackBox, means: Means, store: Store, found: Evidence, runs: int
) -> tuple[Evidence, int]:
    """One more look, which is in the file before it is answered. Its number is taken first."""
    found = msgspec.structs.replace(found, begun=found.begun + 1)
    store.write(found)
    pair, event = unpack([found.pair, found.event], Parcel())
    hits, base_hits, done = engine.evaluate(
        pair, event, runs, means.deadline, request.progress, stage=FIRST_STAGE + found.begun
    )
    look = Look(found.begun, request.seed, hits, base_hits, done)
    complaint = found.complaint or engine.independence.complaint() or ""
    found = msgspec.structs.replace(found, looks=[*found.looks, look], complaint=complaint)
    store.write(found)
    return found, 2 * done


def _bounded(request: Request, engine: BlackBox, found: Evidence, alpha: Alpha) -> Lower:
    pair, event = unpack([found.pair, found.event], Parcel())
    value = alpha.value
    likelier, other = alpha.split(0.5, 0.5)
    alpha.entries += [
        ("the event's probability, at every look", likelier.value),
        ("its probability in the other world, at every look", other.value),
    ]
    totals = _running(found)
    p = max(low for low, _ in anytime_between([(h, n) for h, _, n in totals], likelier))
    q = min(high for _, high in anytime_between([(b, n) for _, b, n in totals], other))
    hits, base_hits, runs = totals[-1]
    dependent = found.complaint
    words = Event(found.text, tuple(tuple(each) for each in found.actions))
    assert isinstance(event, ScoreEvent)
    bound = -math.inf if dependent else level_of(p, q, request.claim)
    return Lower(
        bound=bound,
        pair=as_pair(pair, event, words),
        event=words,
        runs=found.spent + 2 * runs,
        estimate=estimate(hits, base_hits, runs, request.claim),
        power=power(hits, base_hits, runs, event, request.claim, value),
        rarest=rarest(runs, event, request.claim, value),
        complete=not engine.interrupted,
        searched=found.searched,
        sure=None if dependent or request.claim.notion == "pure" else (p, q),
        untested=(
            *((f"runs are not independent: {dependent}",) if dependent else ()),
            *(found.untested if bound > 0.0 else found.unmoved),
        ),
    )


def _running(found: Evidence) -> list[tuple[int, int, int]]:
    """Hits, hits in the other world and runs, after each look."""
    totals, sums = [], (0, 0, 0)
    for look in found.looks:
        sums = sums[0] + look.hits, sums[1] + look.base_hits, sums[2] + look.runs
        totals.append(sums)
    return totals
