"""The steps of an algorithm, bound to symbols: the same source with other globals.

Functions that only look at public state, and loop while they do, are not run: what they return is
public, and nothing more is known of it. That they only look is read off their source.
"""

from __future__ import annotations

import ast
import copy
import functools
import inspect
import math
import textwrap
import types
from collections.abc import Callable
from typing import Any, cast

from dpaudit.algorithm.contract import BOOK, Algorithm
from dpaudit.machine import releases as doors
from dpaudit.machine.compiling import Function, callees
from dpaudit.machine.safe_laplace import safe_laplace
from dpaudit.prover.symbols import paths
from dpaudit.prover.symbols.loops import Rewritten, attributes, loop
from dpaudit.prover.symbols.state import TWIN, private_fields
from dpaudit.prover.symbols.terms import Private, Public, applied, either
from dpaudit.prover.symbols.vocabulary import BUILTINS, Maths, Releases

PURE_BUILTINS = {"abs", "bool", "float", "int", "len", "max", "min", "range"}
HELPER_WAYS = 16
"""Ways through a helper of private numbers that are followed for the range of what it gives."""


def source_of(function: Function) -> ast.FunctionDef:
    """A function's source, with the lines of its file."""
    return _parsed(function.__code__)


@functools.cache
def _parsed(code: types.CodeType) -> ast.FunctionDef:
    try:
        source = textwrap.dedent(inspect.getsource(code))
    except OSError:
        raise paths.Unsupported(f"{code.co_name}: its source is not to be had", "") from None
    tree = ast.parse(source).body[0]
    if not isinstance(tree, ast.FunctionDef):
        raise paths.Unsupported(f"{code.co_name} is no plain function", "")
    return ast.increment_lineno(tree, code.co_firstlineno - 1)


def unsupported(what: str) -> None:
    raise paths.Unsupported(what)


class Bound:
    """The steps of one algorithm on symbols, and the releases that they make."""

    def __init__(self, algorithm: Algorithm) -> None:
        self.algorithm = algorithm
        self.releases = Releases()
        both = {**algorithm.arm, **algorithm.own}
        self.own = dict(algorithm.own)
        self.private = set(BOOK) | {
            name for field in private_fields(both) for name in (field, field + TWIN)
        }
        self._models: dict[Any, Any] = {
            doors.laplace: self.releases.laplace,
            doors.gaussian: self.releases.gaussian,
            doors.unprotected: self.releases.unprotected,
            doors.noisy_argmax: self.releases.noisy_argmax,
            safe_laplace: self.releases.safe_laplace,
        }
        self._done: dict[Any, Any] = dict(self._models)
        self.select = self.bind(algorithm.select)
        self.observe = self.bind(algorithm.observe)
        self.start = self.bind(algorithm.start)
        self.leap_reads_only()

    def bind(self, step: Callable[..., Any]) -> Any:
        function = cast(Function, step)
        if function in self._done:
            return self._done[function]
        if not inspect.isfunction(function):
            raise paths.Unsupported(f"{function!r} is no plain function")
        if function.__closure__:
            raise paths.Unsupported(f"{function.__name__} closes over variables")
        shape = Shape(function, self.private, self)
        inner: dict[str, Any] = {paths.MARK: True, **BUILTINS, **REWRITTEN}
        inner.update(
            {name: Maths() for name, known in function.__globals__.items() if known is math}
        )
        self._done[function] = None  # while it is bound, for functions that call themselves
        for name, callee in callees(function).items():
            bound = self.bind(callee)
            if bound is None:
                raise paths.Unsupported(f"{callee.__name__} calls itself")
            inner[name] = bound
        bound = self.rewritten(function, inner)
        if shape.looks_only and shape.loops:
            bound = unknown(function.__name__, shape)
        elif shape.looks_only and shape.scalar and shape.branches:
            bound = helper(bound)
        self._done[function] = bound
        return bound

    def rewritten(self, function: Function, inner: dict[str, Any]) -> Any:
        """With its loops, and its choices of numbers, asking us."""
        tree = source_of(function)
        writes = {
            node.lineno: tuple(sorted(self.written(node.body, function) & set(self.own)))
            for node in ast.walk(tree)
            if isinstance(node, ast.For)
        }
        mine = copy.deepcopy(tree)
        mine.decorator_list, mine.returns = [], None
        for argument in mine.args.args:
            argument.annotation = None
        module = ast.fix_missing_locations(ast.Module([Rewritten(writes).visit(mine)], []))
        space = {**function.__globals__, **inner}
        exec(compile(module, function.__code__.co_filename, "exec"), space)
        return space[mine.name]

    def written(self, body: list[ast.stmt], function: Function) -> set[str]:
        """Fields that are assigned in a body or in what it calls."""
        found = attributes(body)
        called = {
            n.func.id
            for b in body
            for n in ast.walk(b)
            if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)
        }
        for name, callee in callees(function).items():
            if name in called and callee not in self._models:
                found |= self.written(source_of(callee).body, callee)
        return found

    def leap_reads_only(self) -> None:
        """Leaps say for how long a choice stays; they must not look at private numbers."""
        shape = Shape(cast(Function, self.algorithm.leap), self.private, self)
        if not shape.looks_only:
            raise paths.Leak(f"leap does more than to look at public state: {shape.why}", "")
        opening = Shape(cast(Function, self.algorithm.opening), self.private, self)
        if not opening.looks_only:
            raise paths.Leak(f"opening does more than to look at public state: {opening.why}", "")


