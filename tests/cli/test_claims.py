"""`dpaudit claims`: what a reviewer types, and what comes back."""

import json
import shutil
import subprocess
import sys

import pytest

from dpaudit.cli import main

HHM = ["claims", "--paper", "hu_huang_mehta_2021"]


@pytest.fixture
def known(certificates, tmp_path, monkeypatch):
    """Options that name a folder where all claims but the slow ones, which are left out, are
    known."""
    from dpaudit.ledger import claims

    every = claims.claims_of
    monkeypatch.setattr(claims, "claims_of", lambda paper: [c for c in every(paper) if not c.slow])
    shutil.copytree(certificates.parent, tmp_path / "kept")
    return ["--certificates", str(tmp_path / "kept" / "certificates")]


def run(capsys, *arguments):
    code = main(list(arguments))
    out = capsys.readouterr()
    return code, out.out, out.err


def test_json_has_the_fixed_fields_and_nothing_else_is_printed(known, capsys):
    code, out, _ = run(capsys, "claims", *known, "--json", "-")
    assert code == 0
    document = json.loads(out)
    assert document["schema"] == "dpaudit/claims/1"
    assert len(document["claims"]) >= 200
    fixed = "id paper where statement method verdict detail counterexample tight".split()
    assert all(set(fixed) <= set(claim) for claim in document["claims"])


def test_refuted_exits_1_where_that_was_asked_for(known, capsys):
    code, out, _ = run(capsys, *HHM, *known, "--verdict", "refuted")
    assert code == 1
    assert "theorem-8-privacy" in out


def test_show_gives_statement_evidence_and_the_command(known, capsys):
    code, out, _ = run(capsys, *HHM, *known, "--show", "theorem-8-privacy")
    assert code == 0
    for word in ("statement", "verdict", "refuted", "method", "counterexample", "repair", "again"):
        assert word in out
    for word in ("quotation", "reading", "conclusion false", "trust", "goal 1", "exceeded", "p1"):
        assert word in out


def test_one_check_can_be_run_alone(known, capsys):
    code, out, _ = run(
        capsys, *HHM, *known, "--show", "theorem-8-privacy", "--fresh", "--json", "-"
    )
    assert code == 0
    [claim] = json.loads(out)["claims"]
    assert claim["verdict"] == "refuted"
    assert claim["parts"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--paper", "hu_2021"], "paper: unknown name 'hu_2021'; did you mean"),
        (["--verdict", "false"], "verdict: unknown name 'false'"),
        (["--show", "x"], "show: needs --paper KEY"),
        (["--paper", "hu_hegde_2022", "--show", "theorem-99"], "show: unknown name 'theorem-99'"),
        (["--recheck", "--certificates", "/nonexistent"], "certificates: no file of certificates"),
        (["--fresh", "--workers", "0"], "workers: got 0"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(capsys, arguments, message):
    code, _, err = run(capsys, "claims", *arguments)
    assert code == 2
    assert message in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"schema": "x", "claims": []}', '{"claims": [1]}']
)
def test_a_foreign_file_of_certificates_is_one_line_and_exit_2(tmp_path, capsys, text):
    (tmp_path / "wu_wang_2025.json").write_text(text)
    given = ["--paper", "wu_wang_2025", "--certificates", str(tmp_path)]
    for more in ([], ["--recheck"]):
        code, _, err = run(capsys, "claims", *given, *more)
        assert (code, len(err.splitlines())) == (2, 1)
        assert "certificates: " in err


def test_out_writes_certificates_ledger_and_errata(known, tmp_path, capsys):
    tmp_path = tmp_path / "out"
    code, _, _ = run(capsys, "claims", *known, "--out", str(tmp_path))
    assert code == 0
    assert {p.name for p in tmp_path.iterdir()} == {
        ".made.json",
        "certificates",
        "errata",
        "claims.json",
        "claims.md",
    }
    page = (tmp_path / "errata" / "hu_huang_mehta_2021.md").read_text()
    assert "Theorem 8" in page
    folder = str(tmp_path / "certificates")
    alone = ["--recheck", "--paper", "hu_hegde_2022", "--certificates", folder]
    assert run(capsys, "claims", *alone)[0] == 0


def test_out_that_cannot_be_written_is_one_line_and_exit_2(known, tmp_path, capsys):
    (tmp_path / "file").write_text("")
    code, _, err = run(capsys, *HHM, *known, "--out", str(tmp_path / "file"))
    assert code == 2
    assert "out: cannot write to" in err


