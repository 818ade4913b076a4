"""What a paper says, in its own words: quotation, anchor, reading and goals of each claim.

They stand beside the checks, `proofs_checks/KEY/claims/MODULE.toml`, a table a claim: plain data
that the checker reads for itself. The papers' texts are not part of the house. Where they are at
hand (`../shared/papers` beside a checkout) every anchor is compared with them.

    python -m dpaudit.ledger.words      writes the anchors of quotations that have none yet
"""

from __future__ import annotations

import functools
import hashlib
import re
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dpaudit.errors import UsageError

ROOM = 80
"""Characters on either side of a quotation that its anchor covers, too."""
ELIDED = " … "
"""Between two pieces of a quotation; what they leave out, at most FAR characters, is anchored."""
FAR = 4000


@dataclass(frozen=True)
class Words:
    """A claim's quotation with its anchor (`LINE HASH`), the reading that leads from it to the
    goals, and the goals: formulas, or `words: …` where no formula can say it.

    `readings` has a line for each way to read the words, with a severity each. `formal` says that
    the goals are the quotation in formulas and nothing is left to a reader.
    """

    quotation: str = ""
    anchor: str = ""
    reading: str = ""
    goals: tuple[str, ...] = ()
    readings: tuple[tuple[str, str], ...] = ()
    formal: bool = False


NONE = Words()


@functools.cache
def words_of(module: str) -> dict[str, Words]:
    """The words beside a module of claims, by id; none where there is no such file."""
    source = getattr(sys.modules.get(module), "__file__", None)
    file = Path(source).with_suffix(".toml") if source else None
    if file is None or not file.is_file():
        return {}
    return read(file)


def read(file: Path) -> dict[str, Words]:
    """The tables of a file; a key that is not known is refused."""
    found = {}
    for name, given in tomllib.loads(file.read_text(encoding="utf-8")).items():
        strange = set(given) - set(Words.__dataclass_fields__)
        if strange:
            raise UsageError(f"{file.name}: {name} has {', '.join(sorted(strange))}")
        plain: dict[str, Any] = {k: given[k] for k in given}
        for key in ("goals", "readings"):
            items = plain.get(key, [])
            plain[key] = tuple(tuple(i) if isinstance(i, list) else i for i in items)
        found[name] = Words(**plain)
    return found


def papers_folder() -> Path | None:
    """Where the papers' texts are, beside the checkout; None where they are not."""
    folder = Path(__file__).parents[2].parent / "shared" / "papers"
    return folder if folder.is_dir() else None


@functools.cache
def text_of(paper: str) -> tuple[str, tuple[int, ...]] | None:
    """A paper's text, blanks and line ends collapsed, and where in it each line begins."""
    folder = papers_folder()
    file = folder / f"{paper}.txt" if folder is not None else None
    if file is None or not file.is_file():
        return None
    text, begins = "", []
    for line in file.read_text(encoding="utf-8").split("\n"):
        begins.append(len(text))
        kept = " ".join(line.split())
        text += kept + " " if kept else ""
    return text, tuple(begins)


def passages(text: str, quotation: str) -> Iterator[tuple[int, str]]:
    """Where a quotation stands, and its passage: the words, what they leave out, and some room."""
    first, *others = (" ".join(piece.split()) for piece in quotation.split(ELIDED))
    for match in re.finditer(re.escape(first), text):
        end = match.end()
        for piece in others:
            at = text.find(piece, end, end + FAR)
            end = at + len(piece) if at >= 0 else -1
            if end < 0:
                break
        if end > 0:
            yield match.start(), text[max(0, match.start() - ROOM) : end + ROOM]


def anchors(paper: str, quotation: str) -> Iterator[str]:
    """The anchors of all places where a quotation stands."""
    found = text_of(paper)
    if found is None or not quotation:
        return
    text, begins = found
    for start, passage in passages(text, quotation):
        line = sum(begin <= start for begin in begins)
        yield f"{line} {hashlib.sha256(passage.encode()).hexdigest()[:16]}"


def write_anchors(file: Path) -> list[str]:
    """Give an anchor to each quotation that has none or another one: its first place, or the one
    that begins on the line named. What is not found is left and said."""
    paper = file.parents[1 if file.parent.name == "claims" else 0].name
    text, missing = file.read_text(encoding="utf-8"), []
    for name, words in tomllib.loads(text).items():
        quotation, anchor = words.get("quotation", ""), words.get("anchor", "")
        if not quotation:
            continue
        found = list(anchors(paper, quotation))
        line = anchor.partition(" ")[0]
        on_line = [each for each in found if each.partition(" ")[0] == line]
        if not found:
            missing.append(name)
        elif anchor not in found:
            head, mark, rest = text.partition(f"[{name}]\n")
            new = f'anchor = "{(on_line or found)[0]}"\n'
            own, next_mark, others = rest.partition("\n[")
            own = new + re.sub(r'^anchor = ".*"(\n|$)', "", own, count=1, flags=re.M)
            text = head + mark + own + next_mark + others
    file.write_text(text, encoding="utf-8")
    return missing


if __name__ == "__main__":
    house = Path(__file__).parents[1] / "proofs_checks"
    for beside in sorted([*house.glob("*/claims/*.toml"), *house.glob("*/questions.toml")]):
        for lost in write_anchors(beside):
            print(f"{beside.relative_to(house).parts[0]}/{lost}: the quotation is not in the text")
