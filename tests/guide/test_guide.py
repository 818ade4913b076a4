"""The guide: every page is found, titled, rendered, and links to what is there."""

import re
from pathlib import Path

import pytest

from dpaudit.cli import main
from dpaudit.guide import FIRST, Page, pages
from dpaudit.report.guide import INDEX, guide_pages, leads
from dpaudit.report.guide.rendering import headings, parsed, rendered
from tests.report.test_page import Page as Html

FOLDER = Path(__file__).parents[2] / "dpaudit" / "guide"
PAGES = pages()


def faults(page, all_pages):
    """What is wrong with a page."""
    if not page.text.startswith("# ") or len(page.title) > 80:
        yield "the first line is no title"
    if not re.fullmatch("[a-z0-9-]+", page.name):
        yield "the name is not of small letters, digits and hyphens"
    for node in parsed(page.text).walk():
        if node.type == "link":
            to = str(node.attrs["href"])
            file, _, place = to.partition("#")
            if ":" in to:
                continue
            other = all_pages.get(file.removesuffix(".md"), page if not file else None)
            if other is None and not (FOLDER / file).exists():
                yield f"{to} is not there"
            elif place and (other is None or place not in headings(other.text)):
                yield f"{to} has no such heading"


@pytest.mark.parametrize("name", PAGES)
def test_a_page_has_a_title_and_links_that_lead_somewhere(name):
    assert list(faults(PAGES[name], PAGES)) == []


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("No title\n", "the first line is no title"),
        ("# T\n\n[x](absent.md)\n", "absent.md is not there"),
        ("# T\n\n[x](#absent)\n", "#absent has no such heading"),
    ],
)
def test_a_bad_page_is_seen(text, fault):
    bad = Page("bad", "T", text)
    assert list(faults(bad, PAGES | {"bad": bad})) == [fault]


def test_every_file_is_a_page_and_the_list_names_it_by_its_first_line(capsys):
    assert set(PAGES) == {path.stem for path in FOLDER.glob("*.md")}
    assert main(["guide"]) == 0
    out = capsys.readouterr().out
    for page in PAGES.values():
        assert re.search(rf"^{page.name} +{re.escape(page.title)}$", out, re.M), page.name


def test_a_page_is_printed_as_it_was_written_when_piped(capsys):
    assert main(["guide", "cluster"]) == 0
    assert capsys.readouterr().out == (FOLDER / "cluster.md").read_text()


def test_a_page_is_rendered_on_a_terminal(capsys, monkeypatch):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert main(["guide", "cluster"]) == 0
    out = capsys.readouterr().out
    assert "On a cluster" in out
    assert "| what happens |" not in out
    assert "# On" not in out


def test_an_unknown_topic_is_one_line_and_exit_code_2(capsys):
    assert main(["guide", "clutser"]) == 2
    out, err = capsys.readouterr()
    assert not out
    assert err == "dpaudit: topic: unknown name 'clutser'; did you mean cluster?\n"


@pytest.fixture(scope="module")
def site():
    return {name: Html(text) for name, text in guide_pages(PAGES).items()}


def test_the_site_has_every_page_and_its_links_stay_inside(site):
    assert set(site) == {INDEX, *(f"guide-{name}.html" for name in PAGES)}
    idents = {name: {i["attrs"].get("id") for i in page.found} for name, page in site.items()}
    for name, page in site.items():
        for link in page.all("a"):
            file, _, place = link["attrs"]["href"].partition("#")
            if file != "index.html":
                assert place in idents[file or name] or not place, (name, link["attrs"])


def test_nothing_of_a_page_is_lost_on_the_site(site):
    for name, page in PAGES.items():
        text = re.sub(r"\s+", "", site[f"guide-{name}.html"].all("main")[0]["text"])
        nodes = [n for top in parsed(page.text).children if top.tag != "h1" for n in top.walk()]
        for node in nodes:
            if node.type in ("fence", "code_inline", "text"):
                assert re.sub(r"\s+", "", node.content) in text, (name, node.content)


def test_markup_is_text_and_links_out_are_words():
    text = "# T\n\na <b>b</b> `<i>` [out](https://x.org) [in](cluster.md#x) ![p](p.png)\n"
    shown = rendered(text, lambda to: leads(to, PAGES))
    assert shown == '<p>a b <code>&lt;i&gt;</code> out <a href="guide-cluster.html#x">in</a> </p>'


def test_the_readme_links_to_what_is_there():
    root = FOLDER.parents[1]
    text = (root / "README.md").read_text()
    links = re.findall(r"\]\(([^)#]+)\)", text)
    assert len(links) > 20
    assert [to for to in links if not (root / to).exists()] == []
    assert len(text.splitlines()) < 200


def test_readme_and_list_name_every_page_of_ours():
    """Pages that the reading order names are linked from the README."""
    text = (FOLDER.parents[1] / "README.md").read_text()
    assert [name for name in FIRST if f"guide/{name}.md" not in text] == []


def test_headings_that_are_alike_are_told_apart():
    text = "# A\n\n## `A`\n\n## B c, d\n"
    assert list(headings(text)) == ["a", "a-1", "b-c-d"]
    shown = rendered(text, lambda to: to)
    assert shown == '<h2 id="a-1"><code>A</code></h2><h2 id="b-c-d">B c, d</h2>'
