"""Is an algorithm's book to be believed?

Accounted upper ends, two-world answers and exact ones are statements about the releases of an
algorithm. They hold for its actions only if

1. given the outputs of its releases and its other coins, its actions and the releases themselves
   (round, kind, scale) are the same whatever the data;
2. what a release is handed for a world is a function of that world's data, the same one for both;
3. the book moves in releases only, by what the release's formula says;
4. the rounds of its `opening` are played the same whatever data, outputs and coins.

The steps run as plain Python with recorders in place of the releases, which hand out outputs that
were drawn beforehand: on all binary tables of a few rounds, and on many tables of more. That is a
check, which can fail; what it has not looked at it says nothing about.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpaudit.auditor.book.recorders import Broken, Recorder, Transcript
from dpaudit.auditor.book.rewards import Rewards, all_binary, constant, named_in, some
from dpaudit.play.tables import Configured

EXHAUSTIVE_CELLS = (8, 6, 6)
"""All binary tables are played up to so many cells, with a stream of outputs each."""
TAIL = 2
"""Rounds behind them that pay nothing: what comes of a table is seen there."""
LADDER = (12, 64, 512, 5_000)
"""Rounds that are played, up to those that are asked for."""
UNITS = 60_000
"""What one rung of the ladder may cost, in steps times (8 + arms): some 0.2 s."""
FARTHEST_UNITS = 400_000
"""What the last rung may cost where few runs are to reach far: a second or two."""
FEWEST, MOST = 4, 12
"""Tables of a rung that are compared under the same outputs."""
STREAMS = 8
"""Streams of outputs of a rung, at most."""
LEAP_ARMS, LEAPS = 8, 100
"""Leaps are followed for so many arms and so many steps: in plain Python one costs 100 rounds."""


@dataclass(frozen=True)
class Book:
    """What was seen. Without a complaint the book may be used, for what was looked at."""

    complaint: str | None
    rounds: int
    """So many of the first rounds were looked at."""
    releases: int
    """The most releases that a run reached."""
    looked: str
    """What it rests on, in words."""


@functools.lru_cache(maxsize=256)
def checked(who: Configured, rounds: int) -> Book:
    """What a check of the book finds; remembered for this version of the steps' source."""
    return _Check(who, rounds).book()


