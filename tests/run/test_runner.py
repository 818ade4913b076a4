"""The runner: the same records in the same order, whoever plays and whatever happens to them."""

import contextlib
import os
import random
import signal
import struct
import sys
import threading
import time
import tracemalloc
import types
from concurrent.futures import (
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
)

import pytest

import dpaudit
from dpaudit.errors import Unfinished, UsageError
from dpaudit.run.code import package_digest, source_digest
from dpaudit.run.elsewhere import play_elsewhere
from dpaudit.run.plain import pack_array, unpack_array
from dpaudit.run.process import Child, Processes
from dpaudit.run.runner import Runner, active, current
from dpaudit.run.task import Block, Task, large_blocks
from tests.auditor import learners
from tests.run import tiny


def records(runner, count=40, **spec):
    try:
        return [(b.number, r) for b, r in runner.run(tiny.task(**spec), tiny.work(count))]
    finally:
        runner.close()


@pytest.fixture(scope="module")
def truth():
    return records(Runner(1))


class Backwards(Executor):
    """Plays what it is given in the wrong order: the last of every few blocks first."""

    def __init__(self):
        self.waiting, self.most = [], 0

    def submit(self, function, *arguments):
        future = Future()
        self.waiting.append((future, function, arguments))
        self.most = max(self.most, len(self.waiting))
        if len(self.waiting) == 1:
            threading.Timer(0.01, self.play).start()
        return future

    def play(self):
        taken, self.waiting = self.waiting, []
        for future, function, arguments in reversed(taken):
            future.set_result(function(*arguments))


@pytest.mark.parametrize("workers", [1, 2, 8])
@pytest.mark.parametrize("kind", ["auto", "threads", "processes"])
def test_any_number_and_kind_of_workers_gives_the_same_bits(kind, workers, truth):
    assert records(Runner(workers, kind=kind), seconds=0.001) == truth
    assert [number for number, _ in truth] == list(range(40))


def test_any_executor_will_do_in_any_order_of_completion(truth):
    backwards = Backwards()
    assert records(Runner(2, executor=backwards)) == truth
    assert backwards.most > 4
    for executor in (ThreadPoolExecutor(3), ProcessPoolExecutor(2)):
        with executor:
            assert records(Runner(2, executor=executor)) == truth


def kill_children(stop, chance, pids):
    """SIGKILL children of this process at random; not so many that one block could be met thrice,
    which counts as its own fault."""
    import psutil

    while stop.killed < 2 and not stop.wait(0.15):
        children = [c for c in psutil.Process().children() if c.pid not in pids]
        if children and chance.random() < 0.8:
            chance.choice(children).kill()
            stop.killed += 1


@pytest.fixture
def killer():
    """Kills worker processes at random while the test runs."""
    import psutil

    stop = threading.Event()
    stop.killed = 0
    before = {child.pid for child in psutil.Process().children()}
    thread = threading.Thread(target=kill_children, args=(stop, random.Random(4), before))
    yield lambda: (thread.start(), stop)[1]
    stop.set()
    thread.join()


def test_workers_killed_at_random_leave_an_audit_as_it_is(killer):
    def answer(runner):
        with runner:
            result = dpaudit.audit(
                "anytime-lazy-ucb", epsilon=1.0, engine="two-world", runs=8_000_000
            )
        return {key: value for key, value in result.public().items() if key != "seconds"}

    undisturbed = answer(Runner(1))
    stop = killer()
    assert answer(Runner(2, kind="processes")) == undisturbed
    assert stop.killed >= 2


def test_killed_learners_are_played_again(killer):
    def answer():
        result = dpaudit.audit(learners.Leaky, epsilon=1.0, rounds=4, runs=60_000, workers=2)
        return result.lower_bound, result.witness.event, result.runs, result.witness

    undisturbed = answer()
    stop = killer()
    assert answer() == undisturbed
    assert stop.killed >= 2


