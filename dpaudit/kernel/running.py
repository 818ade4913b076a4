"""Puts the papers' files before the kernel, and records what became of each part.

A file that is as the record says, by the same Coq and prelude, is known and not compiled again.
A lemma that is refused or takes too long is named and left out, and the rest goes on: what counts
as accepted stands in a file that coqc accepted from its first line to its last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dpaudit.errors import UsageError
from dpaudit.kernel import coqc
from dpaudit.kernel.sheets import Place, Sheet, sheet, untouched
from dpaudit.results.kernel import NOT_FORMULAS, KernelRun, PaperRun, digest, parts_digest

Claims = Sequence[Mapping[str, Any]]
Say = Callable[[str], None]


@dataclass(frozen=True)
class Verdict:
    """What became of a file: its digest, what had to be left out, and on what the rest rests."""

    file: str
    bad: Mapping[Place, str]
    axioms: frozenset[str]


@dataclass(frozen=True)
class Judged:
    """A paper's run; `known` if it is the record's, unchanged."""

    paper: str
    run: PaperRun
    axioms: frozenset[str]
    known: bool = False


def prelude_digest() -> str:
    """Of all files of the prelude."""
    return digest([(coqc.HOUSE / f"{name}.v").read_text("utf-8") for name in coqc.PRELUDE])


def kernel() -> tuple[str, str, str]:
    """What accepts: the versions of Coq and Interval, and the prelude's digest."""
    return *coqc.versions(), prelude_digest()


def other_kernel(before: KernelRun | None, here: tuple[str, str, str]) -> str | None:
    """Why a record does not hold here: another Coq, another library, another prelude. None if it
    does."""
    if before is None:
        return "there is no record"
    version, interval, prelude = here
    if version != before.coqc:
        return f"the record is of Coq {before.coqc}, here is {version}"
    if interval != before.interval:
        return f"the record is of Interval {before.interval}, here is {interval}"
    if before.prelude != prelude:
        return "the prelude has changed since the record"
    return None


def run_all(
    papers: Mapping[str, Claims],
    folder: Path,
    before: KernelRun | None,
    workers: int,
    say: Say,
    moved: Mapping[str, Sheet] | None = None,
) -> Iterator[Judged]:
    """Judge each paper, those whose file the record knows without compiling it again; `moved` has
    what moved constants make false."""
    coqc.STOPPED.clear()
    coqc.make_prelude(folder)
    with ThreadPoolExecutor(workers) as pool:
        jobs = [
            pool.submit(_paper, paper, claims, folder, before, say, (moved or {}).get(paper))
            for paper, claims in papers.items()
        ]
        try:
            for job in as_completed(jobs):
                yield job.result()
        except BaseException:
            coqc.STOPPED.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _paper(
    paper: str,
    claims: Claims,
    folder: Path,
    before: KernelRun | None,
    say: Say,
    moved: Sheet | None,
) -> Judged:
    own = sheet(paper, claims)
    known = before.papers.get(paper) if before is not None else None
    refused = failures(own, claims, known) if known is not None else {}
    said = known.moved if known is not None else ""
    axioms: frozenset[str] = frozenset()
    if moved is not None:
        verdict = judge(moved, folder, {}, say)
        total = len(moved.lemmas) + len(moved.unsaid)
        said = f"{len(moved.lemmas) - len(verdict.bad)} of {total}"
        axioms = verdict.axioms
    target, text = folder / f"{paper}.v", own.text(refused.keys())
    if known is not None and before is not None and known.file == digest(text):
        _write(target, text)
        run = PaperRun(known.file, found(own, claims, refused), said)
        return Judged(paper, run, axioms | frozenset(before.axioms), known=True)
    verdict = judge(own, folder, refused, say)
    run = PaperRun(verdict.file, found(own, claims, verdict.bad), said)
    return Judged(paper, run, axioms | verdict.axioms)


