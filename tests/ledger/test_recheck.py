"""The checker: independent, and it refuses what was tampered with, sealed anew or not."""

import ast
import copy
import dataclasses
import json
import re
from pathlib import Path

import msgspec
import pytest

import dpaudit.recheck
from dpaudit.cli import main
from dpaudit.ledger import claims_of
from dpaudit.ledger.certificates import is_current, keep, plain, run_claim
from dpaudit.ledger.claims import find_claim
from dpaudit.ledger.words import Words
from dpaudit.recheck import Refused, check, check_claim, check_rests, recheck, register, seal
from dpaudit.recheck.replay import REPORT, replay
from dpaudit.results.claims import Certificate
from dpaudit.results.made import Made
from tests.ledger.test_parts import METHODS

EQ_9 = json.loads(json.dumps(plain(run_claim("wu_wang_2025", "eq-9"))))
UNBOUND = {
    "seed": "what was run, and is run again",
    "settings": "what was run, and is run again",
    "rewards": "what was run, and is run again",
    "neighbour": "what was run, and is run again",
    "epsilon": "what was run, and is run again",
    "leaves": "an enclosure a little wider is an enclosure too",
    "domain": "an identity holds on a domain a little larger as well",
    "means": "regret's range, where it grows",
    "horizon": "regret's range, where it shrinks",
    "runs": "more runs show more",
    "variance": "less spread shows more",
    "mean": "a smaller mean is within a bound as well",
    "alpha": "a smaller error is an error bound as well, where the numbers allow it",
    "hits": "more hits show more",
    "proportions": "a weaker bound on a proportion is a bound as well",
    "level": "a weaker statement, true as well",
    "bound": "a weaker statement, true as well",
    "claim": "a weaker statement, true as well",
    "from": "what holds from a start on holds from a later one on",
    "target": "a name",
    "event": "what was counted",
}
"""Numbers that a tampered part may get away with alone; all others are checked. What was
run is run again with its claim, and what is weaker does not reach the claim's goal."""


def numbers(data, path=()):
    """Every number of a certificate, also inside formulas and decimals."""
    if isinstance(data, dict):
        for key, value in data.items():
            yield from numbers(value, (*path, key))
    elif isinstance(data, list):
        for index, value in enumerate(data):
            yield from numbers(value, (*path, index))
    elif isinstance(data, (int, float)) or (isinstance(data, str) and re.search(r"\d", data)):
        yield path, data


def changed(value):
    if isinstance(value, str):
        return re.sub(r"\d", lambda m: str((int(m[0]) + 3) % 10), value, count=1)
    return value + 1 if isinstance(value, int) else value * 1.7


def with_change(entry, path, value):
    out = copy.deepcopy(entry)
    place = out
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return out


@pytest.fixture(scope="module", params=sorted(METHODS))
def part(request):
    return json.loads(json.dumps(METHODS[request.param][0]()))


def test_every_number_of_a_part_is_checked_but_those_that_say_why_not(part):
    missed = []
    for path, value in numbers(part):
        if path == ("kind",) or UNBOUND.keys() & set(path):
            continue
        if part["kind"] == "evident":
            continue  # a sum of squares with other numbers is one as well
        try:
            check(with_change(part, path, changed(value)))
            missed.append((path, value, changed(value)))
        except Refused:
            pass
    assert not missed


def entry_of(part):
    """A certificate of a claim of the house, with another part."""
    entry = {**EQ_9, "parts": [part]}
    return {**entry, "seal": seal(entry)}


def test_any_changed_number_breaks_the_seal(part):
    entry = entry_of(part)
    for path, value in numbers(entry):
        with pytest.raises(Refused, match="seal"):
            check_claim(with_change(entry, path, changed(value)))


def test_a_missing_part_of_a_part_is_refused_not_a_crash(part):
    for key in part:
        if key not in UNBOUND | {"target": "", "event": "", "epsilon": ""}:
            short = {k: v for k, v in part.items() if k != key}
            with pytest.raises(Refused):
                check(short)


