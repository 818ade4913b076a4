"""The blueprints: what uses what, drawn left to right, every box a link to its row."""

import itertools

import msgspec
import pytest

from dpaudit.cli.look.report import pages
from dpaudit.papers import TITLES
from dpaudit.report.page import full_page
from dpaudit.report.page.blueprint import DOWN, HIGH, columns, components, places
from dpaudit.results.claims import Claims
from dpaudit.results.documents import parse, read
from dpaudit.results.made import committed
from tests.report import samples
from tests.report.test_page import Page

[LEDGER] = [d for d in map(read, committed()) if isinstance(d, Claims)]
GRAPHS = {
    paper: {c.id: c.uses for c in LEDGER.claims if c.paper == paper}
    for paper in dict.fromkeys(c.paper for c in LEDGER.claims)
}
RENDERED = {name: Page(text) for name, text in pages([LEDGER]).items()}


@pytest.mark.parametrize("paper", GRAPHS)
def test_what_is_used_is_a_claim_of_the_paper_and_what_it_rests_on_is_used(paper):
    graph = GRAPHS[paper]
    for c in (c for c in LEDGER.claims if c.paper == paper):
        assert set(c.uses) <= set(graph) - {c.id}
        assert {name.partition(" ")[0] for name in c.rests} <= set(c.uses)
        assert len(set(c.uses)) == len(c.uses)


@pytest.mark.parametrize("paper", GRAPHS)
def test_lines_lead_to_the_right_and_boxes_do_not_overlap(paper):
    graph = GRAPHS[paper]
    parts = components(graph)
    assert sum(map(len, parts)) == len(
        {n for n, used in graph.items() if used} | {u for used in graph.values() for u in used}
    )
    for part in parts:
        at = places(part, graph)
        assert all(at[used][0] > at[name][0] for name in part for used in graph[name])
        for x in {x for x, _ in at.values()}:
            rows = sorted(y for u, y in at.values() if u == x)
            # A pixel for the rounding of places to whole ones.
            gaps = (b - a for a, b in itertools.pairwise(rows))
            assert min(gaps, default=HIGH + DOWN) >= HIGH + DOWN - 1


@pytest.mark.parametrize("paper", GRAPHS)
def test_each_box_is_a_link_to_the_row_of_its_claim(paper):
    page = RENDERED[f"{paper}.html"]
    rows = {item["attrs"].get("id") for item in page.all("tr")}
    boxes = [a for a in page.all("a") if a["attrs"].get("class", "").startswith("box ")]
    assert len(boxes) == sum(map(len, components(GRAPHS[paper])))
    assert {box["attrs"]["href"].removeprefix("#") for box in boxes} <= rows
    lines = [p for p in page.all("path") if p["attrs"].get("class") == "uses"]
    drawn = sum(line["attrs"]["d"].count("C") for line in lines)
    assert drawn == sum(map(len, GRAPHS[paper].values()))


def test_a_box_has_the_colour_of_its_verdict_and_the_letter_of_what_showed_it():
    page = RENDERED["hu_huang_mehta_2021.html"]
    [box] = [
        a
        for a in page.all("a")
        if a["attrs"].get("href") == "#claim-hu-huang-mehta-2021-theorem-2-privacy"
        and "class" in a["attrs"]
    ]
    assert box["attrs"]["class"] == "box holds"
    assert [g["attrs"]["class"] for g in page.within(box, "g")] == ["level sure"]
    assert "K" in [t["text"] for t in page.within(box, "text")]


def test_the_page_of_all_papers_leaves_blueprints_to_theirs():
    assert not RENDERED["index.html"].all("path")
    assert {name for name in RENDERED if not name.startswith("guide")} == {
        "index.html",
        "optima.html",
        *(f"{paper}.html" for paper in TITLES if paper in GRAPHS),
    }


def test_a_circle_and_a_stranger_are_survived():
    graph = {"a": ["b"], "b": ["c"], "c": ["a"], "alone": []}
    assert components(graph) == [["a", "b", "c"]]
    assert set(columns(["a", "b", "c"], graph)) == {"a", "b", "c"}
    document = parse(samples.claims())
    first = msgspec.structs.replace(document.claims[0], uses=["of nobody"])
    page = Page(full_page([msgspec.structs.replace(document, claims=[first])], "One"))
    assert not [s for s in page.all("svg") if s["attrs"].get("class") == "blueprint"]
