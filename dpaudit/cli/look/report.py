"""`dpaudit report`: results as self-contained HTML pages, one for all and one for each paper."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from dpaudit.cli.look.questions import questions
from dpaudit.cli.terminal import write_folder
from dpaudit.errors import UsageError

if TYPE_CHECKING:
    from dpaudit.results.documents import Document

EXAMPLE = """examples:
  dpaudit report                              (the results in reports/, as pages there)
  dpaudit report --out pages
  dpaudit report --out pages audit.json regret.json       (these results, as pages/index.html)"""
BEST = "Who is best"
OPTIMA = "The price of privacy, and open questions"
TITLE = "What dpaudit found in five papers"


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", metavar="FILE", nargs="*", help="result files (default: reports/)")
    parser.add_argument("--out", metavar="DIR", default="reports", help="default reports")


def run(options: argparse.Namespace) -> int:
    from dpaudit.report.crate import NAME
    from dpaudit.report.page import full_page
    from dpaudit.results.documents import read
    from dpaudit.results.made import committed

    out, sources = Path(options.out), [Path(path) for path in options.files] or committed()
    documents = [with_mends(read(path)) for path in sources]
    if not documents:
        raise UsageError(
            "report: no results; `dpaudit audit`, `claims`, `scaling` and `reproduce` write them "
            "with --out reports"
        )
    if options.files:
        found = {"index.html": full_page(documents, "Results of dpaudit")}
    else:
        found = pages(documents)
    found[NAME] = _crate(out, found, sources)
    write_folder(out, found)
    for name, text in found.items():
        print(f"{out / name} ({len(text) / 1000:.0f} kB)")
    return 0


def with_mends(document: Document) -> Document:
    """With what would mend the violations of our own catalogue, where the results do not say."""
    import msgspec

    from dpaudit.auditor import proved
    from dpaudit.play.catalogue import catalogue, resolve_target
    from dpaudit.results.audit import AuditResult
    from dpaudit.results.documents import Catalogue

    def mended(audit: AuditResult) -> AuditResult:
        known = audit.target in catalogue()
        return proved.with_mends(audit, resolve_target(audit.target)) if known else audit

    if isinstance(document, AuditResult):
        return mended(document)
    if isinstance(document, Catalogue):
        return msgspec.structs.replace(document, audits=[mended(a) for a in document.audits])
    return document


def _crate(out: Path, pages: Mapping[str, str], sources: Sequence[Path]) -> str:
    """What the folder holds: the pages, and the results, if these are there."""
    from dpaudit import __version__
    from dpaudit.papers import PAPERS
    from dpaudit.report.crate import NAME, crate
    from dpaudit.results.documents import schema_in

    home = out.resolve()
    files = {name: (f"Page: {name}", text.encode()) for name, text in pages.items()}
    beside = sorted({*home.glob("[!.]*.json"), *home.glob("proofs/*.json")} - {home / NAME})
    here = sources[0].resolve().parent == home
    for path in [*(p.resolve() for p in sources), *(beside if here else [])]:
        if path.is_relative_to(home):
            content = path.read_bytes()
            name = path.relative_to(home).as_posix()
            files[name] = (f"Results: {schema_in(content)}", content)
    title, date = "Results of dpaudit", _date(sources)
    command = "dpaudit report"
    return crate(title, files, PAPERS, version=__version__, date=date, command=command)


def _date(sources: Sequence[Path]) -> str:
    """Of the results: when they were committed, else when the last of them was written."""
    from dpaudit.results.changes.versions import git

    dates = []
    for path in sources:
        try:
            said = git(path.parent, "log", "-1", "--format=%cs", "--", path.name).strip()
        except UsageError:
            said = ""
        written = datetime.fromtimestamp(path.stat().st_mtime, UTC).date().isoformat()
        dates.append(said or written)
    return max(dates)


def pages(documents: Sequence[Document]) -> dict[str, str]:
    """The page of the whole catalogue, further ones about all of it, and one for each paper that
    there are results of."""
    from dpaudit.guide import pages as guide
    from dpaudit.papers import TITLES
    from dpaudit.report.guide import INDEX, guide_pages
    from dpaudit.report.page import full_page
    from dpaudit.results.comparison import Leaderboard
    from dpaudit.results.optima import Optima
    from dpaudit.results.reproduction import Reproductions

    documents = [
        one for d in documents for one in (d.results if isinstance(d, Reproductions) else [d])
    ]
    own = {paper: about(paper, documents) for paper in TITLES}
    names = {paper: f"{paper}.html" for paper, its in own.items() if its}
    apart = [d for d in documents if isinstance(d, Optima)]
    best = [d for d in documents if isinstance(d, Leaderboard)]
    rest = [d for d in documents if not isinstance(d, (Optima, Leaderboard))]
    more = {OPTIMA: "optima.html"} | ({BEST: "leaderboard.html"} if best else {})
    more |= {"Guide": INDEX}
    found = {"index.html": full_page(rest, TITLE, pages=names, more=more)}
    if best:
        found["leaderboard.html"] = full_page(best, BEST, home="index.html")
    found["optima.html"] = full_page([*apart, questions()], OPTIMA, home="index.html")
    for paper, name in names.items():
        found[name] = full_page(own[paper], TITLES[paper], home="index.html")
    return found | guide_pages(guide())


def about(paper: str, documents: Sequence[Document]) -> list[Document]:
    """What the documents hold about a paper; an audit belongs to the paper of its algorithm."""
    import msgspec

    from dpaudit.play.catalogue import catalogue
    from dpaudit.results.claims import Claims
    from dpaudit.results.documents import Catalogue
    from dpaudit.results.reproduction import Reproduction
    from dpaudit.results.scaling import Scaling

    targets = {name for name, entry in catalogue().items() if entry.card.paper == paper}
    found: list[Document] = []
    for d in documents:
        if isinstance(d, Catalogue):
            audits = [a for a in d.audits if a.target in targets]
            found += [msgspec.structs.replace(d, audits=audits)] if audits else []
        elif isinstance(d, Claims):
            claims = [c for c in d.claims if c.paper == paper]
            found += [msgspec.structs.replace(d, claims=claims)] if claims else []
        elif isinstance(d, Scaling):
            studies = [s for s in d.studies if s.paper == paper]
            # A document a study, so that each is embedded or left out by itself.
            found += [msgspec.structs.replace(d, studies=[s]) for s in studies]
        elif isinstance(d, Reproduction) and d.paper == paper:
            found.append(d)
    return found
