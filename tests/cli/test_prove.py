"""`dpaudit prove`, its evidence and what --recheck refuses."""

import base64
import json
import lzma

import pytest

from dpaudit.cli import main
from dpaudit.prover.evidence import save
from dpaudit.prover.prove import proof_of
from dpaudit.recheck.numbers import Refused
from dpaudit.recheck.proofs import check, longest, unsat


@pytest.fixture(scope="module")
def evidence(tmp_path_factory):
    folder = tmp_path_factory.mktemp("proofs")
    for name in ("anytime-lazy-ucb", "rnm-ftnl"):
        save(proof_of(name), folder)
    return folder


def forged(evidence, tmp_path, change, name="rnm-ftnl"):
    """A copy of the evidence with something changed in it."""
    data = json.loads((evidence / f"{name}.json").read_text())
    change(data)
    file = tmp_path / f"{name}.json"
    file.write_text(json.dumps(data))
    return file


def test_a_bound_says_for_which_rounds_arms_and_tables(capsys):
    assert main(["prove", "anytime-lazy-ucb"]) == 0
    said = capsys.readouterr().out
    assert "epsilon at most 1.0 times its epsilon, for every T, every K and every table" in said


def test_the_json_has_the_fields_that_are_relied_on(capsys):
    assert main(["prove", "rnm-ftnl", "--json", "-"]) == 0
    found = json.loads(capsys.readouterr().out)
    wanted = {"target", "notion", "bound", "rounds", "arms", "leak", "undecided"}
    assert wanted <= found.keys()
    assert (found["notion"], found["bound"], found["rounds"], found["arms"]) == (
        "pure",
        2.0,
        "every",
        "every",
    )
    assert found["leak"] is None
    assert found["undecided"] is None


def test_private_data_past_the_releases_is_named_with_its_line(capsys):
    assert main(["prove", "dp-ts", "--param", "average=printed", "--json", "-"]) == 1
    leak = json.loads(capsys.readouterr().out)["leak"]
    assert leak["file"] == "algorithms/hu_hegde_2022/dp_ts.py"
    assert "unprotected(" in leak["text"]


def test_a_sum_that_grows_is_a_law_and_a_number_where_rounds_are_given(capsys):
    assert main(["prove", "ts-gaussian", "--json", "-"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["bound"], found["law"]) == (None, "sqrt(1/2 (T - 1))")
    assert main(["prove", "ts-gaussian", "--rounds", "201", "--json", "-"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["bound"], found["rounds"]) == (10.0, 201)


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["prove", "no-such"], "algorithm"),
        (["prove", "rnm-ftnl", "--rounds", "1.5"], "rounds: got"),
        (["prove", "rnm-ftnl", "--arms", "0"], "arms: got"),
        (["prove", "rnm-ftnl", "--param", "x"], "param: got"),
        (["prove", "rnm-ftnl", "--param", "x=1"], "unknown name 'x'"),
        (["prove", "--param", "x=1"], "param: needs a target"),
        (["prove", "--recheck", "--out", "nowhere"], "out: no evidence"),
    ],
)
def test_bad_input_is_one_line(words, error, capsys):
    assert main(words) == 2
    said = capsys.readouterr().err.strip()
    assert error in said
    assert len(said.splitlines()) == 1


def test_the_second_solver_agrees(evidence, capsys):
    assert main(["prove", "--recheck", "--out", str(evidence)]) == 0
    assert capsys.readouterr().out.count("every answer is no") == 2


def test_a_lighter_arrow_is_refused(evidence, tmp_path):
    def lighter(data):
        data["result"]["bound"] = 1.0
        for arrow in data["result"]["graph"]:
            arrow["weight"] = "1" if arrow["weight"] == "2" else arrow["weight"]

    with pytest.raises(Refused, match="weighs 1"):
        check(forged(evidence, tmp_path, lighter))


def test_a_smaller_bound_is_refused(evidence, tmp_path):
    with pytest.raises(Refused, match="the bound says 1"):
        check(forged(evidence, tmp_path, lambda data: data["result"].update(bound=1.0)))


def test_a_question_that_has_an_answer_is_refused(evidence, tmp_path):
    def ask(data):
        text = "(declare-fun x () Real)\n(assert (> x 0.0))\n(check-sat)"
        packed = lzma.compress(f"nothing\x01{text}".encode())
        data.update({"questions": 1, "smt-lib": base64.b64encode(packed).decode()})

    with pytest.raises(Refused, match="question 1 of 1"):
        check(forged(evidence, tmp_path, ask))


def test_questions_that_are_left_out_are_missed(evidence, tmp_path):
    with pytest.raises(Refused, match="questions"):
        check(forged(evidence, tmp_path, lambda data: data.update({"smt-lib": ""})))


def test_evidence_of_other_code_is_refused(evidence, tmp_path, capsys):
    forged(evidence, tmp_path, lambda data: data["result"].update(source="0" * 32))
    assert main(["prove", "--recheck", "--out", str(tmp_path)]) == 1
    assert "source is another one" in capsys.readouterr().out


def test_a_graph_of_lighter_books_is_not_that_of_the_code(evidence, tmp_path, capsys):
    def halved(data):
        data["result"]["bound"] = 1.0
        for arrow in data["result"]["graph"]:
            if arrow["weight"] == "2":
                arrow.update(weight="1", books=["1"])

    check(forged(evidence, tmp_path, halved))  # it adds up, and is refused all the same
    assert main(["prove", "--recheck", "--out", str(tmp_path)]) == 1
    assert "is another one" in capsys.readouterr().out


def test_a_circle_with_a_weight_has_no_longest_way():
    arrow = {"source": ["x"], "target": ["x"], "books": ["1"], "weight": "1"}
    enter = {"source": [], "target": ["x"], "books": [], "weight": "0"}
    assert longest([enter, arrow]) is None
    assert longest([enter, {**arrow, "weight": "0"}]) == 0


def test_the_second_solver_can_say_yes():
    assert unsat("(declare-fun x () Real)(assert (and (> x 0.0) (< x 0.0)))")
    assert not unsat("(declare-fun x () Real)(assert (> x 0.0))")
