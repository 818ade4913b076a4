"""The committed results: values only, a line an entry, small; and what says whether they are
stale."""

import json
import subprocess

import pytest

from dpaudit.laboratory import reproduction, scaling
from dpaudit.laboratory.experiments import EXPERIMENTS
from dpaudit.results import made
from dpaudit.results.documents import read
from dpaudit.results.reproduction import plain as plain_reproduction
from dpaudit.results.scaling import plain as plain_scaling

FOLDER = made.checkout()
FILES = {path.stem: path for path in made.committed()}


def keys(value):
    if isinstance(value, dict):
        yield from value
        for inner in value.values():
            yield from keys(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from keys(inner)


def test_all_five_are_there():
    assert tuple(FILES) == made.NAMES


@pytest.mark.parametrize("name", made.NAMES)
def test_committed_are_values_only_and_written_as_a_command_would(name):
    text = FILES[name].read_text()
    document = json.loads(text)
    assert not {"seconds", "code", "seal", "digest"} & set(keys(document))
    assert made.lines(made.lean(document)) + "\n" == text
    given = {"a": [{"seconds": 1.0, "b": 2, "c": None, "d": 0.0}], "numbers": {"e": []}}
    assert made.lean(given) == {"a": [{"b": 2, "d": 0.0}], "numbers": {"e": []}}


@pytest.mark.parametrize(
    ("name", "plain"), [("scaling", plain_scaling), ("reproduction", plain_reproduction)]
)
def test_reading_and_writing_again_changes_nothing(name, plain, tmp_path):
    found = read(FILES[name])
    assert made.lean(plain(found)) == json.loads(FILES[name].read_text())
    full = tmp_path / f"{name}.json"
    full.write_text(made.lines(plain(found)))
    assert plain(read(full)) == plain(found)


SMALL = 2_800_000
"""Bytes. A third is the certificates of two optima that take long: T = 7 and 8."""


def test_all_that_is_committed_is_small():
    listed = subprocess.run(
        ["git", "ls-files", "reports"],
        cwd=FOLDER.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode:
        pytest.skip("no git checkout")
    names = [FOLDER.parent / name for name in listed.stdout.split()]
    assert sum(path.stat().st_size for path in names if path.exists()) < SMALL


def test_results_are_of_the_studies_and_experiments_that_there_are():
    studies = [f"{s.paper}/{s.study}" for s in read(FILES["scaling"]).studies]
    assert studies == list(scaling.STUDIES)
    assert [r.experiment for r in read(FILES["reproduction"]).results] == list(EXPERIMENTS)


def test_a_record_says_current_stale_or_unknown(tmp_path):
    assert made.Made(tmp_path).state("scaling/x", "1") == "unknown"
    made.record(tmp_path, {"scaling/x": ("1", 2.5)})
    again = made.Made(tmp_path)
    assert (again.state("scaling/x", "1"), again.state("scaling/x", "2")) == ("current", "stale")
    assert again.seconds("scaling/x") == 2.5
    (tmp_path / ".made.json").write_text("[1")
    assert made.Made(tmp_path).state("scaling/x", "1") == "unknown"


def test_studies_and_experiments_depend_on_the_algorithms_they_play(monkeypatch):
    from dpaudit import digests

    private = [EXPERIMENTS["hu-hegde-figure-1"], EXPERIMENTS["hu-et-al-figure-6"]]
    study = scaling.STUDIES["hu_hegde_2022/theorem-2-log-log"]
    other = scaling.STUDIES["wu_wang_2025/theorem-3-rounds"]

    def now():
        return [
            *map(reproduction.digest, private),
            scaling.digest(study),
            scaling.digest(other),
        ]

    before, source = now(), digests._source
    for module, same in (
        ("dpaudit.algorithms.hu_hegde_2022.dp_ts", [False, True, False, True]),
        ("dpaudit.algorithms.baselines.hedge", [True, True, True, True]),
    ):
        touched = lambda n, module=module: source(n) + ("\nx = 1\n" if n == module else "")  # noqa: E731
        with monkeypatch.context() as patch:
            patch.setattr(digests, "_source", touched)
            assert [a == b for a, b in zip(before, now(), strict=True)] == same