def imported(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module


def test_the_checker_shares_no_code_with_the_finders():
    for path in Path(dpaudit.recheck.__file__).parent.rglob("*.py"):
        for name in imported(path):
            root = name.split(".")[0]
            played = path.stem == "replay"
            fine = ("dpaudit.recheck", "dpaudit.play") if played else ("dpaudit.recheck",)
            assert root != "dpaudit" or name.startswith(fine)
            foreign = ("flint", "sympy", "scipy")
            counts = played or path.stem == "optima"
            assert root not in (foreign if counts else (*foreign, "numpy"))


def test_a_verdict_needs_a_certificate_and_undecided_has_none():
    check_claim(EQ_9)
    undecided = {"verdict": "undecided", "severity": "undecided", "derivation": []}
    for change in ({"parts": []}, undecided, {"broken": {"c=1": "holds"}}):
        tampered = {**EQ_9, **change}
        with pytest.raises(Refused):
            check_claim({**tampered, "seal": seal(tampered)})


OTHER = {
    "quotation": "x",
    "anchor": "1 0",
    "reading": "Or so.",
    "goals": ["1 <= 2"],
    "readings": [["one way", "holds"]],
    "formal": False,
}


@pytest.mark.parametrize("field", OTHER)
def test_what_the_checker_refuses_for_its_words_is_not_current(field, tmp_path, monkeypatch):
    """Each field that stands beside a claim is changed alone. The control: unchanged, the same
    certificate is accepted, and current."""
    assert set(OTHER) == set(Words.__dataclass_fields__)
    claim = find_claim("wu_wang_2025", "eq-9")
    kept = msgspec.convert({**EQ_9, "seconds": 0.0}, Certificate)
    keep({(claim.paper, claim.id): kept}, tmp_path / "certificates")
    made = Made(tmp_path)
    check_claim(EQ_9)
    assert is_current(claim, kept, made)
    own = register.register(claim.paper)
    changed = {**own, claim.id: {**own[claim.id], field: OTHER[field]}}
    monkeypatch.setattr(register, "register", lambda _: changed)
    with pytest.raises(Refused, match="trust" if field == "formal" else f"another {field} "):
        check_claim(EQ_9)
    words = dataclasses.replace(claim.words, **{field: OTHER[field]})
    assert not is_current(dataclasses.replace(claim, words=words), kept, made)


def test_a_claim_rests_on_what_is_there_and_true_and_not_on_itself():
    fine = {**EQ_9, "id": "fine", "rests": []}
    wrong = {**fine, "id": "wrong", "verdict": "refuted", "severity": "step false", "repair": "so"}
    top = {**fine, "id": "top"}
    known = {entry["id"]: entry for entry in (fine, wrong, top)}
    for rests in ([], ["fine"], ["wrong (repaired)", "fine"]):
        check_rests({**top, "rests": rests}, known, ())
    for rests in (["wrong"], ["nobody"], ["fine (repaired)"], ["top"]):
        entry = {**top, "rests": rests}
        with pytest.raises(Refused):
            check_rests(entry, {**known, "top": entry}, ())


def test_the_certificates_are_accepted(certificates):
    """Of two papers; those of all five are accepted by the README's command, which is tested."""
    papers = ["hu_hegde_2022", "wu_wang_2025"]
    answers = list(recheck(certificates, papers))
    assert len(answers) >= 100
    slow = {c.id for paper in papers for c in claims_of(paper) if c.slow}
    absent = {
        f"rests on {name}, which is not there" for name in slow
    }  # the fixture leaves them out
    assert [a for a in answers if a[2] and a[2] not in absent] == []


def test_recheck_exits_1_after_one_number_is_changed(certificates, tmp_path, capsys):
    paper = certificates / "hu_hegde_2022.json"
    text = paper.read_text()
    (tmp_path / paper.name).write_text(text)
    command = ["claims", "--recheck", "--paper", paper.stem, "--certificates", str(tmp_path)]
    assert main(command) == 0
    sides = re.search(r'"sides": \["([0-9.]+)"', text)
    spot = sides.end(1) - 1
    digit = str((int(text[spot]) + 1) % 10)
    (tmp_path / paper.name).write_text(text[:spot] + digit + text[spot + 1 :])
    assert main(command) == 1
    assert "seal is broken" in capsys.readouterr().out


def test_a_proof_is_held_against_the_committed_evidence_whatever_lines_it_stands_on():
    kept = json.loads(REPORT.with_name("proofs").joinpath("lazy-dp-ts.json").read_text())["result"]
    part = {"kind": "proved", **{name: kept[name] for name in ("target", "source", "graph")}}
    replay(part)
    moved = copy.deepcopy(part)
    moved["graph"][0]["where"] = ["elsewhere"]
    replay(moved)
    cheaper = copy.deepcopy(part)
    cheaper["graph"][0]["weight"] = "0"
    with pytest.raises(Refused, match="another graph"):
        replay(cheaper)
    with pytest.raises(Refused, match="another source"):
        replay({**part, "source": part["source"][::-1]})
