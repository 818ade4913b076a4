"""What a step's source says: whether it keeps to the constructs that symbols know, and which
functions only look at public state.

Both list what is allowed. What is not listed (a `try`, a default argument, a global that can be
written to, `is`, `str`) would let private data pass in a way that no symbol sees.
"""

from __future__ import annotations

import ast
import builtins
import functools
import inspect
import math
import types
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpaudit.machine.compiling import Function
from dpaudit.prover.symbols import paths

CALLED = {"abs", "bool", "float", "int", "len", "max", "min", "range"}
"""Built-ins that may be called."""
NUMBERS = (bool, int, float, np.float64)
"""Not what is derived from them: it may do otherwise than numbers do."""
RESERVED = {*CALLED, "arms", "own", "rng", "locals"}
"""Names that always mean the same."""
KNOWN = (
    *(ast.Return, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.For, ast.While, ast.If, ast.Expr),
    *(ast.Pass, ast.Break, ast.Continue, ast.BoolOp, ast.BinOp, ast.UnaryOp, ast.IfExp),
    *(ast.Compare, ast.Call, ast.Constant, ast.Attribute, ast.Subscript, ast.Name, ast.Tuple),
    *(ast.expr_context, ast.boolop, ast.operator, ast.Not, ast.USub, ast.UAdd),
    *(ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE),
)


def tree_of(function: Function) -> ast.FunctionDef:
    """A function's source, with the lines of its file."""
    return _parsed(function.__code__)


@functools.cache
def _parsed(code: types.CodeType) -> ast.FunctionDef:
    try:
        text = "".join(inspect.findsource(code)[0])
    except OSError:
        raise paths.Unsupported(f"{code.co_name}: its source is not to be had", "") from None
    trees, codes = _file(text)
    if code.co_firstlineno not in trees:
        raise paths.Unsupported(f"{code.co_name} is no plain function", "")
    if not any(_same(code, other) for other in codes):
        raise paths.Unsupported(f"{code.co_name}: its file has another source than what runs", "")
    return trees[code.co_firstlineno]


@functools.cache
def _file(text: str) -> tuple[dict[int, ast.FunctionDef], list[types.CodeType]]:
    """A file's functions by their first lines, and the code of each."""
    tree = ast.parse(text)
    found = {
        min(n.lineno, *(d.lineno for d in n.decorator_list), n.lineno): n
        for n in ast.walk(tree)
        if isinstance(n, ast.FunctionDef)
    }
    todo, codes = [compile(tree, "", "exec", dont_inherit=True)], []
    while todo:
        codes.append(todo.pop())
        todo += [c for c in codes[-1].co_consts if isinstance(c, types.CodeType)]
    return found, codes


def _same(code: types.CodeType, other: types.CodeType) -> bool:
    """The same but for names and places that a copy changes."""
    return (
        code.co_firstlineno == other.co_firstlineno
        and code.co_code == other.co_code
        and code.co_names == other.co_names
        and code.co_varnames == other.co_varnames
        and code.co_consts == other.co_consts
    )


def admit(function: Function) -> None:
    """Refuses a function with anything that symbols do not know."""
    tree = tree_of(function)

    def no(node: ast.AST, what: str) -> paths.Unsupported:
        file = function.__code__.co_filename
        return paths.Unsupported(what, paths.named(file, getattr(node, "lineno", tree.lineno)))

    given = tree.args
    if given.defaults or given.kwonlyargs or given.vararg or given.kwarg:
        raise no(tree, f"{tree.name} has arguments that are not plain")
    stored = {n.id for n in _nodes(tree) if isinstance(n, ast.Name) and _stored(n)}
    mine = stored | {a.arg for a in (*given.posonlyargs, *given.args)}
    hidden = {name for name in mine if name.startswith("__")}
    for name in sorted(hidden | stored & RESERVED | mine & (RESERVED - {"arms", "own", "rng"})):
        raise no(tree, f"{name} is given another meaning")
    called = {id(n.func) for n in _nodes(tree) if isinstance(n, ast.Call)}
    called |= {id(n.value) for n in _nodes(tree) if isinstance(n, ast.Attribute) and _loaded(n)}
    for node in _nodes(tree):
        if not isinstance(node, KNOWN):
            raise no(node, f"{type(node).__name__.lower()}, which symbols do not know")
        if isinstance(node, ast.Constant) and not (
            isinstance(node.value, (int, float)) or _quiet(tree, node)
        ):
            raise no(node, "a constant that is no number")
        if isinstance(node, ast.Attribute) and node.attr.startswith("_"):
            raise no(node, f"{node.attr} is a name of Python's own")
        if isinstance(node, ast.Call) and not _callable(function, node.func, mine):
            raise no(node, f"a call of {ast.unparse(node.func)}, which is not known")
        if isinstance(node, ast.Name) and node.id not in mine and not _plain(function, node.id):
            raise no(node, f"{node.id} is no plain number or function")
        if isinstance(node, ast.Name) and not (
            node.id in mine
            or id(node) in called
            or isinstance(function.__globals__.get(node.id), (int, float, tuple))
        ):
            raise no(node, f"{node.id} is not called")
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            base = node.value.id
            if base not in mine and function.__globals__.get(base) is not math:
                raise no(node, f"{base} is given or asked for {node.attr}")


