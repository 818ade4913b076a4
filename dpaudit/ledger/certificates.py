"""Certificates: made by running checks, in parallel, and kept as one file a paper.

What `dpaudit claims` shows and the checker verifies. A certificate is known where its file has it,
sealed, and the record beside the folder says that the code is still the one that made it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from dpaudit import digests
from dpaudit.errors import UsageError
from dpaudit.ledger.claims import Claim, Finding, claims_of, find_claim, judged, undecided
from dpaudit.ledger.formulas import NotShown
from dpaudit.ledger.goals import Step, derive
from dpaudit.ledger.parts import Part
from dpaudit.results.claims import SAMPLED, Certificate, Certificates, Trust
from dpaudit.results.made import Made, record, replace
from dpaudit.run.plain import travels
from dpaudit.run.runner import Runner
from dpaudit.run.task import Play, Task, cut

FEW = 3
"""Up to so many claims are not worth starting processes for."""
OLDER = "dpaudit/certificates/1"
"""Certificates without goals: they are made anew."""
Key = tuple[str, str]
"""Paper and id."""


def run_claim(paper: str, name: str) -> Certificate:
    """Run one check, then once more with each constant moved that must break it."""
    claim = find_claim(paper, name)
    start = time.perf_counter()
    finding = claim.find()
    seconds = time.perf_counter() - start
    hidden = {p["target"] for p in finding.parts if "target" in p} - set(plays(claim))
    if hidden:
        raise TypeError(f"{paper}/{name} plays {hidden}, which its code does not spell out")
    finding, derivation = _bound(claim, finding)
    made = Certificate(
        **said(claim),
        method=finding.method,
        trust=trust(claim, finding.verdict, finding.parts),
        derivation=derivation,
        fails=[_at(claim.words.goals[step["goal"]], step) for step in derivation if _false(step)],
        **json.loads(json.dumps(vars(finding))),
        broken={name: claim.find(**to).verdict for name, to in _moved(claim).items()},
        seconds=round(seconds, 1),
    )
    return made.sealed()


def _bound(claim: Claim, finding: Finding) -> tuple[Finding, list[Step]]:
    """The finding with its derivation; undecided where its parts do not reach the claim's goals."""
    if finding.verdict == "undecided" or not claim.words.goals:
        return finding, []
    true = finding.verdict in ("holds", "loose")
    try:
        return finding, derive(claim.words.goals, finding.parts, true=true)
    except NotShown as reason:
        return undecided(f"could not be shown: {reason}"), []


def _false(step: Step) -> bool:
    return step["rule"] in ("false", "exceeded")


def _at(goal: str, step: Step) -> str:
    """A goal that is false, at its point."""
    at = ", ".join(f"{name} = {value}" for name, value in step.get("at", {}).items())
    return f"{goal.partition(' for ')[0]} for {at}" if at else goal


def trust(claim: Claim, verdict: str, parts: Iterable[Part]) -> Trust:
    """`read` where words are a link of the chain, `statistical` where samples are, else
    `checked`."""
    if verdict == "undecided" or not claim.words.formal:
        return "read"
    sampled = any(part["kind"] in SAMPLED for part in parts)
    return "statistical" if sampled else "checked"


def said(claim: Claim) -> dict[str, Any]:
    """What a certificate repeats of the claim and its words."""
    words = claim.words
    return {
        "id": claim.id,
        "paper": claim.paper,
        "where": claim.where,
        "statement": claim.statement,
        "quotation": words.quotation,
        "anchor": words.anchor,
        "reading": words.reading,
        "readings": list(words.readings),
        "goals": list(words.goals),
    }


def run_claims(claims: Sequence[Claim], workers: int | None = None) -> Iterator[Certificate]:
    """Certificates, those of slow checks first; in processes where there are many."""
    if len(claims) <= FEW or workers == 1:
        for claim in claims:
            yield run_claim(claim.paper, claim.id)
        return
    keys = [(c.paper, c.id) for c in sorted(claims, key=lambda c: not c.slow)]
    task = Task(checks, "claims", {"keys": keys})
    for _, made in Runner(workers, kind="processes").run(task, cut(len(keys), 1)):
        yield msgspec.convert(made["certificate"], Certificate)


@travels
def checks(keys: Sequence[Key]) -> Play:
    """Block i: the certificate of claim i."""
    return lambda block: {"certificate": msgspec.to_builtins(run_claim(*keys[block.number]))}


def code_digest(claim: Claim) -> str:
    return digests.code_digest(claim.check.__module__, claim.check.__name__)


def plays(claim: Claim) -> list[str]:
    return digests.played(digests.reached(claim.check.__module__, claim.check.__name__))


def plain(certificate: Certificate) -> dict[str, Any]:
    """A certificate as it stands in its file."""
    data: dict[str, Any] = msgspec.to_builtins(certificate)
    del data["seconds"]
    return data


