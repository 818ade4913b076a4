"""The HTML pages: well-formed, escaped, accessible, self-contained, the same each time."""

import itertools
import json
import math
import re
from html.parser import HTMLParser

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpaudit.cli import main
from dpaudit.cli.look.report import pages, with_mends
from dpaudit.papers import TITLES
from dpaudit.report.page import audit_page, full_page
from dpaudit.report.page.frame import CSS, LIMIT
from dpaudit.report.page.markup import VOID, Html, at_least, at_most, element, number, prose
from dpaudit.report.page.pictures import TOLERANCE, thinned
from dpaudit.results.documents import Catalogue, parse, read
from dpaudit.results.made import committed
from tests.report import samples


class Page(HTMLParser):
    """Tags with their attributes, text and place; complains about what does not nest."""

    def __init__(self, text):
        super().__init__()
        self.found, self.open = [], []
        self.feed(text)
        self.close()
        assert not self.open, f"never closed: {self.open}"

    def handle_starttag(self, tag, attrs):
        assert len({name for name, _ in attrs}) == len(attrs), (tag, attrs)
        path = [t["tag"] for t in self.open]
        item = {"tag": tag, "attrs": dict(attrs), "text": "", "path": path, "children": []}
        if self.open:
            self.open[-1]["children"].append(item)
        self.found.append(item)
        if tag not in VOID:
            self.open.append(item)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag):
        assert self.open, f"</{tag}> closes nothing"
        assert self.open[-1]["tag"] == tag, f"</{tag}> closes <{self.open[-1]['tag']}>"
        self.open.pop()

    def handle_data(self, data):
        for item in self.open:
            item["text"] += data

    def all(self, tag):
        return [item for item in self.found if item["tag"] == tag]

    def within(self, item, tag):
        for child in item["children"]:
            if child["tag"] == tag:
                yield child
            yield from self.within(child, tag)

    @property
    def embedded(self):
        return [s["text"] for s in self.all("script") if "type" in s["attrs"]]


def everything(poison=False):
    data = [make() for make in samples.ALL.values()]
    return [parse(samples.poisoned(d) if poison else d) for d in data]


@pytest.fixture(scope="module")
def rendered():
    """Pages of everything there is: samples, hostile samples, and what is committed."""
    found = {
        "samples": full_page(everything(), "All"),
        "hostile": full_page(everything(poison=True), samples.HOSTILE),
        "one audit": audit_page([parse(samples.audit())]),
        "nothing": full_page([], "Nothing"),
    }
    documents = [read(path) for path in committed()]
    return found | pages(documents)


@pytest.fixture(scope="module")
def parsed(rendered):
    return {name: Page(text) for name, text in rendered.items()}


def test_every_page_is_one_file_of_at_most_500_kilobytes(rendered):
    for name, text in rendered.items():
        assert len(text.encode()) <= LIMIT, name
        assert text.startswith("<!doctype html>")
        assert text.isascii()


def test_nothing_is_loaded_from_anywhere(parsed):
    for page in parsed.values():
        assert not {item["tag"] for item in page.found} & {"img", "iframe", "object", "base"}
        for item in page.found:
            assert "src" not in item["attrs"]
            assert not any(name.startswith("on") for name in item["attrs"])
            address = item["attrs"].get("href", "#")
            assert re.fullmatch(r"#[a-z0-9_-]+|[a-z0-9_-]+\.html(#[a-z0-9_-]+)?|data:,|#", address)
        assert not re.search(
            r"url\(|@import|https?:", "".join(s["text"] for s in page.all("style"))
        )
        policy = next(m for m in page.all("meta") if "http-equiv" in m["attrs"])
        assert policy["attrs"]["content"].startswith("default-src 'none'")


