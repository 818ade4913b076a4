"""Run checks, in parallel, and only those whose code is not the one that made the known entry."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed

from dpaudit.ledger.certificates import Entry, make_entry
from dpaudit.ledger.claims import Claim, find_claim
from dpaudit.ledger.digests import code_digest
from dpaudit.recheck import seal
from dpaudit.run.process import die_with_parent

FEW = 3
"""Up to so many claims are not worth starting processes for."""


def run_claim(paper: str, name: str) -> Entry:
    """Run one check, then once more with each constant moved that must break it."""
    claim = find_claim(paper, name)
    start = time.perf_counter()
    finding = claim.find()
    seconds = time.perf_counter() - start
    broken = {
        f"{argument}={value}": claim.find(**{argument: value}).verdict
        for argument, value in claim.breaks.items()
    }
    return make_entry(claim, finding, broken, seconds, code_digest(claim))


def is_current(claim: Claim, entry: Entry | None) -> bool:
    """Whether an entry was made by the code as it is now, and not changed since."""
    return (
        entry is not None
        and entry["code"] == code_digest(claim)
        and (entry["where"], entry["statement"]) == (claim.where, claim.statement)
        and entry["seal"] == seal(entry)
    )


def _enter_pool(parent: int) -> None:
    """Ctrl-C is the parent's business, and its end is this process's end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    die_with_parent(parent)


def run_claims(claims: Sequence[Claim], workers: int | None = None) -> Iterator[Entry]:
    """Entries in the order in which the checks end."""
    count = min(len(claims), workers or os.cpu_count() or 1)
    if len(claims) <= FEW or count == 1:
        for claim in claims:
            yield run_claim(claim.paper, claim.id)
        return
    spawn = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(count, spawn, _enter_pool, (os.getpid(),))
    try:
        slow_first = sorted(claims, key=lambda c: not c.slow)
        tasks = [pool.submit(run_claim, c.paper, c.id) for c in slow_first]
        for task in as_completed(tasks):
            yield task.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
