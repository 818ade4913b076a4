"""What got worse between two results, what became of them version by version, and since when."""

import json
import subprocess

import msgspec
import pytest

import dpaudit
from dpaudit.cli import main
from dpaudit.errors import UsageError
from dpaudit.results.changes.difference import difference
from dpaudit.results.documents import Catalogue, parse
from tests.auditor.learners import Leaky

FIELDS = {"epsilon": 1.0, "arms": 2, "rounds": 4, "runs": 20_000, "workers": 1}


@pytest.fixture(scope="module")
def violated():
    return msgspec.structs.replace(dpaudit.audit(Leaky, **FIELDS), target="learner.py:Leaky")


def better(result, **changes):
    """The same with no violation."""
    data = result.public() | {"verdict": "consistent", "lower_bound": 0.5, "untested": []}
    data["upper_bound"], data["upper"] = 1.0, {"how": "proved for every T", "proof": True}
    return parse(data | changes)


def only(old, new, **options):
    changes = difference(old, new, **options)
    assert len(changes) <= 1
    return changes[0] if changes else None


def test_nothing_changes_between_a_result_and_itself(violated):
    assert only(violated, violated) is None
    assert only(violated, parse(json.loads(violated.json()))) is None


def test_a_verdict_a_proof_and_an_upper_end_that_are_lost_are_worse(violated):
    sound = better(violated)
    worse = only(sound, violated).worse
    assert any("was consistent, is violated" in each for each in worse)
    assert any("upper end was 1, is none" in each for each in worse)
    assert any("not proved any more" in each for each in worse)
    assert any("above what was proved" in each for each in worse)
    back = only(violated, sound)
    assert not back.worse
    assert len(back.better) == 3


def test_a_lower_end_that_rises_is_worse_only_where_that_was_asked(violated):
    low, high = better(violated), better(violated, lower_bound=0.6)
    assert only(low, high).worse == ()
    assert only(low, high).other == ("lower end was 0.5, is 0.6",)
    assert only(low, high, allow=19.0).worse
    assert not only(low, high, allow=21.0).worse
    tiny = better(violated, lower_bound=0.5 + 1e-12)
    assert only(low, tiny).other == ("lower end was 0.5, is 0.500000000001",)


def test_an_audit_that_is_left_out_is_worse(violated):
    renamed = better(violated, name="other")
    changes = difference(Catalogue([violated, renamed]), Catalogue([renamed]))
    assert [change.worse for change in changes] == [("is not there any more",)]
    [new] = difference(Catalogue([renamed]), Catalogue([violated, renamed]))
    assert new.other == ("new: violated",)


def test_what_was_asked_otherwise_is_refused(violated):
    other = better(violated, claim={"notion": "pure", "epsilon": 2.0, "delta": 0.0})
    with pytest.raises(UsageError, match="claim was 1-DP and is 2-DP; only what was asked alike"):
        difference(violated, other)
    with pytest.raises(UsageError, match="rounds was 4 and is 5"):
        difference(violated, better(violated, rounds=5))
    newer = better(violated, version="9.9")
    with pytest.raises(UsageError, match=r"version: the results are of dpaudit .*9\.9"):
        difference(violated, newer)
    assert difference(violated, newer, mixed=True)


def git(folder, *words):
    name = ["-c", "user.name=t", "-c", "user.email=t@localhost"]
    done = subprocess.run(["git", "-C", folder, *name, *words], check=True, capture_output=True)
    return done.stdout.decode().strip()


@pytest.fixture
def repository(tmp_path, violated):
    """Three versions of a result; the last is worse."""
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "--quiet")
    for number, document in enumerate([better(violated), better(violated), violated]):
        (folder / "result.json").write_text(document.json() + "\n" * number)
        git(folder, "add", ".")
        git(folder, "commit", "--quiet", "-m", f"Commit {number}")
    return folder


def test_diff_of_revisions_says_what_got_worse(repository, capsys):
    file = repository / "result.json"
    assert main(["diff", f"HEAD~1:{file}", str(file), "--json", "-"]) == 1
    assert json.loads(capsys.readouterr().out)["changes"][0]["worse"]
    comment = repository / "comment.md"
    assert main(["diff", f"HEAD~2:{file}", f"HEAD~1:{file}", "--markdown", str(comment)]) == 0
    assert "nothing changed in 1 results" in comment.read_text()
    assert main(["diff", f"HEAD~9:{file}", str(file)]) == 2
    assert main(["diff", str(repository / "none.json"), str(file)]) == 2


def test_history_names_the_commit_of_a_step(repository, tmp_path, capsys):
    page = tmp_path / "history.html"
    assert main(["history", str(repository / "result.json"), "--html", str(page)]) == 0
    told = capsys.readouterr().out
    last = git(repository, "log", "-1", "--format=%h")
    assert "3 versions of 1 audits, 1 steps" in told
    assert last in told
    assert "was consistent, is violated" in page.read_text()
    assert page.read_text().count('class="interval"') == 3


def test_history_of_a_folder(tmp_path, violated, capsys):
    (tmp_path / "2026-01-01.json").write_text(better(violated).json())
    (tmp_path / "2026-01-02.json").write_text(violated.json())
    (tmp_path / "2026-01-03.json").write_text("{}")
    assert main(["history", str(tmp_path)]) == 0
    told = capsys.readouterr()
    assert "2 versions of 1 audits, 1 steps" in told.out
    assert "2026-01-03.json" in told.err
    assert main(["history", str(tmp_path / "none")]) == 2


SOUND = """
class Learner:
    def __init__(self, arms, epsilon, rng):
        self.arms, self.rng = arms, rng

    def select(self, t):
        return int(self.rng.integers(self.arms))

    def observe(self, t, arm, reward):
        pass
"""
LEAKY = SOUND.replace("pass", "self.last = int(reward)").replace(
    "int(self.rng.integers(self.arms))", 'getattr(self, "last", 0)'
)


def test_bisect_names_the_commit_since_which_it_leaks(tmp_path, monkeypatch, capsys):
    folder = tmp_path / "learners"
    folder.mkdir()
    git(folder, "init", "--quiet")
    texts = [SOUND, SOUND + "# 1\n", "import nothing_there\n", LEAKY, LEAKY + "# 2\n"]
    for number, text in enumerate(texts):
        (folder / "learner.py").write_text(text)
        git(folder, "add", ".")
        git(folder, "commit", "--quiet", "-m", f"Commit {number}")
    monkeypatch.chdir(folder)
    asked = ["learner.py:Learner", "--epsilon", "1", "--rounds", "4", "--runs", "4000"]
    # Commit 2 cannot be tried, so that 2 or 3 is the first bad one.
    assert main(["bisect", "HEAD~4", "HEAD", *asked]) == 2
    assert "no single commit" in capsys.readouterr().err
    assert main(["bisect", "HEAD~2", "HEAD", *asked]) == 2
    assert "good: at HEAD~2 the audit says" in capsys.readouterr().err
    texts[2] = SOUND + "# 3\n"
    git(folder, "checkout", "--quiet", "-b", "again", "HEAD~4")
    for number, text in enumerate(texts[1:], 1):
        (folder / "learner.py").write_text(text)
        git(folder, "commit", "--quiet", "-am", f"Commit {number}")
    assert main(["bisect", "HEAD~4", "HEAD", *asked]) == 1
    assert "Commit 3" in capsys.readouterr().out
    assert git(folder, "status", "--porcelain") == ""
    assert len(git(folder, "worktree", "list").splitlines()) == 1
