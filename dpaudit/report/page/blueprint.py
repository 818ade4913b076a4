"""The blueprint of a paper: which statement uses which, its verdict, and what showed it.

Drawn from left to right: a statement, and right of it what its proof uses. Each box is a link to
its row in the table of claims. Statements that no proof uses and that use none are left to it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dpaudit.papers import TITLES
from dpaudit.report.page.claims import row_of
from dpaudit.report.page.markup import (
    Html,
    counted,
    element,
    grouped,
    joined,
    section,
    short,
)
from dpaudit.results.claims import LEVELS, ClaimEntry

WIDE, HIGH = 196, 36
"""Of a box."""
ACROSS, DOWN = 46, 8
"""Between boxes."""
MARGIN = 6
SWEEPS = 12
"""Times that boxes are moved towards what they are joined to."""
LONGEST = 27
"""Characters of a box's line."""
MARKS = {"kernel": "K", "checked": "C", "statistical": "S", "none": "–"}

Graph = Mapping[str, Sequence[str]]


def blueprint_section(claims: Sequence[ClaimEntry]) -> Html:
    """The blueprints of the papers that have one; nothing where no claim uses another."""
    drawn = []
    for paper, own in grouped(claims, "paper").items():
        known = {c.id: c for c in own}
        graph = {c.id: [used for used in c.uses if used in known] for c in own}
        parts = components(graph)
        if not parts:
            continue
        inside = sum(map(len, parts))
        name = short(TITLES.get(paper, paper))
        words = f"{name}: {inside} of {counted(len(own), 'statement')} are joined by "
        words += counted(sum(map(len, graph.values())), "arrow") + "."
        drawn.append(element("p", words))
        drawn += [_scrolling(name, i, part, graph, known) for i, part in enumerate(parts, 1)]
    if not drawn:
        return Html("")
    return section("blueprint", "Blueprint", element("p", EXPLAINED), _legend(), *drawn)


EXPLAINED = (
    "Each box is a statement of the paper; the lines lead from it, to the right, to what its proof "
    "uses. The colour is the verdict. The letter says what showed the parts; it is filled where "
    "nothing is left to a reader, and hollow where one compares parts and quotation."
)


def components(graph: Graph) -> list[list[str]]:
    """What hangs together, the largest first; single statements are left out."""
    joined_to: dict[str, set[str]] = {name: set() for name in graph}
    for name, used in graph.items():
        for other in used:
            joined_to[name].add(other)
            joined_to[other].add(name)
    found, seen = [], set()
    for name in graph:
        if name in seen or not joined_to[name]:
            continue
        part, waiting = {name}, [name]
        while waiting:
            new = joined_to[waiting.pop()] - part
            part |= new
            waiting += new
        seen |= part
        found.append([n for n in graph if n in part])
    return sorted(found, key=len, reverse=True)


def columns(part: Sequence[str], graph: Graph) -> dict[str, int]:
    """Each statement right of all that use it, by as little as that takes; a circle is cut."""
    users: dict[str, list[str]] = {name: [] for name in part}
    for name in part:
        for used in graph[name]:
            users[used].append(name)
    found: dict[str, int] = {}

    def column(name: str, path: tuple[str, ...]) -> int:
        if name not in found:
            above = [column(u, (*path, name)) for u in users[name] if u not in (*path, name)]
            found[name] = 1 + max(above, default=-1)
        return found[name]

    for name in part:
        column(name, ())
    return found


