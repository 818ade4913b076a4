"""The journal: nothing is lost, nothing is mixed, nothing is played twice."""

import json
import os
import subprocess
import sys
import tracemalloc

import pytest

from dpaudit.errors import Unfinished, UsageError
from dpaudit.run.journal import Journal, line_of, read_line, show
from dpaudit.run.runner import Runner
from tests.run import tiny


@pytest.fixture
def path(tmp_path):
    return tmp_path / "run.journal"


@pytest.fixture
def log(tmp_path):
    """Which blocks were played."""
    return tmp_path / "log"


def run(path, count=30, stop=None, workers=1, bound="a test", **spec):
    """The records of a run that is broken off behind a block."""
    with Runner(workers, kind="threads", journal=path) as runner:
        runner.bind(bound, spec.get("seed"))
        found = []
        for block, record in runner.run(tiny.task(**spec), tiny.work(count)):
            found.append((block.number, record))
            if block.number == stop:
                break
    return found


def played(log):
    numbers = [int(line) for line in log.read_text().split()]
    log.unlink()
    return numbers


@pytest.mark.parametrize("workers", [1, 3])
def test_a_run_goes_on_where_it_ended(path, log, workers):
    given = {"log": str(log), "seconds": 0.001}
    whole = run(path.with_name("other"), **given)
    assert sorted(played(log)) == list(range(30))
    run(path, stop=9, workers=workers, **given)
    run(path, stop=19, workers=2, **given)
    assert run(path, workers=workers, **given) == whole
    again = played(log)
    # In flight when the run was broken off, and so not noted: a few at most.
    assert len(again) <= 30 + 2 * 4 * workers
    assert run(path, **given) == whole
    assert not log.exists()


def test_a_cut_tail_is_dropped_with_a_message_and_played_again(path, log, capsys):
    whole = run(path)
    size = path.stat().st_size
    for cut in (1, 40, 200):
        os.truncate(path, size - cut)
        assert run(path) == whole
        assert f"{path} has a cut tail of " in capsys.readouterr().err
        assert path.stat().st_size >= size


def test_a_damaged_line_is_passed_over_with_a_message(path, capsys):
    whole = run(path)
    body = bytearray(path.read_bytes())
    body[len(body) // 2] ^= 4
    path.write_bytes(bytes(body))
    assert run(path) == whole
    assert "1 damaged lines; passed over" in capsys.readouterr().err


def test_a_cut_header_starts_again_and_any_other_file_is_refused(path, capsys):
    whole = run(path)
    os.truncate(path, 60)
    assert run(path) == whole
    assert "starting again" in capsys.readouterr().err
    for text in ("my notes, not to be lost\n", "x", "0123456789abcdef {}\n", "\0" * 100):
        path.write_text(text)
        with pytest.raises(UsageError, match="is not a journal of dpaudit"):
            Journal(path)
        assert path.read_text() == text


def test_the_journal_of_another_task_is_refused(path):
    run(path)
    with pytest.raises(UsageError, match=r"is of another task \(a test, dpaudit "):
        run(path, seed=2)
    with pytest.raises(UsageError, match="is of another task"):
        run(path, bound="another test")
    assert run(path) == run(path)


def test_the_same_process_and_another_one_are_refused(path):
    with Runner(1, journal=path), pytest.raises(UsageError, match="in use by this process"):
        Journal(path)
    code = (
        "from dpaudit.run.journal import Journal\n"
        f"kept = Journal({str(path)!r})\nprint('mine', flush=True)\ninput()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout.readline() == b"mine\n"
        with pytest.raises(UsageError, match="in use by another process"):
            Journal(path)
        holder.kill()
    Journal(path).close()


def test_a_full_disk_is_one_line_and_the_run_goes_on_later(path, tmp_path, log):
    whole = run(path.with_name("other"))
    code = (
        "import resource, sys\nresource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))\n"
        "from tests.run.test_journal import run\n"
        f"run({str(path)!r})\n"
    )
    full = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "Unfinished: journal: cannot write" in full.stderr
    assert "the same command goes on" in full.stderr
    assert path.stat().st_size <= 2000
    assert run(path) == whole


def test_a_journal_that_cannot_be_written_is_bad_usage(tmp_path):
    with pytest.raises(UsageError, match="journal: cannot write"):
        Journal(tmp_path / "nowhere" / "x")


def test_a_failing_write_is_unfinished(path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    with Runner(1, journal=path) as runner:
        runner.bind("a test", None)
        monkeypatch.setattr(os, "write", full)
        work = runner.run(tiny.task(), tiny.work(3))
        with pytest.raises(Unfinished, match="No space left on device"):
            next(work)


def test_tasks_of_one_journal_are_kept_apart(path):
    with Runner(1, journal=path) as runner:
        runner.bind("two", None)
        first = [list(runner.run(tiny.task(seed=s), tiny.work(5))) for s in (1, 2)]
    with Runner(1, journal=path) as runner:
        runner.bind("two", None)
        again = [list(runner.run(tiny.task(seed=s), tiny.work(5))) for s in (1, 2)]
    assert first == again
    assert first[0] != first[1]
    contents = show(path)
    assert [about["records"] for about in contents.tasks.values()] == [5, 5]
    assert {about["name"] for about in contents.tasks.values()} == {"Tiny"}


def test_a_decision_stays_what_it_was(path):
    for value in (3, 4):
        with Runner(1, journal=path) as runner:
            runner.bind("decisions", None)
            assert runner.decide("runs", [1.5], lambda v=value: v) == 3
            assert runner.noted("runs", [1.5]) in (None, 3)


def test_reading_a_journal_takes_no_more_memory_for_more_blocks(path):
    def peak(count):
        path.unlink(missing_ok=True)
        run(path, count)
        tracemalloc.start()
        with Runner(1, journal=path) as runner:
            runner.bind("a test", None)
            assert sum(1 for _ in runner.run(tiny.task(), tiny.work(count))) == count
        top = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return top

    peak(5)
    # A megabyte is read at a time, whatever the size of the file.
    assert peak(3000) < 6_000_000


def test_nothing_in_a_journal_is_executed(path):
    """What a line says is data of the kinds JSON has."""
    evil = {"task": "__import__('os').abort()", "block": 0, "record": {"py/object": "os.abort"}}
    assert read_line(line_of(evil)) == evil
    assert read_line(line_of(evil)[:-1]) is None
    assert read_line(b"0" * 16 + b" " + json.dumps(evil).encode() + b"\n") is None
