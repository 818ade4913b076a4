"""Audit the zoo of the field: one line an entry, then the failures; exit code 1 if there are any.

    python -m tests.quality.field [--only NAME ...] [--seconds S] [--seed N] [--sound | --broken]

It fails where a broken learner is answered `consistent`, a sound one `violated`, an audit takes
more than 2 S + 10 seconds, or raises.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import sys
import time
from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any, TextIO

import dpaudit
from tests.quality.field import BROKEN, SOUND
from tests.quality.field.entry import Broken, Sound

SECONDS = 60.0


PATIENCE = 3.0
"""After that many times the seconds allowed, an audit is interrupted, as by Ctrl-C."""


class GivenUp(KeyboardInterrupt):
    """An audit that would not end."""


def allowed(seconds: float) -> float:
    """An audit told to take S seconds answers within 2 S + 10."""
    return 2.0 * seconds + 10.0


@contextlib.contextmanager
def quietly() -> Iterator[None]:
    """Some learners print or warn: what they and their processes write is not an answer."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    kept = {stream.fileno(): os.dup(stream.fileno()) for stream in _flushed()}
    for number in kept:
        os.dup2(nowhere, number)
    try:
        yield
    finally:
        _flushed()
        for number, copy in kept.items():
            os.dup2(copy, number)
            os.close(copy)
        os.close(nowhere)


def _flushed() -> tuple[TextIO, TextIO]:
    streams = sys.__stdout__, sys.__stderr__
    for stream in (sys.stdout, sys.stderr, *streams):
        assert stream is not None
        stream.flush()
    return streams  # type: ignore[return-value]


@contextlib.contextmanager
def patience(seconds: float) -> Iterator[None]:
    """Interrupt what takes longer."""

    def give_up(*_: Any) -> None:
        raise GivenUp(f"interrupted after {seconds:.0f} s")

    kept = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, kept)


def audit(entry: Broken | Sound, **options: Any) -> tuple[str, float, float]:
    """Verdict, lower bound and the seconds that it took."""
    began = time.monotonic()
    with quietly():
        result = dpaudit.audit(
            entry.learner,
            epsilon=entry.epsilon,
            arms=entry.arms,
            rounds=entry.rounds,
            adversary=entry.adversary,
            **options,
        )
    return result.verdict, result.lower_bound, time.monotonic() - began


def fault(entry: Broken | Sound, verdict: str, taken: float, seconds: float) -> str:
    """What is wrong with an answer, or nothing."""
    wrong = "consistent" if isinstance(entry, Broken) else "violated"
    kind = type(entry).__name__.lower()
    faults = [f"{kind}, answered {verdict}"] if verdict == wrong else []
    if taken > allowed(seconds):
        faults.append(f"took {taken:.0f} s, allowed are {allowed(seconds):.0f}")
    return "; ".join(faults)


def chosen(options: argparse.Namespace) -> list[Broken | Sound]:
    """Which entries are audited."""
    entries: list[Broken | Sound] = []
    if not options.sound:
        entries += BROKEN.values()
    if not options.broken:
        entries += SOUND.values()
    return [e for e in entries if not options.only or e.name in options.only]


def parsed(words: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.quality.field", description=__doc__)
    parser.add_argument("--only", nargs="+", metavar="NAME", default=[])
    parser.add_argument("--seconds", type=float, default=SECONDS, metavar="S")
    parser.add_argument("--seed", type=int, default=0, metavar="N")
    parser.add_argument("--workers", type=int, metavar="N")
    one = parser.add_mutually_exclusive_group()
    one.add_argument("--sound", action="store_true")
    one.add_argument("--broken", action="store_true")
    options = parser.parse_args(words)
    known = [*BROKEN, *SOUND]
    for name in options.only:
        if name not in known:
            near = ", ".join(get_close_matches(name, known)) or f"{known[0]} to {known[-1]}"
            parser.error(f"--only: got {name!r}, allowed are names of entries: {near}")
    if not options.seconds > 0:
        parser.error(f"--seconds: got {options.seconds:g}, allowed is more than 0")
    return options


def main(words: list[str] | None = None) -> int:
    """Audit, print, and say what failed."""
    options = parsed(words)
    failures = []
    counts: dict[str, int] = {}
    for entry in chosen(options):
        kind = type(entry).__name__.lower()
        began = time.monotonic()
        try:
            with patience(PATIENCE * allowed(options.seconds)):
                verdict, bound, taken = audit(
                    entry, seconds=options.seconds, seed=options.seed, workers=options.workers
                )
            wrong = fault(entry, verdict, taken, options.seconds)
        except (Exception, GivenUp) as error:
            verdict, bound, taken = "exception", float("nan"), time.monotonic() - began
            wrong = f"{type(error).__name__}: {error}"
        counts[f"{kind} {verdict}"] = counts.get(f"{kind} {verdict}", 0) + 1
        mark = "FAILED" if wrong else "ok"
        print(
            f"{entry.name:<22} {kind:<6} K={entry.arms:<2} T={entry.rounds:<5} {verdict:<12} "
            f"{bound:8.3f} {taken:7.1f} s  {mark}",
            flush=True,
        )
        if wrong:
            failures.append(f"{entry.name}: {wrong}")
    print(", ".join(f"{n} {what}" for what, n in sorted(counts.items())))
    for line in failures:
        print(f"FAILED {line}")
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
