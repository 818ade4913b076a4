"""HTML and SVG as strings that are escaped by construction, and numbers as people read them.

Only `element`, `raw` and `joined` make `Html`; whatever else is put between tags or into attributes
is text, and is escaped there. A page made of it is plain ASCII and holds no control characters.
"""

from __future__ import annotations

import html
import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TypeVar

from dpaudit.report.mathml import words_html

VOID = frozenset(("meta", "link", "input", "br", "hr"))
DRAWN = frozenset(("path", "line", "rect", "circle", "polyline", "polygon"))
"""Elements of SVG without content."""
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufffe\uffff]")
"""What HTML cannot say, and what turns the direction of the text around it."""
SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
T = TypeVar("T")
SLACK = 1e-9
"""Relative; covers the rounding of floats when a bound is rounded outwards."""


class Html(str):
    """Text that is markup already."""

    __slots__ = ()

    def __add__(self, other: str) -> Html:
        """Markup stays markup; plain text that is added to it is escaped."""
        return Html(str.__add__(self, escaped(other)))


def raw(text: str) -> Html:
    """Markup of our own, never of a document's."""
    return Html(text)


def escaped(value: object) -> Html:
    """Text between tags or in an attribute."""
    return value if isinstance(value, Html) else Html(_plain(value))


def prose(text: str) -> Html:
    """Words with what is mathematics in them set as such."""
    return Html(words_html(CONTROLS.sub("\N{REPLACEMENT CHARACTER}", text)))


def joined(parts: Iterable[object]) -> Html:
    return Html("".join(escaped(part) for part in parts))


def element(tag: str, *children: object, **attributes: object) -> Html:
    """An element. `class_` and `for_` lose their underscore, others become hyphens; attributes that
    are None or False are left out, and True has no value."""
    words = [tag]
    for name, value in attributes.items():
        if value is None or value is False:
            continue
        key = name.rstrip("_").replace("_", "-").replace("viewbox", "viewBox")
        words.append(key if value is True else f'{key}="{_plain(value)}"')
    start = " ".join(words)
    if tag in VOID:
        return Html(f"<{start}>")
    if tag in DRAWN:
        return Html(f"<{start}/>")
    return Html(f"<{start}>{joined(children)}</{tag}>")


def _plain(value: object) -> str:
    return html.escape(CONTROLS.sub("\N{REPLACEMENT CHARACTER}", str(value)))


def anchor(*words: object) -> str:
    """An id of letters, digits and hyphens."""
    text = "-".join(str(word) for word in words).lower()
    return re.sub(r"[^a-z0-9]+", "-", text).strip("-") or "item"


def distinct(idents: Sequence[str]) -> list[str]:
    """The same ids, with a number where one is there already."""
    seen: Counter[str] = Counter()
    found = []
    for ident in idents:
        seen[ident] += 1
        found.append(ident if seen[ident] == 1 else f"{ident}-again-{seen[ident]}")
    return found


def grouped(items: Iterable[T], name: str) -> dict[str, list[T]]:
    """Items by an attribute, in the order in which its values come."""
    groups: dict[str, list[T]] = {}
    for item in items:
        groups.setdefault(getattr(item, name), []).append(item)
    return groups


def number(value: float | None, digits: int = 4) -> str:
    """A few significant digits: 0.5, 3951, 1.2×10⁸."""
    if value is None:
        return "none"
    if not math.isfinite(value):
        return "∞" if value > 0 else "-∞" if value < 0 else "undefined"
    if value == 0:
        return "0"
    if 1e-4 <= abs(value) < 1e7:
        if abs(value) >= 10**4:
            return f"{value:,.0f}".replace(",", "\u202f")
        return f"{value:.0f}" if abs(value) >= 10**digits else f"{value:.{digits}g}"
    mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
    mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
    power = "10" + str(int(exponent)).translate(SUPERSCRIPT)
    return power if mantissa == "1" else f"{mantissa}×{power}"


def at_least(value: float) -> str:
    """A lower bound with three decimals, rounded down."""
    return _outward(value, -1)


