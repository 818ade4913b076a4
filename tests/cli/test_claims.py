"""`dpaudit claims`: what a reviewer types, and what comes back."""

import json
import shutil
import subprocess
import sys

import pytest

from dpaudit.cli import main

HHM = ["claims", "--paper", "hu_huang_mehta_2021"]


def run(capsys, *arguments):
    code = main(list(arguments))
    out = capsys.readouterr()
    return code, out.out, out.err


def test_json_has_the_fixed_fields_and_nothing_else_is_printed(capsys):
    code, out, _ = run(capsys, "claims", "--json", "-")
    assert code == 0
    document = json.loads(out)
    assert document["schema"] == "dpaudit/claims/1"
    assert len(document["claims"]) >= 200
    fixed = "id paper where statement method verdict detail counterexample tight".split()
    assert all(set(fixed) <= set(claim) for claim in document["claims"])


def test_refuted_exits_1_where_that_was_asked_for(capsys):
    code, out, _ = run(capsys, *HHM, "--verdict", "refuted")
    assert code == 1
    assert "theorem-8-privacy" in out


def test_show_gives_statement_evidence_and_the_command(capsys):
    code, out, _ = run(capsys, *HHM, "--show", "theorem-8-privacy")
    assert code == 0
    for word in ("statement", "verdict", "refuted", "method", "counterexample", "repair", "again"):
        assert word in out


def test_one_check_can_be_run_alone(capsys):
    code, out, _ = run(capsys, *HHM, "--show", "theorem-8-privacy", "--fresh", "--json", "-")
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


def test_out_writes_certificates_ledger_and_errata(tmp_path, capsys):
    code, _, _ = run(capsys, "claims", "--out", str(tmp_path))
    assert code == 0
    assert {p.name for p in tmp_path.iterdir()} == {
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


def test_out_that_cannot_be_written_is_one_line_and_exit_2(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    code, _, err = run(capsys, *HHM, "--out", str(tmp_path / "file"))
    assert code == 2
    assert "out: cannot write to" in err


def test_an_interrupted_run_keeps_what_was_done_and_exits_3(monkeypatch, tmp_path, capsys):
    from dpaudit.ledger import running

    def stops(claims, workers):
        yield running.run_claim(claims[0].paper, claims[0].id)
        raise KeyboardInterrupt

    monkeypatch.setattr(running, "run_claims", stops)
    code, out, _ = run(capsys, *HHM, "--fresh", "--out", str(tmp_path))
    assert code == 3
    assert out.startswith("1 of ")
    written = json.loads((tmp_path / "certificates" / "hu_huang_mehta_2021.json").read_text())
    assert len(written["claims"]) == 1


def test_the_checker_runs_alone(tmp_path):
    from dpaudit.ledger.certificates import FOLDER

    shutil.copy(FOLDER / "hu_hegde_2022.json", tmp_path)
    command = [sys.executable, "-m", "dpaudit.recheck", str(tmp_path)]
    out = subprocess.run(command, capture_output=True, text=True, timeout=200, check=False)
    assert (out.returncode, "accepted" in out.stdout) == (0, True), out.stdout
