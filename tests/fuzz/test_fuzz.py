"""Whatever is typed is answered in order: a line that names what is wrong, or work that stops."""

import subprocess
import sys
import time

import pytest

from dpaudit.cli import COMMANDS, build_parser
from dpaudit.cli.look.completion import subparser
from tests.fuzz.__main__ import CASES
from tests.fuzz.files import lay_out
from tests.fuzz.grammar import NUMBERS, Line
from tests.fuzz.judge import Answer, faults

REFUSED = (
    "audit ucb1 --epsilon 1e308",
    "audit --rounds 0",
    "audit --arms 1.5",
    "audit ucb1 --epsilon 1 --delta 1",
    "audit ucb1 --epsilon 1 --out folder",
    "audit ucb1 --epsilon 1 --scheduler tcp://",
    "audit ucb1 --epsilon 1 --scheduler tcp://127.0.0.1:1",
    "report fifo",
    "report huge.json",
    "claims --certificates nodir",
    "regret learners.py:Good --means 0.5,0.4 --epsilon 1 --horizon 1e12",
    "regret ucb1 --means 0.5,0.4 --horizon 1e6 --instances fifo",
    "journal show fifo",
    f"audit {'x' * 5000} --epsilon 1",
    f"audit learners.py:{'x' * 5000} --epsilon 1",
    f"diff {'n' * 5000} audit.json",
)
"""What the fuzzer found once."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("hostile")
    lay_out(place)
    return place


@pytest.mark.parametrize("text", REFUSED, ids=lambda text: text[:60])
def test_bad_input_is_one_short_line_within_a_second(text, folder):
    line = Line(tuple(text.split()), "something")
    code = "import sys\nfrom tests.fuzz.judge import alone\nalone(sys.argv[1:])"
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder), *line.words],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    *said, busy = done.stderr.splitlines()
    waited = time.monotonic() - began
    answer = Answer(done.returncode, done.stdout, "\n".join(said), float(busy), False, False)
    assert faults(line, answer) == []
    assert waited < 30


def test_five_hundred_command_lines_of_all_commands():
    done = subprocess.run(
        [sys.executable, "-m", "tests.fuzz"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(done.stdout.splitlines()[-1].split()[0]) >= CASES


def test_every_option_with_a_number_is_known_to_be_one():
    unknown = {}
    for command in COMMANDS:
        for action in subparser(build_parser(command), command)._actions:
            metavar = str(action.metavar)
            if action.nargs != 0 and metavar.isupper() and len(metavar) == 1:
                unknown[metavar] = command
    assert set(unknown) - set(NUMBERS) <= {"F", "V"}


FINE = Answer(2, "", "dpaudit: rounds: got 0", 0.1, False, False)
BROKEN = {
    "a traceback": (Answer(1, "", "Traceback (most recent call last):\nX", 0.1, False, False), "x"),
    "a bad value is taken": (Answer(0, "", "", 0.1, False, False), "x"),
    "a bad value is worked on": (Answer(3, "", "", 0.1, True, False), "x"),
    "it does not stop": (Answer(-9, "", "", 0.1, True, True), None),
    "two lines": (Answer(2, "", "a\nb", 0.1, False, False), None),
    "a long line": (Answer(2, "", "a" * 201, 0.1, False, False), None),
    "slow": (Answer(2, "", "a", 1.5, False, False), None),
    "another exit code": (Answer(-2, "", "", 0.1, True, False), None),
}


@pytest.mark.parametrize(("answer", "wrong"), BROKEN.values(), ids=BROKEN)
def test_each_fault_is_seen(answer, wrong):
    assert faults(Line(("audit",), "x"), FINE) == []
    assert len(faults(Line(("audit",), wrong), answer)) >= 1