def at_most(value: float | None) -> str:
    """An upper bound with three decimals, rounded up."""
    return "none" if value is None else _outward(value, 1)


def _outward(value: float, side: int) -> str:
    if abs(value) >= 1e6:
        return number(value)
    step = 1000.0 * value - side * SLACK * max(1.0, abs(1000.0 * value))
    return f"{(math.ceil(step) if side > 0 else math.floor(step)) / 1000.0 + 0.0:.3f}"


def short(title: str) -> str:
    """Authors and year of a paper's title."""
    return re.split(r"(?<=\(\d{4}\)),", title, maxsplit=1)[0]


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def percent(value: float) -> str:
    return f"{100 * value:.2g}%" if abs(value) < 0.1 else f"{100 * value:.0f}%"


def counted(n: int, one: str) -> str:
    """`1 claim`, `3 claims`."""
    return f"{n} {one}" + ("" if n == 1 else "s")


def badge(verdict: str) -> Html:
    """A verdict: a word in a box, filled where something is wrong."""
    return element("span", verdict, class_=f"badge {anchor(verdict)}")


def table(
    caption: object,
    header: Sequence[object],
    rows: Iterable[Sequence[object]],
    *,
    ident: str,
) -> Html:
    """A table whose rows are lists on a phone; each row's first cell is its header."""
    names = [str(name) for name in header[1:]]
    lines = (
        element("tr", element("th", first or "-", scope="row"), *map(cell, names, rest)) + "\n"
        for first, *rest in rows
    )
    body = element("tbody", *lines)
    return scrolling(caption, head(header), body, ident=ident, class_="stack")


def cell(name: str, content: object) -> Html:
    """With its column's name, which a phone shows before it: there a row is a list."""
    return element("td", content, data_is=name if str(content) else None)


def head(header: Sequence[object]) -> Html:
    return element("thead", element("tr", *(element("th", cell, scope="col") for cell in header)))


def scrolling(caption: object, *parts: Html, ident: str, class_: str | None = None) -> Html:
    """A table of these parts, in a box that keyboards reach; the caption stays in sight."""
    title = element("caption", element("span", caption), id=f"{ident}-caption")
    return element(
        "div",
        element("table", title, *parts, id=ident, class_=class_),
        class_="scroll",
        role="group",
        tabindex="0",
        aria_labelledby=f"{ident}-caption",
    )


def section(ident: str, title: str, *parts: object) -> Html:
    heading = element("h2", title, id=f"{ident}-title")
    return element("section", heading, *parts, id=ident, aria_labelledby=f"{ident}-title")


def article(ident: str, heading: Sequence[object], *parts: object) -> Html:
    """A part of a section, named by its heading."""
    head = element("h3", *heading, id=f"{ident}-name")
    return element("article", head, *parts, id=ident, aria_labelledby=f"{ident}-name")


def folded(summary: str, *parts: object, shown: bool = False) -> Html:
    return element("details", element("summary", summary), *parts, open=shown)


def figures(pictures: Sequence[tuple[str, Html]]) -> Html | str:
    """Pictures with their captions, beside each other where there is room."""
    shown = (element("figure", element("figcaption", name), svg) for name, svg in pictures)
    return element("div", *shown, class_="plots") if pictures else ""


def remarks(notes: Sequence[str]) -> Html | str:
    return element("ul", *(element("li", note) for note in notes)) if notes else ""


def facts(pairs: Iterable[tuple[str, object]]) -> Html:
    """Names and values; those without a value are left out."""
    return element(
        "dl",
        *(
            element("div", element("dt", name), element("dd", value))
            for name, value in pairs
            if value not in (None, "", [])
        ),
    )


def again(command: str, *more: str) -> Html:
    """How to make this part again."""
    rest = ", ".join(word for word in more if word)
    return element(
        "p",
        element("span", "Run it again", class_="label"),
        " ",
        element("code", command),
        f" ({rest})" if rest else "",
        class_="again",
    )
