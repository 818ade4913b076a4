"""`dpaudit claims`: the ledger of claims, one of them in full, or its certificates rechecked."""

from __future__ import annotations

import argparse
import json
import textwrap
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpaudit.cli.terminal import say, write
from dpaudit.errors import UsageError, check_count, unknown

if TYPE_CHECKING:
    from dpaudit.ledger.certificates import Entry
    from dpaudit.ledger.claims import Claim

EXAMPLE = """examples:
  dpaudit claims                               (all papers; what is known is not run again)
  dpaudit claims --paper wu_wang_2025 --verdict refuted
  dpaudit claims --paper hu_huang_mehta_2021 --show theorem-8-privacy
  dpaudit claims --recheck                     (the independent checker, alone)"""


def options(parser: argparse.ArgumentParser) -> None:
    """Options of the command."""
    add = parser.add_argument
    add("--paper", metavar="KEY", help="one paper, by its file name")
    add("--verdict", metavar="V", help="holds, loose, typo, refuted or undecided; 1 if refuted")
    add("--show", metavar="ID", help="one claim of the paper: statement, method, evidence")
    add("--recheck", action="store_true", help="verify the committed certificates; 1 if one fails")
    add("--fresh", action="store_true", help="run every check, also where its code is unchanged")
    add("--workers", metavar="N", help="processes (default: one a core)")
    add("--certificates", metavar="DIR", help="where certificates are read (default: committed)")
    add("--json", metavar="FILE", help="write the entries as JSON; - is standard output")
    add("--out", metavar="DIR", help="write certificates, ledger and errata pages there")


def run(given: argparse.Namespace) -> int:
    """Show the ledger; 1 if `--verdict refuted` finds any or a certificate is refused."""
    from dpaudit.ledger.certificates import FOLDER
    from proofs_checks import TITLES

    folder = Path(given.certificates) if given.certificates else FOLDER
    if given.paper is not None and given.paper not in TITLES:
        raise unknown("paper", given.paper, TITLES)
    papers = [given.paper] if given.paper else list(TITLES)
    if given.recheck:
        return _recheck(folder, papers)
    return _ledger(given, folder, papers)


def _recheck(folder: Path, papers: list[str]) -> int:
    from dpaudit.recheck import recheck

    if not any((folder / f"{paper}.json").exists() for paper in papers):
        raise UsageError(f"certificates: no file of certificates in {folder}")
    start, count, refused = time.perf_counter(), 0, 0
    try:
        for paper, name, why in recheck(folder, papers):
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
    print(f"{count - refused} of {count} certificates accepted, {seconds:.1f} s")
    return 1 if refused else 0


def _ledger(given: argparse.Namespace, folder: Path, papers: list[str]) -> int:
    from dpaudit.ledger.certificates import load, public
    from dpaudit.ledger.claims import claims_of, find_claim
    from dpaudit.ledger.findings import VERDICTS

    if given.verdict is not None and given.verdict not in VERDICTS:
        raise unknown("verdict", given.verdict, VERDICTS)
    if given.show is not None:
        if given.paper is None:
            raise UsageError("show: needs --paper KEY")
        if given.out is not None:
            raise UsageError("out: a whole paper is written, not one claim")
        chosen = [find_claim(given.paper, given.show)]
    else:
        chosen = [claim for paper in papers for claim in claims_of(paper)]
    start = time.perf_counter()
    known = {} if given.fresh else {(p, i): e for p in papers for i, e in load(p, folder).items()}
    workers = None if given.workers is None else check_count("workers", given.workers)
    entries, finished = _entries(chosen, known, workers)
    order = [(c.paper, c.id) for c in chosen]
    listed = [entries[key] for key in order if key in entries]
    selected = [e for e in listed if given.verdict in (None, e["verdict"])]
    if given.out:
        _write_out(Path(given.out), papers, chosen, entries)
    if given.json:
        claims = selected if given.show else [public(e) for e in selected]
        write(given.json, _document(claims))
    if given.json != "-":
        seconds = time.perf_counter() - start
        if given.show:
            print("\n".join(describe(selected[0])) if selected else "no such claim")
        else:
            _table(selected, len(chosen), seconds)
    if not finished:
        return 3
    return int(given.verdict == "refuted" and bool(selected))


