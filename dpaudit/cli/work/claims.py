"""`dpaudit claims`: the ledger of claims, one of them in full, or its certificates rechecked."""

from __future__ import annotations

import argparse
import json
import os
import sys
import textwrap
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpaudit.cli.terminal import say, write, writing
from dpaudit.errors import UsageError, check_count, unknown

if TYPE_CHECKING:
    from dpaudit.ledger.certificates import Key
    from dpaudit.ledger.claims import Claim
    from dpaudit.results.claims import Certificate

EXAMPLE = """examples:
  dpaudit claims                               (all papers; what is known is not run again)
  dpaudit claims --paper wu_wang_2025 --verdict refuted
  dpaudit claims --paper hu_huang_mehta_2021 --show theorem-8-privacy
  dpaudit claims --recheck                     (the independent checker, alone)
  dpaudit claims --rocq --paper wu_wang_2025   (a proof assistant's kernel; needs coqc)"""


def options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--paper", metavar="KEY", help="one paper, by its file name")
    add("--verdict", metavar="V", help="holds, loose, typo, refuted or undecided; 1 if refuted")
    add("--show", metavar="ID", help="one claim of the paper: statement, method, evidence")
    add("--recheck", action="store_true", help="verify the certificates; 1 if one fails")
    add("--rocq", action="store_true", help="put them before Rocq's kernel; 1 if it refuses a part")
    add(
        "--fresh",
        action="store_true",
        help="run all, also what is unchanged (with --rocq: its files)",
    )
    add("--moved", action="store_true", help="with --rocq: what moved constants make false, too")
    add("--workers", metavar="N", help="processes (default: one a core)")
    add("--certificates", metavar="DIR", help="where certificates are kept (default: reports/)")
    add("--json", metavar="FILE", help="write the entries as JSON; - is standard output")
    add("--out", metavar="DIR", help="write certificates, ledger and errata pages there")


def run(given: argparse.Namespace) -> int:
    """Show the ledger; 1 if `--verdict refuted` finds any or a certificate is refused."""
    from dpaudit.ledger.certificates import drop_gone, to_make
    from dpaudit.ledger.claims import claims_of, find_claim
    from dpaudit.ledger.published import published
    from dpaudit.paper_rooms import papers as rooms
    from dpaudit.results.claims import VERDICTS
    from dpaudit.results.made import own_folder

    for name, allowed in (("paper", rooms()), ("verdict", VERDICTS)):
        if getattr(given, name) not in (None, *allowed):
            raise unknown(name, getattr(given, name), allowed)
    if given.show is not None and given.paper is None:
        raise UsageError("show: needs --paper KEY")
    if given.show is not None and given.out is not None:
        raise UsageError("out: a whole paper is written, not one claim")
    if given.moved and not given.rocq:
        raise UsageError("moved: needs --rocq")
    if given.rocq and (given.show is not None or given.recheck):
        raise UsageError("rocq: is for whole papers, and not with --recheck")
    papers = [given.paper] if given.paper else rooms("claims")
    folder = Path(given.certificates) if given.certificates else own_folder() / "certificates"
    if given.certificates and not given.recheck and not folder.is_dir():
        raise UsageError(f"certificates: got {given.certificates!r}, allowed is a folder")
    if given.show is not None:
        chosen = [find_claim(given.paper, given.show)]
    else:
        chosen = [claim for paper in papers for claim in claims_of(paper)]
    if given.recheck:
        if not given.certificates:
            with writing(f"certificates: cannot write to {folder}"):
                gone = drop_gone(papers, folder)
            if gone:
                print(f"{gone} certificates are of claims that are gone, and are left out")
        missing = [] if given.certificates else to_make(chosen, folder)
        if missing:
            print(
                f"{len(missing)} certificates are not there, or are about other words than the "
                "claims' now, and are made first",
                flush=True,
            )
            if not _made(missing, folder, given)[1]:
                return 3
        return _recheck(folder, papers, given)
    start = time.perf_counter()
    found, finished = _made(chosen, folder, given)
    if given.rocq:
        return _rocq(papers, found, folder, given) if finished else 3
    selected = [e for e in found.values() if given.verdict in (None, e.verdict)]
    if given.out:
        _write_out(Path(given.out), papers, found)
    if given.json:
        entries = [published(e) for e in selected]
        if given.show is not None:  # with its certificate
            entries = [_plain(e) | _plain(p) for e, p in zip(selected, entries, strict=True)]
        write(given.json, json.dumps(_document(entries), indent=2, ensure_ascii=False))
    if given.json != "-" and given.show is not None:
        none = "no such claim" if finished else "not finished"
        print("\n".join(describe(selected[0])) if selected else none)
    elif given.json != "-":
        _table(selected, len(chosen), time.perf_counter() - start)
    if not finished:
        return 3
    return int(given.verdict == "refuted" and bool(selected))


