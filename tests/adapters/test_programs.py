"""What a program publishes beside its arms is asked for by name, and seen."""

import sys

import pytest

import dpaudit
from dpaudit.adapters import from_cli
from dpaudit.cli import main
from dpaudit.errors import UsageError
from dpaudit.play.kinds.rows import LARGEST, NOTHING, label_number
from dpaudit.play.kinds.setting import Setting, setting_of
from tests.adapters import strangers
from tests.kinds.test_interface import PAIR, rows


@pytest.fixture
def program(tmp_path):
    def write(text, **options):
        file = tmp_path / "program.py"
        file.write_text(text)
        return from_cli([sys.executable, str(file)], **options)

    return write


QUIET = {"scale": 1e-9}


def test_a_program_hands_over_what_a_class_would(program):
    made = program(strangers.PUBLISHES, publishes="outputs+released+reports", **QUIET)
    assert setting_of(made, "it").sees == "actions+outputs+reports"
    whole = rows(made, Setting(sees="actions+outputs+reports"), PAIR, world=1)
    sent = [0, 0, 1, 0, 0, 0]  # in round 3 all arms are paid
    expected = [1, 0, 1, 0, 1, 0, *sent, label_number("sum"), 1]
    expected += [x for each in sent for x in (each, NOTHING)]
    assert whole == pytest.approx(expected, abs=1e-6)
    assert setting_of(program(strangers.PUBLISHES), "it").usual


def test_a_program_may_stop(program):
    made = program(strangers.PUBLISHES, publishes="released", stops=True, bar=0.5, **QUIET)
    assert setting_of(made, "it").sees == "actions+stop+outputs"
    seen = rows(made, Setting(sees="actions+stop"), PAIR, world=1)
    assert seen == [1, 0, 1, -1, -1, -1, 4]
    silent = program(strangers.PUBLISHES, bar=0.5, **QUIET)
    with pytest.raises(UsageError, match=r"in round 4 .* answered .*null.*, no arm"):
        rows(silent, Setting(sees="others"), PAIR, 1)


TALKS = {
    "no JSON": (
        "released",
        'print("0.3 or so", flush=True)',
        r"in round 1 .* answered '0.3 or so'",
    ),
    "no field": ("released", "print(0.3, flush=True)", r"in round 1 .* allowed is {\"released\": "),
    "another": ("released", 'print("{\\"arm\\": 0}", flush=True)', "in round 1 .* answered .*arm"),
    "at the end": ("outputs", "sys.exit(3)", "in round 6 .* has ended with code 3"),
    "no list": ("reports", 'print("{\\"reports\\": 3}", flush=True)', "in round 6 .* are no list"),
    "deep": ("outputs", 'print("[" * 60000, flush=True)', r"in round 6 .* answered '\[\[\["),
    "control characters": (
        "outputs",
        "print(chr(1) * 300, flush=True)",
        r"in round 6 .* answered '.x01.*allowed is",
    ),
    "no character at all": (
        "outputs",
        "print(chr(0xE0001) * 300, flush=True)",
        r"in round 6 .* answered '.U000e0001.*allowed is",
    ),
    "more than one line": (
        "released",
        'sys.stdout.write("{\\"released\\": 0.3}\\n" * 2); sys.stdout.flush()',
        r"in round 2 .* said '{\"released\": 0.3}.*' without being asked",
    ),
    "a character now and then": (
        "outputs",
        'any(print(end=" ", flush=True) or time.sleep(0.2) for _ in range(9)); print(line)',
        "in round 6 .* has not answered within 0.5 s",
    ),
    "nothing": ("outputs", "pass", "in round 6 .* has not answered within 0.5 s"),
}


@pytest.mark.parametrize("how", TALKS)
def test_nonsense_is_named_with_its_round(program, how):
    what, instead, said = TALKS[how]
    said_there = strangers.PUBLISHES.replace(
        '    elif said["publish"] == "outputs":', "    elif 0:"
    )
    said_there = said_there.replace('    elif said["publish"] == "released":', "    elif 0:")
    head, _, _ = f"import time\n{said_there}".rpartition("        print(")
    made = program(f"{head}        {instead}\n", publishes=what, seconds=0.5)
    with pytest.raises(UsageError, match=said) as error:
        rows(made, Setting(sees="reports" if what == "reports" else "outputs"), PAIR)
    assert len(str(error.value)) <= 200


def test_what_is_published_beside_the_arm_is_not_overheard(program):
    beside = strangers.PUBLISHES.replace('{"arm":', '{"released": 0.3, "arm":')
    with pytest.raises(UsageError, match=r"in round 1 .* beside its arm.*publishes='released'"):
        rows(program(beside), Setting(sees="others"), PAIR)


def test_a_number_of_hundreds_of_digits_is_a_large_one(program):
    huge = strangers.PUBLISHES.replace('["sum", total + noise()]', "-(10 ** 400)")
    assert rows(program(huge, publishes="outputs"), Setting(sees="outputs"), PAIR) == [-LARGEST]


def test_what_may_be_published_is_said():
    with pytest.raises(UsageError, match=r"^publishes: got 'arms', allowed are outputs, released,"):
        from_cli("true", publishes="arms")


def test_a_leak_in_what_a_program_publishes_is_found(program, tmp_path, capsys):
    """Its arms tell nothing. The same noise, of the claim's scale, is not accused."""
    alone = strangers.PUBLISHES.replace('said["t"] % 2', "0")
    sound = program(alone, publishes="released")
    asked = {"epsilon": 1.0, "arms": 1, "rounds": 1, "runs": 200, "workers": 1}
    assert dpaudit.audit(sound, confidence=1 - 1e-7, **asked).verdict != "violated"
    command = [sys.executable, str(tmp_path / "program.py")]
    made = f"from_cli({command}, publishes='released', scale=0.1)"
    file = tmp_path / "learner.py"
    file.write_text(f"from dpaudit.adapters import from_cli\nLearner = {made}\n")
    options = ["--epsilon", "1", "--arms", "1", "--rounds", "1", "--runs", "200", "--workers", "1"]
    assert main(["audit", f"{file}:Learner", *options]) == 1
    assert "what is published" in capsys.readouterr().out