class Shape(ast.NodeVisitor):
    """What a function's source says of it."""

    def __init__(self, function: Function, private: set[str], bound: Bound) -> None:
        self.looks_only, self.loops, self.branches, self.scalar = True, False, False, True
        self.why = ""
        self._function, self._private, self._bound = function, private, bound
        tree = source_of(function)
        for node in tree.body:
            self.visit(node)

    def _no(self, node: ast.AST, why: str) -> None:
        self.looks_only = False
        where = paths.named(self._function.__code__.co_filename, getattr(node, "lineno", 1))
        self.why = self.why or f"{where}: {why}"

    def _stored(self, node: ast.AST, target: ast.AST) -> None:
        if isinstance(target, (ast.Tuple, ast.List)):
            for each in target.elts:
                self._stored(node, each)
        elif not isinstance(target, ast.Name):
            self._no(node, "it writes to what it is given")

    def visit_Assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            self._stored(node, target)
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self._stored(node, node.target)
        self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self._stored(node, node.target)
        if node.value is not None:
            self.visit(node.value)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if node.attr in self._private:
            self._no(node, f"it reads the private {node.attr}")
        if not (isinstance(node.value, ast.Name) and self._global(node.value.id) is math):
            self.scalar = False
        self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        self.scalar = False
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if node.value in self._private:
            self._no(node, f"it names the private {node.value}")

    def visit_Call(self, node: ast.Call) -> None:
        called = node.func
        if isinstance(called, ast.Name):
            known = self._global(called.id)
            if inspect.isfunction(known):
                if known in self._bound._models:
                    self._no(node, f"it calls {called.id}")
                else:
                    inner = Shape(known, self._private, self._bound)
                    self.loops = self.loops or inner.loops
                    self.scalar = self.scalar and inner.scalar
                    if not inner.looks_only:
                        self._no(node, inner.why)
            elif called.id not in PURE_BUILTINS:
                self._no(node, f"it calls {called.id}")
        elif not (
            isinstance(called, ast.Attribute)
            and isinstance(called.value, ast.Name)
            # Draws are from public laws: nothing private is read.
            and (self._global(called.value.id) is math or called.value.id == "rng")
        ):
            self._no(node, "it calls something that is not known")
        self.generic_visit(node)

    def _loop(self, node: ast.AST) -> None:
        self.loops = self.branches = True
        self.generic_visit(node)

    visit_For = visit_While = _loop  # noqa: N815

    def _branch(self, node: ast.AST) -> None:
        self.branches = True
        self.generic_visit(node)

    visit_If = visit_IfExp = visit_BoolOp = _branch  # noqa: N815

    def _never(self, node: ast.AST) -> None:
        self._no(node, f"{type(node).__name__.lower()}")

    visit_Global = visit_Nonlocal = visit_Delete = visit_Lambda = _never  # noqa: N815
    visit_FunctionDef = visit_ClassDef = visit_Import = visit_ImportFrom = _never  # noqa: N815
    visit_With = visit_Try = visit_Yield = visit_Await = visit_ListComp = _never  # noqa: N815

    def _global(self, name: str) -> Any:
        return self._function.__globals__.get(name)


REWRITTEN = {"__loop__": loop, "__either__": either, "__unsupported__": unsupported}


def unknown(name: str, shape: Shape) -> Callable[..., Any]:
    """In place of a function that only looks."""

    def look(*given: Any) -> Any:
        if any(isinstance(v, Private) for v in given):
            return applied(name, *given)
        if shape.scalar and not any(isinstance(v, Public) for v in given):
            return shape._function(*given)
        return paths.current().fresh(name)

    return look


def helper(bound: Any) -> Callable[..., Any]:
    """A function of numbers that branches: of private ones only its range is known."""

    def ask(*given: Any) -> Any:
        if not any(isinstance(v, Private) for v in given):
            return bound(*given)
        return applied(bound.__name__, *given, span=span(bound, len(given)))

    return ask


def span(bound: Any, arguments: int) -> float:
    """How far apart two values of the function can be, if it has few."""

    def ask() -> Any:
        return bound(*(paths.current().fresh("argument") for _ in range(arguments)))

    try:
        values = [value for value, _ in paths.explore(ask, HELPER_WAYS)]
    except paths.Stopped:
        return math.inf
    if any(isinstance(v, (Public, Private)) for v in values):
        return math.inf
    return float(max(values) - min(values))