def _rocq(
    papers: list[str], found: dict[Key, Certificate], folder: Path, given: argparse.Namespace
) -> int:
    from dpaudit.cli.work.rocq import run as rocq
    from dpaudit.ledger.certificates import plain

    claims = {p: [plain(e) for (paper, _), e in found.items() if paper == p] for p in papers}
    return rocq(
        claims,
        folder.parent / "rocq",
        fresh=given.fresh,
        moved=given.moved,
        workers=given.workers,
        out=Path(given.out) if given.out else None,
    )


def _recheck(folder: Path, papers: list[str], given: argparse.Namespace) -> int:
    from dpaudit.recheck import in_processes
    from dpaudit.recheck.register import TEXTS

    there = [paper for paper in papers if (folder / f"{paper}.json").exists()]
    if not there:
        raise UsageError(f"certificates: no file of certificates in {folder}")
    cores = os.cpu_count() or 1
    workers = cores if given.workers is None else check_count("workers", given.workers)
    start, count, refused = time.perf_counter(), 0, 0
    try:
        for paper, name, why in in_processes(folder, papers, workers):
            count += 1
            say(f"{count} {paper} {name}")
            if why is not None:
                refused += 1
                say("")
                print(f"{paper}/{name}: refused: {why}")
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise UsageError(f"certificates: {folder} cannot be read ({error})") from None
    say("")
    seconds = time.perf_counter() - start
    if not TEXTS.is_dir():
        print("the papers' texts are not at hand: anchors of quotations were not compared")
    print(f"{count - refused} of {count} certificates accepted, {seconds:.1f} s")
    return 1 if refused else 0


def _made(
    chosen: Sequence[Claim], folder: Path, given: argparse.Namespace
) -> tuple[dict[Key, Certificate], bool]:
    """The certificates of the claims, those that are not current made and kept, and whether all
    were finished."""
    from dpaudit.ledger.certificates import current, keep, run_claims

    workers = None if given.workers is None else check_count("workers", given.workers)
    known = {} if given.fresh and not given.rocq else current(chosen, folder)
    pending = [c for c in chosen if (c.paper, c.id) not in known]
    fresh: dict[Key, Certificate] = {}
    try:
        say(f"0/{len(pending)}" if pending else "")
        for entry in run_claims(pending, workers):
            fresh[entry.paper, entry.id] = entry
            say(f"{len(fresh)}/{len(pending)} {entry.paper} {entry.id}: {entry.verdict}")
    except KeyboardInterrupt:
        pass
    say("")
    try:
        keep(fresh, folder)
    except OSError as error:
        print(f"dpaudit: cannot keep certificates in {folder} ({error.strerror})", file=sys.stderr)
    known |= fresh
    order = [(c.paper, c.id) for c in chosen]
    return {key: known[key] for key in order if key in known}, len(fresh) == len(pending)


def _plain(entry: Any) -> Any:
    import msgspec

    return msgspec.to_builtins(entry)


def _document(entries: Sequence[Any]) -> Any:
    import msgspec

    from dpaudit import __version__
    from dpaudit.results.claims import Claims

    return msgspec.to_builtins(Claims(version=__version__, claims=list(entries)))


