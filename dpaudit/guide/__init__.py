"""The guide: the Markdown pages beside this file, one a topic. `dpaudit guide` shows them, the site
that `dpaudit report` writes has them, and whoever browses the repository reads them there.

A page is found by being there: `some-topic.md`, whose first line is `# Title`.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files

FIRST = (
    "first-audit",
    "installing",
    "verdicts",
    "engines",
    "limits",
    "dimensions",
    "ci",
    "evidence",
    "adapters",
    "kinds",
    "algorithms",
    "contract",
    "proofs",
    "claims",
    "trust",
    "regret",
    "exact",
    "scaling",
    "compare",
    "optimal",
    "curves",
    "found",
    "examples",
    "reports",
    "cluster",
    "speed",
    "rooms",
)
"""The order to read in; other pages follow by name, and the reference is last."""
LAST = "api"


@dataclass(frozen=True)
class Page:
    """A topic: its name, its title, and the whole text in Markdown."""

    name: str
    title: str
    text: str


def pages() -> dict[str, Page]:
    """All pages by topic, in the order to read in."""
    found = {}
    for file in files(__name__).iterdir():
        if file.name.endswith(".md"):
            name, text = file.name.removesuffix(".md"), file.read_text("utf-8")
            found[name] = Page(name, text.partition("\n")[0].removeprefix("#").strip(), text)
    return {name: found[name] for name in sorted(found, key=_place)}


def _place(name: str) -> tuple[int, str]:
    if name == LAST:
        return len(FIRST) + 1, name
    return FIRST.index(name) if name in FIRST else len(FIRST), name
