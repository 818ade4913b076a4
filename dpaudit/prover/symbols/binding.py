"""The steps of an algorithm, bound to symbols: the same source with other globals.

Functions that only look at public state, and loop while they do, are not run (`looks`).
"""

from __future__ import annotations

import ast
import builtins
import copy
import inspect
import math
from collections.abc import Callable
from typing import Any, cast

from dpaudit.algorithm.contract import BOOK, Algorithm
from dpaudit.machine import releases as doors
from dpaudit.machine.compiling import Function, callees
from dpaudit.machine.safe_laplace import safe_laplace
from dpaudit.prover.symbols import paths
from dpaudit.prover.symbols.functions import (
    applied,
    either,
)
from dpaudit.prover.symbols.looks import Looking, Otherwise, admit, tree_of
from dpaudit.prover.symbols.loops import loop
from dpaudit.prover.symbols.rewriting import Rewritten, attributes
from dpaudit.prover.symbols.state import (
    TWIN,
    Anyone,
    Arms,
    Array,
    Record,
    check_declared,
    private_fields,
    world_of,
)
from dpaudit.prover.symbols.terms import (
    Private,
    Public,
    explicit,
)
from dpaudit.prover.symbols.vocabulary import BUILTINS, Coins, Maths, Releases

HELPER_WAYS = 16
"""Ways through a helper of private numbers that are followed for the range of what it gives."""


def unsupported(what: str) -> None:
    raise paths.Unsupported(what)


class Bound:
    """The steps of one algorithm on symbols, and the releases that they make."""

    def __init__(self, algorithm: Algorithm) -> None:
        self.algorithm = algorithm
        check_declared(algorithm)
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
        self.through: dict[Any, Any] = {}
        """Steps that are run even where they only look."""
        declared = {**algorithm.arm, **dict.fromkeys(algorithm.own_dtype.names or ()), **both}
        arrays = {name for name, kind in both.items() if isinstance(kind, tuple)}
        self.looking = Looking(self.private, declared, arrays)
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
        admit(function)
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
        self.through[function] = bound = self.rewritten(function, inner)
        self._done[function] = self.asked(function, bound)
        return self._done[function]

    def asked(self, function: Function, bound: Any) -> Any:
        """The function; where it only looks at public state and loops, not run: what it returns is
        public, and nothing more is known of it. Of private numbers the range is, at most."""

        def ask(*given: Any) -> Any:
            kinds = tuple(kind_of(value) for value in given)
            try:
                look, answer = self.looking.of(function, kinds)
            except Otherwise:
                return bound(*given)
            private = any(isinstance(value, Private) for value in given)
            if answer != "number" or not (look.loops or private):
                return bound(*given)
            if private and look.draws:
                raise paths.Leak(f"{function.__name__} draws from a law of private numbers")
            numbers = all(kind == "number" for kind in kinds)
            if look.loops and private:
                return applied(function.__name__, function, *given)
            if look.loops:
                plain = numbers and not any(isinstance(value, Public) for value in given)
                if plain:
                    return function(*given)
                answer = paths.current().fresh(function.__name__)
                if not look.draws:
                    _defined(answer, function, given)
                return answer
            if numbers and look.branches:
                return applied(function.__name__, function, *given, span=span(bound, len(given)))
            return bound(*given)

        return ask

    def rewritten(self, function: Function, inner: dict[str, Any]) -> Any:
        """With its loops, and its choices of numbers, asking us."""
        tree = tree_of(function)
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
                found |= self.written(tree_of(callee).body, callee)
        return found

    def leap_reads_only(self) -> None:
        """Leaps say for how long a choice stays; they must not look at private numbers."""
        given = {"leap": ("arms", "record", "number", "number"), "opening": ("arms", "record")}
        for name, kinds in given.items():
            function = cast(Function, getattr(self.algorithm, name))
            try:
                if not inspect.isfunction(function) or function.__closure__:
                    raise Otherwise(f"{function!r} is no plain function", private=False)
                admit(function)
                self.looking.of(function, kinds)
            except Otherwise as otherwise:
                what = f"{name} does more than to look at public state: {otherwise.why}"
                if otherwise.private:
                    raise paths.Leak(what, "") from None
                raise paths.Unsupported(what, "") from None


def _defined(answer: Any, function: Function, given: tuple[Any, ...]) -> None:
    """What it was given, if that is all that it looked at: numbers, and records without arrays."""
    terms: list[Any] = []
    for value in given:
        if not isinstance(value, (int, float, Public, Record)):
            return
        held: list[Any] = [value]
        if isinstance(value, Record):
            if any(isinstance(v, Array) for v in value._values.values()) or value._beside():
                return
            held = [v for k, v in value._values.items() if world_of(k, value._private) is None]
        if any(not isinstance(each, Public) and not math.isfinite(each) for each in held):
            return
        terms += [explicit(each) for each in held]
    paths.current().define(answer, f"{function.__module__}.{function.__qualname__}", *terms)


def kind_of(value: Any) -> str:
    """Of what is handed to a function."""
    if isinstance(value, (int, float, Public, Private)):
        return "number"
    if isinstance(value, Array):
        return "array" if value.world is None else "sums"
    kinds = {Record: "record", Anyone: "record", Arms: "arms", Coins: "coins"}
    return kinds.get(type(value), "other")


REWRITTEN = {
    "__loop__": loop,
    "__either__": either,
    "__unsupported__": unsupported,
    "locals": builtins.locals,
}


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
    apart = float(max(values) - min(values))
    return math.inf if math.isnan(apart) else apart
