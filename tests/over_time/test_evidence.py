"""Budgets of many nights add up: one event, fresh runs each time, bounds that hold at each look."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import dpaudit
from dpaudit.auditor.engines.black_box.engine import BlackBox
from dpaudit.auditor.evidence import store
from dpaudit.auditor.search import make_pair
from dpaudit.auditor.statistics import Alpha, anytime_between, proportion_lower, proportion_upper
from dpaudit.cli import main
from dpaudit.errors import UsageError
from tests.auditor import learners
from tests.kinds import learners as kinds

SEQUENCES, RUNS, TRUTH, LEVEL = 200, 4000, 0.3, 0.1
AT = np.unique(np.geomspace(5, RUNS, 30).astype(int))


def missed(between):
    """Sequences in which any look misses the truth."""
    drawn = np.random.default_rng(3).random((SEQUENCES, RUNS)) < TRUTH
    counts = np.cumsum(drawn, axis=1)[:, AT - 1]
    return sum(
        any(not low <= TRUTH <= high for low, high in between(list(zip(row, AT, strict=True))))
        for row in counts.tolist()
    )


def by_itself(counts):
    half = LEVEL / 2.0
    return [
        (proportion_lower(h, n, Alpha(half)), proportion_upper(h, n, Alpha(half)))
        for h, n in counts
    ]


def test_bounds_hold_at_all_looks_at_once():
    """More misses than that have probability below 1e-6."""
    most = stats.binom.isf(1e-6, SEQUENCES, LEVEL)
    assert missed(lambda counts: anytime_between(counts, Alpha(LEVEL))) <= most


def test_bounds_that_hold_at_one_look_do_not():
    """The control: who looks again and again at those is misled."""
    assert missed(by_itself) > stats.binom.isf(1e-6, SEQUENCES, LEVEL)


def test_the_ends_are_certain_where_nothing_was_counted():
    assert anytime_between([(0, 0)], Alpha(0.1)) == [(0.0, 1.0)]
    [(low, high), (lowest, highest)] = anytime_between([(0, 100), (100, 100)], Alpha(0.1))
    assert (low, highest) == (0.0, 1.0)
    assert 0.02 < high < 0.1
    assert lowest == pytest.approx(1.0 - high)


SOURCE = Path(learners.__file__).read_text()


@pytest.fixture
def night(tmp_path, capfd, monkeypatch):
    """An audit of a file's class with the evidence beside it: exit code, result, what was said."""
    monkeypatch.chdir(tmp_path)
    Path("learner.py").write_text(SOURCE)

    def asked(*more, target="learner.py:Leaky"):
        words = ["--epsilon", "1", "--rounds", "3", "--runs", "4000", "--workers", "1"]
        words += ["--evidence", "kept", "--json", "result.json", *more]
        Path("result.json").unlink(missing_ok=True)
        code = main(["audit", target, *words])
        file = Path("result.json")
        result = json.loads(file.read_text()) if file.exists() else None
        return code, result, capfd.readouterr().err

    return asked


def kept():
    return {f.name: json.loads(f.read_text()) for f in sorted(Path("kept").glob("*.json"))}


def test_looks_add_up_and_other_code_starts_anew(night):
    bounds = []
    for number in (1, 2, 3):
        _, result, said = night("--seed", "5")
        [found] = kept().values()
        assert [look["number"] for look in found["looks"]] == list(range(1, number + 1))
        assert "anew" not in said
        assert result["runs"] == found["spent"] + 2 * sum(look["runs"] for look in found["looks"])
        assert sum(each["alpha"] for each in result["spent"]) == pytest.approx(0.001)
        bounds.append(result["lower_bound"])
    _, second, third = ((k["hits"], k["base_hits"]) for k in found["looks"])
    assert second != third  # of as many runs, other ones
    assert bounds == sorted(bounds)
    assert bounds[2] > bounds[0] + 0.1
    [name] = kept()
    Path("learner.py").write_text(SOURCE.replace("0.5 / self", "0.6 / self"))
    _, result, said = night()
    assert "the code has changed" in said
    assert any("starting anew" in note for note in result["notes"])
    assert len(kept()) == 2
    assert {len(each["looks"]) for each in kept().values()} == {3, 1}
    Path("learner.py").write_text(SOURCE)  # what was taken back finds its own
    assert "anew" not in night()[2]
    assert len(kept()[name]["looks"]) == 4


def test_another_world_without_the_round_is_another_question(tmp_path):
    """The tables are the same, and what is played is not."""
    target = f"{Path(kinds.__file__)}:Means"
    asked = {"epsilon": 1.0, "rounds": 2, "runs": 400, "workers": 1, "sees": "outputs"}
    pair = make_pair(np.zeros((2, 2)), 1, np.zeros(2), np.ones(2))
    for without in (0, 1):
        given = {"pair": replace(pair, without=without), "neighbours": "add-remove"}
        dpaudit.audit(target, evidence=tmp_path, **given, **asked)
    assert len(list(tmp_path.glob("*.json"))) == 2


