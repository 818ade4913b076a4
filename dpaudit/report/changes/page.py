"""The history of results on one self-contained page: the steps first, then every audit's row of
intervals, version by version."""

from __future__ import annotations

from collections.abc import Sequence

from dpaudit.report.page.frame import ascii_only, begun, ended
from dpaudit.report.page.markup import Html, at_least, at_most, element, joined, number
from dpaudit.report.page.pictures import Scale, line, spot, svg, text
from dpaudit.results.changes.series import Series, Step
from dpaudit.results.changes.versions import Version

WIDTH, HEIGHT = 360, 96
CEILING = 2.5
"""In multiples of the claim; what is larger is drawn there."""


def history_page(
    place: str, found: Sequence[Version], rows: Sequence[Series], steps: Sequence[Step]
) -> str:
    """The page."""
    worse = [step for step in steps if step.change.worse]
    sentence = f"{len(found)} versions of {len(rows)} audits; {len(steps)} steps, {len(worse)} of "
    sentence += "them for the worse."
    header = element(
        "header",
        element("p", "dpaudit report", class_="kicker"),
        element("h1", f"History of {place}"),
        element("p", sentence, class_="verdict wrong" if worse else "verdict"),
    )
    content = joined((_steps(steps), _audits(found, rows)))
    return begun(f"History of {place}", header) + ascii_only(content) + ended(scripts=False)


def _steps(steps: Sequence[Step]) -> Html:
    titles = ("since", "audit", "worse", "better", "other")
    header = element("tr", *(element("th", title, scope="col") for title in titles))
    rows = []
    for step in sorted(steps, key=lambda s: not s.change.worse):
        since = " ".join(filter(None, (step.since.label, step.since.when, step.since.what)))
        sides = (step.change.worse, step.change.better, step.change.other)
        cells = (since, step.name, *("; ".join(side) for side in sides))
        rows.append(element("tr", *(element("td", cell) for cell in cells)))
    table = element("table", element("thead", header), element("tbody", *rows))
    none = element("p", "Nothing changed in any version.")
    scroll = element("div", table, class_="scroll", tabindex="0", role="group", aria_label="Steps")
    return element("section", element("h2", "Steps"), scroll if rows else none, id="steps")


def _audits(found: Sequence[Version], rows: Sequence[Series]) -> Html:
    parts = []
    for number_, each in enumerate(rows):
        last = each.last
        if last is None:
            continue
        upper = "none" if last.upper_bound is None else at_most(last.upper_bound)
        words = f"{last.verdict}; claimed {last.claim}, at least {at_least(last.lower_bound)}, "
        words += f"at most {upper}; {number(last.seconds, 3)} s"
        parts += [element("h3", each.name), element("p", words), picture(each, found, number_)]
    return element("section", element("h2", "Audits"), *parts, id="audits")


def picture(each: Series, found: Sequence[Version], number_: int) -> Html:
    """An interval a version, against the claim."""
    across = Scale(0.0, max(len(found) - 1, 1), 24.0, WIDTH - 24.0, False)
    up = Scale(0.0, CEILING, HEIGHT - 18.0, 8.0, False)
    parts = [line("claim", (12, WIDTH - 12), (up(1.0), up(1.0)))]
    for at, point in enumerate(each.points):
        if point is None:
            continue
        unit = point.claim.level or 1.0
        low = up(min(point.lower_bound / unit, CEILING))
        high = up(CEILING if point.upper_bound is None else min(point.upper_bound / unit, CEILING))
        x = across(at)
        height = max(low - high, 2.0)
        parts.append(
            element(
                "rect", x=spot(x - 3), y=spot(high), width=6, height=spot(height), class_="interval"
            )
        )
        if low < up(1.0):
            parts.append(line("excess thin", (x, x), (low, up(1.0))))
    parts.append(text(24.0, HEIGHT - 4, found[0].label, "quiet"))
    parts.append(text(WIDTH - 24.0, HEIGHT - 4, found[-1].label, "quiet"))
    title = f"{each.name}: {len([p for p in each.points if p])} versions"
    return svg(WIDTH, HEIGHT, title, parts, ident=f"history-{number_}", class_="wide")
