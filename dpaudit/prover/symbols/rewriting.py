"""A step's source, rewritten so that its loops and its choices of numbers ask us (`loops`)."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterable, Iterator, Mapping
from typing import Any


class Rewritten(ast.NodeTransformer):
    """A step's source in which loops ask `loop`, and `a if b else c` asks `either`."""

    def __init__(self, own_writes: Mapping[int, tuple[str, ...]]) -> None:
        self._numbers = itertools.count()
        self._own_writes = own_writes

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        branches = node.body, node.orelse
        calls = any(isinstance(n, ast.Call) for branch in branches for n in ast.walk(branch))
        arguments = [node.test, ast.Constant(calls), *(_thunk(each) for each in branches)]
        return ast.copy_location(ast.Call(_name("__either__"), arguments, []), node)

    def visit_For(self, node: ast.For) -> Any:
        own_writes = self._own_writes.get(node.lineno, ())
        self.generic_visit(node)
        called = node.iter
        if not isinstance(called, ast.Call) or not isinstance(called.func, ast.Name):
            return node
        if called.func.id != "range" or node.orelse or called.keywords:
            return node
        if not isinstance(node.target, ast.Name):
            return node
        name = f"__loop{next(self._numbers)}__"
        names = assigned(node.body) - {node.target.id}
        carried = sorted(names & read_before(node.body, {node.target.id}))
        anew = (names - set(carried)) | {node.target.id}
        given = [
            _strings(own_writes),
            _strings(sorted(anew)),
            ast.Constant(any(isinstance(n, ast.Return) for n in _inside(node.body))),
            *called.args,
        ]
        begin = ast.Assign([_name(name, ast.Store())], ast.Call(_name("__loop__"), given, []))
        enter = [_carry(name, "enter", each) for each in carried]
        leave = ast.Expr(ast.Call(ast.Attribute(_name(name), "leave", ast.Load()), [_locals()], []))
        after = [_carry(name, "after", each) for each in carried]
        after += [_carry(name, "final", each) for each in sorted(anew)]
        done = ast.Expr(ast.Call(ast.Attribute(_name(name), "end", ast.Load()), [], []))
        loop = ast.For(node.target, _name(name), [*enter, *node.body, leave], [])
        return [ast.copy_location(each, node) for each in (begin, loop, done, *after)]

    def visit_Continue(self, node: ast.Continue) -> ast.AST:
        return ast.copy_location(_stop("continue"), node)

    def visit_Break(self, node: ast.Break) -> ast.AST:
        return ast.copy_location(_stop("break"), node)


def _strings(words: Iterable[str]) -> ast.Tuple:
    return ast.Tuple([ast.Constant(word) for word in words], ast.Load())


def _stop(word: str) -> ast.AST:
    return ast.Expr(ast.Call(_name("__unsupported__"), [ast.Constant(f"{word} in a loop")], []))


def _name(name: str, context: ast.expr_context | None = None) -> ast.Name:
    return ast.Name(name, context or ast.Load())


def _locals() -> ast.Call:
    return ast.Call(_name("locals"), [], [])


def _thunk(body: ast.expr) -> ast.Lambda:
    nothing = ast.arguments([], [], None, [], [], None, [])
    return ast.Lambda(nothing, body)


def _carry(loop: str, moment: str, name: str) -> ast.Assign:
    asked = ast.Attribute(_name(loop), moment, ast.Load())
    value = ast.Call(asked, [ast.Constant(name), _locals()], [])
    return ast.Assign([_name(name, ast.Store())], value)


def _inside(body: list[ast.stmt]) -> Iterator[ast.AST]:
    for statement in body:
        yield from ast.walk(statement)


def assigned(body: list[ast.stmt]) -> set[str]:
    """Names that are assigned."""
    return {
        node.id
        for node in _inside(body)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }


def read_before(body: list[ast.stmt], known: set[str]) -> set[str]:
    """Names that may be read before the body has assigned them; `known` grows by those that it
    certainly has."""
    found: set[str] = set()
    for statement in body:
        if isinstance(statement, ast.If):
            found |= _loads(statement.test) - known
            branches = [set(known), set(known)]
            for each, branch in zip((statement.body, statement.orelse), branches, strict=True):
                found |= read_before(each, branch)
            known |= branches[0] & branches[1]
        elif isinstance(statement, (ast.For, ast.While)):
            head = statement.iter if isinstance(statement, ast.For) else statement.test
            found |= _loads(head) - known
            target = statement.target if isinstance(statement, ast.For) else None
            turn = {target.id} if isinstance(target, ast.Name) else set()
            found |= read_before(statement.body, known | turn)
        else:
            found |= _loads(statement) - known
            if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
                found |= {statement.target.id} - known
            known |= assigned([statement])
    return found


def _loads(node: ast.AST) -> set[str]:
    names = (n for n in ast.walk(node) if isinstance(n, ast.Name))
    return {n.id for n in names if isinstance(n.ctx, ast.Load)}


def attributes(body: list[ast.stmt]) -> set[str]:
    """Fields that are assigned, of whatever record."""
    return {
        node.attr
        for node in _inside(body)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
    }
