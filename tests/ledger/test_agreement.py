"""One truth: what the rooms say of the same sentence. The ledger, the scaling studies, the audits,
the experiments, the pages of errata and the guide do not contradict one another."""

import json
import re

import pytest

from dpaudit.play.catalogue import catalogue
from dpaudit.report.markdown.errata import SECTIONS, errata_page
from dpaudit.results.claims import SEVERITIES, ClaimEntry, kind_of
from dpaudit.results.made import checkout

REPORTS = checkout()
FALSE = ("conclusion false", "step false", "ambiguous", "misprint")


def document(name):
    return json.loads((REPORTS / f"{name}.json").read_text())


CLAIMS = {(c["paper"], c["id"]): c for c in document("claims")["claims"]}
STUDIES = document("scaling")["studies"]
EXPERIMENTS = document("reproduction")["results"]
ABOUT = {
    "wu_wang_2025/theorem-3-rounds": "theorem-3-regret",
    "wu_wang_2025/theorem-2-rounds": "theorem-2-regret",
    "wu_wang_2025/theorem-7-lower-bound": "theorem-7",
    "wu_wang_2025/remark-14-conjecture": "remark-14-conjecture",
    "wu_wang_2025/theorem-3-arms": "theorem-3-regret",
    "wu_wang_2025/theorem-11-arms": "theorem-11-regret",
    "wu_wang_2025/corollary-10-laplace": "laplace-with-fixed-losses",
    "hu_huang_mehta_2021/theorem-9-first-form": "theorem-9-first-form",
    "hu_huang_mehta_2021/theorem-9-second-form": "theorem-9-second-form",
    "hu_huang_mehta_2021/corollary-10-gap-epsilon": "corollary-10-b",
    "hu_huang_mehta_2021/theorem-3-lazy-ucb": "theorem-3-regret",
    "hu_huang_mehta_2021/theorem-5-lazy-ts": "theorem-5-regret",
    "hu_huang_mehta_2021/gap-and-epsilon": "theorem-3-regret",
    "hu_huang_mehta_2021/theorem-12-lower-bound": "theorem-12",
    "hu_huang_mehta_2021/corollary-11-worst-case": "corollary-11-critical-gap",
    "hu_hegde_2022/theorem-2-log-log": "theorem-2",
    "hu_hegde_2022/theorem-4-lazy-ts": "theorem-4",
    "hu_hegde_2022/dp-ts-gap-free": "gap-free-dp-ts",
    "tossou_dimitrakakis_2016/theorem-3-2": "theorem-3-2",
    "tossou_dimitrakakis_2016/theorem-3-3": "theorem-3-3",
    "tossou_dimitrakakis_2016/theorem-3-3-order": "theorem-3-3",
    "tossou_dimitrakakis_2016/theorem-3-5": "theorem-3-5",
    "hu_et_al_2025/theorem-4-2-alpha": "theorem-4-2",
    "hu_et_al_2025/theorem-4-2-gap": "theorem-4-2",
    "hu_et_al_2025/theorem-4-2-worst-case": "theorem-4-2",
    "wu_wang_2025/corollary-10-resampled": "corollary-10",
    "wu_wang_2025/theorem-11-large-epsilon": "theorem-11-regret",
    "wu_wang_2025/corollary-5-worst-case": "theorem-3-regret",
    "hu_huang_mehta_2021/theorem-3-gap-free": "theorem-3-regret",
    "hu_huang_mehta_2021/theorem-5-gap-free": "theorem-5-regret",
}
"""The entry that a scaling study is about."""
QUOTED = ("quoted-", "section-5-ftnl")
"""Studies of what a paper quotes or expects of others, of which the ledger has no entry."""
SEEN = {
    "Lazy-DP-TS always does better than DP-SE and Anytime-Lazy-UCB": "lazy-outperforms",
    "Lazy-DP-TS and AdaP-KLUCB do about equally well": "experiments-similar",
    "worst and best run of Private-UCB differ by up to 30,000": "spread-of-the-runs",
    "DP-UCB-INT's distance to UCB does not grow with time": "figure-2-gap-to-ucb",
    "for every alpha DP-TS-UCB has the smaller eta": "figure-4b-better-privacy",
}
"""Sentences that are not confirmed in some reading, and the entry that says in which."""


def contradiction(study, kind):
    """How a study and an entry's severity contradict each other, or None.

    An explicit constant that is exceeded makes the conclusion false, unless the entry says for what
    it holds. A law that is outgrown on a grid contradicts only what is said to hold without more.
    """
    verdict, basis = study["verdict"], study.get("basis", "")
    if verdict == "violated" and "constant" in basis:
        allowed = ("conclusion false", "holds for")
        return None if kind in allowed else f"the study says violated, the ledger {kind}"
    if verdict == "violated" and kind in ("holds", "loose", "misprint"):
        return f"the study says outgrown, the ledger {kind}"
    if verdict in ("not contradicted", "not needed by any") and kind in FALSE:
        return f"the study says {verdict}, the ledger {kind}"
    return None


