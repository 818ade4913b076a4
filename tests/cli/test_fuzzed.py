"""Junk in the place of any option's value, by the parser's own grammar: one short line and exit
code 2, for every command, without any work."""

import argparse
import math

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dpaudit.cli import COMMANDS, build_parser, main

BASES = {
    "audit": ["anytime-lazy-ucb", "--rounds", "4", "--runs", "1000"],
    "regret": ["ucb1", "--means", "0.7,0.3", "--horizon", "100", "--runs", "2"],
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
    "journal": ["show"],
    "algorithms": [],
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
