"""Before the kernel itself: what it accepts, refuses and gives up on. Skipped where coqc is not."""

import fcntl
import json
import time
from fractions import Fraction

import msgspec
import pytest

from dpaudit.cli.work import rocq
from dpaudit.errors import UsageError
from dpaudit.kernel import coqc, running
from dpaudit.kernel.goals import Lemma, lemma
from dpaudit.kernel.moved import false_with, opposite
from dpaudit.kernel.sheets import Sheet
from dpaudit.ledger import at, claims_of, each
from dpaudit.results.kernel import digest, read_run

TRUE, FALSE = Lemma("1 + 1 = 2", "lra"), Lemma("1 + 1 = 3", "lra")
ENDLESS = Lemma("True", "do 1000000000 (pose proof I as H; clear H); exact I")


@pytest.fixture(scope="module")
def folder(request):
    """The prelude, compiled once and kept."""
    if coqc.compiler() is None:
        pytest.skip("coqc is not installed")
    kept = request.config.cache.mkdir("rocq")
    with (kept / "lock").open("w") as lock:  # of several processes one compiles it
        fcntl.flock(lock, fcntl.LOCK_EX)
        coqc.make_prelude(kept)
    return kept


def papers_of(*parts):
    return {"paper": [{"id": "claim", "parts": json.loads(json.dumps(parts))}]}


@pytest.fixture
def started(folder, tmp_path):
    """A folder of one's own with the prelude in it."""
    for file in folder.glob("Prelude*"):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    return tmp_path


def test_one_broken_lemma_does_not_stop_the_rest(started, monkeypatch):
    monkeypatch.setattr(coqc, "LONGEST", 3.0)
    lemmas = {("a", 0): TRUE, ("b", 0): FALSE, ("c", 0): TRUE, ("d", 0): ENDLESS, ("d", 1): TRUE}
    told = []
    verdict = running.judge(Sheet("paper", lemmas, {}), started, {}, told.append)
    assert verdict.bad == {("b", 0): "r", ("d", 0): "t"}
    assert told == ["paper/b, part 1: refused", "paper/d, part 1: out of time"]
    text = (started / "paper.v").read_text()
    assert digest(text) == verdict.file
    assert text.count("Qed.") == 3
    assert "Without b, part 1; d, part 1" in text


def test_axioms_are_read_off_what_the_compiler_prints(started):
    sheet = Sheet("paper", {("a", 0): lemma(at("exp(1) < 3"))}, {})
    verdict = running.judge(sheet, started, {}, print)
    assert "ClassicalDedekindReals.sig_forall_dec" in verdict.axioms
    cheat = Lemma("1 + 1 = 3", "apply cheat")
    sheet = Sheet("paper2", {("a", 0): cheat}, {})
    text = sheet.text().replace("Lemma a__1", "Axiom cheat : 1 + 1 = 3.\nLemma a__1")
    file = started / "paper2.v"
    file.write_text(text)
    assert "cheat" in coqc.run(file).axioms


@pytest.mark.parametrize("name", ["eq-9", "lemma-15", "privacy-gumbel"])
def test_with_a_moved_constant_the_kernel_refuses_the_claim_and_accepts_the_opposite(name, started):
    [claim] = [c for c in claims_of("wu_wang_2025") if c.id == name]
    assert claim.breaks
    for constant, to in claim.breaks.items():
        false = false_with(claim, {constant: to})
        point = {variable: Fraction(x) for variable, x in false["at"].items()}
        printed = opposite(false["statement"], point)
        lemmas = {("opposite", 0): lemma(false), ("printed", 0): lemma(printed)}
        verdict = running.judge(Sheet("moved", lemmas, {}), started, {}, print)
        assert verdict.bad == {("printed", 0): "r"}


def test_a_file_that_was_changed_by_hand_is_refused(started):
    papers = papers_of(at("1 < 2"))
    list(running.run_all(papers, started, None, 1, print))
    file = started / "paper.v"
    file.write_text(file.read_text().replace("ZLt", "ZLe"))
    with pytest.raises(UsageError, match="changed by hand"):
        list(running.run_all(papers, started, None, 1, print))


def test_an_interrupted_run_stops_the_compiler(started, monkeypatch):
    def interrupted(jobs):
        time.sleep(2)
        raise KeyboardInterrupt

    monkeypatch.setattr(running, "sheet", lambda *_: Sheet("paper", {("a", 0): ENDLESS}, {}))
    monkeypatch.setattr(running, "as_completed", interrupted)
    since = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        list(running.run_all(papers_of(at("1 < 2")), started, None, 1, print))
    assert time.monotonic() - since < coqc.LONGEST / 2
    assert not (started / "paper.vo").exists()


def test_what_the_record_knows_is_not_compiled_again(started, monkeypatch, capsys):
    papers = papers_of(at("1 < 2"), each("n**2 >= n", n=range(5)))
    out = started / "out"
    assert rocq.run(papers, started, workers="1", out=out) == 0
    assert "2 of 2 parts, 1 claims; 1 files compiled" in capsys.readouterr().out
    before = read_run(out / "kernel.json")

    def never(file):
        raise AssertionError(f"{file} is compiled")

    with monkeypatch.context() as context:
        context.setattr(coqc, "run", never)
        assert rocq.run(papers, started, workers="1", out=out) == 0
        assert "0 files compiled, 1 known" in capsys.readouterr().out
    monkeypatch.setattr(coqc, "versions", lambda: ("8.99", before.interval))
    assert rocq.run(papers, started, workers="1", out=out) == 0
    assert "the record is of Coq 8.16.1, here is 8.99: everything is run" in capsys.readouterr().out
    assert read_run(out / "kernel.json").coqc == "8.99"


def test_a_record_that_was_changed_by_hand_is_refused(tmp_path):
    run = running.KernelRun(coqc="8", interval="4", prelude="", axioms=[], papers={}).sealed()
    file = tmp_path / "kernel.json"
    file.write_bytes(msgspec.json.encode(msgspec.structs.replace(run, coqc="9")))
    with pytest.raises(UsageError, match="seal is broken"):
        rocq.run(papers_of(at("1 < 2")), tmp_path, out=tmp_path)


def test_without_coqc_the_committed_record_is_shown(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(coqc, "compiler", lambda: None)
    assert rocq.run(papers_of(at("1 < 2")), tmp_path) == 0
    shown = capsys.readouterr().out
    assert "coqc is not installed (`make kernel`)" in shown
    assert "of Coq 8." in shown
    with pytest.raises(UsageError, match="apt-get install"):
        rocq.run(papers_of(at("1 < 2")), tmp_path, out=tmp_path)
