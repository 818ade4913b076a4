"""The command line: what it prints, where, and with which exit code."""

import argparse
import json
import math
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dpaudit.cli import COMMANDS, build_parser, main
from dpaudit.errors import shortened
from tests.algorithms.test_conformance import THE_23

ROOT = Path(__file__).parents[2]


def test_algorithms_as_json_lists_the_cards(capsys):
    assert main(["algorithms", "--json"]) == 0
    cards = {card["name"]: card for card in json.loads(capsys.readouterr().out)}
    assert set(THE_23) <= set(cards)
    wanted = "name title paper where feedback payoff_range neighbours privacy regret anytime parent"
    for card in cards.values():
        assert set(wanted.split()) <= set(card)
        assert card["feedback"] in ("bandit", "full-information")
    assert cards["anytime-lazy-ucb"]["privacy"]["statement"] == "epsilon-DP"
    assert cards["dp-se"]["anytime"] is False


def test_algorithms_as_a_table_has_a_line_each_when_piped(capsys):
    assert main(["algorithms"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[2:]] == [
        card["name"] for card in json.loads(run("algorithms", "--json").stdout)
    ]


@pytest.mark.parametrize("name", THE_23)
def test_show_prints_card_and_pseudocode(name, capsys):
    assert main(["show", name]) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"{name}: ")
    for word in ("privacy claim:", "pseudo-code, in our words", "notes"):
        assert word in out
    assert max(map(len, out.splitlines())) <= 100


def run(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "dpaudit", *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["show", "anytime-lazy"], "unknown name 'anytime-lazy'; did you mean anytime-lazy-ucb"),
        (["shwo", "x"], "invalid choice: 'shwo'"),
        (["show"], "the following arguments are required: NAME"),
        (["algorithms", "--jsn"], "unrecognized arguments: --jsn"),
    ],
)
def test_bad_usage_is_one_line_and_exit_code_2(arguments, message):
    out = run(*arguments)
    assert out.returncode == 2
    assert out.stdout == ""
    assert message in out.stderr
    assert len(out.stderr.splitlines()) == 1


ONE = ["audit", "anytime-lazy-ucb"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([*ONE, "--epsilon", "1e308"], "epsilon: got '1e308', allowed is a number in (0, 700]"),
        ([*ONE, "--epsilon", "1", "--delta", "1"], "delta: got '1', allowed is a number in [0, 1)"),
        ([*ONE, "--out", "here"], "out: is for the whole catalogue; --json FILE keeps the"),
        ([*ONE, "--scheduler", "http://x.y"], "scheduler: got 'http://x.y', allowed is an address"),
        ([*ONE, "--scheduler", "tcp://"], "scheduler: got 'tcp://', allowed is an address"),
        ([*ONE, "--adversary", "x" * 3000], "adversary: got 'xxx"),
        (["audit", "x" * 3000], "algorithm: unknown name 'xxx"),
        (["audit", "--rounds", "1e9"], "rounds: got '1e9', allowed is a number in [1, 1e+06]"),
        (["audit", "--arms", "1.5"], "arms: got '1.5', allowed is a whole number in [1, 1024]"),
        (["report", "/dev/zero"], "/dev/zero: cannot be read (not a file)"),
        (["claims", "--certificates", "nodir"], "certificates: got 'nodir', allowed is a folder"),
        (
            [*ONE, "--runs", "1e12", "--json", "/nowhere/x"],
            "json: cannot write /nowhere/x (No such",
        ),
        ([*ONE, "--runs", "1e12", "--html", "/tmp"], "html: cannot write /tmp (Is a directory)"),
        (["claims", "--fresh", "--out", __file__], "out: cannot write to"),
        (["show", "nobody"], "known: adap-klucb, adap-ucb, "),
    ],
    ids=lambda x: " ".join(x)[:40] if isinstance(x, list) else "",
)
def test_a_hopeless_request_is_refused_at_once_in_a_short_line(arguments, message, capsys):
    assert main(arguments) == 2
    out, said = capsys.readouterr()
    assert out == ""
    [line] = said.splitlines()
    assert message in line
    assert len(line) <= 200


def test_a_long_line_keeps_its_ends():
    assert shortened("a" * 200) == "a" * 200
    assert shortened("a" * 300 + "end") == "a" * 98 + "..." + "a" * 96 + "end"
    assert len(shortened("b" * 5000, 41)) == 41