def test_markup_in_a_name_is_text_everywhere(rendered, parsed):
    page = parsed["hostile"]
    assert len([s for s in page.all("script") if "type" not in s["attrs"]]) == 1
    assert "<img" not in rendered["hostile"]
    assert "<!--" not in rendered["hostile"]
    shown = "".join(a["text"] for a in page.all("article"))
    assert shown.count(samples.HOSTILE) > 40
    assert samples.HOSTILE in page.all("h1")[0]["text"]
    assert samples.HOSTILE in page.all("title")[0]["text"]


@pytest.mark.parametrize("poison", [False, True])
def test_the_embedded_results_are_the_documents(poison):
    documents = everything(poison)
    page = Page(full_page(documents, "All"))
    assert [parse(json.loads(text)) for text in page.embedded] == documents


def test_results_that_there_is_no_room_for_are_named(monkeypatch):
    monkeypatch.setattr("dpaudit.report.page.LIMIT", 80_000)
    documents = [parse(samples.regret()), parse(samples.regret(parameters={"x" * 40_000: 1}))]
    page = Page(full_page(documents, "Two"))
    assert [parse(json.loads(text)) for text in page.embedded] == documents[:1]
    assert "left out to keep this page small" in "".join(li["text"] for li in page.all("li"))


def test_headings_are_in_order(parsed):
    for name, page in parsed.items():
        levels = [int(i["tag"][1]) for i in page.found if re.fullmatch("h[1-6]", i["tag"])]
        assert levels[0] == 1, name
        assert levels.count(1) == 1
        assert all(b <= a + 1 for a, b in itertools.pairwise(levels))


def test_every_table_has_a_caption_and_headers_with_scope(parsed):
    for page in parsed.values():
        for table in page.all("table"):
            assert table["children"][0]["tag"] == "caption"
            assert table["children"][0]["text"].strip()
            for cell in page.within(table, "th"):
                assert cell["attrs"]["scope"] in ("col", "row", "rowgroup")
            head = next(page.within(table, "thead"))
            columns = len(list(page.within(head, "th")))
            for body in page.within(table, "tbody"):
                for row in page.within(body, "tr"):
                    first = row["children"][0]
                    assert first["tag"] == "th"
                    if first["attrs"]["scope"] == "row":
                        assert len(row["children"]) == columns


def test_every_picture_has_a_title(parsed):
    seen = 0
    for page in parsed.values():
        for svg in page.all("svg"):
            seen += 1
            # A picture that holds links is a group: as an image, it would hide them.
            assert svg["attrs"]["role"] == ("group" if any(page.within(svg, "a")) else "img")
            assert svg["children"][0]["tag"] == "title"
            assert svg["children"][0]["text"].strip()
            assert not re.search(
                r"(?<![a-z])(nan|inf)(?![a-z])", json.dumps([i["attrs"] for i in svg["children"]])
            )
    assert seen > 60


def test_names_are_unique_and_references_lead_somewhere(parsed):
    for name, page in parsed.items():
        ids = [item["attrs"]["id"] for item in page.found if "id" in item["attrs"]]
        assert len(set(ids)) == len(ids), name
        for item in page.found:
            for attribute in ("aria-labelledby", "for"):
                assert set(item["attrs"].get(attribute, "").split()) <= set(ids)
            address = item["attrs"].get("href") or ""
            if address.startswith("#"):
                assert address[1:] in ids
            elif ".html" in address:
                other, _, place = address.partition("#")
                there = [i["attrs"].get("id") for i in parsed[other].found]
                assert not place or place in there


def test_readers_without_a_mouse_find_their_way(parsed):
    for page in parsed.values():
        assert page.all("html")[0]["attrs"]["lang"] == "en"
        body = page.all("body")[0]
        assert body["children"][0]["attrs"] == {"href": "#main", "class": "skip"}
        assert page.all("main")[0]["attrs"]["id"] == "main"
        for box in page.found:
            if box["attrs"].get("class") == "scroll":
                assert box["attrs"]["tabindex"] == "0"
                assert box["attrs"]["role"] == "group"


