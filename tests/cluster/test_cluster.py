"""Audits on a real cluster of separate processes: the same numbers, whatever is killed."""

import gc
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("distributed")

import dpaudit
from dpaudit.errors import Unfinished, UsageError
from dpaudit.run.journal import lines_of, read_line
from dpaudit.run.runner import Runner
from tests.cluster.local import Cluster

# distributed's own warnings, of connections that were cut
pytestmark = pytest.mark.filterwarnings("ignore")
LEARNERS = str(Path(__file__).parents[1] / "auditor" / "learners.py")
RUNS = 6_000_000


@pytest.fixture(autouse=True)
def collected():
    """What distributed left is collected here, and not in the middle of some other test."""
    yield
    gc.collect()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    made = Cluster(tmp_path_factory.mktemp("cluster"))
    yield made
    made.close()


def numbers(result):
    return {key: value for key, value in result.public().items() if key != "seconds"}


def audited(progress=None, **more):
    return numbers(
        dpaudit.audit(
            "anytime-lazy-ucb",
            epsilon=1.0,
            engine="two-world",
            runs=RUNS,
            progress=progress,
            **more,
        )
    )


@pytest.fixture(scope="module")
def undisturbed():
    """One worker, one thread, nothing in between."""
    return audited(workers=1)


class Disturbed:
    """Does something at certain blocks."""

    def __init__(self, at, action):
        self.at, self.action, self.calls = at, action, 0

    def __call__(self, done, total):
        self.calls += 1
        if self.calls in self.at:
            self.action(self.calls)


def test_workers_killed_at_random_leave_the_numbers_as_they_are(cluster, undisturbed):
    killing = Disturbed((3, 15, 30), cluster.kill)
    with Runner(scheduler=cluster.address):
        assert audited(killing) == undisturbed
    assert killing.calls > 40


def test_a_learner_and_a_regret_study_on_the_cluster(cluster):
    def both():
        audit = dpaudit.audit(f"{LEARNERS}:Leaky", epsilon=1.0, rounds=4, runs=20_000)
        regret = dpaudit.regret(f"{LEARNERS}:Blind", means=[0.7, 0.3], horizon=50, epsilon=1.0)
        plays = dpaudit.play_environment("ucb1", [0.7, 0.3], [10, 1000], runs=3000, seed=3)
        return numbers(audit), regret.mean.tolist(), plays.regret.tolist()

    with Runner(1):
        here = both()
    with Runner(scheduler=cluster.address):
        assert both() == here


def test_a_learner_that_crashes_its_process_is_named_and_the_workers_live(cluster):
    with Runner(scheduler=cluster.address):
        with pytest.raises(UsageError, match=r"Crashes: in round 2 its process died"):
            dpaudit.audit(f"{LEARNERS}:Crashes", epsilon=1.0, rounds=4, runs=20_000)
        with pytest.raises(UsageError, match="Raises: in round 3 it raised ValueError"):
            dpaudit.audit(f"{LEARNERS}:Raises", epsilon=1.0, rounds=4, runs=20_000)
    assert all(worker.poll() is None for worker in cluster.workers)


def test_a_restarted_scheduler_leaves_the_numbers_as_they_are(cluster, undisturbed):
    restarting = Disturbed((10,), lambda _: cluster.restart_scheduler())
    with Runner(scheduler=cluster.address):
        assert audited(restarting) == undisturbed


def test_a_client_that_was_killed_goes_on_from_its_journal(cluster, tmp_path, undisturbed):
    journal, out = tmp_path / "audit.journal", tmp_path / "out.json"
    command = [sys.executable, "-m", "dpaudit", "audit", "anytime-lazy-ucb", "--epsilon", "1"]
    command += ["--engine", "two-world", "--runs", str(RUNS), "--scheduler", cluster.address]
    command += ["--journal", str(journal), "--json", str(out)]
    first = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while not journal.exists() or journal.read_bytes().count(b"\n") < 75:
        assert first.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.01)
    first.kill()
    first.wait()
    kept = blocks_of(journal)
    assert subprocess.run(command, check=False, stdout=subprocess.DEVNULL).returncode == 0
    found = json.loads(out.read_text())
    assert {**undisturbed, "seconds": 0} == {**found, "seconds": 0}
    # What was finished was not played again.
    assert blocks_of(journal)[: len(kept)] == kept
    assert len(set(blocks_of(journal))) == len(blocks_of(journal))


def blocks_of(journal):
    descriptor = os.open(journal, os.O_RDONLY)
    try:
        read = [read_line(line) for _, line in lines_of(descriptor, 0, journal.stat().st_size)]
    finally:
        os.close(descriptor)
    return [(data["task"], data["block"]) for data in read if data and "task" in data]


def test_a_worker_that_hangs_is_left_alone(cluster, undisturbed):
    hanging = Disturbed((10,), cluster.hang)
    try:
        with Runner(scheduler=cluster.address, patience=4.0):
            assert audited(hanging) == undisturbed
    finally:
        for worker in cluster.workers:
            worker.send_signal(signal.SIGCONT)


def test_no_scheduler_is_said_in_one_line():
    with pytest.raises(UsageError, match=r"scheduler: cannot reach tcp://127.0.0.1:9 ") as caught:
        Runner(scheduler="tcp://127.0.0.1:9", patience=1.0)
    assert "\n" not in str(caught.value)


def test_a_cluster_without_workers_is_given_up_and_can_be_gone_on_with(tmp_path):
    empty = Cluster(tmp_path, workers=0)
    try:
        runner = Runner(scheduler=empty.address, patience=1.0)
        with runner, pytest.raises(Unfinished, match="has had no worker for 1 s"):
            audited()
    finally:
        empty.close()
