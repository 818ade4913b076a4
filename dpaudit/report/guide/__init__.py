"""The guide as pages of the site, in the looks of the reports: a page a topic, linked with each
other, and one that lists them."""

from __future__ import annotations

from collections.abc import Mapping

from dpaudit.guide import Page
from dpaudit.report.guide.rendering import headings, rendered
from dpaudit.report.page.frame import ascii_only, begun, ended, links
from dpaudit.report.page.markup import element, joined

INDEX = "guide.html"
LONG = 4
"""Headings from which on a page has a table of contents."""


def address(topic: str) -> str:
    """The file of a topic's page."""
    return f"guide-{topic}.html"


def guide_pages(pages: Mapping[str, Page], home: str | None = "index.html") -> dict[str, str]:
    """The pages by file name; `home` is the address of the report."""
    found = {INDEX: _index(pages, home)}
    order = list(pages.values())
    for page, before, after in zip(order, [None, *order], [*order[1:], None], strict=False):
        found[address(page.name)] = _page(page, pages, before, after, home)
    return found


def leads(to: str, pages: Mapping[str, Page]) -> str | None:
    """Where a link of a page leads on the site, None where that is nowhere."""
    file, mark, place = to.partition("#")
    topic = file.removesuffix(".md")
    if not file:
        return to
    return address(topic) + mark + place if file.endswith(".md") and topic in pages else None


def _around(home: str | None) -> dict[str, str]:
    return {"What dpaudit found": home} if home else {}


def _index(pages: Mapping[str, Page], home: str | None) -> str:
    items = (
        element("li", element("a", page.title, href=address(page.name))) for page in pages.values()
    )
    header = element("header", element("p", "dpaudit", class_="kicker"), element("h1", "Guide"))
    return (
        begun("Guide", header, links("Site", _around(home)))
        + ascii_only(element("ul", *items, class_="topics"))
        + ended(scripts=False)
    )


def _page(
    page: Page, pages: Mapping[str, Page], before: Page | None, after: Page | None, home: str | None
) -> str:
    around = {"All topics": INDEX} | _around(home)
    contents = {words: f"#{ident}" for ident, words in list(headings(page.text).items())[1:]}
    header = element(
        "header", element("p", "dpaudit guide", class_="kicker"), element("h1", page.title)
    )
    further = {f"{word}: {one.title}": address(one.name)
               for word, one in (("Before", before), ("Next", after)) if one}  # fmt: skip
    body = joined(
        (rendered(page.text, lambda to: leads(to, pages)), links("Further topics", further))
    )
    start = begun(
        page.title,
        header,
        links("Site", around),
        links("Contents", contents) if len(contents) >= LONG else "",
    )
    return start + ascii_only(body) + ended(scripts=False)