CONTRASTS = [
    *((fore, back, 4.5) for fore in ("ink", "quiet", "link", "bad") for back in ("bg", "panel")),
    ("ink", "mark", 4.5),
    ("badge", "bad", 4.5),
    *((fore, "bg", 3.0) for fore in ("edge", "bar", *(f"s{i}" for i in (*range(6), 7)))),
]
"""Foreground, background, and the least contrast of WCAG 2.2 (AA): text 4.5, graphics 3."""


def luminance(colour):
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_colours_have_the_contrast_that_wcag_asks_for(theme):
    rules = re.findall(r":root\{([^}]*)\}", CSS)
    assert len(rules) == 2
    colours = dict(re.findall(r"--(\w+):(#[0-9a-f]{6})", rules[theme]))
    for fore, back, least in CONTRASTS:
        light, dark = sorted((luminance(colours[fore]), luminance(colours[back])), reverse=True)
        assert (light + 0.05) / (dark + 0.05) >= least, (fore, back)
    used = set(re.findall(r"var\(--(\w+)\)", CSS)) - {"own"}
    assert used <= set(colours)


def test_the_verdict_comes_first(parsed):
    verdict = "2 of 4 privacy claims violated (leaky.py:Leaky offset=0); no violation found"
    header = parsed["samples"].all("header")[0]["text"]
    assert header.index(verdict) < header.index("10 statements")
    assert (
        "ε ≥ 1.594 at confidence 0.999 (claimed 1)" in parsed["one audit"].all("header")[0]["text"]
    )


def test_each_part_says_how_to_run_it_again(parsed):
    commands = [c["text"] for c in parsed["samples"].all("code")]
    for start in (
        "dpaudit audit leaky.py:Leaky --epsilon 1 --arms 2 --rounds 12",
        "dpaudit claims --fresh",
        "dpaudit regret anytime-lazy-ucb",
        "dpaudit scaling theorem-11-arms",
        "dpaudit reproduce hu-hegde-figure-1",
    ):
        assert any(c.startswith(start) for c in commands), start


def test_the_round_that_differs_is_marked(parsed):
    page = parsed["one audit"]
    table = next(t for t in page.all("table") if t["attrs"].get("class") == "witness")
    marked = [c for c in page.within(table, "th") if c["attrs"].get("class") == "changed"]
    assert [c["text"] for c in marked] == ["4 differs"]
    cells = [c["text"] for c in page.within(table, "td") if c["attrs"].get("class") == "changed"]
    assert cells == ["0", "1", "1", "0"]


def test_a_study_shows_what_its_verdict_rests_on_and_what_hangs_on_the_thresholds():
    text = Page(full_page([parse(samples.scaling())], "Scaling")).all("main")[0]["text"]
    for words in (
        "not contradicted",
        "play at random exceeds the bound: violated",
        "verdict if doubled",
        "67 % (60 % to 70 %)",
        "One rule.",
        "no faster 100 %",
    ):
        assert words.replace(" %", "%") in text.replace("\u202f%", "%").replace(" %", "%"), words


def test_a_long_witness_is_cut_around_the_round_that_differs():
    rewards = [[0.0] * 30 for _ in range(500)]
    other = [list(row) for row in rewards]
    other[399][17] = 1.0
    long = {**samples.audit()["witness"], "rewards": rewards, "neighbour": other, "round": 400}
    page = Page(audit_page([parse(samples.audit(witness=long))]))
    first, second, third = (t for t in page.all("table") if t["attrs"].get("class") == "witness")
    assert "400 differs" in second["text"]
    assert "rounds 388 to 411 of 500, 8 of 30 arms shown" in first["text"]
    for table in (first, second, third):
        assert "arm 17" in table["text"]
        assert len(list(page.within(table, "tr"))) == 1 + 2 * (1 + 8)
        head = next(page.within(table, "thead"))
        assert len(list(page.within(head, "th"))) <= 1 + 9