def places(part: Sequence[str], graph: Graph) -> dict[str, tuple[float, float]]:
    """The upper left corner of each box: boxes of a column never overlap, and stand close to what
    they are joined to."""
    column = columns(part, graph)
    beside: dict[str, list[str]] = {name: [] for name in part}
    for name in part:
        for used in graph[name]:
            beside[name].append(used)
            beside[used].append(name)
    stacks = [[n for n in part if column[n] == i] for i in range(max(column.values()) + 1)]
    y = {name: float(i * (HIGH + DOWN)) for stack in stacks for i, name in enumerate(stack)}
    for sweep in range(SWEEPS):
        for stack in stacks if sweep % 2 else stacks[::-1]:
            wish = {n: sum(y[m] for m in beside[n]) / len(beside[n]) for n in stack}
            stack.sort(key=lambda n: wish[n])
            _settle(stack, wish, y)
    top = min(y.values())
    step = WIDE + ACROSS
    return {n: (MARGIN + column[n] * step, MARGIN + round(y[n] - top)) for n in part}


def _settle(stack: Sequence[str], wish: Mapping[str, float], y: dict[str, float]) -> None:
    """Boxes in order, each as near to its wish as those before it allow, then moved as a whole to
    where the mean of all wishes is."""
    low = float("-inf")
    for name in stack:
        y[name] = max(wish[name], low)
        low = y[name] + HIGH + DOWN
    drift = sum(y[n] - wish[n] for n in stack) / len(stack)
    for name in stack:
        y[name] -= drift


def _scrolling(
    name: str, number: int, part: Sequence[str], graph: Graph, known: Mapping[str, ClaimEntry]
) -> Html:
    at = places(part, graph)
    width = max(x for x, _ in at.values()) + WIDE + MARGIN
    height = max(y for _, y in at.values()) + HIGH + MARGIN
    label = f"{name}, part {number}: {counted(len(part), 'statement')} and what each uses"
    lines = "".join(_line(at[n], at[used]) for n in part for used in graph[n])
    boxes = [_box(known[n], at[n]) for n in part]
    drawing = element(
        "svg",
        element("title", label),
        element("path", d=lines, class_="uses"),
        *boxes,
        viewbox=f"0 0 {width:g} {height:g}",
        width=f"{width:g}",
        height=f"{height:g}",
        class_="blueprint",
        role="group",
        aria_label=label,
    )
    return element("div", drawing, class_="scroll", role="group", tabindex="0", aria_label=label)


def _line(start: tuple[float, float], end: tuple[float, float]) -> str:
    x, y = start[0] + WIDE, start[1] + HIGH / 2
    u, v = end[0], end[1] + HIGH / 2
    bend = min((u - x) / 2, 60.0)
    return f"M{x:g} {y:g}C{x + bend:g} {y:g} {u - bend:g} {v:g} {u:g} {v:g}"


def _box(c: ClaimEntry, at: tuple[float, float]) -> Html:
    x, y = at
    text = f"{c.where}: {c.statement} ({c.severity or c.verdict}; trust: {c.trust})"
    return element(
        "a",
        element("title", text),
        element("rect", x=x, y=y, width=WIDE, height=HIGH, rx=4),
        _mark(c.shown, c.trust, x + WIDE - 13, y + 13),
        element("text", _cut(c.id, LONGEST - 3), x=x + 8, y=y + 15),
        element("text", _cut(c.where, LONGEST + 2), x=x + 8, y=y + 29, class_="quiet"),
        href=f"#{row_of(c)}",
        class_=f"box {c.verdict}",
    )


def _mark(shown: str, trust: str, x: float, y: float) -> Html:
    """The letter of what showed the parts."""
    state = "sure" if trust != "read" else "read"
    circle = element("circle", cx=f"{x:g}", cy=f"{y:g}", r=8)
    letter = element("text", MARKS[shown], x=f"{x:g}", y=f"{y + 4:g}", text_anchor="middle")
    return element("g", circle, letter, class_=f"level {state}")


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1].rstrip(" ,-") + "…"


VERDICTS = ("holds", "loose", "typo", "refuted", "undecided")


def _legend() -> Html:
    colours = (element("span", v, class_=f"key {v}") for v in VERDICTS)
    letters = (element("li", element("b", MARKS[k]), f" {LEVELS[k]}") for k in MARKS)
    return joined((element("p", *colours, class_="keys"), element("ul", *letters, class_="keys")))
