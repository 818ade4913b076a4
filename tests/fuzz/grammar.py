"""Command lines out of the argument parsers themselves: each option of each command, with values
that are good, odd, or wrong for sure.

What is known of a value hangs on the name that stands for it in the help, its metavar: so an option
that is added is fuzzed as those like it are. Good values are cheap ones.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from dpaudit.cli import build_parser
from dpaudit.cli.look.completion import subparser
from tests.fuzz.files import FILES, FOLDERS, TARGETS

NUMBERS = "A B C D E G H K M N PERCENT R S T".split()
"""Metavars of one number."""
LISTS = ["M1,M2,…", "C1,C2,…", "M,O,T"]
GOOD = {
    "C": ["0.9", "0.99"],
    "C1,C2,…": ["1", "1,1"],
    "DIR": ["out", "."],
    "E": ["1", "0.5"],
    "F": ["bandit", "full-information"],
    "FILE": ["-", "written"],
    "G": ["0.5", "0.25"],
    "ID": ["theorem-8-privacy"],
    "K": ["2", "3"],
    "KEY": ["wu_wang_2025"],
    "M,O,T": ["1,0,1"],
    "M1,M2,…": ["0.7,0.3"],
    "NAME=VALUE": ["log_base=2", "horizon=10"],
    "T:M1,M2,…": ["5:0.1,0.2"],
    "V": ["holds", "refuted"],
    "V1,V2,…": ["0,1"],
    "P1,P2,…;…": ["0.5,0.5;0.3,0.7"],
}
"""Values that are right for some command; of other metavars: names."""
NAMES = ["anytime-lazy-ucb", "ts-gaussian", "ucb1", "rnm-ftnl", "easy", "bernoulli", "no-such-name"]
NOT_NUMBERS = ["", "x", "nan", "inf", "1e999", "-1e308", "1,2", "0x10", "one", "--", "1" * 5_000]
NOT_WHOLE = ["1.5", "-3"]
WRONG = {
    **dict.fromkeys(NUMBERS, NOT_NUMBERS),
    **{key: [*NOT_NUMBERS, *NOT_WHOLE] for key in ["K", "N"]},
    **{key: ["x", "1,,2", "nan", "inf,0", "," * 3000] for key in LISTS},
    "ADDRESS": ["x", "tcp://", "tcp://h", "http://h:1", "ftp://x", "tcp://" + "h" * 4_000],
    "NAME=VALUE": ["x", "=1", ""],
    "KEY": ["x", "../..", "k" * 3_000],
    "V": ["x", "v" * 3_000],
    "F": ["x", "f" * 3_000],
}
"""Values that no command may take."""
ODD = ["0", "-1", "1e308", "5e-324", "1e12", "1e400", "é", "a\nb", " ", "a=b=c", "x:y", "z" * 5_000]
"""Values of which is only said that they are answered in order."""


@dataclass(frozen=True)
class Line:
    """What is typed, and an option in it that nobody can take; None where it may be right."""

    words: tuple[str, ...]
    wrong: str | None = None


@st.composite
def lines(draw: DrawFn, command: str) -> Line:
    """A command line: some of the options, in any order, and the arguments, mostly."""
    parser = subparser(build_parser(command), command)
    given: list[list[str]] = []
    wrong = None
    for action in parser._actions:
        if isinstance(action, argparse._HelpAction):
            continue
        needed = action.required or not action.option_strings
        if not draw(
            st.sampled_from([True] * 9 + [False])
            if needed
            else st.sampled_from([True] + [False] * 5)
        ):
            continue
        words, bad = draw(_words(action))
        wrong = wrong or bad
        given.append(words)
    return Line((command, *(w for words in draw(st.permutations(given)) for w in words)), wrong)


@st.composite
def _words(draw: DrawFn, action: argparse.Action) -> tuple[list[str], str | None]:
    """An option with its value, and its name if that is wrong."""
    name = action.option_strings[0] if action.option_strings else None
    if action.nargs == 0:
        assert name is not None
        return [name], None
    metavar = str(action.metavar or "NAME")
    known = list(action.choices) if action.choices else _good(metavar)
    bad = ["x", "c" * 3_000] if action.choices else WRONG.get(metavar, [])
    pool: SearchStrategy[tuple[str, bool]] = st.sampled_from([(each, False) for each in known])
    kinds = [pool, pool, st.sampled_from([(each, False) for each in ODD])]
    kinds += [st.sampled_from([(each, True) for each in bad])] if bad else []
    value, is_wrong = draw(st.one_of(*kinds))
    if name is None:
        return [value], (action.dest if is_wrong else None)
    return [f"{name}={value}"], (name if is_wrong else None)


def _good(metavar: str) -> list[str]:
    if metavar in ("TARGET", "NAME", "ID"):
        return [*NAMES, *TARGETS, *GOOD.get(metavar, [])]
    if metavar in ("FILE", "OLD", "NEW", "PLACE"):
        return [*GOOD["FILE"], *FILES]
    if metavar == "DIR":
        return [*GOOD["DIR"], *FOLDERS]
    return GOOD.get(metavar, ["10", "100"] if metavar in NUMBERS else NAMES)


Judge = Callable[[Line], list[str]]
