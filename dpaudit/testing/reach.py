"""Where an algorithm makes its releases, and how far it has to be played until it has made each.

The places are read off the code: whatever `select` and `observe` call, down to the releases of
`dpaudit.machine`. While it is played, releases are replaced by recorders that know who called them.
"""

from __future__ import annotations

import dis
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np

from dpaudit.algorithm.card import Notion
from dpaudit.algorithm.contract import Algorithm
from dpaudit.machine import releases
from dpaudit.machine.compiling import Function, callees, replacing
from dpaudit.machine.safe_laplace import safe_laplace
from dpaudit.testing.subject import Subject, reward_table, run

SCALARS = (releases.laplace, safe_laplace, releases.gaussian)
NOISY = (*SCALARS, releases.noisy_argmax)
TIMES = 3
"""A release must have happened so often, and for more than one arm where there are several."""
LADDER = (64, 256, 1024, 4096, 16384)
"""Horizons, until every release has happened; the long ones with two arms."""
SHORT = 256


class Site(NamedTuple):
    """A call of a release."""

    file: str
    line: int
    release: str

    def __str__(self) -> str:
        return f"{self.release} at {Path(self.file).name}, line {self.line}"


@dataclass(frozen=True)
class Call:
    """A release that happened: what it was handed. Several values are those of all arms."""

    site: Site
    value: Any
    in_neighbour: Any
    scale: float
    output: float

    @property
    def difference(self) -> Any:
        return np.max(np.abs(np.subtract(self.value, self.in_neighbour)))


def sites(algorithm: Algorithm) -> list[Site]:
    """Every call of a noisy release in the code of the steps that see private data."""
    found: list[Site] = []
    seen: set[Function] = set()

    def visit(function: Function) -> None:
        if function in seen or function in NOISY:
            return
        seen.add(function)
        known = callees(function)
        for line, name in _named(function):
            if known.get(name) in NOISY:
                found.append(Site(function.__code__.co_filename, line, known[name].__name__))
        for callee in known.values():
            visit(callee)

    for step in (algorithm.select, algorithm.observe):
        visit(cast(Function, step))
    return list(dict.fromkeys(found))


def _named(function: Function) -> Iterator[tuple[int, str]]:
    for instruction in dis.get_instructions(function.__code__):
        if instruction.opname == "LOAD_GLOBAL" and instruction.positions:
            yield instruction.positions.lineno or 0, instruction.argval


Release = Callable[..., Any]
Double = Callable[[Site, Release, tuple[Any, ...]], Any]
"""What stands in for a release: it is told the place, the release and what was handed to it."""


def with_doubles(algorithm: Algorithm, double: Double) -> Algorithm:
    """The algorithm as plain Python, with `double` called in place of each noisy release."""

    def standing_in(release: Release) -> Release:
        def call(*given: Any) -> Any:
            frame = sys._getframe(1)
            site = Site(frame.f_code.co_filename, frame.f_lineno, release.__name__)
            return double(site, release, given)

        return call

    others = {release: standing_in(release) for release in NOISY}
    return replace(algorithm, **cast(Any, replacing(algorithm, others)))


def recording(calls: list[Call]) -> Double:
    """A double that makes the release and writes it down."""

    def call(site: Site, release: Release, given: tuple[Any, ...]) -> Any:
        _, value, there, scale, *_ = given
        kept = [np.array(x, dtype=np.float64) for x in (value, there)]  # the arrays change later
        output = release(*given)
        calls.append(Call(site, kept[0], kept[1], float(scale), float(output)))
        return output

    return call


@dataclass(frozen=True)
class Reach:
    """How an algorithm is played until each release has happened; what is missing, if it cannot."""

    arms: int
    rounds: int
    epsilon: float
    forced: bool
    missing: tuple[str, ...] = ()

    @property
    def path(self) -> list[int] | None:
        """The arms in turn, where pulls have to be forced."""
        return [t % self.arms for t in range(self.rounds)] if self.forced else None


def reach(subject: Subject) -> Reach:
    """The shortest horizon at which each release happens often enough; found once per subject."""
    known: Reach | None = getattr(subject, "reached", None)
    if known is None:
        known = _search(subject)
        subject.reached = known  # type: ignore[attr-defined]
    return known


def _search(subject: Subject) -> Reach:
    wanted = sites(subject.entry)
    private = subject.entry.card.privacy.notion is not Notion.NONE
    found = Reach(3, LADDER[0], subject.epsilon, forced=False)
    if not wanted:
        # It claims privacy without releases: long plays must show that it is data-blind.
        return replace(found, arms=2, rounds=LADDER[-2]) if private else found
    for rounds in LADDER:
        arms = 3 if rounds <= SHORT else 2
        # In what order: as it is, with little noise and small epochs, and with forced pulls.
        for epsilon, forced in ((1.0, False), (100.0, False), (1.0, True)):
            size = min(epsilon * subject.epsilon, subject.entry.card.epsilon_max)
            found = Reach(arms, rounds, size, forced)
            missing = _missing(subject, found, wanted)
            if not missing:
                return found
    # What can be said without them is said of shorter plays.
    return Reach(3, LADDER[1], subject.epsilon, forced=False, missing=tuple(missing))


def _missing(subject: Subject, at: Reach, wanted: list[Site]) -> list[str]:
    """What did not happen often enough. An arm's releases are those that change with its rewards in
    the neighbouring world."""
    times: dict[Site, int] = dict.fromkeys(wanted, 0)
    about: dict[Site, set[int]] = {site: set() for site in wanted}
    calls: list[Call] = []
    algorithm = with_doubles(subject.entry, recording(calls))
    who = subject.configured(at.arms, at.rounds, epsilon=at.epsilon, algorithm=algorithm)
    here = reward_table(at.rounds, at.arms, 0)
    for arm in range(at.arms):
        there = here.copy()
        there[:, arm] = 1.0 - here[:, arm]
        calls.clear()
        run(who, here, there, arm, leaping=True, path=at.path)
        for call in calls:
            if call.site in times:
                times[call.site] += 1
                if call.difference > 0.0:
                    about[call.site].add(arm)
        if arm == 0 and at.rounds > SHORT and not any(about.values()):
            break  # no release shows a change: the other arms' plays are not worth their time
    return [
        f"{site} happened {times[site]} times, for {len(about[site])} of {at.arms} arms, in "
        f"{at.rounds} rounds"
        for site in wanted
        if times[site] < TIMES or len(about[site]) < min(2, at.arms)
    ]