def test_a_block_that_ends_its_worker_each_time_is_named():
    with pytest.raises(UsageError, match="Tiny: block 11 of tiny ended its worker 3 times"):
        records(Runner(2, kind="processes"), dies=11)


def test_a_block_that_hangs_is_played_again(tmp_path, truth):
    runner = Runner(2, kind="processes", patience=0.5)
    assert records(runner, hangs=5, once=str(tmp_path / "once"), seconds=0.001) == truth


def test_threads_that_hang_are_given_up_in_one_line(tmp_path):
    release = threading.Event()

    class Slow(Executor):
        def submit(self, function, *arguments):
            return Future()

    with pytest.raises(Unfinished, match="Tiny: no block was finished within"):
        records(Runner(2, executor=Slow(), patience=0.2))
    release.set()


def test_what_is_in_flight_and_in_memory_does_not_grow_with_the_work():
    def peak(count):
        tracemalloc.start()
        runner = Runner(2, executor=Instant())
        for block, _ in runner.run(tiny.task(), tiny.work(count)):
            assert block.number < count
        top = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return top

    class Instant(Executor):
        def submit(self, function, *arguments):
            future = Future()
            future.set_result('{"sum":0.5}')
            return future

    peak(10)
    small, large = peak(300), peak(20_000)
    assert large < small + 30_000


def children():
    """The children of this process that run."""
    import psutil

    found = set()
    for child in psutil.Process().children():
        with contextlib.suppress(psutil.NoSuchProcess):
            if child.status() != psutil.STATUS_ZOMBIE:
                found.add(child.pid)
    return found


def test_an_early_end_leaves_nothing_running():
    before = children()  # such as the tracker of semaphores that another test's executor began
    seen = set()
    runner = Runner(2, kind="processes")
    for block, _ in runner.run(tiny.task(seconds=0.05), tiny.work(10**9)):
        seen |= children() - before
        if block.number == 5:
            break
    assert seen
    deadline = time.monotonic() + 30
    while children() & seen and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not children() & seen


def test_a_worker_that_never_hears_of_the_end_keeps_nobody_waiting():
    """It may wait for a lock that another one had when it was killed; here it is stopped."""
    pool = Processes(tiny.task(), 1)
    played(pool, Block(0, 0, 1))
    for child in pool._children:
        os.kill(child.process.pid, signal.SIGSTOP)
    in_time(pool.close)


def played(pool, block):
    future = pool.submit(block)
    assert pool.wait([future], 30.0)
    assert future.result()


def test_half_of_an_answer_keeps_nobody_waiting():
    """A killed process leaves it in the pipe."""
    pool = Processes(halves(), 1)
    future = pool.submit(Block(0, 0, 1))
    assert in_time(lambda: pool.wait([future], 10.0))
    assert pool.lost(future.exception()) == "block"
    in_time(pool.renew)
    pool.task = tiny.task()
    played(pool, Block(1, 1, 1))
    pool.close()


def halves():
    """A task whose process says that a long answer follows, and then ends."""

    def say_half(block):
        pipe = next(p for p in half_pipes() if p)
        os.write(pipe, struct.pack("!i", 1000) + b"half")
        os.kill(os.getpid(), signal.SIGKILL)

    return Task(lambda: say_half, "Half", {})


def half_pipes():
    """The sockets that this child inherited and that its parent reads from, the newest first."""
    import psutil

    found = [int(n) for n in os.listdir("/proc/self/fd") if psutil.pid_exists(os.getpid())]
    for number in sorted(found, reverse=True):
        try:
            if os.readlink(f"/proc/self/fd/{number}").startswith("socket:"):
                yield number
        except OSError:
            continue


def in_time(work):
    said = []
    thread = threading.Thread(target=lambda: said.append(work()), daemon=True)
    thread.start()
    thread.join(timeout=20)
    assert not thread.is_alive()
    return said[0]


