"""Mutants of the derivation: the exact engine's own code with one thing wrong, which the engine's
tests have to notice.

Signs and factors are exchanged, comparisons shifted or negated, numbers moved by one, questions
answered always or never, statements lost. The tests are played against every `EVERY`-th of them
(`--every N` for others), each in a process of its own, and the survivors are printed:

    python -m tests.auditor.engines.exact.mutations [MODULE]...
"""

import argparse
import ast
import contextlib
import copy
import functools
import importlib
import importlib.util
import os
import resource
import sys
from dataclasses import dataclass
from importlib.abc import Loader, MetaPathFinder
from pathlib import Path

import pytest

from tests.algorithms.mutations import Replace, changes, line_of

ENGINE = "dpaudit.auditor.engines.exact"
FOLDER = Path(__file__).parents[4] / "dpaudit"
STEPS = [f"steps/{name}" for name in ("bands", "following", "deriving", "forms", "records")]
DERIVATION = [
    *(f"auditor/engines/exact/{name}" for name in (*STEPS, "forest", "outcomes")),
    "play/reach/steps",
]
TESTS = [
    *("exact_derivation", "exact_states", "exact_private", "exact_reaching", "exact_traps"),
    "exact_steps",
]
"""The quick ones first."""
EVERY = 3
SECONDS = 60
"""Of a processor: a mutant that takes longer does not end. All tests take half of it."""
PAIRS = [(ast.Mult, ast.Div), (ast.Eq, ast.NotEq), (ast.In, ast.NotIn), (ast.And, ast.Or)]
QUIET = ["-x", "-q", "-p", "no:cacheprovider", "-W", "ignore::pytest.PytestAssertRewriteWarning"]
EXCHANGED = {one: other for pair in PAIRS for one, other in (pair, pair[::-1])}


@dataclass(frozen=True)
class Mutant:
    """One change of a module, and what it is in words."""

    module: str
    line: int
    kind: str
    text: str
    tree: ast.Module


def more(node):
    """Changes besides those of an algorithm's steps."""
    if isinstance(node, ast.BinOp | ast.BoolOp) and type(node.op) in EXCHANGED:
        changed = copy.deepcopy(node)
        changed.op = EXCHANGED[type(node.op)]()
        yield "operation", changed
    if isinstance(node, ast.Compare) and type(node.ops[0]) in EXCHANGED:
        other = EXCHANGED[type(node.ops[0])]()
        yield "comparison", ast.Compare(node.left, [other, *node.ops[1:]], node.comparators)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.Not):
        yield "sign", node.operand
    if isinstance(node, ast.If):
        for answer in (True, False):
            yield "question", ast.If(ast.Constant(answer), node.body, node.orelse)
    if isinstance(node, ast.IfExp):
        yield "question", ast.IfExp(node.test, node.orelse, node.body)


def mutants(module):
    """All of a module, in the order of its text. Words are left as they are."""
    tree = ast.parse((FOLDER / f"{module}.py").read_text("utf-8"))
    said = {id(part) for n in ast.walk(tree) if isinstance(n, ast.Raise) for part in ast.walk(n)}
    found = []
    for function in (n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)):
        inside = (node for statement in function.body for node in ast.walk(statement))
        for node in inside:
            if id(node) in said:
                continue
            for kind, other in [*changes(node), *more(node)]:
                was, now = (ast.unparse(each).splitlines()[0] for each in (node, other))
                where = line_of(function, node)
                text = f"{function.name}: {was} -> {now}" + (f" in {where}" if where != was else "")
                twins = copy.deepcopy(tree)
                pairs = zip(ast.walk(tree), ast.walk(twins), strict=True)
                twin = next(b for a, b in pairs if a is node)
                whole = Replace(twin, copy.deepcopy(other)).visit(twins)
                whole = ast.fix_missing_locations(whole)
                found.append(Mutant(module, node.lineno, kind, text, whole))
    return list({(m.line, m.kind, m.text): m for m in found}.values())


class InItsPlace(MetaPathFinder, Loader):
    """Loads one module from another tree."""

    def __init__(self, mutant):
        self.name = f"dpaudit.{mutant.module.replace('/', '.')}"
        self.tree, self.path = mutant.tree, str(FOLDER / f"{mutant.module}.py")

    def find_spec(self, name, path, target=None):
        if name == self.name:
            return importlib.util.spec_from_file_location(name, self.path, loader=self)
        return None

    def exec_module(self, module):
        exec(compile(self.tree, self.path, "exec"), module.__dict__)


def notices(mutant, tests):
    """Whether a test fails, or nothing ends, with the mutant in place (None: with the code as it
    is): seen in a child process."""
    assert ENGINE not in sys.modules
    child = os.fork()
    if not child:
        failed = 1
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
            if mutant:
                # Before pytest is there, whose own hook would load the module from its file.
                sys.meta_path.insert(0, place := InItsPlace(mutant))
                importlib.import_module(place.name)
            with (
                Path(os.devnull).open("w") as nowhere,
                contextlib.redirect_stdout(nowhere),
                contextlib.redirect_stderr(nowhere),
            ):
                failed = int(pytest.main([*QUIET, *tests]))
        finally:
            os._exit(failed)
    return os.waitpid(child, 0)[1] != 0


def main(given):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("modules", nargs="*", default=DERIVATION)
    parser.add_argument("--every", type=int, default=EVERY)
    asked = parser.parse_args(given)
    here = Path(__file__).parent
    noticed = functools.partial(notices, tests=[str(here / f"test_{name}.py") for name in TESTS])
    if noticed(None):
        parser.exit(2, "the tests fail as it is\n")
    total, survivors = 0, []
    for module in asked.modules:
        mine = mutants(module)[:: asked.every]
        alive = [mutant for mutant in mine if not noticed(mutant)]
        total, survivors = total + len(mine), survivors + alive
        print(f"{module:38} {len(mine):4} mutants, {len(alive):3} survive", flush=True)
        for mutant in alive:
            print(f"  line {mutant.line:3}  {mutant.text}", flush=True)
    print(f"{total} mutants, {len(survivors)} survive")
    return 1 if survivors else 0


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        sys.exit(main(sys.argv[1:]))
