"""Results show themselves in notebooks, without scripts, and nothing in a name is markup there."""

from html.parser import HTMLParser

import dpaudit
from dpaudit.report.notebook import html_of, markdown_of


class Frames(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags = []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))


def parsed(text):
    parser = Frames()
    parser.feed(text)
    return parser.tags


def test_an_audit_shows_its_verdict_in_a_sandboxed_frame():
    result = dpaudit.audit("rnm-ftnl", epsilon=1.0, rounds=4)
    [(tag, attributes)] = parsed(result._repr_html_())
    assert (tag, attributes["sandbox"]) == ("iframe", "")
    assert "1.306" in attributes["srcdoc"]
    assert "violated" in attributes["srcdoc"]
    assert result._repr_markdown_().startswith("### 1 of 1 privacy claims violated")


def test_a_curve_is_a_table_and_a_figure():
    result = dpaudit.regret("ucb1", means=[0.7, 0.3], horizon=100, runs=20, points=4)
    [(_, attributes)] = parsed(result._repr_html_())
    assert "<svg" in attributes["srcdoc"]
    rows = result._repr_markdown_().splitlines()
    assert rows[0] == "**ucb1** (20 runs)"
    assert len(rows) == 4 + len(result.horizons)


def test_markup_in_a_name_stays_text():
    plain = dpaudit.audit("rnm-ftnl", epsilon=1.0, rounds=4).public()
    plain["target"] = '"><script>alert(1)</script>'
    tags = parsed(html_of(plain))
    assert [tag for tag, _ in tags] == ["iframe"]
    inner = [tag for tag, attributes in parsed(tags[0][1]["srcdoc"]) if tag == "script"]
    assert len(inner) == 2  # the filter, which the sandbox does not run, and the raw result
    assert "<script>" not in markdown_of(plain)