def _nodes(tree: ast.FunctionDef) -> Iterator[ast.AST]:
    for statement in tree.body:
        yield from ast.walk(statement)


def _loaded(node: ast.Attribute) -> bool:
    return isinstance(node.ctx, ast.Load)


def _stored(node: ast.Name) -> bool:
    return not isinstance(node.ctx, ast.Load)


def _quiet(tree: ast.FunctionDef, text: ast.Constant) -> bool:
    """A docstring, or a field's name in brackets."""
    return isinstance(text.value, str) and any(
        (isinstance(n, ast.Expr) and n.value is text)
        or (isinstance(n, ast.Subscript) and n.slice is text)
        for n in _nodes(tree)
    )


def _callable(function: Function, called: ast.expr, mine: set[str]) -> bool:
    known = function.__globals__
    if isinstance(called, ast.Name):
        if called.id in mine:
            return False
        return inspect.isfunction(known.get(called.id)) or (
            called.id in CALLED and _built_in(function, called.id)
        )
    if not isinstance(called, ast.Attribute) or not isinstance(called.value, ast.Name):
        return False
    name = called.value.id
    return (name == "rng" and name in mine) or (name not in mine and known.get(name) is math)


def _built_in(function: Function, name: str) -> bool:
    return function.__globals__.get(name, getattr(builtins, name)) is getattr(builtins, name)


def _plain(function: Function, name: str) -> bool:
    known = function.__globals__.get(name)
    if name in CALLED and known is None:
        return True
    if type(known) is tuple:
        return all(type(each) in (*NUMBERS, str) for each in known)
    return known is math or type(known) in NUMBERS or inspect.isfunction(known)


class Otherwise(Exception):
    """A function does more than to look at public state."""

    def __init__(self, why: str, *, private: bool) -> None:
        self.why, self.private = why, private
        super().__init__(why)


@dataclass
class Look:
    """What a function is that only looks."""

    loops: bool = False
    branches: bool = False
    draws: bool = False


class Looking:
    """Whether functions, given things of certain kinds, only look at public state: whatever they
    read is a number in a public field, and they write to local variables alone."""

    def __init__(self, private: set[str], fields: Iterable[str], arrays: Iterable[str]) -> None:
        self.private, self.fields, self.arrays = private, set(fields), set(arrays)
        self._known: dict[Any, tuple[Look, str] | Otherwise | None] = {}

    def of(self, function: Function, kinds: tuple[str, ...]) -> tuple[Look, str]:
        """What it is and what it returns; raises `Otherwise`."""
        key = function, kinds
        if key not in self._known:
            self._known[key] = None
            admit(function)
            try:
                self._known[key] = _Reader(self, function, kinds).answer()
            except Otherwise as otherwise:
                self._known[key] = otherwise
        found = self._known[key]
        if found is None:
            found = Otherwise(f"{function.__name__} calls itself", private=False)
        if isinstance(found, Otherwise):
            raise found
        return found


