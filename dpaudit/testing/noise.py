"""Is there noise where an algorithm says so: each release happens, is handed both worlds, adds what
it books, and its noise decides. Algorithms that release nothing pass."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from dpaudit.algorithm.contract import Algorithm
from dpaudit.machine import releases
from dpaudit.machine.compiling import replacing
from dpaudit.machine.noisy_max import log_win
from dpaudit.machine.safe_laplace import safe_laplace
from dpaudit.testing.reach import (
    NOISY,
    SHORT,
    Call,
    Double,
    Reach,
    Release,
    Site,
    reach,
    recording,
    sites,
    with_doubles,
)
from dpaudit.testing.subject import RUNS, Subject, assert_same, reward_table, run

DRAWS = 16_000
"""Draws of a release that are compared with the law it books."""
FALSE_ALARM = 1e-6
STRETCHED = 1.3
"""A scale that is wrong by this factor must be seen, and must change actions."""
TRIES = 8
"""Plays in which noise may show by chance, before a table is sought on which it must."""
HALVINGS = 14
EPSILONS = (1.0, 100.0, 10.0, 0.1)
"""Where bonuses drown noise or noise the rewards, another epsilon shows it: multiples."""


def every_release_is_reached(subject: Subject) -> None:
    """Each release in the code happens several times, and for more than one arm."""
    missing = reach(subject).missing
    assert not missing, "; ".join(missing) + ": nothing can be said of its noise"


def _blind(algorithm: Algorithm, calls: list[tuple[Any, ...]]) -> Algorithm:
    """With releases that ignore what they are given but for the scale, and write it down."""

    def noise(own: Any, value: Any, there: Any, scale: Any, rng: Any) -> float:
        calls.append((float(value), float(there), float(scale)))
        return float(rng.laplace(0.0, scale))

    def argmax(own: Any, scores: Any, there: Any, scale: Any, noise: Any, rng: Any) -> int:
        calls.append((tuple(scores), tuple(there), float(scale)))
        return int(rng.random() * len(scores))

    def bare(own: Any, value: Any, there: Any) -> float:
        calls.append((float(value), float(there), 0.0))
        return 0.0

    others = {
        releases.laplace: noise,
        safe_laplace: noise,
        releases.gaussian: noise,
        releases.noisy_argmax: argmax,
        releases.unprotected: bare,
    }
    return replace(algorithm, **replacing(algorithm, others))


def _blind_play(
    subject: Subject, at: Reach, here: Any, there: Any, seed: int
) -> tuple[list[int], list[tuple[Any, ...]]]:
    calls: list[tuple[Any, ...]] = []
    blind = _blind(subject.entry, calls)
    who = subject.configured(at.arms, at.rounds, epsilon=at.epsilon, algorithm=blind)
    return run(who, here, there, seed, leaping=True, path=at.path).actions, calls


def _extremes(at: Reach) -> tuple[Any, Any]:
    """The first arm always at 1 and the others at 0, and the reverse."""
    one = np.zeros((at.rounds, at.arms))
    one[:, 0] = 1.0
    return one, 1.0 - one


def private_data_leaves_through_releases_only(subject: Subject) -> None:
    """With releases that ignore what they are given, nothing depends on the rewards: no decision,
    and not when a release happens or with which scale."""
    at = reach(subject)
    near = Reach(3, 40, at.epsilon, forced=False)
    pairs = [(near, *(reward_table(40, 3, 10 * s + k) for k in (1, 2)), s) for s in range(RUNS)]
    pairs += [(far, *_extremes(far), 7) for far in {at, replace(at, forced=False)}]
    for where, one, other, seed in pairs:
        first, second = (_blind_play(subject, where, x, x, seed) for x in (one, other))
        past = f"rewards reach a decision past the releases, in {where.rounds} rounds, seed {seed}"
        assert_same(first[0], second[0], past)
        scales = [[scale for *_, scale in calls] for _, calls in (first, second)]
        assert_same(
            scales[0], scales[1], "whether a release happens, or its scale, depends on rewards"
        )


def releases_compare_the_two_worlds(subject: Subject) -> None:
    """What a release is handed for the one world and for the other changes places with the worlds,
    and is the same where they are."""
    at = reach(subject)
    near = Reach(3, 40, at.epsilon, forced=False)
    for where, seed in ((near, 1), (near, 2), (at, 3)):
        one, other = (reward_table(where.rounds, where.arms, 50 + seed + k) for k in (0, 10))
        (_, there), (_, back), (_, alike) = (
            _blind_play(subject, where, x, y, seed)
            for x, y in ((one, other), (other, one), (one, one))
        )
        assert_same(
            [(y, x) for x, y, _ in there],
            [(x, y) for x, y, _ in back],
            "the worlds are not treated alike: exchanged, they give other values to the releases",
        )
        assert_same(
            [(x, x) for x, *_ in there],
            [(x, y) for x, y, _ in alike],
            "in equal worlds a release is handed different values",
        )


def _expected(call: Call) -> tuple[float, float, float]:
    """Loss, pure and GDP booking of a release, from what it was handed and what came out."""
    x, y, scale = call.value, call.in_neighbour, call.scale
    if np.array_equal(x, y):
        return 0.0, 0.0, 0.0
    if call.site.release == "gaussian":
        here, there = (call.output - x) / scale, (call.output - y) / scale
        return float(there**2 - here**2) / 2.0, 0.0, float((x - y) / scale) ** 2
    if call.site.release == "noisy_argmax":
        changes = y - x
        return math.nan, float(changes.max() - changes.min()) / scale, 0.0
    loss = float(abs(call.output - y) - abs(call.output - x)) / scale
    return loss, float(abs(x - y)) / scale, 0.0


def bookings_are_those_of_the_releases(subject: Subject) -> None:
    """The book of a run is the sum over its releases, and nothing else touches it."""
    at = reach(subject)
    calls: list[Call] = []
    algorithm = with_doubles(subject.entry, recording(calls))
    if not sites(subject.entry):
        return
    for seed in range(2):
        where = at if seed == 0 else replace(at, rounds=min(at.rounds, 40), forced=False)
        here, there = (reward_table(where.rounds, where.arms, 70 + seed + k) for k in (0, 10))
        who = subject.configured(
            where.arms, where.rounds, epsilon=where.epsilon, algorithm=algorithm
        )
        calls.clear()
        book = run(who, here, there, seed, path=where.path).book
        if any(not math.isfinite(x) for x in book):
            continue  # something left unprotected, which is booked as that
        sums = [math.fsum(each) for each in zip(*map(_expected, calls), strict=True)]
        # The grid of a safe release moves what it books by less than 2^-23.
        near = 1e-9 + len(calls) * 2.0**-23
        for name, booked, expected in zip(
            ("loss", "pure", "gdp"), book, sums or (0.0,) * 3, strict=True
        ):
            close = abs(booked - expected) <= near * (1.0 + abs(expected))
            assert close or math.isnan(expected), (
                f"{name} is booked as {booked:.6g}, and the releases make it {expected:.6g}"
            )


def _law_of_scalars(release: Release, scale: float, rng: Any) -> tuple[float, float]:
    """Kolmogorov-Smirnov distance of a release's noise to the law that it books, and to that law
    stretched."""
    from scipy import stats

    own: Any = SimpleNamespace(epsilon=1.0, loss=0.0, pure=0.0, gdp=0.0)
    release(own, 0.0, scale, scale, rng)
    booked = scale / own.pure if own.pure else scale / math.sqrt(own.gdp)
    drawn = [release(own, 0.0, 0.0, scale, rng) for _ in range(DRAWS)]
    law = stats.norm if release is releases.gaussian else stats.laplace
    near, far = (stats.ks_1samp(drawn, law(scale=by * booked).cdf) for by in (1.0, STRETCHED))
    return float(near.statistic), float(far.statistic)


def _law_of_argmax(call: Call, noise: int, rng: Any) -> tuple[float, float]:
    """How far the first index's frequency is from its probability, and from the stretched one's."""
    own: Any = SimpleNamespace(epsilon=1.0, loss=0.0, pure=0.0, gdp=0.0)
    # Scores that are two scales apart: what comes out depends on the noise's size.
    scores = 2.0 * call.scale * np.arange(len(call.value), 0, -1.0)
    given = own, scores, scores, call.scale, noise, rng
    rate = np.mean([releases.noisy_argmax(*given) == 0 for _ in range(DRAWS)])
    law = [math.exp(log_win(scores, 0, call.scale * by, noise)) for by in (1.0, STRETCHED)]
    return abs(float(rate) - law[0]), abs(float(rate) - law[1])


def released_noise_is_what_is_booked(subject: Subject) -> None:
    """At each place, draws with the scale used there have the law of the booked scale, and not that
    of one 1.3 times as large."""
    at, rng = reach(subject), np.random.default_rng(0)
    used: dict[tuple[str, float], tuple[Call, tuple[Any, ...]]] = {}
    kept: list[Call] = []
    record = recording(kept)

    def keeping(site: Site, release: Release, given: tuple[Any, ...]) -> Any:
        output = record(site, release, given)
        if all(known[0].site != site for known in used.values()):
            used[str(site), kept[-1].scale] = kept[-1], given
        return output

    who = subject.configured(
        at.arms, at.rounds, epsilon=at.epsilon, algorithm=with_doubles(subject.entry, keeping)
    )
    table = reward_table(at.rounds, at.arms, 90)
    run(who, table, table, 0, leaping=True, path=at.path)
    limit = math.sqrt(math.log(2.0 / FALSE_ALARM) / (2.0 * DRAWS))
    for call, given in used.values():
        assert call.scale > 0.0, f"{call.site} has scale {call.scale:g}"
        release = {each.__name__: each for each in NOISY}[call.site.release]
        if release is releases.noisy_argmax:
            near, far = _law_of_argmax(call, int(given[4]), rng)
        else:
            near, far = _law_of_scalars(release, call.scale, rng)
        assert near <= limit, f"{call.site} does not add what it books: {near:.4f} from its law"
        if call.value.ndim == 0 or call.value.size > 1:
            assert far > limit, f"{call.site}: noise of {STRETCHED} its scale would not be seen"


def _louder(site: Site, by: float) -> Double:
    """The releases as they are, and one place's noise multiplied."""

    def call(here: Site, release: Release, given: tuple[Any, ...]) -> Any:
        if here != site:
            return release(*given)
        own, value, _, scale, *rest = given
        if release is releases.noisy_argmax:
            return release(own, value, value, max(scale * by, 1e-12), *rest)
        return value + by * (release(*given) - value)

    return call