def failures(own: Sheet, claims: Claims, known: PaperRun) -> dict[Place, str]:
    """What was refused, or took too long, of parts that have not changed since."""
    out: dict[Place, str] = {}
    for entry in claims:
        about, _, letters = known.claims.get(entry["id"], "").partition(" ")
        if about == parts_digest(entry["parts"]) and len(letters) == len(entry["parts"]):
            places = ((entry["id"], i) for i in range(len(letters)))
            out |= {
                p: x for p, x in zip(places, letters, strict=True) if x in "rt" and p in own.lemmas
            }
    return out


def judge(own: Sheet, folder: Path, refused: Mapping[Place, str], say: Say) -> Verdict:
    """Compile a file; where that stops, see what else would, and compile it without."""
    target = folder / f"{own.paper}.v"
    bad = dict(refused)
    text = own.text(bad.keys())
    answer = _compiled(target, text)
    while not answer.accepted:
        bad |= dict(_stopped(own, text, answer, say))
        bad |= dict(_further(own, folder, bad, say))
        text = own.text(bad.keys())
        answer = _compiled(target, text)
    return Verdict(digest(text), bad, frozenset(answer.axioms))


def _write(target: Path, text: str) -> None:
    """Write a file; one that was changed by hand is refused."""
    if target.is_file() and not untouched(target.read_text("utf-8")):
        raise UsageError(f"rocq: {target} was changed by hand: its digest is another; remove it")
    target.write_text(text, "utf-8")


def _compiled(target: Path, text: str) -> coqc.Answer:
    _write(target, text)
    answer = coqc.run(target)
    if target.read_text("utf-8") != text:
        raise UsageError(f"rocq: {target} was changed while it was compiled")
    return answer


def _stopped(own: Sheet, text: str, answer: coqc.Answer, say: Say) -> Iterator[tuple[Place, str]]:
    """The lemma at which a file stopped."""
    line = answer.line or 0
    before = [place for at, place in own.places(text) if at <= line]
    if not before:
        raise UsageError(f"rocq: {own.paper}: {' '.join(answer.said.split())[:300]}")
    claim, part = before[-1]
    why = "out of time" if answer.out_of_time else "refused"
    say(f"{own.paper}/{claim}, part {part + 1}: {why}")
    yield before[-1], "t" if answer.out_of_time else "r"


def _further(
    own: Sheet, folder: Path, bad: Mapping[Place, str], say: Say
) -> Iterator[tuple[Place, str]]:
    """Which of the lemmas after the last one that failed fail as well."""
    beside = folder / f"{own.paper}_rest.v"
    order, last = list(own.lemmas), max(list(own.lemmas).index(place) for place in bad)
    while last + 1 < len(order):
        left = [place for place in order[last + 1 :] if place not in bad]
        rest = Sheet(own.paper, {place: own.lemmas[place] for place in left}, {})
        text = rest.text()
        answer = _compiled(beside, text)
        if answer.accepted:
            break
        [(place, why)] = _stopped(rest, text, answer, say)
        yield place, why
        last = order.index(place)
    for leftover in folder.glob(f"{own.paper}_rest.*"):
        leftover.unlink()


def found(own: Sheet, claims: Claims, bad: Mapping[Place, str]) -> dict[str, str]:
    """By claim: the digest of its parts, and a letter for each."""

    def letter(claim: str, i: int, part: Mapping[str, Any]) -> str:
        if part["kind"] in NOT_FORMULAS:
            return "n"
        return "u" if (claim, i) in own.unsaid else bad.get((claim, i), "a")

    return {
        entry["id"]: f"{parts_digest(entry['parts'])} "
        + "".join(letter(entry["id"], i, part) for i, part in enumerate(entry["parts"]))
        for entry in claims
        if entry["parts"]
    }


def record(
    judged: Iterable[Judged], before: KernelRun | None, versions: tuple[str, str, str]
) -> KernelRun:
    """The record of a run; papers that were not asked for stay as they were, where that holds."""
    version, interval, prelude = versions
    kept = before.papers if before is not None else {}
    axioms = set(before.axioms) if before is not None and kept else set()
    papers = dict(kept)
    for one in judged:
        papers[one.paper] = one.run
        axioms |= one.axioms
    return KernelRun(
        coqc=version,
        interval=interval,
        prelude=prelude,
        axioms=sorted(axioms),
        papers=dict(sorted(papers.items())),
    ).sealed()