def is_current(claim: Claim, known: Certificate, made: Made) -> bool:
    """Whether a certificate was made by the code as it is now, and not changed since."""
    return (
        made.state(f"claims/{claim.paper}/{claim.id}", code_digest(claim)) == "current"
        and is_about(claim, known)
        and known == known.sealed()
        and all(part["kind"] != "laboratory" or _as_reported(part) for part in known.parts)
    )


def is_about(claim: Claim, known: Certificate) -> bool:
    """Whether a certificate is about the claim's words as they are now, in all that the checker
    compares with them."""
    return (
        all(getattr(known, name) == value for name, value in said(claim).items())
        and known.trust == trust(claim, known.verdict, known.parts)
        and sorted(known.broken) == sorted(_moved(claim))
    )


def _moved(claim: Claim) -> dict[str, dict[str, str]]:
    """What is changed in each further run of a check, by its name in the certificate."""
    return {f"{name}={value}": {name: value} for name, value in claim.breaks.items()}


def _as_reported(part: Part) -> bool:
    found = judged(part["experiment"], part["text"], part["reading"])
    return found == str(part["verdict"])


def current(claims: Iterable[Claim], folder: Path) -> dict[Key, Certificate]:
    """The certificates of claims that are there and of the code as it is."""
    wanted = {(claim.paper, claim.id): claim for claim in claims}
    made = Made(folder.parent)
    known = load(dict.fromkeys(paper for paper, _ in wanted), folder)
    there = {key: known[key] for key in wanted if key in known}
    return {key: e for key, e in there.items() if is_current(wanted[key], e, made)}


def to_make(claims: Iterable[Claim], folder: Path) -> list[Claim]:
    """The claims that have no certificate, or one about other words. What was changed by hand is
    not made anew: it is for the checker to refuse."""
    wanted = {(claim.paper, claim.id): claim for claim in claims}
    known = load(dict.fromkeys(paper for paper, _ in wanted), folder)
    return [
        claim
        for key, claim in wanted.items()
        if key not in known
        or (known[key] == known[key].sealed() and not is_about(claim, known[key]))
    ]


def load(papers: Iterable[str], folder: Path) -> dict[Key, Certificate]:
    """What there is of the papers' certificates in a folder."""
    made = Made(folder.parent)
    found: dict[Key, Certificate] = {}
    for path in (folder / f"{paper}.json" for paper in papers):
        if not path.exists():
            continue
        try:
            plain_document = json.loads(path.read_text())
            if isinstance(plain_document, dict) and plain_document.get("schema") == OLDER:
                continue
            document = msgspec.convert(plain_document, Certificates)
        except (OSError, ValueError) as error:
            kind = type(error).__name__
            raise UsageError(f"certificates: {path} cannot be read ({kind})") from None
        for entry in document.claims:
            seconds = made.seconds(f"claims/{entry.paper}/{entry.id}")
            found[path.stem, entry.id] = msgspec.structs.replace(entry, seconds=seconds)
    return found


def keep(certificates: Mapping[Key, Certificate], folder: Path) -> None:
    """Write certificates to their papers' files, beside those that are there, a line for each part,
    and note that they are of the code as it is."""
    made: dict[str, tuple[str, float]] = {}
    folder.mkdir(parents=True, exist_ok=True)
    for paper in dict.fromkeys(paper for paper, _ in certificates):
        claims = claims_of(paper)
        _write(paper, claims, {**load([paper], folder), **certificates}, folder)
        for c in claims:
            if (paper, c.id) in certificates:
                seconds = certificates[paper, c.id].seconds
                made[f"claims/{paper}/{c.id}"] = code_digest(c), seconds
    record(folder.parent, made)


def drop_gone(papers: Iterable[str], folder: Path) -> int:
    """Leave out the certificates of claims that the papers' rooms no longer have, and count them.
    Where one of these was changed by hand they stay: the checker refuses them."""
    count = 0
    for paper in papers:
        claims, known = claims_of(paper), load([paper], folder)
        gone = known.keys() - {(paper, claim.id) for claim in claims}
        if gone and all(known[key] == known[key].sealed() for key in gone):
            _write(paper, claims, known, folder)
            count += len(gone)
    return count


def _write(
    paper: str, claims: Sequence[Claim], known: Mapping[Key, Certificate], folder: Path
) -> None:
    blocks = [_block(known[paper, c.id]) for c in claims if (paper, c.id) in known]
    head = f'{{"schema": "dpaudit/certificates/2", "paper": "{paper}", "claims": [\n'
    replace(folder / f"{paper}.json", head + ",\n".join(blocks) + "\n]}\n")


def _block(certificate: Certificate) -> str:
    data = plain(certificate)
    parts = ",\n".join(f"      {json.dumps(part)}" for part in data.pop("parts"))
    fields = [f'    "{k}": {json.dumps(v, ensure_ascii=False)}' for k, v in data.items()]
    fields.insert(-2, '    "parts": [' + (f"\n{parts}\n    ]" if parts else "]"))
    return "  {\n" + ",\n".join(fields) + "\n  }"