def test_interrupted_keeps_what_was_done_and_exits_3(known, monkeypatch, tmp_path, capsys):
    from dpaudit.ledger import certificates

    def stops(claims, workers):
        yield certificates.run_claim(claims[0].paper, claims[0].id)
        raise KeyboardInterrupt

    monkeypatch.setattr(certificates, "run_claims", stops)
    code, out, _ = run(capsys, *HHM, *known, "--fresh", "--out", str(tmp_path))
    assert code == 3
    assert out.startswith("1 of ")
    written = json.loads((tmp_path / "certificates" / "hu_huang_mehta_2021.json").read_text())
    assert len(written["claims"]) == 1


def test_the_checker_runs_alone(certificates, tmp_path):
    shutil.copy(certificates / "hu_hegde_2022.json", tmp_path)
    command = [sys.executable, "-m", "dpaudit.recheck", str(tmp_path)]
    out = subprocess.run(command, capture_output=True, text=True, timeout=200, check=False)
    assert (out.returncode, "accepted" in out.stdout) == (0, True), out.stdout


def test_without_the_papers_texts_anchors_are_not_compared_and_that_is_said(
    certificates, tmp_path, monkeypatch, capsys
):
    from dpaudit.recheck import register

    shutil.copy(certificates / "hu_hegde_2022.json", tmp_path)
    command = ["--recheck", "--paper", "hu_hegde_2022", "--certificates", str(tmp_path)]
    monkeypatch.setattr(register, "TEXTS", tmp_path / "elsewhere")
    register.text.cache_clear()
    code, out, _ = run(capsys, "claims", *command)
    register.text.cache_clear()
    assert code == 0
    assert "anchors of quotations were not compared" in out


def test_recheck_makes_first_what_is_not_there_and_says_so(monkeypatch, tmp_path, capsys):
    from dpaudit.ledger import claims
    from dpaudit.results import made

    every = claims.claims_of
    monkeypatch.setattr(claims, "claims_of", lambda paper: every(paper)[:2])
    monkeypatch.setattr(made, "own_folder", lambda: tmp_path)
    command = ["claims", "--paper", "hu_hegde_2022", "--recheck"]
    code, out, _ = run(capsys, *command)
    assert code == 0
    first, *_, last = out.splitlines()  # between them: whether the papers' texts are at hand
    assert first.startswith("2 certificates are not there, or are about other words")
    assert last.startswith("2 of 2 certificates accepted")
    code, out, _ = run(capsys, *command)
    assert code == 0
    assert "made first" not in out
    assert out.splitlines()[-1].startswith("2 of 2 certificates accepted")


def test_recheck_makes_anew_what_is_about_words_that_have_changed(monkeypatch, tmp_path, capsys):
    """The controls: with a broken seal, or in a folder that was handed in, it is refused."""
    from dpaudit.ledger import claims
    from dpaudit.recheck import seal
    from dpaudit.results import made

    every = claims.claims_of
    monkeypatch.setattr(claims, "claims_of", lambda paper: every(paper)[:2])
    monkeypatch.setattr(made, "own_folder", lambda: tmp_path)
    command = ["claims", "--paper", "hu_hegde_2022", "--recheck"]
    assert run(capsys, *command)[0] == 0
    file = tmp_path / "certificates" / "hu_hegde_2022.json"
    document = json.loads(file.read_text())
    entry = document["claims"][1]
    for field, old in (("reading", "What it said before."), ("trust", "statistical")):
        changed = {**entry, field: old}
        for sealed, accepted in ((True, True), (False, False)):
            kept = {**changed, "seal": seal(changed) if sealed else entry["seal"]}
            file.write_text(json.dumps({**document, "claims": [document["claims"][0], kept]}))
            if sealed:
                code, out, _ = run(capsys, *command, "--certificates", str(file.parent))
                assert code == 1
                assert f"refused: another {'level of trust' if field == 'trust' else field}" in out
            code, out, _ = run(capsys, *command)
            assert code == int(not accepted)
            assert ("1 certificates are not there, or are about other words" in out) == accepted
    # One of a claim that there was is left out, unless it was changed by hand.
    former = {**entry, "id": "former"}
    for sealed, code in ((True, 0), (False, 1)):
        kept = {**former, "seal": seal(former) if sealed else entry["seal"]}
        file.write_text(json.dumps({**document, "claims": [*document["claims"], kept]}))
        found, out, _ = run(capsys, *command)
        assert (found, "1 certificates are of claims that are gone" in out) == (code, sealed)
