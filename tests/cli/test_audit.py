"""`dpaudit audit`: exit codes, JSON, the report of the catalogue, interruption."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dpaudit.cli import main

LEARNERS = str(Path(__file__).parents[1] / "auditor" / "learners.py")


def test_json_alone_on_standard_output_and_exit_code_1(capsys):
    command = "audit rnm-ftnl --epsilon 1 --arms 2 --rounds 4 --engine exact --json -"
    assert main(command.split()) == 1
    data = json.loads(capsys.readouterr().out)
    assert data["verdict"] == "violated"
    assert data["engine"] == "exact"
    assert 1.306 < data["lower_bound"] < 1.307
    assert data["witness"]["round"] == 2
    assert len(data["witness"]["rewards"]) == 4


def test_the_replay_command_makes_the_same_result(capsys):
    assert main(
        ["audit", f"{LEARNERS}:Leaky", "--epsilon", "1", "--rounds", "4", "--runs", "40000"]
    )
    first = capsys.readouterr().out.splitlines()
    again = first[-1].split("again")[1].split()
    assert main(again[1:]) == 1
    second = capsys.readouterr().out.splitlines()

    def telling(lines):
        return [line for line in lines if " s, seed" not in line and "  engine" not in line]

    assert telling(first) == telling(second)


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("anytime-lazy-ucb --epsilon 1 --rounds 8", 0),
        ("dp-ts --epsilon 1 --rounds 6 --runs 20000 --param log_base=10", 0),
        ("LEARNERS:Blind --epsilon 1 --rounds 4 --runs 4000", 4),
        ("LEARNERS:Leaky --epsilon 1 --rounds 4 --gate", 1),
        ("LEARNERS:Raises --epsilon 1 --rounds 4", 2),
        ("LEARNERS:Blind", 2),
        ("LEARNERS:Blind --epsilon x", 2),
        ("LEARNERS:Blind --epsilon 1 --runs 10 --seconds 3", 2),
        ("dp-ts --epsilon 1 --param invoke", 2),
        ("no-such --epsilon 1", 2),
    ],
)
def test_exit_codes(command, code, capsys):
    words = ["audit", *command.replace("LEARNERS", LEARNERS).split()]
    try:
        got = main(words)
    except SystemExit as stop:
        got = stop.code
    assert got == code
    error = capsys.readouterr().err
    assert len(error.splitlines()) == (1 if code == 2 else 0)


def test_the_catalogue_is_audited_and_reported(tmp_path, capsys, monkeypatch):
    from dpaudit.auditor import whole_catalogue as catalogue_audit
    from dpaudit.auditor.whole_catalogue import Reading

    few = [
        Reading("rnm-ftnl", rounds=4),
        Reading("rnm-ftnl-repaired", rounds=4),
        Reading("dp-ucb-int", epsilon=3.0),
        Reading("adap-ucb", rounds=6),
        Reading("ts-gaussian", rounds=6),
    ]
    monkeypatch.setattr(catalogue_audit, "readings", lambda: few)
    assert main(["audit", "--runs", "20000", "--out", str(tmp_path)]) == 1
    captured = capsys.readouterr()
    assert "dp-ucb-int: epsilon: got 3.0, allowed" in captured.err
    lines = captured.out.splitlines()
    assert lines[0].startswith("1 of 4 claims violated")
    assert lines[2].split()[0] == "rnm-ftnl"
    audits = json.loads((tmp_path / "catalogue.json").read_text())["audits"]
    assert len(audits) == 4
    # One confidence for all of them.
    assert all(a["confidence"] == pytest.approx(1 - 0.001 / 5) for a in audits)
    assert "| rnm-ftnl |" in (tmp_path / "catalogue.md").read_text()


@pytest.mark.parametrize(
    "words",
    [
        ["--gate"],
        ["--adversary", "balance"],
        ["--levels", "0,0,1"],
        ["--seconds", "5"],
        ["--engine", "exact"],
        ["--delta", "1e-6"],
    ],
)
def test_what_is_for_one_learner_is_not_ignored_for_the_catalogue(words, capsys):
    assert main(["audit", *words]) == 2
    assert f"{words[0][2:]}: is for one learner; name a TARGET" in capsys.readouterr().err


def test_a_report_folder_that_cannot_be_written_is_one_line(tmp_path, capsys, monkeypatch):
    from dpaudit.auditor import whole_catalogue as catalogue_audit

    monkeypatch.setattr(
        catalogue_audit, "readings", lambda: [catalogue_audit.Reading("rnm-ftnl", rounds=4)]
    )
    blocked = tmp_path / "file"
    blocked.write_text("")
    assert main(["audit", "--out", str(blocked)]) == 2
    assert "out: cannot write" in capsys.readouterr().err
    where = str(blocked / "x.json")
    assert main(["audit", "rnm-ftnl", "--epsilon", "1", "--rounds", "4", "--json", where]) == 2


def hears_ctrl_c():
    """A job that a shell started in the background ignores Ctrl-C, and its children with it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_ctrl_c_leaves_a_valid_partial_result():
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "dpaudit", "audit", f"{LEARNERS}:Blind", "--epsilon", "1"),
            *("--rounds", "6", "--runs", "100000000", "--json", "-"),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
        preexec_fn=hears_ctrl_c,
    )
    time.sleep(8)  # well into the sampling, even on a loaded machine
    process.send_signal(signal.SIGINT)
    try:
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 3, err
    data = json.loads(out)
    assert data["complete"] is False
    assert data["verdict"] == "consistent"


def test_a_pair_of_levels_is_audited_and_one_that_does_not_fit_is_named(capsys):
    command = "audit ts-gaussian --claim card --rounds 4 --runs 5000 --levels 0,0,1"
    assert main(command.split()) in (0, 4)
    assert "--levels 0,0,1" in capsys.readouterr().out
    assert main([*command.split()[:-1], "0,0,9"]) == 2
    assert "levels: got round 9, allowed is 1 to 4" in capsys.readouterr().err
