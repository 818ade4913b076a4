"""The checker of optima: it proves what is true whatever it is given, and refuses the rest."""

import base64
import json
import lzma
from fractions import Fraction

import numpy as np
import pytest
from msgspec import structs

from dpaudit.cli import main
from dpaudit.optimal.certificate import certified, differing, document, save
from dpaudit.optimal.question import asked
from dpaudit.optimal.solving import solve
from dpaudit.recheck.numbers import Refused
from dpaudit.recheck.optima import check, proved

QUESTIONS = {
    "full": {"rounds": 4, "epsilon": 1},
    "bandit": {"rounds": 4, "epsilon": 1, "feedback": "bandit"},
    "three": {"rounds": 3, "epsilon": 1, "arms": 3},
    "delta": {"rounds": 3, "epsilon": 1, "delta": "0.1"},
}


@pytest.fixture(scope="module", params=QUESTIONS)
def solved(request):
    return solve(asked(**QUESTIONS[request.param]))


def packed(entries):
    code, value = np.asarray(entries, "<i8")
    planes = np.stack([np.diff(code, prepend=0), value]).view(np.uint8).reshape(2, -1, 8)
    return base64.b64encode(lzma.compress(planes.transpose(0, 2, 1).tobytes())).decode()


def entries(data):
    raw = lzma.decompress(base64.b64decode(data["multipliers"]))
    planes = np.frombuffer(raw, np.uint8).reshape(2, 8, -1).transpose(0, 2, 1).copy()
    steps, value = planes.view("<i8")[:, :, 0]
    return np.stack([steps.cumsum(), value])


def test_no_multipliers_make_the_bound_wrong(solved):
    rng = np.random.default_rng(1)
    data = document(solved)
    code, value = entries(data)
    best = float(proved(data))
    bounds = []
    for _ in range(20):
        moved = [code, (value * rng.uniform(0.5, 1.5, len(value))).astype(np.int64)]
        bounds.append(float(proved({**data, "multipliers": packed(moved)})))
        anywhere = [rng.permutation(code), rng.permutation(value)]
        bounds.append(float(proved({**data, "multipliers": packed(anywhere)})))
    assert max(bounds) <= solved.value
    assert min(bounds) < best - 1e-3
    nothing = float(proved({**data, "multipliers": packed(np.zeros((2, 0)))}))
    assert nothing < best - 1e-3


def test_without_charges_the_bound_is_the_best_without_privacy():
    solved = solve(asked(rounds=2, epsilon=1))
    bound = proved({**document(solved), "multipliers": packed(np.zeros((2, 0)))})
    # Follow the one loss: the better arm was the worse by chance with 1/16, both alike with 3/8.
    assert bound == Fraction(1, 4) + Fraction(1, 2) * (Fraction(1, 16) + Fraction(3, 16))


def test_what_is_not_one_is_refused(solved, tmp_path):
    data = document(solved)
    bound = proved(data)
    code, value = entries(data)
    file = tmp_path / "one.json"

    def refused(**changes):
        file.write_text(json.dumps({**data, "certified": str(bound), **changes}))
        with pytest.raises(Refused):
            check(file)

    file.write_text(json.dumps({**data, "certified": str(bound)}))
    assert check(file)[1] == bound
    refused(certified=str(bound + Fraction(1, 10**12)))
    refused(multipliers=packed([code, -value]))
    refused(multipliers=packed([code + 10**9, value]))
    refused(multipliers="!")
    refused(multipliers=base64.b64encode(b"abc").decode())
    refused(ratio="271828/100000")
    refused(scale=0)
    refused(scale=-1)
    refused(schema="dpaudit/optimum-certificate/3")
    refused(feedback="none")
    refused(rounds=40)
    refused(gap="2")
    refused(epsilon="-1")
    # A bound for other numbers is not one for these.
    refused(gap="1/4")
    refused(epsilon="3/4", ratio=data["ratio"], certified=str(bound + Fraction(1, 100)))
    file.write_text("{")
    with pytest.raises(Refused):
        check(file)