def test_only_known_kinds_are_played_and_only_with_the_same_code():
    for name in ("os:system", "dpaudit.run.code:package_digest"):
        with pytest.raises(UsageError, match=f"unknown thing '{name}'"):
            play_elsewhere((name, "x", "{}", {}, "thread", package_digest()), (0, 0, 1))
    with pytest.raises(UsageError, match="has another dpaudit"):
        play_elsewhere((*tiny.task().letter[:5], "of another version"), (0, 0, 1))


def test_a_digest_tells_tasks_apart(tmp_path):
    file = tmp_path / "learner.py"
    (tmp_path / "beside.py").write_text("x = 1\n")
    file.write_text("import beside\n")
    first = source_digest(file)
    (tmp_path / "beside.py").write_text("x = 2\n")
    assert source_digest(file) != first
    assert tiny.task().digest != tiny.task(seed=2).digest
    assert tiny.task().digest == Task(tiny.tiny, "Other", {"seed": 1}).digest


def test_arrays_go_there_and_back_and_only_numbers_do():
    import numpy as np

    for array in (np.arange(6).reshape(2, 3), np.array([np.inf, -0.0, np.nan]), np.zeros((0, 4))):
        again = unpack_array(pack_array(array))
        assert again.tobytes() == array.tobytes()
        assert again.shape == array.shape
    with pytest.raises(ValueError, match="an array of object"):
        unpack_array({"dtype": "object", "shape": [1], "data": ""})


def test_large_blocks_cover_the_runs_and_are_few():
    for runs, rounds in ((1, 1), (10**6, 12), (10**9, 12), (10**5, 10**6)):
        work = list(large_blocks(runs, rounds))
        assert sum(block.runs for block in work) == runs
        assert work[-1].first + work[-1].runs == runs
        assert len(work) <= 300 or work[0].runs * rounds >= 2**25 or work[0].runs == 1
    assert next(large_blocks(10**18, 12)).runs < 10**7


def test_the_runner_of_the_context_is_everybodys():
    assert active() is None
    with Runner(3) as runner:
        assert current(1) is runner
    assert active() is None
    assert current(5).workers == 5


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel's help")
def test_workers_do_not_outlive_a_killed_process():
    import subprocess

    code = (
        "from tests.run import tiny\nfrom dpaudit.run.runner import Runner\n"
        "import os, psutil\n"
        "for b, _ in Runner(2, kind='processes').run(tiny.task(seconds=.02), tiny.work(10**9)):\n"
        "    if b.number == 3: print(*[c.pid for c in psutil.Process().children()], flush=True)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    pids = [int(pid) for pid in process.stdout.readline().split()]
    assert len(pids) == 2
    process.send_signal(signal.SIGKILL)
    process.communicate()
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline and any(alive(pid) for pid in pids):
        time.sleep(0.05)
    assert not any(alive(pid) for pid in pids)


def alive(pid):
    try:
        os.kill(pid, 0)
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().split(")")[1].split()[0] != "Z"
    except OSError:
        return False


def test_an_executor_that_takes_nothing_is_given_up():
    class Closed(Executor):
        def submit(self, function, *arguments):
            raise CancelledError("closed")

    with pytest.raises(UsageError, match="block 0 of tiny ended its worker 3 times"):
        records(Runner(2, executor=Closed()))


@pytest.mark.parametrize(("load", "hangs"), [(0.0, True), (1000.0, False)])
def test_who_waits_for_its_turn_on_a_busy_machine_is_not_said_to_hang(monkeypatch, load, hangs):
    monkeypatch.setattr(os, "getloadavg", lambda: (load, load, load))
    child = object.__new__(Child)
    child.at, child.seen, child.since = [0, 2], (0, 2), time.monotonic() - 1.0
    child.task, child.stop = types.SimpleNamespace(name="learner Slow"), lambda: None
    child.written, child.future = None, (future := Future())
    child.check_progress(0.5)
    assert future.done() == hangs
    if hangs:
        said = str(future.exception())
        assert said == "learner Slow: in round 2 it did not return within 0.5 s"