def _entries(
    chosen: list[Claim], known: dict[tuple[str, str], Entry], workers: int | None
) -> tuple[dict[tuple[str, str], Entry], bool]:
    """The entries of the claims, and whether all of them were finished."""
    from dpaudit.ledger.running import is_current, run_claims

    entries: dict[tuple[str, str], Entry] = {}
    pending = []
    for claim in chosen:
        entry = known.get((claim.paper, claim.id))
        if entry is not None and is_current(claim, entry):
            entries[claim.paper, claim.id] = entry
        else:
            pending.append(claim)
    done = 0
    try:
        say(f"0/{len(pending)}" if pending else "")
        for entry in run_claims(pending, workers):
            done += 1
            say(f"{done}/{len(pending)} {entry['paper']} {entry['id']}: {entry['verdict']}")
            entries[entry["paper"], entry["id"]] = entry
    except KeyboardInterrupt:
        say("")
        return entries, False
    say("")
    return entries, True


def _document(claims: list[Any]) -> str:
    from dpaudit import __version__

    document = {"schema": "dpaudit/claims/1", "version": __version__, "claims": claims}
    return json.dumps(document, indent=2, ensure_ascii=False)


def describe(entry: Entry) -> list[str]:
    """A claim in full, as lines for a person."""
    facts = {
        "statement": entry["statement"],
        "verdict": entry["verdict"] + (f" ({entry['scope']})" if entry["scope"] else ""),
        "method": entry["method"],
        "detail": entry["detail"],
        "counterexample": entry["counterexample"],
        "tight": entry["tight"],
        "repair": entry["repair"],
        **{f"considered {i}": text for i, text in enumerate(entry["considered"], 1)},
        "shown": "; ".join(_part(part) for part in entry["parts"]) or None,
        "took": f"{entry['seconds']:.1f} s",
        "again": f"dpaudit claims --paper {entry['paper']} --show {entry['id']} --fresh",
    }
    lines = [f"{entry['paper']}, {entry['where']}: {entry['id']}"]
    for name, text in facts.items():
        if text:
            lines += textwrap.wrap(
                str(text),
                100,
                initial_indent=f"  {name:<15} ",
                subsequent_indent=" " * 18,
                break_on_hyphens=False,
            )
    return lines


def _part(part: Any) -> str:
    """A part in one line."""
    about = part.get("statement") or f"{part['target']} with {part['settings']}"
    at = ", ".join(f"{k} = {v}" for k, v in part.get("at", {}).items())
    size = f", {part['size']} points" if "size" in part else ""
    return f"[{part['kind']}] {about}" + (f" at {at}" if at else "") + size


def _table(entries: list[Entry], total: int, seconds: float) -> None:
    from dpaudit.cli.terminal import table

    tally: dict[str, int] = {}
    for entry in entries:
        tally[entry["verdict"]] = tally.get(entry["verdict"], 0) + 1
    counts = ", ".join(f"{n} {verdict}" for verdict, n in tally.items())
    table(
        f"{len(entries)} of {total} claims: {counts or 'none'}; {seconds:.1f} s",
        ("paper", "id", "where", "verdict", "tight", "method"),
        [
            (e["paper"], e["id"], e["where"], e["verdict"], e["tight"] or "", e["method"])
            for e in entries
        ],
    )


def _write_out(
    folder: Path, papers: list[str], chosen: list[Claim], found: dict[tuple[str, str], Entry]
) -> None:
    """Certificates and pages; what an interrupted run did not come to stays as it was there."""
    from dpaudit.ledger.certificates import load, public, save
    from dpaudit.report.markdown.errata import errata_page, ledger_page

    certificates = folder / "certificates"
    before = {(p, i): e for p in papers for i, e in load(p, certificates).items()}
    known = {**before, **found}
    entries = [known[c.paper, c.id] for c in chosen if (c.paper, c.id) in known]
    try:
        (folder / "errata").mkdir(parents=True, exist_ok=True)
        for paper in papers:
            own = [e for e in entries if e["paper"] == paper]
            save(paper, own, certificates)
            (folder / "errata" / f"{paper}.md").write_text(errata_page(paper, own))
        if len(papers) > 1:
            (folder / "claims.json").write_text(_document([public(e) for e in entries]) + "\n")
            (folder / "claims.md").write_text(ledger_page(entries))
    except OSError as error:
        raise UsageError(f"out: cannot write to {folder} ({error.strerror})") from None
