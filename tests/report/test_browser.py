"""The pages in a real browser: no complaint, no request, everything there with and without scripts.

`.ci/run` installs Chromium. Screenshots are kept where DPAUDIT_SCREENSHOTS says, if it does.
"""

import json
import os
from pathlib import Path

import pytest

from dpaudit.papers import TITLES
from dpaudit.results.made import committed
from tests.report import chromium
from tests.report.rendered import lay_out

pytestmark = pytest.mark.skipif(chromium.found() is None, reason="chromium is not installed")
WIDTHS = (360, 1280)
VISIBLE = """(() => {
  const hidden = [];
  for (const word of WORDS) {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    let seen = false;
    while (!seen && walker.nextNode()) {
      const node = walker.currentNode;
      seen = node.data.includes(word) && !!node.parentElement.getClientRects().length;
    }
    if (!seen) hidden.push(word);
  }
  return hidden;
})()"""
OVERFLOW = """(() => {
  const wide = document.documentElement.scrollWidth - innerWidth;
  const out = [...document.querySelectorAll('body *')].filter(e => !e.closest('.scroll, .skip') &&
    e.getBoundingClientRect().right > innerWidth + 1).map(e => e.tagName + ' ' + e.id);
  return [wide > 0, out];
})()"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return lay_out(tmp_path_factory.mktemp("pages"))


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    started = chromium.Chromium(tmp_path_factory.mktemp("profile"))
    yield started
    started.close()


@pytest.fixture
def screenshot(browser, tmp_path):
    def take(name):
        path = Path(os.environ.get("DPAUDIT_SCREENSHOTS", tmp_path)) / f"{name}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        browser.screenshot(path)
        return path.read_bytes()

    return take


PAGES = ["index", *TITLES, "samples", "hostile", "audit"]


def hidden(browser, *words):
    return browser.evaluate(VISIBLE.replace("WORDS", json.dumps(words)))


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no-scripts"])
@pytest.mark.parametrize("name", PAGES)
def test_a_page_makes_no_complaint_and_no_request(browser, folder, name, scripts):
    path = folder / f"{name}.html"
    browser.open(path, scripts=scripts)
    assert browser.complaints() == []
    assert {url for url in browser.requests() if not url.startswith("data:")} == {path.as_uri()}
    assert not browser.evaluate("'alert' in window && !!document.querySelector('img')")


def test_a_bad_page_is_noticed(browser, tmp_path):
    path = tmp_path / "bad.html"
    path.write_text(
        "<body><p style='width:3000px'>wide</p><p hidden>unseen</p><img src='missing.png'>"
        "<script>console.error('one'); undefined_name();</script>"
    )
    browser.open(path)
    kinds = {"type" in c or "exceptionDetails" in c or "entry" in c for c in browser.complaints()}
    assert kinds == {True}
    assert len(browser.complaints()) >= 3
    assert (tmp_path / "missing.png").as_uri() in browser.requests()
    assert browser.evaluate(OVERFLOW)[0]
    assert hidden(browser, "wide", "unseen", "absent") == ["unseen", "absent"]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", PAGES)
def test_no_page_scrolls_sideways(browser, folder, name, width):
    browser.open(folder / f"{name}.html", width=width, scripts=False)
    browser.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    assert browser.evaluate(OVERFLOW) == [False, []]


CUT = """[...document.querySelectorAll('.scroll')].filter(e => e.querySelector('table') &&
  e.scrollWidth > e.clientWidth + 1).map(e => e.getAttribute('aria-labelledby'))"""


@pytest.mark.parametrize("name", [*PAGES, "guide-speed", "guide-cluster", "guide-api"])
def test_no_table_runs_off_a_phone(browser, folder, name):
    """Each is as wide as the screen: rows are lists, and witnesses are cut."""
    browser.open(folder / f"{name}.html", width=360, scripts=False)
    browser.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    assert browser.evaluate(CUT) == []


def test_a_table_that_runs_off_is_noticed(browser, tmp_path):
    cells = "<td>word</td>" * 40
    path = tmp_path / "wide.html"
    path.write_text(
        "<div class='scroll' style='overflow-x:auto' aria-labelledby='x'>"
        f"<table><tr>{cells}</tr></table></div>"
    )
    browser.open(path, width=360)
    assert browser.evaluate(CUT) == ["x"]


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no-scripts"])
@pytest.mark.parametrize("width", WIDTHS)
def test_the_key_numbers_are_visible(browser, folder, width, scripts):
    browser.open(folder / "samples.html", width=width, scripts=scripts)
    words = [
        "2 of 4 privacy claims violated",
        "1.594 ≤ ε ≤ 2.000",
        "ε ≥ 1.594 at confidence 0.999 (claimed 1)",
        "action 0 is played from round 8 on",
        "would have found ε ≥ 1.04",
        "3 log K",
        "anytime-lazy-ucb 3288",
        "constant < log < log^2",
        "not confirmed",
        "dpaudit audit leaky.py:Leaky --epsilon 1",
        "SHA-256",
    ]
    assert hidden(browser, *words) == []


def test_the_committed_verdicts_are_visible_without_scripts(browser, folder):
    audits = json.loads((Path(committed()[0])).read_text())["audits"]
    wrong = [a["target"] for a in audits if a["verdict"] == "violated"]
    browser.open(folder / "index.html", scripts=False)
    assert hidden(browser, f"{len(wrong)} of {len(audits)} privacy claims violated", *wrong) == []


SHOWN = "[...document.querySelectorAll('#ledger tr[data-verdict]')].filter(r => r.offsetHeight)"


def test_the_filter_shows_what_was_asked_for_and_counts_it(browser, folder):
    browser.open(folder / "samples.html")
    assert browser.evaluate(f"{SHOWN}.length") == 10
    browser.evaluate("document.querySelector('#filter [name=verdict]').focus()")
    browser.evaluate(
        "(() => { const s = document.activeElement; s.value = 'refuted';"
        "s.dispatchEvent(new Event('input', {bubbles: true})); })()"
    )
    assert browser.evaluate(f"{SHOWN}.map(r => r.dataset.verdict)") == ["refuted"] * 2
    status = "document.querySelector('#filter [role=status]').textContent"
    assert browser.evaluate(status) == "2 of 10 claims shown"
    browser.evaluate("document.querySelector('#filter [name=words]').focus()")
    browser.send("Input.insertText", text="hu_hegde")
    assert browser.evaluate(status) == "1 of 10 claims shown"
    # A paper without a row that is left loses its heading too.
    left = "[...document.querySelectorAll('#ledger tbody')].filter(b => b.offsetHeight).length"
    assert browser.evaluate(left) == 1


def test_without_scripts_the_table_is_whole_and_the_filter_is_not_there(browser, folder):
    browser.open(folder / "samples.html", scripts=False)
    assert browser.evaluate(f"{SHOWN}.length") == 10
    assert browser.evaluate("document.getElementById('filter').offsetHeight") == 0


def test_the_keyboard_reaches_the_findings_and_shows_where_it_is(browser, folder):
    browser.open(folder / "samples.html", scripts=False)
    browser.press("Tab", "Tab", 9)
    focused = "document.activeElement"
    assert browser.evaluate(f"{focused}.className") == "skip"
    assert browser.evaluate(f"{focused}.getBoundingClientRect().left >= 0")
    assert browser.evaluate(f"getComputedStyle({focused}).outlineStyle") == "solid"
    stops = 'a[href], summary, [tabindex="0"]'
    reached = 0
    for _ in range(12):
        browser.press("Tab", "Tab", 9)
        reached += browser.evaluate(f"{focused}.matches('{stops}')")
    assert reached == 12


def test_the_accessibility_tree_has_names_for_regions_tables_and_pictures(browser, folder):
    browser.open(folder / "audit.html")
    nodes = browser.send("Accessibility.getFullAXTree")["nodes"]
    roles = {}
    for node in nodes:
        role, name = node.get("role", {}).get("value"), node.get("name", {}).get("value", "")
        roles.setdefault(role, []).append(name)
    assert roles["heading"][0] == "Privacy audit of leaky.py:Leaky"
    assert any("ε is at least 1.594" in name for name in roles["image"])
    assert any("they differ in round 4" in name for name in roles["table"])
    assert "row" in roles
    assert {"rowheader", "columnheader"} <= set(roles)
    assert {"main", "navigation", "banner"} <= set(roles)
    for role in ("region", "table", "image", "link"):
        assert all(roles[role]), role


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no-scripts"])
def test_screenshots_follow_the_theme(browser, folder, screenshot, scheme, width, scripts):
    browser.open(folder / "index.html", width=width, scheme=scheme, scripts=scripts)
    image = screenshot(f"index-{width}-{scheme}-{'scripts' if scripts else 'plain'}")
    assert image.startswith(b"\x89PNG")
    assert len(image) > 10_000
    back = browser.evaluate("getComputedStyle(document.body).backgroundColor")
    dark = sum(int(c) for c in back[4:-1].split(",")) < 3 * 128
    assert dark == (scheme == "dark")


def test_print_is_light_and_unfolded(browser, folder):
    browser.open(folder / "samples.html", scheme="dark", media="print", scripts=False)
    colour = browser.evaluate("getComputedStyle(document.body).backgroundColor")
    assert min(int(c) for c in colour[4:-1].split(",")) > 200
    inside = "document.querySelector('#ledger details dl').getBoundingClientRect().height"
    assert browser.evaluate(inside) > 20
    assert browser.evaluate("document.querySelector('nav').offsetHeight") == 0
