"""`dpaudit claims --rocq`: the certificates before the kernel of Rocq (Coq)."""

from __future__ import annotations

import os
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpaudit.cli.terminal import say, table
from dpaudit.errors import UsageError, check_count

if TYPE_CHECKING:
    from dpaudit.kernel.sheets import Sheet
    from dpaudit.results.kernel import KernelRun

Claims = Mapping[str, Sequence[Mapping[str, Any]]]


def run(
    claims: Claims,
    folder: Path,
    *,
    fresh: bool = False,
    moved: bool = False,
    workers: str | None = None,
    out: Path | None = None,
) -> int:
    """Judge the papers' certificates, or show the committed record where coqc is not; write the
    record if it is another. 1 if a part is not accepted that the record says is."""
    from dpaudit.kernel import coqc, running
    from dpaudit.results.kernel import read_run
    from dpaudit.results.made import committed

    there = committed()
    file = (out or (there[0].parent if there else Path("reports"))) / "kernel.json"
    before = read_run(file)
    if before is None and file.is_file():
        raise UsageError(f"rocq: {file} was changed by hand: its seal is broken; remove it")
    if coqc.compiler() is None:
        if before is None:
            raise UsageError(f"rocq: coqc is not installed ({coqc.INSTALL})")
        _table(before, claims, f"coqc is not installed (`make kernel`); {_of(before)}")
        return 0
    here = running.kernel()
    why = running.other_kernel(before, here)
    if why is not None:
        print(f"{why}: everything is run")
    count = (os.cpu_count() or 1) if workers is None else check_count("workers", workers)
    start, judged = time.perf_counter(), []
    made = running.record([], None if why else before, here)
    trusted = None if fresh or why else before
    try:
        sheets = _moved(claims) if moved else None
        for one in running.run_all(claims, folder, trusted, count, _tell, sheets):
            judged.append(one)
            say(f"{len(judged)}/{len(claims)} {one.paper}")
            made = running.record(judged, None if why else before, here)
            if made != before:
                _commit(file, made)  # nothing is lost if it is interrupted
    except KeyboardInterrupt:
        say("")
        _tell(f"dpaudit: {len(judged)} of {len(claims)} papers were judged and are recorded")
        raise
    except OSError as error:
        raise UsageError(f"rocq: cannot write to {folder} ({error.strerror})") from None
    say("")
    known = sum(one.known for one in judged)
    seconds = time.perf_counter() - start
    _table(made, claims, f"{len(judged) - known} files compiled, {known} known; {seconds:.0f} s")
    lost = [
        f"{paper}/{entry['id']}"
        for paper, entries in claims.items()
        for entry in entries
        if _worse(before, made, paper, entry)
    ]
    print("\n".join(f"{name}: no longer accepted" for name in lost), end="\n" if lost else "")
    return int(bool(lost))


def _worse(before: KernelRun | None, made: KernelRun, paper: str, entry: Any) -> bool:
    """Whether a part of a claim was accepted, and is not."""
    from dpaudit.results.kernel import letters

    was, now = (letters(run, paper, entry["id"], entry["parts"]) for run in (before, made))
    return any(x == "a" != y for x, y in zip(was, now, strict=bool(was)))


def _moved(claims: Claims) -> dict[str, Sheet]:
    """What the claims' moved constants make false."""
    from dpaudit.kernel.moved import moved
    from dpaudit.ledger.claims import claims_of

    found = {}
    for paper in claims:
        say(f"moving the constants of {paper}")
        found[paper] = moved(paper, claims_of(paper))
    return found


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _commit(file: Path, made: KernelRun) -> None:
    import msgspec

    from dpaudit.cli.terminal import writing
    from dpaudit.results.made import commit

    with writing(f"out: cannot write {file}"):
        commit(file.parent, file.stem, msgspec.to_builtins(made))


def _of(made: KernelRun) -> str:
    return f"record {made.seal[:16]} of Coq {made.coqc}, Interval {made.interval}"


def _table(made: KernelRun, claims: Claims, note: str) -> None:
    """Parts and claims by paper; the axioms; the parts that are not accepted."""
    from dpaudit.results.kernel import LETTERS, letters

    rows, total, whole, bad = [], Counter[str](), 0, []
    for paper, entries in claims.items():
        found = {e["id"]: letters(made, paper, e["id"], e["parts"]) for e in entries}
        tally = Counter("".join(found.values()))
        moved = made.papers[paper].moved if paper in made.papers else ""
        claimed = sum(bool(x) and set(x) == {"a"} for x in found.values())
        formulas = sum(n for letter, n in tally.items() if letter != "n")
        some = f"{claimed} of {len(entries)}"
        rows.append((paper, f"{tally['a']} of {formulas}", some, moved or "-"))
        total += tally
        whole += claimed
        bad += [
            f"{paper}/{claim}, part {i + 1}: {LETTERS[x]}"
            for claim, own in found.items()
            for i, x in enumerate(own)
            if x not in "an"
        ]
        unknown = sum(bool(e["parts"]) and not found[e["id"]] for e in entries)
        if unknown:
            bad.append(f"{paper}: {unknown} claims have changed since the record")
    formulas = sum(n for letter, n in total.items() if letter != "n")
    title = f"accepted by the kernel: {total['a']} of {formulas} parts, {whole} claims; {note}"
    head = ("paper", "parts with a formula", "claims with nothing else", "false when moved")
    table(title, head, rows)
    print(_of(made))
    print("axioms:", ", ".join(made.axioms) or "none")
    print("\n".join(bad), end="\n" if bad else "")