def test_huge_numbers_do_not_break_a_picture():
    page = Page(audit_page([parse(samples.audit(lower_bound=1e308, upper_bound=1.7e308))]))
    assert "10³⁰⁸" in page.all("main")[0]["text"]
    columns = {"mean": [1e-300, 1.0, 1e308], "low": [0.0, 0.0, 0.0], "high": [1e308] * 3}
    columns |= {"normal_low": [0.0] * 3, "normal_high": [1e308] * 3}
    assert Page(full_page([parse(samples.regret(**columns))], "Huge")).all("svg")


def test_an_audit_of_a_mechanism_has_no_tables():
    bare = {"rewards": None, "neighbour": None, "round": None, "event": "the output is above 1"}
    text = audit_page([parse(samples.audit(witness=bare, arms=None, rounds=None))])
    assert "the output is above 1" in text
    assert not [t for t in Page(text).all("table") if t["attrs"].get("class") == "witness"]


def test_text_is_escaped_by_construction():
    name = Html("<b>x</b>")
    assert element("p", "<b>", name, title='">') == '<p title="&quot;&gt;">&lt;b&gt;<b>x</b></p>'
    assert name + "<" == "<b>x</b>&lt;"
    assert "\x00" not in element("p", "\x00\x1b\u202e", title="\x00")


@given(st.floats(0, 1e5))
def test_bounds_are_rounded_outwards(value):
    assert float(at_least(value)) <= value + 1e-9 * max(1, value)
    assert float(at_most(value)) >= value - 1e-9 * max(1, value)
    assert abs(float(at_least(value)) - value) <= 0.001001


def test_numbers_are_rounded_sensibly():
    shown = [0.0, 0.5, 1 / 3, 3951.6, 12345.6, 2.0**60, 1.3e-7, 1e9, math.inf, None]
    expected = ["0", "0.5", "0.3333", "3952", "12\u202f346", "1.153×10¹⁸", "1.3×10⁻⁷", "10⁹", "∞"]
    assert [number(v) for v in shown] == [*expected, "none"]


@given(st.lists(st.tuples(st.integers(0, 400), st.integers(0, 200)), min_size=1, max_size=60))
def test_a_thinned_curve_passes_near_every_point(places):
    places = [(float(x), float(y)) for x, y in sorted(dict(places).items())]
    kept = thinned(places)
    assert kept[0] == places[0]
    assert kept[-1] == places[-1]
    for x, y in places:
        pairs = itertools.pairwise(kept)
        near = [abs(y - y0) for x0, y0 in kept if x0 == x]
        for (x0, y0), (x1, y1) in pairs:
            if x0 <= x <= x1:
                length = math.hypot(x1 - x0, y1 - y0)
                near.append(abs((x1 - x0) * (y0 - y) - (x0 - x) * (y1 - y0)) / length)
        assert min(near) <= TOLERANCE + 1e-9


def test_the_committed_results_give_the_same_pages_each_time(rendered):
    again = pages([read(path) for path in committed()])
    whole = ["index.html", "leaderboard.html", "optima.html"]
    own = [*whole, *(f"{p}.html" for p in TITLES)]
    assert list(again)[: len(own)] == own
    assert all(name.startswith("guide") for name in list(again)[len(own) :])
    for name, text in again.items():
        assert text == rendered[name]


def test_the_command_writes_a_page_of_the_given_files(tmp_path, capsys):
    path = tmp_path / "audit.json"
    path.write_text(json.dumps(samples.audit()))
    assert main(["report", "--out", str(tmp_path / "a" / "b"), str(path)]) == 0
    out, err = capsys.readouterr()
    assert out.startswith(f"{tmp_path / 'a' / 'b' / 'index.html'} (")
    assert not err
    assert "leaky.py:Leaky" in (tmp_path / "a" / "b" / "index.html").read_text()