def test_every_command_has_an_example_in_its_help(capsys):
    for command in COMMANDS:
        with pytest.raises(SystemExit) as stop:
            main([command, "--help"])
        assert stop.value.code == 0
        assert f"dpaudit {command}" in capsys.readouterr().out.split("example")[1]


def test_help_loads_nothing_heavy_and_is_quick():
    code = (
        "import sys\nfrom dpaudit.cli import main\n"
        "try: main(['--help'])\nexcept SystemExit: pass\n"
        "print(sorted({'numpy', 'numba', 'scipy', 'rich', 'sympy'} & set(sys.modules)))"
    )
    began = time.perf_counter()
    out = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert out.stdout.splitlines()[-1] == "[]"
    # 0.3 s is the figure; ten times that catches a heavy import on a loaded machine.
    assert time.perf_counter() - began < 3.0


def test_version():
    assert run("--version").stdout.startswith("dpaudit 0.")


BASES = {
    "audit": ["anytime-lazy-ucb", "--rounds", "4", "--runs", "1000"],
    "regret": ["ucb1", "--means", "0.7,0.3", "--horizon", "100", "--runs", "2"],
    "compare": ["ucb1", "--horizon", "100", "--runs", "2"],
    "scaling": ["anytime-lazy-ucb", "--quick"],
    "reproduce": ["hu-hegde-figure-3", "--runs", "1"],
    "prove": ["anytime-lazy-ucb"],
    "optimal": ["--rounds", "2", "--epsilon", "1"],
    "curve": ["ts-gaussian", "--rounds", "2"],
    "claims": ["--paper", "hu_et_al_2025", "--show", "lemma-13"],
    "show": ["dp-ts"],
    "questions": [],
    "run": [],
    "report": [],
    "wrap": [f"{ROOT}/tests/auditor/learners.py:Leaky"],
    "diff": [f"{ROOT}/reports/catalogue.json", f"{ROOT}/reports/catalogue.json"],
    "history": [f"{ROOT}/reports/catalogue.json"],
    "bisect": ["HEAD", "HEAD", "learner.py:Learner", "--epsilon", "1"],
    "journal": ["show"],
    "algorithms": [],
    "guide": [],
    "completion": [],
}


def values():
    """Every option, and every positional, that takes a value, with its command."""
    for command in COMMANDS:
        parser = build_parser(command)
        [sub] = [a for a in parser._actions if isinstance(a, argparse._SubParsersAction)]
        for action in sub.choices[command]._actions:
            if action.nargs != 0 and action.dest != "help":
                yield command, (action.option_strings or [""])[-1], action.metavar or ""


def is_number(text):
    try:
        return math.isfinite(float(text)) and float(text) >= 0
    except ValueError:
        return False


def junk(metavar):
    """What is neither a number nor a name nor a place where something can be read or written."""
    text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1)
    wild = st.sampled_from(["nan", "-inf", "1e999", "-1", "0x10", "1_0.0.0", "ε", "x" * 3000, " "])
    if metavar in ("FILE", "DIR"):
        return text.map(lambda name: f"/dev/null/{name}")
    return (text | wild).filter(lambda s: not is_number(s) and not s.startswith("-o"))


def test_every_command_is_tried():
    assert {command for command, *_ in values()} <= set(BASES) == set(COMMANDS)
    assert len(list(values())) >= 80


@pytest.mark.timeout(60)
@pytest.mark.parametrize("where", list(values()), ids=lambda w: f"{w[0]} {w[1] or w[2]}")
def test_junk_is_refused_in_one_short_line(where, capsys):
    command, option, metavar = where

    @settings(
        max_examples=8,
        deadline=None,  # the first case of a command loads what it needs
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(value=junk(metavar))
    def refused(value):
        base = BASES[command]
        words = [*base, f"{option}={value}"] if option else [f"{value}", *base[1:]]
        capsys.readouterr()
        try:
            code = main([command, *words])
        except SystemExit as stop:
            code = stop.code
        out, said = capsys.readouterr()
        assert code == 2, (words, out[:300])
        [line] = said.strip().splitlines()
        assert len(line) <= 200, line

    refused()