def describe(entry: Certificate) -> list[str]:
    from dpaudit.ledger.published import published
    from dpaudit.ledger.published.theorems import said
    from dpaudit.results.claims import LEVELS

    shown = published(entry)
    anchored = f"line {entry.anchor.partition(' ')[0]}" if entry.anchor else ""
    facts = {
        "quotation": f"{entry.quotation} ({anchored})" if entry.quotation else None,
        "reading": entry.reading,
        **{f"reading {i}": f"{v}: {text}" for i, (text, v) in enumerate(entry.readings, 1)},
        "statement": entry.statement,
        "verdict": f"{entry.verdict}: {entry.severity}",
        "trust": f"{shown.trust} ({LEVELS[shown.trust]})",
        "shown by": LEVELS[shown.shown],
        "theorem": said(shown.theorem) if shown.theorem else None,
        "method": entry.method,
        "detail": entry.detail,
        "counterexample": entry.counterexample,
        "tight": entry.tight,
        "repair": entry.repair,
        **{f"considered {i}": text for i, text in enumerate(entry.considered, 1)},
        "decided by": entry.decides,
        "rests on": ", ".join(entry.rests),
        "uses": ", ".join(shown.uses),
        **{f"p{i}": _part(part) for i, part in enumerate(entry.parts, 1)},
        **{f"goal {s['goal'] + 1}": _step(entry.goals[s["goal"]], s) for s in entry.derivation},
        "took": f"{entry.seconds:.1f} s",
        "again": f"dpaudit claims --paper {entry.paper} --show {entry.id} --fresh",
    }
    lines = [f"{entry.paper}, {entry.where}: {entry.id}"]
    for name, text in facts.items():
        if text:
            head, rest = f"  {name:<15} ", " " * 18
            lines += textwrap.wrap(
                text, 100, initial_indent=head, subsequent_indent=rest, break_on_hyphens=False
            )
    return lines


def _step(goal: str, step: Any) -> str:
    at = ", ".join(f"{k} = {v}" for k, v in step.get("at", {}).items())
    means = ", ".join(step["by"]) or "words"
    return f"{goal}: {step['rule']}{f' at {at}' if at else ''}, by {means}"


def _part(part: Any) -> str:
    if part["kind"] == "words":
        return "[words] the quotation"
    if part["kind"] == "laboratory":
        return f"[laboratory] {part['experiment']}: {part['text']} ({part['reading']})"
    about = part.get("statement") or f"{part['target']} with {part['settings']}"
    at = ", ".join(f"{k} = {v}" for k, v in part.get("at", {}).items())
    size = f", {part['size']} points" if "size" in part else ""
    return f"[{part['kind']}] {about}" + (f" at {at}" if at else "") + size


def _table(entries: Sequence[Certificate], total: int, seconds: float) -> None:
    from dpaudit.cli.terminal import table
    from dpaudit.ledger.published import published
    from dpaudit.results.claims import levels

    shown = [published(e) for e in entries]
    tally: Counter[str] = Counter(e.verdict for e in shown)
    counts = ", ".join(f"{n} {verdict}" for verdict, n in tally.items())
    table(
        f"{len(entries)} of {total} claims: {counts or 'none'}; {seconds:.1f} s",
        ("paper", "id", "where", "verdict", "trust", "shown by", "tight", "method"),
        [
            (e.paper, e.id, e.where, e.verdict, e.trust, e.shown, e.tight or "", e.method)
            for e in shown
        ],
    )
    print(levels(shown))


def _write_out(folder: Path, papers: list[str], found: dict[Key, Certificate]) -> None:
    """Certificates and pages; what an interrupted run did not come to stays as it was there."""
    from dpaudit.ledger.certificates import keep, load
    from dpaudit.ledger.published import published
    from dpaudit.report.markdown.claims import write_pages
    from dpaudit.results.made import commit

    with writing(f"out: cannot write to {folder}"):
        keep(found, folder / "certificates")
        known = load(papers, folder / "certificates").values()
        entries = [published(certificate) for certificate in known]
        write_pages(folder, papers, entries)
        if len(papers) > 1:
            commit(folder, "claims", _document(entries))
