"""axe finds nothing on any page, light and dark, wide and on a phone.

`make axe` gets axe-core from the package index of npm; without it, or without Chromium, these are
skipped.
"""

import json
import os
from pathlib import Path

import pytest

from tests.report import chromium
from tests.report.rendered import lay_out

ROOT = Path(__file__).parents[2]
AXE = Path(
    os.environ.get("DPAUDIT_AXE", ROOT / ".axe" / "node_modules" / "axe-core" / "axe.min.js")
)
pytestmark = [
    pytest.mark.skipif(chromium.found() is None, reason="chromium is not installed"),
    pytest.mark.skipif(not AXE.is_file(), reason="axe-core is not there: make axe"),
]
RUN = """axe.run({resultTypes: ['violations']}).then(found => JSON.stringify(found.violations.map(
  one => one.id + ': ' + one.help + ': ' + one.nodes.slice(0, 3).map(n => n.html).join(' '))))"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return lay_out(tmp_path_factory.mktemp("pages"))


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    started = chromium.Chromium(tmp_path_factory.mktemp("profile"))
    started.patience = 300.0
    yield started
    started.close()


def violations(browser, path, *, width=1280, scheme="light"):
    browser.open(path, width=width, scheme=scheme)
    browser.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    browser.evaluate(AXE.read_text())
    answer = browser.send("Runtime.evaluate", expression=RUN, awaitPromise=True, returnByValue=True)
    return json.loads(answer["result"]["value"])


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_axe_finds_nothing(browser, folder, scheme, width):
    found = {
        path.name: violations(browser, path, width=width, scheme=scheme)
        for path in sorted(folder.glob("*.html"))
    }
    assert {name: each for name, each in found.items() if each} == {}


def test_axe_finds_what_is_wrong(browser, tmp_path):
    path = tmp_path / "bad.html"
    path.write_text(
        "<!doctype html><html><head><title>x</title></head><body><main><h1>x</h1>"
        "<img src='data:,'><p style='color:#ccc;background:#fff'>faint</p></main></body></html>"
    )
    found = {line.partition(":")[0] for line in violations(browser, path)}
    assert {"image-alt", "color-contrast", "html-has-lang"} <= found
