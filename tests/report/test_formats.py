"""Markdown, JUnit, SARIF and badges: what build pages read."""

import json
from xml.etree import ElementTree

import msgspec
import pytest

from dpaudit.cli.options import place
from dpaudit.report.formats import RULES, badge, badge_svg, junit, markdown, rule_of, sarif
from dpaudit.results.audit import AuditResult, Guarantee, UpperBound, Witness

MARKUP = "<img src=x onerror=alert(1)>|`*\n]]></failure>"


def audit(lower=0.5, level=1.0, upper=1.0, **given):
    verdict = "violated" if lower > level else "consistent"
    return AuditResult(
        target=given.pop("target", "rnm-ftnl"),
        claim=Guarantee("pure", level, 0.0),
        lower_bound=lower,
        upper_bound=upper,
        upper=UpperBound("forced paths", True),
        confidence=0.999,
        verdict=verdict,
        said=f"{verdict}: epsilon >= {lower}",
        engine="exact",
        runs=10,
        seconds=1.5,
        seed=0,
        witness=Witness([[0.0, 1.0]], [[1.0, 1.0]], 1, "action 0 is played"),
        version="0.1.0",
        **given,
    )


BAD, GOOD = audit(1.3, upper=2.0), audit()


def test_the_verdict_comes_first_and_violations_are_unfolded():
    text = markdown([GOOD, BAD])
    assert text.startswith("### 1 of 2 privacy claims violated")
    assert text.index("<details open>") < text.index("<details >")
    assert markdown([GOOD]).startswith("### No violation found in 1 privacy audits")


def test_a_summary_is_cut_to_size_with_a_word_about_it():
    many = [audit(name=f"test {i}") for i in range(200)]
    text = markdown(many, limit=20_000)
    assert len(text) <= 20_000
    assert "details left out to keep this short" in text
    assert "left out" not in markdown(many[:3])


def test_markup_in_a_name_stays_text():
    named = audit(1.3, target=MARKUP, name=MARKUP)
    assert "<img" not in markdown([named])
    rows = [line for line in markdown([named]).splitlines() if line.startswith("| violated")]
    assert len(rows) == 1
    assert rows[0].replace("\\|", "").count("|") == 6
    case = ElementTree.fromstring(junit([named])).find("testcase")
    assert case.get("name") == MARKUP.replace("\n", "\n")
    assert "<img" not in badge_svg([named])
    json.loads(sarif([named], place))


def test_control_characters_do_not_break_the_xml():
    ElementTree.fromstring(junit([audit(1.3, name="a\x00b\x1b[31m")]))


def test_junit_counts_and_carries_the_witness():
    suite = ElementTree.fromstring(junit([GOOD, BAD]))
    assert (suite.get("tests"), suite.get("failures"), suite.get("time")) == ("2", "1", "3.000")
    failure = suite.findall("testcase")[1].find("failure")
    assert "rewards    arm 0  0" in failure.text
    assert suite.findall("testcase")[0].find("failure") is None


@pytest.mark.parametrize(
    ("subject", "rule"),
    [
        (GOOD, None),
        (BAD, "DPA001"),
        (audit(upper=2.0), "DPA002"),
        (audit(upper=None), "DPA002"),
        (msgspec.structs.replace(GOOD, upper=None, upper_bound=None), None),
    ],
)
def test_rules(subject, rule):
    assert rule_of(subject) == rule


def test_sarif_points_at_the_algorithms_file_and_line():
    document = json.loads(sarif([GOOD, BAD], place))
    [run] = document["runs"]
    assert [r["id"] for r in run["tool"]["driver"]["rules"]] == list(RULES)
    assert list(RULES) == ["DPA001", "DPA002", "DPA003"]
    [result] = run["results"]
    spot = result["locations"][0]["physicalLocation"]
    assert spot["artifactLocation"]["uri"].endswith("algorithms/hu_huang_mehta_2021/rnm_ftnl.py")
    from dpaudit.algorithms.hu_huang_mehta_2021 import rnm_ftnl

    with open(rnm_ftnl.__file__) as source:
        line = source.readlines()[spot["region"]["startLine"] - 1]
    assert line.startswith("def observe")


def test_what_has_no_file_has_no_location():
    assert place(audit(target="package.module:Class")) is None
    assert place(audit(target="gone.py:Class")) is None
    assert place(audit(target="no-such-algorithm")) is None


def test_badges_say_the_worst():
    worse = audit(3.0, upper=None)
    assert badge([GOOD, BAD, worse])["message"] == "epsilon ≥ 3 > 1"
    assert badge([GOOD])["color"] == "brightgreen"
    picture = ElementTree.fromstring(badge_svg([BAD]))
    assert picture.get("aria-label") == "privacy: epsilon ≥ 1.3 > 1"
