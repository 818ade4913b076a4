"""Mutants of the catalogue: an algorithm's source with one thing wrong, which its second definition
or the conformance suite has to notice.

Constants are moved by a hundredth, whole numbers by one, noise is scaled or left out, sums are not
cleared, statements are lost, comparisons are shifted by one, another arm's record is read, a
logarithm has another base. `python -m tests.algorithms.mutations [NAME]...` makes all of them, as
plain Python, and prints the survivors; what cannot be told apart is in `equivalents.py`, with why.
"""

import ast
import contextlib
import copy
import functools
import sys
import types
from dataclasses import dataclass
from pathlib import Path

from dpaudit.play.catalogue import catalogue, home
from dpaudit.testing import ALGORITHM_CHECKS, Subject
from dpaudit.testing.algorithms import (
    each_pseudocode_line_is_cited_once,
    python_equals_compiled,
    without_noise_it_is_its_parent,
)
from dpaudit.testing.noise import releases_compare_the_two_worlds
from tests.algorithms.equivalents import why_equivalent
from tests.algorithms.second.far import FAR
from tests.algorithms.second.settings import ours, settings_of

LOOPS = 200_000
"""A loop of a mutant that runs longer does not end."""
NOISY = {"laplace": 1, "gaussian": 1, "noisy_argmax": 1, "tree_add": None, "tree_release": None}
"""Calls with noise, and the argument that is left when it is left out."""
SCALE = {"laplace": 3, "gaussian": 3, "noisy_argmax": 3, "tree_add": 4, "tree_release": 3}
LEFT_OUT = (
    # They compare with compiled code, with a file's text, and with the parent's constants.
    python_equals_compiled,
    each_pseudocode_line_is_cited_once,
    without_noise_it_is_its_parent,
)
FIRST = releases_compare_the_two_worlds
CHECKS = [FIRST, *(check for check in ALGORITHM_CHECKS if check not in (*LEFT_OUT, FIRST))]
STRICTER = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}


@dataclass(frozen=True)
class Mutant:
    """One change: where it is, in which function, what it was and what it is now."""

    path: Path
    function: str
    kind: str
    line: int
    text: str
    tree: ast.Module

    @property
    def id(self):
        return f"{self.path.parent.name}/{self.path.stem} {self.function}: {self.text}"

    def entries(self):
        """The catalogue entries of the changed file, loaded as a module of its own."""
        module = types.ModuleType(f"mutant_of_{self.path.stem}")
        module.__file__ = str(self.path)
        module.endless = endless
        sys.modules[module.__name__] = module
        exec(compile(self.tree, str(self.path), "exec"), module.__dict__)
        return {entry.card.name: entry for entry in module.ENTRIES}


def endless(count=[0]):  # noqa: B006
    """True, until it has been asked too often since it was last set back."""
    count[0] += 1
    if count[0] > LOOPS:
        count[0] = 0
        raise TimeoutError("a loop does not end")
    return True


class Bounded(ast.NodeTransformer):
    """Loops that end."""

    def visit_While(self, node):
        self.generic_visit(node)
        asked = ast.Call(ast.Name("endless", ast.Load()), [], [])
        node.test = ast.BoolOp(ast.And(), [asked, node.test])
        return node


def steps(tree, far=()):
    """The functions with which an algorithm is played: not those that write its card or claim.
    Of those for far play alone the ones that something other than a long play tells right."""
    used = {"select", "observe", "start", "opening", *far}
    functions = {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef)}
    found = []
    while used:
        node = functions.pop(used.pop(), None)
        if node:
            found.append(node)
            names = [n for n in ast.walk(node) if isinstance(n, ast.Name)]
            local = {n.id for n in names if isinstance(n.ctx, ast.Store)}
            used |= {n.id for n in names} - local
    return sorted(found, key=lambda node: node.lineno)


def longer_leaps(tree):
    """A leap may be shorter than it could be, but no longer: its answers, one more."""
    for function in tree.body:
        if isinstance(function, ast.FunctionDef) and function.name == "leap":
            for node in ast.walk(function):
                if isinstance(node, ast.Return):
                    more = ast.BinOp(node.value, ast.Add(), ast.Constant(1))
                    yield function, node, "leap", ast.Return(more)


def changes(node):
    """What can be done to a node: kind, and the node in its place (None: it is left out)."""
    number = getattr(node, "value", None)
    if isinstance(node, ast.Constant) and type(number) is float and number not in (0.0,):
        for factor in (1.01, 0.99):
            yield "constant", ast.Constant(number * factor)
    if isinstance(node, ast.Constant) and type(number) is int:
        yield "off by one", ast.Constant(number + 1)
        if number > 0:
            yield "off by one", ast.Constant(number - 1)
    if isinstance(node, ast.Compare) and type(node.ops[0]) in STRICTER:
        other = STRICTER[type(node.ops[0])]()
        yield "comparison", ast.Compare(node.left, [other], node.comparators)
    read = isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Name)
    if read and ast.unparse(node.value) == "arms":
        yield "arm", ast.Subscript(node.value, ast.Constant(0), node.ctx)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        op = ast.Sub() if isinstance(node.op, ast.Add) else ast.Add()
        yield "sign", ast.BinOp(node.left, op, node.right)
    if isinstance(node, ast.Call):
        yield from of_call(node)
    clears = isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Attribute)
    if clears or isinstance(node, ast.AugAssign):
        yield "lost", ast.Pass()
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield "lost", ast.Pass()


