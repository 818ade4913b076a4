"""`--journal`, `--workers` and `dpaudit journal show`, as typed."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dpaudit.cli import main
from tests.cli.test_audit import hears_ctrl_c

LEARNERS = str(Path(__file__).parents[1] / "auditor" / "learners.py")
AUDIT = f"audit {LEARNERS}:Leaky --epsilon 1 --rounds 4 --runs 20000"


def result(command, path, code):
    out = path / "out.json"
    assert main([*command.split(), "--json", str(out)]) == code
    found = json.loads(out.read_text())
    found.pop("seconds")
    return found


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (AUDIT, 1),
        (f"{AUDIT} --gate", 1),
        ("audit anytime-lazy-ucb --epsilon 1 --rounds 6 --engine two-world --runs 100000", 0),
        ("audit adap-klucb --epsilon 1 --rounds 6 --engine black-box --runs 100000", 0),
        ("audit dp-ucb --epsilon 1 --rounds 4 --adversary balance --runs 4000", 4),
        ("regret ucb1 --means 0.7,0.3 --horizon 1e4 --runs 400", 0),
        (f"regret {LEARNERS}:Blind --means 0.7,0.3 --horizon 40 --epsilon 1 --runs 30000", 0),
    ],
)
def test_a_journal_changes_nothing_and_gives_the_same_again(command, code, tmp_path, capsys):
    journal = tmp_path / "x.journal"
    plain = result(f"{command} --workers 1", tmp_path, code)
    noted = result(f"{command} --workers 2 --journal {journal}", tmp_path, code)
    size = journal.stat().st_size
    again = result(f"{command} --workers 1 --journal {journal}", tmp_path, code)
    assert plain == noted == again
    assert journal.stat().st_size == size
    capsys.readouterr()
    assert main(["journal", "show", str(journal)]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(command.split()[0])
    assert len(shown.splitlines()) >= 3


def test_a_time_budget_is_decided_once(tmp_path):
    journal = tmp_path / "x.journal"
    command = f"audit {LEARNERS}:Blind --epsilon 1 --rounds 4 --seconds 1 --journal {journal}"
    first = result(command, tmp_path, 4)
    assert result(f"{command} --workers 1", tmp_path, 4) == first


def test_ctrl_c_and_the_same_command_again(tmp_path):
    journal, out = tmp_path / "x.journal", tmp_path / "out.json"
    command = [sys.executable, "-m", "dpaudit", "audit", "anytime-lazy-ucb", "--epsilon", "1"]
    command += ["--engine", "two-world", "--runs", "6000000", "--workers", "2", "--json", str(out)]
    process = subprocess.Popen(
        [*command, "--journal", str(journal)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=hears_ctrl_c,
    )
    deadline = time.monotonic() + 60
    while not journal.exists() or journal.read_bytes().count(b"\n") < 70:
        assert time.monotonic() < deadline
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 3, said
    assert f"not finished; the same command goes on from {journal}".encode() in said
    partial = json.loads(out.read_text())
    assert not partial["complete"]
    again = subprocess.run([*command, "--journal", str(journal)], capture_output=True, check=False)
    assert again.returncode == 0, again.stderr
    noted = json.loads(out.read_text())
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0
    assert {**noted, "seconds": 0} == {**json.loads(out.read_text()), "seconds": 0}


@pytest.mark.parametrize(
    ("more", "code", "message"),
    [
        ("--journal {0}", 2, "is of another task (audit anytime-lazy-ucb, dpaudit"),
        ("--journal {0}/x", 2, "journal: cannot write"),
        ("--journal {1}", 2, "is not a journal of dpaudit"),
        ("--scheduler nonsense", 2, "scheduler: got 'nonsense', allowed is an address"),
        ("--scheduler tcp://x:1 --workers 2", 2, "not allowed with argument"),
        ("--workers 0", 2, "workers: got 0"),
    ],
)
def test_bad_usage_is_one_line(more, code, message, tmp_path, capsys):
    journal, other = tmp_path / "x.journal", tmp_path / "notes"
    other.write_text("notes\n")
    base = "audit anytime-lazy-ucb --epsilon 1 --rounds 4 --engine two-world --runs 20000"
    assert main(f"{base} --journal {journal}".split()) == 0
    capsys.readouterr()
    try:
        got = main(f"{base} --seed 1 {more.format(journal, other)}".split())
    except SystemExit as stop:
        got = stop.code
    assert got == code
    said = capsys.readouterr().err
    assert message in said
    assert len(said.splitlines()) == 1


def test_a_changed_learner_is_another_task(tmp_path, capsys):
    learner, journal = tmp_path / "mine.py", tmp_path / "x.journal"
    text = Path(LEARNERS).read_text()
    learner.write_text(text)
    command = f"audit {learner}:Blind --epsilon 1 --rounds 4 --runs 4000 --journal {journal}"
    assert main(command.split()) == 4
    learner.write_text(text.replace("0.5 / self.epsilon", "0.4 / self.epsilon"))
    assert main(command.split()) == 2
    assert "is of another task" in capsys.readouterr().err


def test_a_full_disk_ends_with_3_and_one_line(tmp_path):
    code = (
        "import resource, sys\nresource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))\n"
        "from dpaudit.cli import main\nsys.exit(main(sys.argv[1:]))"
    )
    words = "audit anytime-lazy-ucb --epsilon 1 --engine two-world --runs 100000 --workers 1"
    out = subprocess.run(
        [sys.executable, "-c", code, *words.split(), "--journal", str(tmp_path / "x")],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ},
    )
    assert out.returncode == 3, out.stderr
    assert "dpaudit: not finished: journal: cannot write" in out.stderr
    assert len(out.stderr.splitlines()) == 1
    assert main([*words.split(), "--journal", str(tmp_path / "x")]) == 0


def test_an_interrupted_reproduction_and_its_journal(tmp_path, capsys):
    command = f"reproduce hu-hegde-figure-5 --runs 2 --journal {tmp_path / 'x'}"
    assert main(command.split()) == 0
    first = capsys.readouterr().out
    assert main([*command.split(), "--workers", "1"]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == first.splitlines()[1:]