class _Check:
    def __init__(self, who: Configured, rounds: int) -> None:
        self.who, self.rounds = who, rounds
        self.arms = int(who.settings["arms"])
        self.feedback = who.algorithm.card.feedback
        self.recorder = Recorder()
        steps = self.recorder.steps(who.algorithm)
        self.select, self.observe = steps["select"], steps["observe"]
        self.state = who.fresh()
        self.opening = who.opening(rounds)
        self.named = named_in(who.algorithm)
        self.opened: list[int] = []
        self.looked = self.releases = self.tables = 0

    def book(self) -> Book:
        complaint = None
        try:
            # Overflow and division by zero are numbers here, as they are in compiled steps.
            with np.errstate(all="ignore"):
                self.look()
        except Broken as broken:
            complaint = str(broken)
        reached = f"{self.releases} releases" if self.releases else "no release reached"
        looked = f"{self.tables} runs of up to {self.looked} rounds, {reached}"
        return Book(complaint, self.looked, self.releases, looked)

    def look(self) -> None:
        """Short and exhaustive first: a complaint is then about a small table."""
        for stream, cells in enumerate(EXHAUSTIVE_CELLS):
            few = min(self.rounds, cells // self.arms)
            if few > 0:
                whole = min(self.rounds, few + TAIL)
                self.compare(list(all_binary(few, self.arms, whole)), whole, stream)
        anytime = self.who.algorithm.card.anytime
        for rounds in sorted({min(self.rounds, rung) for rung in LADDER} | {self.rounds}):
            self.rung(rounds)
        if self.releases == 0 and anytime:
            # One with its first release beyond the rounds asked for is followed until there.
            for rounds in (rung for rung in LADDER if rung > self.rounds):
                self.rung(rounds, streams=1)
                if self.releases:
                    break
        if self.who.algorithm.lazy and self.rounds > self.looked and self.arms <= LEAP_ARMS:
            for stream in range(4):
                self.compare(list(constant(self.arms)), self.rounds, stream, leaping=True)

    def rung(self, rounds: int, streams: int = STREAMS) -> None:
        """As many tables and streams as the rung may cost, or none."""
        run = rounds * (8 + self.arms)
        if 2 * FEWEST * run > FARTHEST_UNITS:
            return
        runs = UNITS // run
        tables = min(MOST, max(FEWEST, runs // (2 * streams)))
        wanted = max(runs // (2 * tables), min(streams, FARTHEST_UNITS // (2 * tables * run)))
        for stream in range(min(streams, wanted)):
            rng = np.random.default_rng([rounds, self.arms, stream])
            # Every other stream forces the arms too, behind the opening.
            path = None
            if stream % 2 == 1:
                path = rng.integers(0, self.arms, rounds).tolist()
            data = list(some(rounds, self.arms, tables, stream, rng, self.named))
            self.compare(data, rounds, stream, path=path)

    def compare(
        self,
        tables: list[Rewards],
        rounds: int,
        stream: int,
        *,
        path: list[int] | None = None,
        leaping: bool = False,
    ) -> None:
        """Outputs are drawn as they come on the first table, and are the same for all others: each
        table as both worlds, then beside the next one."""
        about = (rounds, stream, path, leaping)
        shared = Transcript.drawn(stream)
        alone = [self.play(shared, each, each, *about) for each in tables]
        for i, here in enumerate(tables):
            j = (i + 1) % len(tables)
            values = self.play(shared, here, tables[j], *about)
            for release, (mine, its) in enumerate(values):
                where = f"{shared.where(release)} on {here.words}, its neighbour {tables[j].words}"
                if not same(mine, alone[i][release][0]):
                    raise Broken(f"{where}: what is released looks at the neighbour")
                if not same(its, alone[j][release][0]):
                    raise Broken(f"{where}: the neighbour's value is not that of its data")
        self.releases = max(self.releases, len(shared.releases))
        if not leaping or shared.last > self.looked:
            self.looked = max(self.looked, shared.last)

    def play(
        self,
        shared: Transcript,
        here: Rewards,
        there: Rewards,
        rounds: int,
        stream: int,
        path: list[int] | None,
        leaping: bool,
    ) -> list[tuple[Any, Any]]:
        """One run; gives back what its releases were handed for the two worlds."""
        arms, owns, fresh_arms, fresh_owns = self.state
        arms[:], owns[:] = fresh_arms, fresh_owns
        own, recorder, algorithm = owns[0], self.recorder, self.who.algorithm
        coins = np.random.default_rng([stream, 1])
        recorder.begin(shared, own, f"on {here.words}, its neighbour {there.words}")
        self.tables += 1
        t, steps = 1, 0
        while t <= rounds and (not leaping or steps < LEAPS):
            recorder.round = t
            arm, pulls = -1, 1
            try:
                arm = chosen = int(self.select(arms, own, t, coins))
                recorder.settle("select")
                if t <= self.opening:
                    self.open(t, arm, here)
                elif path is not None:
                    arm = path[t - 1]
                if leaping:
                    pulls = min(int(algorithm.leap(arms, own, t, arm)), rounds - t + 1)
                recorder.played(chosen, arm, pulls)
                x, y = (each.read(self.feedback, t, pulls, arm) for each in (here, there))
                recorder.round = t + pulls - 1
                self.observe(arms, own, arm, pulls, x, y, coins)
                recorder.settle("observe")
            except (ArithmeticError, ValueError, TypeError, LookupError) as error:
                if path is None and shared.style == "typical":
                    raise Broken(f"round {t} on {here.words}: {type(error).__name__}") from error
                recorder.played(f"{type(error).__name__} is raised")
                break
            t += pulls
            steps += 1
        recorder.end(t - 1)
        return recorder.values

    def open(self, t: int, arm: int, here: Rewards) -> None:
        """The arm of a round of the opening, against the first that was seen."""
        if len(self.opened) < t:
            self.opened.append(arm)
        if self.opened[t - 1] != arm:
            raise Broken(
                f"in round {t} of the opening of {self.opening} arm {arm} is played on "
                f"{here.words}, and arm {self.opened[t - 1]} elsewhere"
            )


def same(a: Any, b: Any) -> bool:
    """Up to the rounding of sums in another order."""
    if isinstance(a, float) and isinstance(b, float) and a == b:
        return True
    return bool(np.allclose(a, b, rtol=1e-9, atol=1e-9, equal_nan=True))