def of_call(node):
    """Noise scaled or left out; other logarithms; the least for the most."""
    name = getattr(node.func, "id", getattr(node.func, "attr", ""))
    if name in SCALE:
        for factor in (1.01, 0.99):
            changed = copy.deepcopy(node)
            scale = changed.args[SCALE[name]]
            changed.args[SCALE[name]] = ast.BinOp(scale, ast.Mult(), ast.Constant(factor))
            yield "noise", changed
        bare = NOISY[name]
        if bare:
            value = copy.deepcopy(node.args[bare])
            if name == "noisy_argmax":
                value = ast.Call(ast.Attribute(value, "argmax", ast.Load()), [], [])
            yield "no noise", value
    if isinstance(node.func, ast.Attribute) and name == "log":
        changed = copy.deepcopy(node)
        changed.func.attr = "log2"
        yield "logarithm", changed
    if isinstance(node.func, ast.Name) and name in ("min", "max"):
        changed = copy.deepcopy(node)
        changed.func.id = {"min": "max", "max": "min"}[name]
        yield "extreme", changed


class Replace(ast.NodeTransformer):
    """Puts another node in the place of the one so far from the start of the walk."""

    def __init__(self, node, other):
        self.node, self.other = node, other

    def visit(self, node):
        if node is self.node:
            return ast.copy_location(self.other, node)
        return self.generic_visit(node)


def line_of(function, node):
    """The statement's first line, which tells where a small change is."""
    inside = [n for n in ast.walk(function) if isinstance(n, ast.stmt) and n is not function]
    holding = [n for n in inside if any(part is node for part in ast.walk(n))]
    return ast.unparse(holding[-1] if holding else node).splitlines()[0]


@functools.cache
def mutants(path):
    """All mutants of a file, in the order of its text."""
    source = path.read_text("utf-8")
    found = []
    tree = ast.parse(source)
    far = [FAR[name][0] for name in files()[path] if name in FAR]
    inside = ((f, node) for f in steps(tree, far) for node in ast.walk(f))
    changed = [(f, node, *change) for f, node in inside for change in changes(node)]
    for function, node, kind, other in [*changed, *longer_leaps(tree)]:
        was = ast.unparse(node)
        now = "nothing" if isinstance(other, ast.Pass) else ast.unparse(other)
        where = line_of(function, node)
        text = f"{was} -> {now}" + (f" in {where}" if where != was else "")
        twins = copy.deepcopy(tree)
        twin = next(b for a, b in zip(ast.walk(tree), ast.walk(twins), strict=True) if a is node)
        whole = Bounded().visit(Replace(twin, copy.deepcopy(other)).visit(twins))
        whole = ast.fix_missing_locations(whole)
        found.append(Mutant(path, function.name, kind, node.lineno, text, whole))
    return found


@functools.cache
def files():
    """The files of the catalogue, with the names of their entries."""
    found = {}
    for name, entry in catalogue().items():
        found.setdefault(home(entry), []).append(name)
    return found


@functools.cache
def expected(name, place):
    return settings_of(name)[place].second(name)


def killed_by(mutant, names):
    """Who notices: a setting of a second definition, a check, an exception; '' if nobody does."""
    try:
        entries = mutant.entries()
    except Exception as error:
        return type(error).__name__
    # The neighbouring world is seen by the checks alone: the second definition has none.
    askers = (_second_definition, _suite, _far)
    for asker in askers[:: -1 if "neighbour" in mutant.text else 1]:
        who = asker(entries, names)
        if who:
            return who
    return ""


def _second_definition(entries, names):
    for name in names:
        for place, setting in enumerate(settings_of(name)):
            try:
                same = ours(entries[name], setting) == expected(name, place)
            except Exception as error:
                return type(error).__name__
            if not same:
                return f"second definition of {name}, setting {place}"
    return ""


def _far(entries, names):
    for name in names:
        if name in FAR:
            function, right = FAR[name]
            try:
                right(entries[name])
            except Exception:
                return f"{function} of {name}"
    return ""


def _suite(entries, names):
    for name in names:
        for parameters in readings(name):
            subject = Subject(entries[name], 0.3, dict(parameters), python=True)
            for check in passed(name, parameters):
                try:
                    check(subject)
                except Exception:
                    return f"{check.__name__} of {name}"
    return ""


def readings(name):
    """The parameters of the settings, once each."""
    return sorted({tuple(sorted(s.parameters.items())) for s in settings_of(name)}, key=str)


@functools.cache
def passed(name, parameters):
    """The checks that the algorithm itself passes in a reading."""
    found = []
    for check in CHECKS:
        with contextlib.suppress(AssertionError):
            check(Subject(name, 0.3, dict(parameters), python=True))
            found.append(check)
    return found


def main(parts):
    survivors, total, equivalent = [], 0, 0
    for path, names in files().items():
        if parts and not any(part in names for part in parts):
            continue
        mine = [mutant for mutant in mutants(path) if not why_equivalent(mutant.id)]
        alive = [mutant for mutant in mine if not killed_by(mutant, names)]
        survivors += alive
        total += len(mine)
        equivalent += len(mutants(path)) - len(mine)
        print(f"{path.stem:24} {len(mine):4} mutants, {len(alive):3} survive", flush=True)
    for mutant in survivors:
        print(f"{mutant.kind:12} line {mutant.line:3}  {mutant.id}")
    print(f"{total} mutants, {len(survivors)} survive; {equivalent} equivalent ones are left out")
    return 1 if survivors else 0


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        sys.exit(main(sys.argv[1:]))
