"""Ctrl-C and SIGTERM end a command in order at any moment."""

import random
import signal
import subprocess
import sys

import pytest

from tests.fuzz.interrupt import Ended, interrupted, judged, lay_out

MOMENTS = {
    "audit anytime-lazy-ucb --epsilon 1 --runs 1e9 --json out.json": 2.5,
    "audit slow.py:Slow --epsilon 1 --seconds 60 --json out.json": 2.5,
    "regret ucb1 --means 0.6,0.5 --horizon 1e8 --runs 1e4 --yes --json out.json": 2.0,
    "compare ucb1 thompson --horizon 1e6 --json out.json": 2.0,
    "prove --json out.json": 2.0,
    "claims --paper hu_et_al_2025 --fresh --certificates certificates": 2.0,
    "optimal --rounds 7 --epsilon 1 --json out.json": 2.0,
    "curve thompson --rounds 18": 1.0,
    "report --out pages": 1.0,
    "show dp-ts": 0.3,
    "algorithms": 0.2,
    "run": 0.0,
}
"""Commands, and until when, in seconds, their moments are."""


@pytest.mark.parametrize("number", range(len(MOMENTS)))
def test_a_command_ends_at_a_random_moment(number, tmp_path):
    command, latest = list(MOMENTS.items())[number]
    rng = random.Random(20 + number)
    sent = rng.choice([signal.SIGINT, signal.SIGTERM])
    lay_out(tmp_path)
    ended = interrupted(command.split(), rng.uniform(0.0, latest), sent, tmp_path)
    assert judged(ended, tmp_path) == []


GOOD = Ended(3, 0.5, "dpaudit: interrupted", [], True, True)
FAULTY = {
    "a traceback": Ended(3, 0.5, "Traceback (most recent call last)", [], True, True),
    "another exit code": Ended(1, 0.5, "", [], True, True),
    "too late": Ended(3, 500.0, "", [], True, True),
    "an orphan": Ended(3, 0.5, "", ["python"], True, True),
    "the terminal is another": Ended(3, 0.5, "", [], False, True),
    "no cursor": Ended(3, 0.5, "\x1b[?25h \x1b[?25l", [], True, True),
}


@pytest.mark.parametrize("ended", FAULTY.values(), ids=FAULTY)
def test_each_fault_is_seen(ended, tmp_path):
    assert judged(GOOD, tmp_path) == []
    assert len(judged(ended, tmp_path)) == 1


def test_a_result_that_is_cut_is_seen(tmp_path):
    (tmp_path / "out.json").write_text('{"a": 1')
    assert judged(GOOD, tmp_path) == ["out.json is cut"]


STUCK = """
import sys, time
from dpaudit import __main__, cli

def stuck(words):
    while True:
        try:
            time.sleep(60)
        except BaseException:
            pass

cli.main = stuck
__main__.main(["x"])
"""


def test_what_does_not_listen_is_ended_too():
    process = subprocess.Popen(
        [sys.executable, "-c", STUCK + "#" * 10], stderr=subprocess.PIPE, text=True
    )
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(1.0)
    process.send_signal(signal.SIGTERM)
    assert process.communicate(timeout=30)[1] == "dpaudit: interrupted\n"
    assert process.returncode == 3


LATE = """
import atexit
from dpaudit import __main__, cli

class Late:
    def __del__(self):
        print("taken apart")

def run(words):
    atexit.register(print, "closed")
    return 1

late, cli.main = Late(), run
raise SystemExit(__main__.{entry}())
"""


@pytest.mark.parametrize(
    ("entry", "output"), [("command", "closed\n"), ("main", "closed\ntaken apart\n")]
)
def test_a_command_that_is_done_has_no_moment_left_in_which_a_signal_ends_it(entry, output):
    done = subprocess.run(
        [sys.executable, "-c", LATE.format(entry=entry)], stdout=subprocess.PIPE, text=True
    )
    assert (done.returncode, done.stdout) == (1, output)
