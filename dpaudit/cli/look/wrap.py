"""`dpaudit wrap FILE.py:NAME`: which adapter somebody's code needs, and a test of its privacy; with
`--ci`, the file by which others run a project's audits."""

from __future__ import annotations

import argparse
import os
import re
from pathlib import Path
from typing import Any

from dpaudit import guide
from dpaudit.cli.options import add_setting_options, setting_asked
from dpaudit.errors import UsageError

EXAMPLE = """examples:
  dpaudit wrap solver.py:Solver
  dpaudit wrap package.module:Solver --write tests/test_privacy.py --epsilon 0.5
  dpaudit wrap linucb.py:LinUCB --contexts private:3 --sees others
  dpaudit wrap --ci github --write .github/actions/dpaudit/action.yml
  dpaudit wrap --ci pre-commit"""
FILES = {"github": "action.yml", "pre-commit": "pre-commit-config.yaml"}
"""In the guide's folder `files`."""
TRIED = 20
"""Rounds that it is played for, to see whether it runs."""


def options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    what = "file.py:NAME or module:NAME, a class or a function"
    add("target", metavar="TARGET", nargs="?", help=what)
    add("--ci", choices=list(FILES), help="print the file by which it runs a project's audits")
    add("--epsilon", metavar="E", default="1", help="the claim that the test is of (default 1)")
    add("--arms", metavar="K", default="2", help="number of arms (default 2)")
    add("--rounds", metavar="T", default="12", help="length of the tables (default 12)")
    add_setting_options(parser)
    add("--write", metavar="FILE", help="where to write it (default: standard output)")


def run(options: argparse.Namespace) -> int:
    if options.ci is not None:
        if options.target is not None:
            raise UsageError("target: got one beside --ci, which is for the project")
        file = Path(guide.__file__).parent / "files" / FILES[options.ci]
        return _written(options.write, file.read_text())
    if options.target is None:
        raise UsageError("target: none given, allowed is file.py:NAME, or --ci in its place")
    from dpaudit.adapters.looking import propose
    from dpaudit.algorithm.contract import Algorithm
    from dpaudit.cli.options import number
    from dpaudit.errors import check_count
    from dpaudit.play.catalogue import loaded

    epsilon = number("epsilon", options.epsilon)
    arms, rounds = check_count("arms", options.arms), check_count("rounds", options.rounds)
    where, name, thing = loaded(options.target)
    if isinstance(thing, Algorithm):
        raise UsageError(f"target: {name} keeps the contract and is a target as it is")
    found = propose(thing)
    made = _adapted(found.adapter, thing, found.options)
    asked = setting_asked(options)
    played = _tried(made, name, arms, epsilon, asked)
    asked |= {k: int(v) for k, v in asked.items() if k in ("batch", "delay")}
    more = "".join(f", {key}={value!r}" for key, value in asked.items()).replace("'", '"')
    text = _test(where, name, found.adapter, found.line(name), epsilon, arms, rounds, more)
    _written(options.write, text)
    if options.write is not None:
        print(f"{name}: {found.why}; {TRIED} rounds of it played {played}")
        print(f"run it with: pytest {options.write}")
    return 0


def _written(where: str | None, text: str) -> int:
    """Print it, or write it where nothing is yet."""
    from dpaudit.cli.terminal import write_file, writing

    if where is None:
        print(text, end="")
        return 0
    if os.path.exists(where):
        raise UsageError(f"write: {where} is there already")
    with writing(f"write: cannot write {where}"):
        Path(where).parent.mkdir(parents=True, exist_ok=True)
    write_file("write", where, text)
    print(f"wrote {where}")
    return 0


def _adapted(adapter: str, thing: Any, told: dict[str, str]) -> Any:
    import dpaudit.adapters

    return getattr(dpaudit.adapters, adapter)(thing, **told) if adapter else thing


def _tried(made: Any, name: str, arms: int, epsilon: float, asked: dict[str, Any]) -> str:
    """What it plays for some rounds; it must run."""
    import numpy as np

    from dpaudit.play.catalogue import resolve_target
    from dpaudit.play.kinds.rows import row
    from dpaudit.play.kinds.setting import setting_of
    from dpaudit.play.learner import Played, played

    setting = setting_of(made, name, **asked)
    who = resolve_target(made).told(horizon=TRIED, delta=0.0, parameters={})
    rng = np.random.default_rng(0)
    given = who.offered({"arms": arms, "epsilon": epsilon, "rng": rng})

    def seen(run: Played) -> list[int]:
        row(run, setting, (), left_out=False)
        return run.actions

    rewards = rng.integers(0, 2, (TRIED, arms)).astype(float)
    shown = rng.random((TRIED, setting.numbers)) / max(1, setting.numbers) ** 0.5
    contexts = (lambda t: shown[t - 1]) if setting.numbers else None
    rounds = range(1, TRIED + 1)

    def fresh() -> Any:
        return made(**given)

    def paid(t: int, _: Any) -> Any:
        return rewards[t - 1]

    arms_ = played(name, fresh, arms, rounds, paid, 0, setting.told, contexts, seen)
    return " ".join(map(str, arms_))


def _test(
    where: str,
    name: str,
    adapter: str,
    line: str,
    epsilon: float,
    arms: int,
    rounds: int,
    more: str,
) -> str:
    from dpaudit.play.catalogue import project_of

    file = Path(where)
    module = project_of(file)[1] + file.stem if where.endswith(".py") else where
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()
    lines = [f"from {module} import {name}"]
    if adapter:
        lines = [f"from dpaudit.adapters import {adapter}", *lines, "", f"Learner = {line}"]
    audited = "Learner" if adapter else name
    call = f"dp_audit({audited}, epsilon={epsilon:g}, arms={arms}, rounds={rounds}{more})"
    return "\n".join([*lines, "", "", f"def test_{snake}_is_private(dp_audit):", f"    {call}", ""])
