"""`dpaudit scaling`: what a reviewer types, and what comes back."""

import json

import pytest

import dpaudit.laboratory.scaling as scaling
from dpaudit.cli import main

FIELDS = (
    "study paper where question targets laws grid verdict basis answer numbers points lower judged "
    "sensitivity control control_points lower_bounds notes axes seed quick seconds"
).split()


def run(capsys, *arguments):
    code = main(["scaling", *arguments])
    out = capsys.readouterr()
    return code, out.out, out.err


def test_json_to_standard_output_is_all_that_is_printed(capsys):
    code, out, err = run(capsys, "theorem-3-rounds", "--quick", "--json", "-")
    document = json.loads(out)
    assert code == 0
    assert err == ""
    assert document["schema"] == "dpaudit/scaling/2"
    assert document["complete"] is True
    (study,) = document["studies"]
    assert set(study) == set(FIELDS)
    assert study["verdict"] == "not contradicted"
    point = study["points"][0]
    assert {"target", "arms", "horizon", "gap", "epsilon", "regret", "error", "bound"} <= set(point)
    assert study["control"]["verdict"] == "violated"
    assert {"halved", "doubled"} <= set(study["sensitivity"][0])


def test_a_violated_statement_exits_1_and_names_it(capsys):
    code, out, _ = run(capsys, "theorem-9-second-form", "--quick")
    assert code == 1
    assert "1 of 1 statements violated" in out
    assert "violated" in out.splitlines()[2]


def test_reports_are_written(capsys, tmp_path):
    code, _, _ = run(capsys, "remark-14-conjecture", "--quick", "--out", str(tmp_path / "new"))
    assert code == 1
    names = {p.name for p in (tmp_path / "new").iterdir()}
    assert names == {
        "scaling.json",
        "scaling.md",
        ".made.json",
        "wu_wang_2025-remark-14-conjecture.svg",
    }
    page = (tmp_path / "new" / "scaling.md").read_text()
    assert "dpaudit scaling remark-14-conjecture --quick --out" in page


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["rnm-ftnl-laplac"], "did you mean rnm-ftnl-laplace"),
        (["--seed", "x"], "seed"),
        (["--workers", "0"], "workers"),
        (["theorem-9-second-form", "--quick", "--json", "/nowhere/a.json"], "cannot write"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(capsys, arguments, words):
    code, _, err = run(capsys, *arguments)
    assert code == 2
    assert words in err
    assert err.count("\n") == 1


def test_an_algorithm_without_studies_says_so(capsys):
    code, out, _ = run(capsys, "dp-ucb-repaired")
    assert code == 0
    assert "no study of dp-ucb-repaired" in out


def test_interrupted_keeps_what_is_finished(capsys, tmp_path, monkeypatch):
    first, second = (scaling.STUDIES[f"wu_wang_2025/{n}"] for n in
                     ("remark-14-conjecture", "theorem-3-rounds"))  # fmt: skip

    finish = scaling.finish

    def stop(design, **how):
        if design is second:
            raise KeyboardInterrupt
        return finish(design, **how)

    monkeypatch.setattr(scaling, "chosen", lambda _: [first, second])
    monkeypatch.setattr(scaling, "finish", stop)
    code, _, err = run(capsys, "--quick", "--json", str(tmp_path / "a.json"))
    assert code == 3
    assert "interrupted after 1 of 2" in err
    document = json.loads((tmp_path / "a.json").read_text())
    assert document["complete"] is False
    assert [s["study"] for s in document["studies"]] == ["remark-14-conjecture"]


def test_a_journal_and_one_worker_change_nothing(tmp_path, capsys):
    def numbers(*arguments):
        code = main(["scaling", "anytime-lazy-ucb", "--quick", "--json", "-", *arguments])
        found = json.loads(capsys.readouterr().out)
        return code, [[s[k] for k in s if k != "seconds"] for s in found["studies"]]

    journal = ("--journal", str(tmp_path / "journal"))
    assert numbers(*journal) == numbers(*journal) == numbers("--workers", "1")
    assert "environment" in (tmp_path / "journal").read_text()