class _Reader:
    """One function's source, and the kinds of its local variables: `number`, `record`, `arms`,
    `array`, `coins`, `pair`."""

    def __init__(self, looking: Looking, function: Function, kinds: tuple[str, ...]) -> None:
        self._looking, self._function = looking, function
        self.look, self.returned = Look(), set[str]()
        tree = tree_of(function)
        names = [a.arg for a in (*tree.args.posonlyargs, *tree.args.args)]
        if len(names) != len(kinds):
            raise Otherwise("it is given other arguments", private=False)
        self.kinds = dict(zip(names, kinds, strict=True))
        self._body = tree.body

    def answer(self) -> tuple[Look, str]:
        for statement in self._body:
            self._statement(statement)
        if len(self.returned) > 1:
            raise Otherwise("it returns things of several kinds", private=False)
        return self.look, self.returned.pop() if self.returned else "nothing"

    def _no(self, node: ast.AST, why: str, *, private: bool = False) -> Otherwise:
        where = paths.named(self._function.__code__.co_filename, getattr(node, "lineno", 1))
        return Otherwise(f"{where}: {why}", private=private)

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Expr(value=ast.Constant()) | ast.Pass() | ast.Break() | ast.Continue():
                pass
            case ast.Return(value=value) if value is not None:
                self.returned.add(self._value(value))
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                self._local(node, name, self._value(value))
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
                if len(targets) != len(values):
                    raise self._no(node, "it unpacks")
                for target, value in zip(targets, values, strict=True):
                    if not isinstance(target, ast.Name):
                        raise self._no(node, "it writes to what it is given")
                    self._local(node, target.id, self._value(value))
            case ast.AugAssign(target=ast.Name(id=name), value=value):
                self._numbers(value)
                self._local(node, name, "number")
            case ast.If(test=test, body=body, orelse=orelse):
                self.look.branches = True
                self._numbers(test)
                for each in (*body, *orelse):
                    self._statement(each)
            case ast.While(test=test, body=body, orelse=[]):
                self.look.loops = self.look.branches = True
                self._numbers(test)
                for each in body:
                    self._statement(each)
            case ast.For(
                target=ast.Name(id=name),
                iter=ast.Call(func=ast.Name(id="range"), args=ends),
                body=body,
                orelse=[],
            ):
                self.look.loops = self.look.branches = True
                self._numbers(*ends)
                self._local(node, name, "number")
                for each in body:
                    self._statement(each)
            case _:
                raise self._no(node, "it does more than to look")

    def _local(self, node: ast.AST, name: str, kind: str) -> None:
        if self.kinds.setdefault(name, kind) != kind:
            raise self._no(node, f"{name} is now this and now that")

    def _numbers(self, *values: ast.expr) -> str:
        for value in values:
            if self._value(value) != "number":
                raise self._no(value, "a number must stand here")
        return "number"

    def _value(self, node: ast.expr) -> str:
        match node:
            case ast.Constant(value=int() | float()):
                return "number"
            case ast.Name(id=name) if name in self.kinds:
                return self.kinds[name]
            case ast.Name(id=name) if isinstance(self._global(name), (int, float)):
                return "number"
            case ast.Attribute(value=ast.Name(id=name)) if self._global(name) is math:
                return "number"
            case ast.Attribute(value=value, attr=field):
                return self._field(node, self._value(value), field)
            case ast.Subscript(value=value, slice=index):
                inside = {"arms": "record", "array": "number", "pair": "number"}
                self._numbers(index)
                kind = self._value(value)
                if kind in inside:
                    return inside[kind]
            case ast.BinOp(left=left, right=right):
                return self._numbers(left, right)
            case ast.UnaryOp(operand=operand):
                return self._numbers(operand)
            case ast.BoolOp(values=values):
                self.look.branches = True
                return self._numbers(*values)
            case ast.Compare(left=left, comparators=others):
                return self._numbers(left, *others)
            case ast.IfExp(test=test, body=yes, orelse=no):
                self.look.branches = True
                return self._numbers(test, yes, no)
            case ast.Call(func=called, args=given):
                return self._call(node, called, given)
        raise self._no(node, "it does more than to look")

    def _field(self, node: ast.expr, kind: str, field: str) -> str:
        if field in self._looking.private:
            raise self._no(node, f"it reads the private {field}", private=True)
        if kind != "record" or field not in self._looking.fields:
            raise self._no(node, f"it reads {field}, which is no field")
        return "array" if field in self._looking.arrays else "number"

    def _call(self, node: ast.expr, called: ast.expr, given: list[ast.expr]) -> str:
        match called:
            case ast.Name(id="len") if [self._value(g) for g in given] == ["arms"]:
                return "number"
            case ast.Name(id=name) if inspect.isfunction(self._global(name)):
                kinds = tuple(self._value(g) for g in given)
                look, kind = self._looking.of(self._global(name), kinds)
                self.look.loops |= look.loops
                self.look.branches |= look.branches
                self.look.draws |= look.draws
                return kind
            case ast.Name(id=name) if name in CALLED - {"len", "range"}:
                return self._numbers(*given)
            case ast.Attribute(value=ast.Name(id=name), attr=function):
                self._numbers(*given)
                if self.kinds.get(name) == "coins":
                    self.look.draws = True
                    return "number"
                if self._global(name) is math:
                    return "pair" if function in ("frexp", "modf") else "number"
        raise self._no(node, "it calls something that is not known")

    def _global(self, name: str) -> Any:
        return None if name in self.kinds else self._function.__globals__.get(name)
