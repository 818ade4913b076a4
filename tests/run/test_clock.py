"""The command that a result prints finds its witness again, also where the clock decided."""

import json
import math
import shlex

import pytest

import dpaudit
from dpaudit.auditor.engines.black_box.search import means
from dpaudit.cli import main
from dpaudit.errors import UsageError
from dpaudit.results.documents import parse
from dpaudit.results.words import replay
from dpaudit.run.runner import Clock, Runner
from tests.kinds import learners
from tests.run import tiny

MEANS = [f"{learners.__file__}:Means", "--param", "share=0.3", "--rounds", "4"]
ASKED = {
    "outputs": [*MEANS, "--seconds", "1"],
    "next to no time": [*MEANS, "--seconds", "0.3"],
    "a gate": [*MEANS, "--gate", "--seconds", "1"],
    "a cut": [*MEANS, "--tradeoff", "--seconds", "0.5"],
    "two worlds": ["rnm-ftnl", "--rounds", "3", "--engine", "two-world", "--seconds", "0.5"],
    "long play": ["rnm-ftnl", "--rounds", "20", "--engine", "two-world", "--seconds", "0.5"],
    "beside a cross-check": ["adap-ucb", "--rounds", "8", "--seconds", "0.5"],
    "runs": [*MEANS, "--runs", "1000"],
}


@pytest.mark.parametrize("kind", ASKED)
def test_the_printed_command_finds_the_witness_again(kind, capsys, monkeypatch):
    """With another number of workers, and on a machine whose clock says nothing of use."""
    code = main(["audit", *ASKED[kind], "--epsilon", "1", "--workers", "1", "--json", "-"])
    found = parse(json.loads(capsys.readouterr().out), "out")
    assert bool(found.clock) == (kind != "runs")
    words = shlex.split(replay(found))
    assert ("--seconds" in words, "--runs" in words) == (kind != "runs", kind == "runs")

    def timed(*_, **__):
        raise AssertionError("runs are timed")

    if kind != "runs":
        monkeypatch.setattr(means, "timed", timed)
        monkeypatch.setattr("dpaudit.auditor.engines.black_box.search.learners.timed", timed)
    assert main([*words[1:], "--workers", "2", "--json", "-"]) == code
    again = parse(json.loads(capsys.readouterr().out), "out")
    for name in ("witness", "lower_bound", "runs", "spent", "searched", "clock", "tradeoff"):
        assert getattr(again, name) == getattr(found, name), name


@pytest.mark.parametrize("gate", [False, True])
def test_a_slow_learner_s_minute_is_told(gate, monkeypatch):
    """Neither seconds nor runs were asked for, and the clock decided all the same."""
    asked = {"epsilon": 1.0, "rounds": 4, "share": 0.3, "workers": 1, "gate": gate}
    monkeypatch.setattr(means, "LONGEST", 0.3)
    found = dpaudit.audit(learners.Means, **asked)
    assert "--clock" in replay(found)
    monkeypatch.undo()
    again = dpaudit.audit(learners.Means, clock=found.clock, **asked)
    assert (again.witness, again.runs, again.clock) == (found.witness, found.runs, found.clock)


def test_where_an_evaluation_ended_is_told(monkeypatch):
    """After the deadline no more blocks are played; told where that was, neither fewer nor more."""
    monkeypatch.setattr("dpaudit.run.runner.time.monotonic", iter(range(10**6)).__next__)
    clocks, counts = [Clock()], []
    for deadline in (40.0, 0.0, 1e9):
        played = list(Runner(1).until(deadline, tiny.task(), tiny.work(50)))
        clocks[-1].stop()
        assert clocks[-1].timed
        counts.append(len(played))
        clocks.append(Clock(clocks[0].taken))
    clocks[-1].stop()
    assert clocks[0].taken == [counts[0] - 1]
    assert 1 < counts[0] == counts[1] == counts[2] < 50


def test_another_clock_is_another_answer():
    """The decisions are used: other ones give other runs."""
    asked = {"epsilon": 1.0, "rounds": 4, "share": 0.3, "workers": 1, "seconds": 0.5}
    found = dpaudit.audit(learners.Means, **asked)
    most = max(x for x in found.clock if type(x) is int)
    told = [2 * x if x == most else x for x in found.clock]
    assert dpaudit.audit(learners.Means, clock=told, **asked).runs > found.runs
    with pytest.raises(UsageError, match=r"clock: it is of another audit, or of other code"):
        dpaudit.audit(learners.Means, clock=found.clock[:3], **asked)
    with pytest.raises(UsageError, match=r"clock: it is of another audit, or of other code"):
        dpaudit.audit(learners.Means, clock=["x", *found.clock], **asked)
    free = [[0.0, 0.0] if type(x) is list and len(x) == 2 else x for x in found.clock]
    endless = [math.inf if type(x) is float else x for x in found.clock]
    for told in (free, endless):
        with pytest.raises(UsageError, match=r"clock: it is of another audit, or of other code"):
            dpaudit.audit(learners.Means, clock=told, **asked)
    with pytest.raises(UsageError, match=r"clock: got beside runs"):
        dpaudit.audit(learners.Means, clock=found.clock, **asked | {"seconds": None, "runs": 200})


@pytest.mark.parametrize("text", ["x", "3", '{"a": 1}', "[" * 10_000])
def test_what_is_no_clock_is_said_in_a_line(text, capsys):
    assert main(["audit", *MEANS, "--epsilon", "1", "--clock", text]) == 2
    said = capsys.readouterr().err
    assert "clock: got " in said
    assert len(said) < 200


def test_evidence_is_named(tmp_path, capsys, monkeypatch):
    """Its pair and its event are in the folder: the same witness, by one more look."""
    monkeypatch.chdir(tmp_path)
    command = ["audit", *MEANS, "--epsilon", "1", "--workers", "1", "--evidence", "kept"]
    found = []
    for words in (["--seconds", "1"], None):
        words = [*command, *words] if words else shlex.split(replay(found[0]))[1:]
        main([*words, "--json", "-"])
        found.append(parse(json.loads(capsys.readouterr().out), "out"))
    assert "--seconds 1 " in replay(found[0]) + " "
    assert "--evidence kept" in replay(found[0])
    assert found[0].witness.event == found[1].witness.event
    assert found[0].witness.rewards == found[1].witness.rewards
    assert found[1].notes[-1].startswith("evidence of 2 looks")
