"""Forgeries: certificates that are sealed, whose parts are true, and that show something else."""

import copy
import json

import pytest

from dpaudit.ledger import at, cover
from dpaudit.recheck import Refused, check_claim, seal

ONE_IS_LESS = {**at("1 < 2")}


@pytest.fixture(scope="module")
def entries(certificates):
    found = {}
    for path in certificates.glob("*.json"):
        for entry in json.loads(path.read_text())["claims"]:
            found[path.stem, entry["id"]] = entry
    return found


def of(entries, name):
    paper, _, claim = name.partition("/")
    return copy.deepcopy(entries[paper, claim])


def sealed(entry):
    entry = json.loads(json.dumps(entry))
    return {**entry, "seal": seal(entry)}


def points(n):
    """So many steps by the first part."""
    return [{"goal": i, "rule": "false", "by": ["p1"], "at": {}} for i in range(n)]


def theorem_2_refuted(entry):
    entry.update(verdict="refuted", severity="conclusion false", scope="conclusion")
    entry.update(parts=[ONE_IS_LESS], derivation=points(len(entry["goals"])))
    return entry


def bookings_halved(entry):
    for part in entry["parts"]:
        if part["kind"] == "bookings":
            part["largest"] /= 2
            for row in part["paths"]:
                row["booked"] = [b / 2 for b in row["booked"]]
    return entry


def theorem_8_holds(entry):
    """Theorem 8 said to hold by bookings that are half of what its algorithm books."""
    entry = bookings_halved(entry)
    booked = next(
        p for p in entry["parts"] if p["kind"] == "bookings" and p["target"] == "rnm-ftnl"
    )
    booked["level"] = "1"
    entry.update(verdict="holds", severity="holds", scope="", parts=[booked])
    entry["derivation"] = [
        {"goal": i, "rule": "covered", "by": ["p1"]} for i in range(len(entry["goals"]))
    ]
    return entry


def rewritten(field, text):
    return lambda entry: {**entry, field: text}


def own_goals(entry):
    """The goals replaced by one that is reached."""
    entry["parts"] = [ONE_IS_LESS]
    entry["goals"] = ["1 < 2"]
    entry["derivation"] = [{"goal": 0, "rule": "covered", "by": ["p1"]}]
    return entry


def smaller_domain(entry):
    """A part that covers a box inside of the goal's domain."""
    part = next(p for p in entry["parts"] if p["kind"] == "cover")
    name, ends = next(iter(part["domain"].items()))
    small = cover(part["statement"], **{name: (ends[1], ends[1])})
    entry["parts"][entry["parts"].index(part)] = small
    return entry


def fewer_steps(entry):
    entry["derivation"] = entry["derivation"][1:]
    return entry


def false_elsewhere(entry):
    """A goal of a true claim called false at a point where it is true."""
    entry.update(verdict="refuted", severity="step false", scope="step")
    first = entry["derivation"][0]
    part = entry["parts"][int(first["by"][0][1:]) - 1]
    at_start = dict(part.get("from", {}))
    entry["derivation"][0] = {"goal": 0, "rule": "false", "by": first["by"], "at": at_start}
    return entry


def by_words(entry):
    """Formulas waved through as words."""
    for one in entry["derivation"]:
        one["rule"] = "words"
    return entry


def more_hits(entry):
    for part in entry["parts"]:
        if part["kind"] == "counts":
            part["hits"][0] += 1
    return entry


def another_seed(entry):
    for part in entry["parts"]:
        if part["kind"] in ("counts", "regret"):
            part["seed"] += 1
    return entry


def less_regret(entry):
    for part in entry["parts"]:
        if part["kind"] == "regret":
            part["mean"] *= 0.5 if part["relation"] == "<=" else 1.5
    return entry


def another_algorithm(entry):
    for part in entry["parts"]:
        if part.get("target") == "rnm-ftnl":
            part["target"] = "rnm-ftnl-laplace"
    return entry


def milder(entry):
    return {**entry, "severity": "holds", "verdict": "holds"}


def graver(entry):
    return {**entry, "severity": "conclusion false"}


FORGERIES = {
    "theorem 2 refuted by 1 < 2": ("hu_huang_mehta_2021/theorem-2-privacy", theorem_2_refuted),
    "theorem 8 holds, its bookings halved": (
        "hu_huang_mehta_2021/theorem-8-privacy",
        theorem_8_holds,
    ),
    "bookings halved": ("hu_huang_mehta_2021/theorem-4-privacy", bookings_halved),
    "a rewritten statement": (
        "hu_huang_mehta_2021/theorem-4-privacy",
        rewritten("statement", "Algorithm 3 is not eps-DP"),
    ),
    "a rewritten place": ("wu_wang_2025/gumbel-sign", rewritten("where", "Theorem 3")),
    "a rewritten quotation": ("wu_wang_2025/gumbel-sign", rewritten("quotation", "as is known")),
    "a moved anchor": ("wu_wang_2025/gumbel-sign", rewritten("anchor", "1 0123456789abcdef")),
    "another claim's certificate": ("wu_wang_2025/gumbel-sign", rewritten("id", "tau-l")),
    "a claim that nobody made": ("wu_wang_2025/gumbel-sign", rewritten("id", "gumbel-line")),
    "goals of one's own": ("wu_wang_2025/eq-9", own_goals),
    "a part of the domain": ("hu_et_al_2025/section-5-3-headings", fewer_steps),
    "a smaller box": ("hu_et_al_2025/figure-4b-by-formula", smaller_domain),
    "a step left out": ("wu_wang_2025/eq-9", fewer_steps),
    "false where it is true": ("wu_wang_2025/logistic-below-exponential", false_elsewhere),
    "formulas as words": ("wu_wang_2025/eq-9", by_words),
    "a hit more": ("hu_huang_mehta_2021/theorem-8-privacy", more_hits),
    "another seed": ("hu_huang_mehta_2021/theorem-8-privacy", another_seed),
    "regret as wished": ("hu_huang_mehta_2021/theorem-9-second-form", less_regret),
    "another algorithm played": ("hu_huang_mehta_2021/theorem-8-privacy", another_algorithm),
    "a refutation called true": ("wu_wang_2025/gumbel-softmax", milder),
    "a misprint called a false conclusion": ("wu_wang_2025/gumbel-brackets", graver),
    "no constant moved": ("wu_wang_2025/eq-9", rewritten("broken", {})),
    "proved, it says": ("wu_wang_2025/lemma-15", rewritten("trust", "kernel")),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forgery_is_refused_though_it_is_sealed(name, entries):
    about, forge = FORGERIES[name]
    if tuple(about.split("/")) not in entries:
        pytest.skip("a slow claim, which the fixture does not make")
    check_claim(of(entries, about))
    forged = forge(of(entries, about))
    assert sealed(forged) != of(entries, about)
    with pytest.raises(Refused):
        check_claim(sealed(forged))


def test_an_anchor_that_no_longer_matches_is_refused(entries, monkeypatch):
    from dpaudit.recheck import register

    entry = next(e for e in entries.values() if e["quotation"])
    check_claim(entry)
    real = register.text

    def changed(paper):
        text, starts = real(paper)
        return text.replace(entry["quotation"].split()[0], "word"), starts

    if real(entry["paper"]) is None:
        pytest.skip("the papers' texts are not at hand")
    monkeypatch.setattr(register, "text", changed)
    with pytest.raises(Refused, match="anchor"):
        check_claim(entry)
    monkeypatch.setattr(register, "text", lambda _: None)
    check_claim(entry)