def test_the_command_leaves_a_certificate_that_the_checker_takes(tmp_path, capsys):
    words = ["optimal", "--rounds", "4", "--epsilon", "1", "--alone", "--out", str(tmp_path)]
    assert main([*words, "--json", "-"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {"value", "certified", "certificate", "gap"} <= found.keys()
    assert found["certified"] <= found["value"] <= found["certified"] + 1e-6
    assert found["learners"] == []
    assert (tmp_path / found["certificate"]).is_file()
    assert main(["optimal", "--recheck", "--out", str(tmp_path)]) == 0
    assert "0.778989063  proved" in capsys.readouterr().out
    file = tmp_path / found["certificate"]
    data = json.loads(file.read_text())
    file.write_text(json.dumps({**data, "gap": "3/4"}))
    assert main(["optimal", "--recheck", "--out", str(tmp_path)]) == 1
    assert "refused" in capsys.readouterr().out
    assert main(["optimal", "--recheck", "--out", str(tmp_path / "nowhere")]) == 2


def test_the_stated_number_is_below_the_proved_one(tmp_path):
    result = certified(asked(rounds=3, epsilon="0.3"), tmp_path)
    _, bound = check(tmp_path / str(result.certificate))
    assert Fraction(result.certified) <= bound


def test_a_certificate_under_the_name_of_another_question_is_refused(tmp_path, capsys):
    """More rounds and less epsilon give larger bounds: they prove nothing of fewer, or of more."""
    easy, hard = (certified(asked(rounds=3, epsilon=e), tmp_path) for e in (1, "0.5"))
    assert hard.certified > easy.certified
    assert main(["optimal", "--recheck", "--out", str(tmp_path)]) == 0
    (tmp_path / str(hard.certificate)).replace(tmp_path / str(easy.certificate))
    capsys.readouterr()
    assert main(["optimal", "--recheck", "--out", str(tmp_path)]) == 1
    assert "it is about full-information-2-arms-3-rounds-epsilon-0.5" in capsys.readouterr().out


def test_a_certificate_is_of_the_published_question_to_the_last_digit(tmp_path):
    result = certified(asked(rounds=3, epsilon=1), tmp_path)
    data, _ = check(tmp_path / str(result.certificate))
    assert differing(data, result) is None
    nearly = {"rounds": 4, "arms": 3, "feedback": "bandit", "epsilon": "0.9999999", "delta": "1e-9"}
    for name, value in {**nearly, "gap": "0.49999999"}.items():
        assert differing({**data, name: value}, result) == name
    for name in ("rounds", "arms", "scale"):
        with pytest.raises(Refused, match="whole number"):
            proved({**data, name: data[name] + 0.5})


def test_a_weaker_certificate_does_not_take_the_place_of_a_stronger_one(tmp_path):
    """Such as that of a run that was interrupted."""
    good = document(solve(asked(rounds=3, epsilon=1)))
    weak = {**good, "multipliers": packed([[], []])}
    file = save(good, proved(good), tmp_path)
    text = file.read_text()
    assert save(weak, proved(weak), tmp_path) == file
    assert file.read_text() == text
    file.write_text(text[:-40])  # what proves nothing is written anew
    save(weak, proved(weak), tmp_path)
    assert json.loads(file.read_text())["multipliers"] == weak["multipliers"]
    save(good, proved(good), tmp_path)
    assert file.read_text() == text


def test_what_has_no_certificate_and_takes_long_is_listed_as_not_checked(
    tmp_path, monkeypatch, capsys
):
    """In the JSON too: with what is checked it is all that is published."""
    from dpaudit.cli.work import optimal
    from dpaudit.results import made

    every = optimal._published()
    kept = [e for e in every.entries if (e.rounds, e.epsilon) in ((2, 1.0), (7, 0.5))]
    kept = [e for e in kept if e.feedback == "full-information"]
    monkeypatch.setattr(optimal, "_published", lambda: structs.replace(every, entries=kept))
    monkeypatch.setattr(made, "own_folder", lambda: tmp_path)
    assert main(["optimal", "--recheck", "--json", "-"]) == 0
    rows = {row["certificate"]: row for row in json.loads(capsys.readouterr().out)}
    assert rows.keys() == {str(e.certificate).removesuffix(".json") for e in kept}
    short, long = (
        next(row for name, row in rows.items() if f"-{t}-rounds" in name) for t in (2, 7)
    )
    assert (short["answer"], long["answer"][:11]) == ("proved, as published", "not checked")
    assert long["bound"] == ""