def test_a_folder_that_cannot_be_written_is_named_in_one_line(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert main(["report", "--out", str(tmp_path / "file" / "pages")]) == 2
    _, err = capsys.readouterr()
    assert err.startswith("dpaudit: out: cannot write to ")
    assert err.count("\n") == 1


def test_without_results_the_command_says_so(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    elsewhere = tmp_path / "elsewhere" / "dpaudit" / "results" / "made.py"
    monkeypatch.setattr("dpaudit.results.made.__file__", str(elsewhere))
    assert main(["report"]) == 2
    _, err = capsys.readouterr()
    assert "no results" in err
    assert err.count("\n") == 1


def test_findings_come_first_and_say_what_would_mend_them(parsed):
    for name in ("index.html", "hu_huang_mehta_2021.html", "samples"):
        ids = [s["attrs"].get("id") for s in parsed[name].all("section")]
        assert ids[:2] == ["findings", "meaning"], name
    index = parsed["index.html"]
    rows = [
        row
        for table in index.all("table")
        if table["attrs"]["id"] == "findings-table"
        for body in index.within(table, "tbody")
        for row in index.within(body, "tr")
    ]
    text = [row["text"] for row in rows]
    kinds = [next(w for w in ("violated", "refuted", "typo") if w in t) for t in text]
    assert kinds[:5] == ["violated"] * 5
    wrong = [i for i, t in enumerate(text) if "conclusion false" in t]
    steps = [i for i, t in enumerate(text) if "step false" in t]
    assert max(wrong) < min(steps)


def test_a_violation_of_the_catalogue_says_what_would_mend_it():
    """Also where its committed result does not."""
    audits = next(d for d in map(read, committed()) if isinstance(d, Catalogue)).audits
    (audit,) = (a for a in audits if a.target == "rnm-ftnl")
    page = Page(audit_page([with_mends(msgspec.structs.replace(audit, mends=[]))]))
    for section in ("findings", "privacy"):
        (found,) = (s for s in page.all("section") if s["attrs"]["id"] == section)
        assert "rnm-ftnl-repaired, the repaired entry: it books at most 1" in found["text"]
        assert "noise of a scale 2 times as large at algorithms/" in found["text"]


def test_a_page_without_findings_has_no_such_section_and_says_what_it_means():
    sound = Page(audit_page([parse(samples.audit(verdict="consistent", lower_bound=0.5))]))
    ids = [s["attrs"].get("id") for s in sound.all("section")]
    assert "findings" not in ids
    assert ids[0] == "meaning"
    assert "Nothing here contradicts what is claimed" in sound.all("section")[0]["text"]


def test_the_ledger_has_the_gravest_first(parsed):
    for paper in TITLES:
        if f"{paper}.html" not in parsed:
            continue
        found = [t["attrs"]["data-verdict"] for t in parsed[f"{paper}.html"].all("tr")
                 if "data-verdict" in t["attrs"]]  # fmt: skip
        order = ["refuted", "typo", "undecided", "loose", "holds"]
        assert found == sorted(found, key=order.index)


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("T^-25", "<math><msup><mi>T</mi><mtext>−25</mtext></msup></math>"),
        ("e^(2 eps)", "<math><msup><mi>e</mi><mtext>2 eps</mtext></msup></math>"),
        ("at <= <b>", "at ≤ &lt;b&gt;"),
        ("a & 10^6 & (1 - d)^n", "a &amp; <math><msup><mn>10</mn><mn>6</mn></msup></math> &amp; "
         "<math><msup><mtext>(1 - d)</mtext><mi>n</mi></msup></math>"),
        ("<i>^2\x00", "&lt;i&gt;^2\N{REPLACEMENT CHARACTER}"),
    ],
)  # fmt: skip
def test_powers_in_words_are_mathematics_and_all_else_is_escaped(words, shown):
    assert prose(words) == shown


def test_what_the_ledger_says_in_formulas_is_set(parsed):
    for name in ("index.html", "wu_wang_2025.html"):
        (ledger,) = (t for t in parsed[name].all("table") if t["attrs"]["id"] == "ledger")
        assert len(list(parsed[name].within(ledger, "math"))) > 30
