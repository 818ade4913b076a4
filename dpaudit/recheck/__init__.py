"""The checker: verifies committed certificates again, by other means than those that found them.

It shares no code with the finders (`dpaudit.ledger`): formulas are walked here once more, in exact
fractions and mpmath intervals where the finders use python-flint; derivatives and identities have
normal forms of their own where the finders use sympy; samples are played again from their seeds.
What a claim says it reads from the claims' files itself. Run alone: `python -m dpaudit.recheck
FOLDER`.
"""

from __future__ import annotations

import hashlib
import json
import signal
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from dpaudit.recheck.goals import check_derivation, level
from dpaudit.recheck.numbers import Refused, need
from dpaudit.recheck.parts import check
from dpaudit.recheck.register import check_words
from dpaudit.recheck.replay import replay

SCHEMA = "dpaudit/certificates/2"


def seal(entry: dict[str, Any]) -> str:
    """Digest of a claim's certificate without its seal."""
    plain = {key: v for key, v in entry.items() if key != "seal"}
    return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()


def check_claim(entry: dict[str, Any], *, again: bool = True) -> None:
    """The seal; that it is about the paper's claim; every part, played again where it was played;
    and that parts, goals and verdict fit. Every verdict but `undecided` has a part."""
    try:
        need(entry.get("seal") == seal(entry), "the seal is broken: something was changed by hand")
        known = check_words(entry)
        need(
            bool(entry["parts"]) != (entry["verdict"] == "undecided"),
            "a verdict and no certificate",
        )
        for part in entry["parts"]:
            check(part)
            if again:
                replay(part)
        check_derivation(entry)
        need(entry["trust"] == level(entry, known["formal"]), "another level of trust")
        need(entry["verdict"] not in entry["broken"].values(), "a moved constant changed nothing")
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        raise Refused(f"malformed: {type(error).__name__} {error}") from None
    except (SyntaxError, AssertionError, RecursionError) as error:
        raise Refused(f"malformed: {type(error).__name__}") from None


def check_rests(
    entry: dict[str, Any], known: dict[str, dict[str, Any]], path: tuple[str, ...]
) -> None:
    """What a claim is put together from is there, is true, or true as repaired, and is not itself
    put together from the claim."""
    need(entry["id"] not in path, f"rests on itself by way of {', '.join(path)}")
    for text in entry.get("rests", []):
        name, _, repaired = text.partition(" ")
        need(name in known, f"rests on {name}, which is not there")
        other = known[name]
        fine = other["repair"] is not None if repaired else other["verdict"] in ("holds", "loose")
        need(fine, f"rests on {name}, which is {other['severity']}")
        check_rests(other, known, (*path, entry["id"]))


Answer = tuple[str, str, str | None]
"""Paper, id, and why a certificate is refused; None if it is not."""


def in_processes(folder: Path, papers: list[str], workers: int) -> Iterator[Answer]:
    """The same as `recheck`, a paper a process."""
    if workers == 1 or len(papers) == 1:
        yield from recheck(folder, papers)
        return
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        # An interrupt is for who asked to answer: they that are begun here never hear of it.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            found = pool.map(_answers, [folder] * len(papers), papers)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        for answers in found:
            yield from answers


def _answers(folder: Path, paper: str) -> list[Answer]:
    return list(recheck(folder, [paper]))


def recheck(folder: Path, papers: list[str]) -> Iterator[Answer]:
    """For each claim of each paper's file: paper, id, and why it is refused (None if it is not)."""
    for path in (folder / f"{paper}.json" for paper in papers):
        document = json.loads(path.read_text())
        if document["schema"] != SCHEMA:
            raise ValueError(f"{path.name} is not of schema {SCHEMA}")
        known = {entry["id"]: entry for entry in document["claims"]}
        for entry in document["claims"]:
            try:
                check_claim(entry)
                check_rests(entry, known, ())
                yield path.stem, entry["id"], None
            except Refused as refused:
                yield path.stem, entry["id"], str(refused)