def test_a_look_that_was_cut_off_is_not_played_again(night, monkeypatch):
    night()

    def cut(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as during:
        during.setattr(BlackBox, "evaluate", cut)
        assert night()[0] == 3
    [found] = kept().values()
    assert (found["begun"], len(found["looks"])) == (2, 1)
    night()
    [found] = kept().values()
    assert [look["number"] for look in found["looks"]] == [1, 3]


def test_what_lives_in_this_process_alone_keeps_no_evidence(tmp_path):
    """The same name and the same file, and another scale: nothing would tell them apart."""

    def made(scale):
        class Mine(learners.Leaky):
            noise = scale

        return Mine

    asked = {"epsilon": 1.0, "rounds": 2, "runs": 400, "workers": 1, "evidence": tmp_path / "kept"}
    for scale in (0.1, 10.0):
        with pytest.raises(UsageError, match="Mine lives in this process alone, allowed is file"):
            dpaudit.audit(made(scale), **asked)

    def balance(t, actions, arms):
        return [0.0] * arms

    balance.__qualname__ = "balance"
    place = f"{learners.__file__}:Leaky"
    with pytest.raises(UsageError, match="this adversary cannot be kept"):
        dpaudit.audit(place, adversary=balance, **asked)
    assert not (tmp_path / "kept").exists()


def test_a_project_keeps_evidence_of_what_is_sampled_and_runs_the_rest(night):
    table = "[[tool.dpaudit.audits]]\ntarget = 'learner.py:Leaky'\nepsilon = 1.0\nrounds = 2\n"
    table += "runs = 400\n"
    text = f"[tool.dpaudit]\nworkers = 1\n{table}{table}tradeoff = true\n{table}gate = true\n"
    Path("pyproject.toml").write_text(text)
    assert main(["run", "--evidence", "kept", "--json", "run.json"]) in (0, 1, 4)
    assert len(json.loads(Path("run.json").read_text())["audits"]) == 3
    assert len(kept()) == 1


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda d: d["looks"].append(d["looks"][0]), "twice"),
        (lambda d: d["looks"][0].update(hits=10**9), "more hits than runs"),
        (lambda d: d.update(schema="dpaudit/evidence/9"), "allowed is 'dpaudit/evidence/1'"),
        (lambda d: d.pop("looks") and d.update(begun="x"), "Expected `int`"),
        (lambda d: d.update(code="0" * 16), "of another question or of other code"),
    ],
)
def test_a_file_that_was_changed_is_refused(change, said, tmp_path):
    look = {"number": 1, "seed": 0, "hits": 3, "base_hits": 1, "runs": 10}
    names = ("question", "code", "text", "searched")
    data = {"schema": store.SCHEMA, "begun": 1, "looks": [look], "spent": 0, "asked": {}}
    data |= dict.fromkeys(names, "") | {"pair": None, "event": None, "actions": []}
    data |= {"untested": [], "unmoved": []}
    held = store.Store(tmp_path, {"target": "a"}, None)
    data |= {"question": held.question, "code": held.code}
    held.file.write_text(json.dumps(data))
    assert held.read().looks[0].hits == 3
    change(data)
    held.file.write_text(json.dumps(data))
    with pytest.raises(dpaudit.UsageError, match=said) as refused:
        held.read()
    assert "\n" not in str(refused.value)


def test_two_audits_do_not_count_for_one_question_at_a_time(tmp_path):
    held = store.Store(tmp_path, {"target": "a"}, None)
    code = (
        "import fcntl, sys\nfile = open(sys.argv[1], 'w')\n"
        "fcntl.lockf(file, fcntl.LOCK_EX)\nprint('held', flush=True)\nsys.stdin.read()"
    )
    lock = tmp_path / f".{held.question}.lock"
    with subprocess.Popen(
        [sys.executable, "-c", code, lock], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout.readline() == b"held\n"
        with pytest.raises(dpaudit.UsageError, match="in use by another audit"), held.held():
            pass
        other.stdin.close()
    with held.held():
        pass


def test_what_is_computed_keeps_no_evidence(night):
    code, _, said = night(target="rnm-ftnl")
    assert code == 2
    assert "evidence: is for sampled outputs (exact would answer)" in said
    assert night("--tradeoff")[0] == 2


def test_the_digest_is_of_the_code_that_plays_and_of_nothing_else(monkeypatch):
    from dpaudit import digests

    before = store.code_digest({})
    assert store.code_digest({"source": "other"}) != before
    source = digests._source
    for module, counts in (
        ("dpaudit.run.task", True),
        ("dpaudit.adapters.methods", True),
        ("dpaudit.report.page.audits", False),
    ):
        with monkeypatch.context() as during:
            changed = lambda name, m=module: source(name) + ("\nX = 1\n" if name == m else "")  # noqa: E731
            during.setattr(digests, "_source", changed)
            assert (store.code_digest({}) != before) is counts
