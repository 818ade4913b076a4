"""`dpaudit reproduce`: what it prints, writes and returns."""

import dataclasses
import json

import pytest

from dpaudit.cli import main
from dpaudit.laboratory import experiments, reproduction
from dpaudit.laboratory.experiments import EXPERIMENTS
from tests.laboratory.test_reproduction import SMALL


@pytest.fixture
def small(monkeypatch):
    """Three small experiments in place of the papers'."""
    named = [dataclasses.replace(SMALL, name=f"small-{i}") for i in (1, 2, 3)]
    monkeypatch.setattr(experiments, "EXPERIMENTS", {each.name: each for each in named})


def test_list_prints_names_places_and_sizes_and_runs_nothing(capsys, monkeypatch):
    monkeypatch.setattr(reproduction, "reproduce", None)
    assert main(["reproduce", "--list"]) == 0
    lines = capsys.readouterr().out.splitlines()[2:]
    assert [line.split()[0] for line in lines] == list(EXPERIMENTS)
    assert "Section 4, Figure 2" in next(line for line in lines if line.startswith("tossou"))
    assert main(["reproduce", "tossou-figure-2", "--list"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 3


def test_one_experiment_of_a_paper(capsys):
    assert main(["reproduce", "hu-hegde-figure-5", "--runs", "2", "--workers", "2"]) == 0
    out = capsys.readouterr().out
    assert "of 2 sentences " in out
    assert out.count("\nhu-hegde-figure-5 ") == 2, "a sentence's readings are not sentences"
    assert out.count("; natural logarithm") == out.count("; log base 2, as Section 3") == 2
    assert "how far from the best possible the curves end" in out
    assert "note: Azize et al. ~: " in out
    assert "note: hu-hegde-figure-5: 2 runs a curve, not the experiment's 100" in out


def test_all_are_written_with_a_summary_page(small, tmp_path, capsys):
    folder = tmp_path / "new" / "folder"
    assert main(["reproduce", "--out", str(folder), "--runs", "20"]) == 0
    assert capsys.readouterr().out.startswith(
        "what the papers say about their figures: "
        "of 6 sentences 3 confirmed, 3 not confirmed, 0 open"
    )
    names = {f"small-{i}.{ending}" for i in (1, 2, 3) for ending in ("svg", "csv", "json")}
    assert {path.name for path in folder.iterdir()} == names | {
        "reproduction.md",
        "reproduction.json",
        ".made.json",
    }
    page = (folder / "reproduction.md").read_text()
    row = "| without privacy there is less regret |  | confirmed | 5 of 5: probability 0.34 to 1"
    assert row in page
    assert "20 runs a curve, 5 seeds." in page
    assert "`dpaudit reproduce small-2 --seed 0 --runs 20`" in page
    assert "| lazy |  | 2000 |" in page
    assert "- Azize et al. ~: Azize, Wu," in page
    one = json.loads((folder / "small-1.json").read_text())
    assert one["experiment"] == "small-1"
    assert one["parameters"]["seeds"] == 5


def test_nothing_is_written_without_out(small, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["reproduce", "small-1"]) == 0
    assert list(tmp_path.iterdir()) == []


def test_json_on_standard_output_is_all_there_is(small, capsys):
    assert main(["reproduce", "small-1", "--runs", "5", "--json", "-"]) == 0
    one = json.loads(capsys.readouterr().out)
    assert main(["reproduce", "--runs", "5", "--workers", "2", "--json", "-"]) == 0
    everything = json.loads(capsys.readouterr().out)
    assert everything["schema"] == "dpaudit/reproductions/1"
    assert everything["complete"] is True
    # An experiment's numbers don't depend on what else is run, nor on the workers.
    again = everything["results"][0]
    one.pop("seconds"), again.pop("seconds")
    assert one == again


def test_an_interrupt_keeps_the_finished_experiments(small, tmp_path, capsys, monkeypatch):
    real = reproduction.reproduce

    def reproduce(experiment, **options):
        if experiment.name == "small-2":
            raise KeyboardInterrupt
        return real(experiment, **options)

    monkeypatch.setattr(reproduction, "reproduce", reproduce)
    assert main(["reproduce", "--out", str(tmp_path), "--runs", "5"]) == 3
    assert "interrupted: 1 of 3 experiments are finished" in capsys.readouterr().out
    assert (tmp_path / "small-1.json").exists()
    assert not (tmp_path / "small-2.json").exists()
    assert "2 experiments are missing" in (tmp_path / "reproduction.md").read_text()
    assert main(["reproduce", "small-2", "--json", "-"]) == 3
    document = json.loads(capsys.readouterr().out)
    assert document["complete"] is False
    assert document["results"] == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["tossou-figure-3"], "did you mean tossou-figure-2"),
        (["--runs", "1"], "runs: got 1,"),
        (["--runs", "many"], "runs: got 'many'"),
        (["--seed", "-1"], "seed: got -1"),
        (["--seeds", "0"], "seeds: got 0,"),
        (["--seeds", "few"], "seeds: got 'few'"),
        (["--workers", "0"], "workers: got 0"),
        (["--out", __file__], "out: cannot write to"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(arguments, message, capsys):
    assert main(["reproduce", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert message in captured.err
    assert len(captured.err.splitlines()) == 1
