"""What the best private learner does, beside one of the catalogue: a cell a history, and a table of
where they are apart most."""

from __future__ import annotations

from dpaudit.report.page.markup import Html, element, figures, joined, table
from dpaudit.report.page.pictures import spot, svg, text
from dpaudit.report.policy import HEADER, grid, largest, levels, rows, title
from dpaudit.results.optima import OptimumResult

WIDTH, ROW, BETWEEN, TOP = 360.0, 14.0, 26.0, 18.0


def policy_part(result: OptimumResult, ident: str) -> Html | str:
    """Nothing where the result has no policy."""
    if result.policy is None:
        return ""
    who = ("the best learner", result.policy.other)
    pictures = [
        (name, _cells(result, which, f"{name}, {title(result)}", f"{ident}-policy-{which}"))
        for which, name in enumerate(who)
    ]
    apart = largest(result.policy)
    most = table(apart, HEADER, rows(result.policy, result.policy.largest()), ident=f"{ident}-most")
    return joined([element("p", title(result)), figures(pictures), most])


def _cells(result: OptimumResult, which: int, name: str, ident: str) -> Html:
    """A block a length of histories; a row its own actions, a column the losses seen."""
    assert result.policy is not None
    parts: list[Html] = []
    down = TOP
    for level in levels(result.policy):
        actions, letters, values = grid(level)
        parts.append(
            text(0, down - 4, f"{(actions[0] and len(actions[0])) or 'no'} own actions", "quiet")
        )
        wide = WIDTH / len(letters)
        for i, line in enumerate(values[which]):
            for j, chance in enumerate(line):
                if chance != chance:  # it never comes here
                    continue
                parts.append(
                    element(
                        "rect",
                        x=spot(j * wide),
                        y=spot(down + i * ROW),
                        width=spot(wide),
                        height=spot(ROW),
                        class_="mark s0" if chance >= 0.5 else "mark s1",
                        fill_opacity=f"{abs(2 * chance - 1):.2f}",
                    )
                )
        down += ROW * len(actions) + BETWEEN
    told = (
        "Each cell is a history: in each block a row is the learner's own actions so far, a column "
        "the losses that it has seen. The first colour is for the first arm, the second for the "
        "others; the paler, the nearer to one half. Empty: it never comes there."
    )
    return svg(int(WIDTH), int(down), name, parts, ident=ident, described=told)