def _critical(subject: Subject, at: Reach) -> list[tuple[Any, list[int]]]:
    """Two tables on which different arms are played though they hardly differ, with the arms: there
    the least change of the noise must decide. None where extreme tables change nothing."""
    who = subject.configured(at.arms, at.rounds, epsilon=at.epsilon)

    def arms(table: Any) -> list[int]:
        return run(who, table, table, 0, python=subject.python).actions

    low, high = _extremes(at)
    first, last = arms(low), arms(high)
    if first == last:
        return []
    for _ in range(HALVINGS):
        middle = np.round((low + high) * 2**19) / 2**20
        there = arms(middle)
        if there == first:
            low = middle
        else:
            high, last = middle, there
    return [(low, first), (high, last)]


def _tables(at: Reach, seed: int) -> Any:
    """Longer and longer ones; in every second the arms are near each other."""
    rows = reward_table((1 + seed) * at.rounds, at.arms, 200 + seed)
    return 0.5 + 0.125 * (rows - 0.5) if seed % 2 else rows


def actions_depend_on_the_noise(subject: Subject) -> None:
    """Without a release's noise, and with noise 1.3 times as large, the same draws play other arms:
    on some table of random rewards, or on one that was sought for it."""
    at = replace(reach(subject), forced=False)
    critical: list[tuple[Any, list[int]]] | None = None

    def arms(algorithm: Algorithm, where: Reach, table: Any, seed: int) -> list[int]:
        rounds = len(table)
        who = subject.configured(at.arms, rounds, epsilon=where.epsilon, algorithm=algorithm)
        return run(who, table, table, seed, leaping=True).actions

    for site in sites(subject.entry):
        if any(str(site) in missing for missing in reach(subject).missing):
            continue  # that it cannot be reached is said by another check
        for by, said in ((0.0, "without its noise"), (STRETCHED, f"with {STRETCHED} its noise")):
            louder = with_doubles(subject.entry, _louder(site, by))
            tries = range(TRIES if at.rounds <= SHORT else 0)
            if any(
                arms(louder, where, table, seed) != arms(subject.entry, where, table, seed)
                for seed in tries
                for table in [_tables(at, seed)]
                for where in [replace(at, epsilon=times * at.epsilon) for times in EPSILONS]
            ):
                continue
            critical = _critical(subject, at) if critical is None else critical
            assert any(arms(louder, at, table, 0) != played for table, played in critical), (
                f"{site}: {said} the same arms are played, so that nothing here tests it"
            )