def test_every_study_is_about_an_entry_and_says_the_same():
    studies = {f"{s['paper']}/{s['study']}": s for s in STUDIES}
    quoted = {name for name in studies if name.partition("/")[2].startswith(QUOTED)}
    # Of papers whose text is not at hand the ledger has no entries.
    judged = {paper for paper, _ in CLAIMS}
    quoted |= {name for name in studies if name.partition("/")[0] not in judged}
    assert studies.keys() - quoted == ABOUT.keys()
    for name, about in ABOUT.items():
        entry = CLAIMS[name.partition("/")[0], about]
        assert contradiction(studies[name], kind_of(entry["severity"])) is None, name


def test_a_contradiction_would_be_seen():
    broken = {"verdict": "violated", "basis": "constant and law"}
    outgrown = {"verdict": "violated", "basis": "law"}
    kept = {"verdict": "not needed by any"}
    assert contradiction(broken, "misprint")
    assert contradiction(broken, "undecided")
    assert contradiction(outgrown, "holds")
    assert contradiction(kept, "conclusion false")
    assert contradiction(outgrown, "undecided") is None
    assert contradiction(kept, "loose") is None


PRINTED = {"dp-ts": "line-7-private-mean", "dp-ucb-int": "redrawn-while-waiting"}
"""The entry about an algorithm as printed, where the catalogue's default is another reading."""


def test_a_violated_privacy_claim_is_false_in_the_ledger_or_in_one_reading():
    for audit in document("catalogue")["audits"]:
        card = catalogue()[audit["target"]].card
        printed = "printed" in audit.get("parameters", {}).values()
        own = (PRINTED[card.name],) if printed else card.privacy.claims
        kinds = {kind_of(CLAIMS[card.paper, i]["severity"]) for i in own}
        if audit["verdict"] == "violated":
            assert kinds & {"conclusion false", "ambiguous"}, (audit["target"], kinds)


def test_what_the_laboratory_does_not_confirm_is_an_entry():
    goals = " ".join(goal for c in CLAIMS.values() for goal in c.get("fails", []))
    for experiment in EXPERIMENTS:
        for sentence in experiment["sentences"]:
            if sentence["verdict"] != "not confirmed":
                continue
            named = (
                f"{experiment['experiment']} | {sentence['text']} | {sentence.get('reading', '')}"
            )
            entry = next((e for text, e in SEEN.items() if sentence["text"].endswith(text)), None)
            assert named in goals or (experiment["paper"], entry) in CLAIMS, named


@pytest.mark.parametrize("paper", sorted({paper for paper, _ in CLAIMS}))
def test_errata_pages_have_every_entry_that_is_not_simply_true(paper):
    entries = [ClaimEntry(**c) for (p, _), c in CLAIMS.items() if p == paper]
    page = errata_page(paper, entries)
    shown = {kind for kind, _ in SECTIONS}
    assert shown | {"holds", "holds for"} == set(SEVERITIES)
    for entry in entries:
        assert (f"(`{entry.id}`)" in page) == (kind_of(entry.severity) in shown)
    places = [page.find(f"## {title}") for _, title in SECTIONS if f"## {title}" in page]
    assert places == sorted(places)
    assert "<math>" in page


def test_the_guide_tells_of_entries_that_are_false():
    guide = (REPORTS.parent / "dpaudit" / "guide" / "found.md").read_text()
    table = guide.partition("Beyond privacy, from the ledger")[2].partition("`make quality`")[0]
    rows = "\n".join(line for line in table.splitlines() if line.startswith("|"))
    named = re.findall(r"\(`([a-z0-9-]+)`\)", rows)
    assert len(named) >= 6
    kinds = {i: kind_of(c["severity"]) for (_, i), c in CLAIMS.items()}
    assert [i for i in named if kinds[i] not in FALSE] == []
    for i in ("line-7-private-mean", "redrawn-while-waiting"):
        assert i in guide
        assert kinds[i] in FALSE


def test_few_are_undecided_and_each_says_what_would_decide_it():
    open_ = [c for c in CLAIMS.values() if c["verdict"] == "undecided"]
    assert len(open_) <= 15
    assert [c["id"] for c in open_ if not c.get("decides")] == []
    ranged = [c for c in CLAIMS.values() if kind_of(c["severity"]) == "holds for"]
    assert [c["id"] for c in ranged if not c.get("decides")] == []
