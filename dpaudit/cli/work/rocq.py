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
    from dpaudit.results.kernel import KernelRun

Claims = Mapping[str, Sequence[Mapping[str, Any]]]


def run(claims: Claims, folder: Path, *, fresh: bool, workers: str | None, out: Path | None) -> int:
    """Judge the papers' certificates, or show the committed record where coqc is not; write the
    record if it is another. 1 if the kernel refuses a part."""
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
    why = running.same_kernel(before)
    if why is not None:
        print(f"{why}: everything is run")
    count = (os.cpu_count() or 1) if workers is None else check_count("workers", workers)
    start, judged = time.perf_counter(), []
    trusted = None if fresh or why else before
    try:
        for one in running.run_all(claims, folder, trusted, count, _tell):
            judged.append(one)
            say(f"{len(judged)}/{len(claims)} {one.paper}")
    except OSError as error:
        raise UsageError(f"rocq: cannot write to {folder} ({error.strerror})") from None
    say("")
    kept = None if why else before
    made = running.record(judged, kept)
    if made != before:
        _commit(file, made)
    known = sum(one.known for one in judged)
    seconds = time.perf_counter() - start
    _table(made, claims, f"{len(judged) - known} files compiled, {known} known; {seconds:.0f} s")
    letters = "".join(_letters(made, claims))
    return int(any(x in letters for x in "rtu"))


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


def _letters(made: KernelRun, claims: Claims) -> list[str]:
    from dpaudit.results.kernel import letters

    return [
        letters(made, paper, entry["id"], entry["parts"])
        for paper, entries in claims.items()
        for entry in entries
    ]


def _table(made: KernelRun, claims: Claims, note: str) -> None:
    """Parts and claims by paper; the axioms; the parts that are not accepted."""
    from dpaudit.results.kernel import LETTERS, letters

    rows, total, whole, bad = [], Counter[str](), 0, []
    for paper, entries in claims.items():
        found = {e["id"]: letters(made, paper, e["id"], e["parts"]) for e in entries}
        tally = Counter("".join(found.values()))
        claimed = sum(bool(x) and set(x) == {"a"} for x in found.values())
        formulas = sum(n for letter, n in tally.items() if letter != "n")
        rows.append((paper, f"{tally['a']} of {formulas}", f"{claimed} of {len(entries)}"))
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
    table(title, ("paper", "parts with a formula", "claims with nothing else"), rows)
    print(_of(made))
    print("axioms:", ", ".join(made.axioms) or "none")
    print("\n".join(bad), end="\n" if bad else "")
