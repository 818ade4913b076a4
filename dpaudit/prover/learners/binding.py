"""A copy of a stranger's class whose methods have other globals: stand-ins for numpy, `math` and
built-ins; what is not known is refused when it is used."""

from __future__ import annotations

import abc
import ast
import builtins
import functools
import inspect
import math
import textwrap
import types
import typing
from typing import Any, NoReturn

import numpy as np

from dpaudit.prover.learners import arrays
from dpaudit.prover.learners.arrays import Array, Numpy
from dpaudit.prover.learners.numbers import Value
from dpaudit.prover.learners.vocabulary import SAFE, Frozen, Maths, Refusal, Shared, missing
from dpaudit.prover.symbols import paths

DROPPED = (object, abc.ABC, typing.Protocol, typing.Generic)
"""Bases that add nothing to what a method does."""
SPECIAL = {"__init__", "__str__", "__repr__", "__getitem__", "__setitem__", "__len__", "__call__",
           "__iter__", "__doc__",
           "__module__", "__dict__", "__weakref__", "__annotations__", "__qualname__",
           "__firstlineno__", "__static_attributes__", "__abstractmethods__", "_abc_impl",
           "__orig_bases__", "__parameters__", "_is_protocol"}  # fmt: skip
REFUSED = {
    ast.Try: "try", ast.With: "with", ast.Match: "match", ast.Global: "global",
    ast.Import: "import", ast.ImportFrom: "import", ast.ClassDef: "class", ast.Await: "await",
    ast.AsyncFunctionDef: "async", ast.AsyncFor: "async", ast.AsyncWith: "async",
    ast.TryStar: "try", ast.Nonlocal: "nonlocal",
}  # fmt: skip


class Rewritten(ast.NodeTransformer):
    """A method's source: names of the class's own are spelt out, `raise` ends the way."""

    def __init__(self, owner: str) -> None:
        self.owner = owner

    def visit(self, node: ast.AST) -> Any:
        for kind, word in REFUSED.items():
            if isinstance(node, kind):
                return _call_statement(node, "__unsupported__", word)
        return super().visit(node)

    def visit_Raise(self, node: ast.Raise) -> Any:
        return _call_statement(node, "__raised__")

    def visit_Assert(self, node: ast.Assert) -> Any:
        test = ast.UnaryOp(ast.Not(), self.visit(node.test))
        made = ast.If(test, [_call_statement(node, "__raised__")], [])
        return ast.copy_location(made, node)

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        self.generic_visit(node)
        if node.attr.startswith("__"):
            if not node.attr.endswith("__"):
                node.attr = f"_{self.owner.lstrip('_')}{node.attr}"
            elif node.attr not in ("__init__", "__getitem__", "__len__"):
                return _call(node, "__unsupported__", node.attr)
        return node

    def visit_Name(self, node: ast.Name) -> Any:
        if node.id == "__class__":
            return _call(node, "__unsupported__", node.id)
        return node

    def visit_Compare(self, node: ast.Compare) -> Any:
        self.generic_visit(node)
        if any(isinstance(op, (ast.Is, ast.IsNot)) for op in node.ops):
            if len(node.ops) > 1:
                return _call(node, "__unsupported__", "is")
            same = _call(node, "__is__")
            same.args = [node.left, node.comparators[0]]
            if isinstance(node.ops[0], ast.IsNot):
                return ast.copy_location(ast.UnaryOp(ast.Not(), same), node)
            return same
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        self.generic_visit(node)
        if node.value is None:
            return ast.copy_location(ast.Pass(), node)
        return ast.copy_location(ast.Assign([node.target], node.value), node)

    def visit_Call(self, node: ast.Call) -> Any:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args:
            node.args = [ast.Name("__owner__", ast.Load()), ast.Name("__self__", ast.Load())]
        if isinstance(node.func, ast.Attribute) and node.func.attr == "index":
            # A list's own looks at whether a comparison is true.
            node.args = [node.func.value, *node.args]
            node.func = ast.copy_location(ast.Name("__index_of__", ast.Load()), node)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        self.generic_visit(node)
        node.returns, node.decorator_list = None, []
        arguments = node.args
        for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs,
                     arguments.vararg, arguments.kwarg):  # fmt: skip
            if each is not None:
                each.annotation = None
        return node


def _call(node: ast.AST, name: str, *given: str) -> ast.Call:
    call = ast.Call(ast.Name(name, ast.Load()), [ast.Constant(word) for word in given], [])
    return ast.fix_missing_locations(ast.copy_location(call, node))


def _call_statement(node: ast.AST, name: str, *given: str) -> ast.stmt:
    return ast.fix_missing_locations(ast.copy_location(ast.Expr(_call(node, name, *given)), node))


class Helper:
    """A function of a module; nothing can be kept on it."""

    __slots__ = ("_called",)

    def __init__(self, called: Any) -> None:
        object.__setattr__(self, "_called", called)

    def __call__(self, *given: Any, **named: Any) -> Any:
        return object.__getattribute__(self, "_called")(*given, **named)

    def _never(self, *_: Any) -> NoReturn:
        raise paths.Unsupported("an attribute of a function")

    __getattr__ = __setattr__ = __delattr__ = _never


class Method(Helper):
    """One of a class."""

    __slots__ = ()

    def __get__(self, subject: Any, owner: Any = None) -> Helper:
        if subject is None:
            return self
        return Helper(functools.partial(object.__getattribute__(self, "_called"), subject))


class FrozenList(list[Any]):
    """A list that outlives a learner: it can be read."""

    def _never(self, *_: Any, **__: Any) -> NoReturn:
        raise paths.Unsupported("a list that outlives the learner is changed")

    append = extend = insert = remove = pop = clear = sort = reverse = _never
    __setitem__ = __delitem__ = __iadd__ = __imul__ = _never


class Copies:
    """Copies of the classes and functions that one learner needs."""

    def __init__(self) -> None:
        self._classes: dict[type, type] = {}
        self._functions: dict[Any, Any] = {}

    def of_class(self, kind: type) -> type:
        if kind in self._classes:
            return self._classes[kind]
        if type(kind) not in (type, abc.ABCMeta, type(typing.Protocol)):
            raise paths.Unsupported(f"{kind.__name__} has a metaclass", "")
        bases = [b for b in kind.__bases__ if b not in DROPPED]
        if any(b.__module__ == "builtins" for b in bases):
            raise paths.Unsupported(f"{kind.__name__} is a {bases[0].__name__}", "")
        if hasattr(kind, "__dataclass_fields__"):
            raise paths.Unsupported(f"{kind.__name__} is a dataclass", "")
        copied_bases = tuple(self.of_class(b) for b in bases)
        space: dict[str, Any] = {"__of_a_learner__": True}
        made: type = Frozen(kind.__name__, copied_bases, space)
        self._classes[kind] = made
        type.__setattr__(made, "__getattr__", missing)
        for name, member in vars(kind).items():
            if name.startswith("__") and name.endswith("__") and name not in SPECIAL:
                raise paths.Unsupported(f"{kind.__name__} defines {name}", "")
            ours = name not in SPECIAL or callable(member)
            if ours and name not in ("__dict__", "__weakref__", "__module__", "__doc__"):
                type.__setattr__(made, name, self._member(kind, made, name, member))
        return made

    def _member(self, kind: type, made: type, name: str, member: Any) -> Any:
        if inspect.isfunction(member):
            return Method(self._lazily(member, made))
        if isinstance(member, staticmethod):
            return staticmethod(Helper(self._lazily(member.__func__, made)))
        if isinstance(member, classmethod):
            return classmethod(Method(self._lazily(member.__func__, made)))
        if isinstance(member, property):
            ways = (member.fget, member.fset)
            return property(*(None if f is None else self._lazily(f, made) for f in ways))
        return self._outside(f"{kind.__name__}.{name}", member)

    def _lazily(self, function: Any, owner: type | None) -> Any:
        """Bound when it is called: what is never called need not be known."""

        def called(*given: Any, **named: Any) -> Any:
            return self._bound(function, owner)(*given, **named)

        return called

    def _bound(self, function: Any, owner: type | None) -> Any:
        if function not in self._functions:
            self._functions[function] = self._rewritten(function, owner)
        return self._functions[function]

    def _rewritten(self, function: Any, owner: type | None) -> Any:
        if not inspect.isfunction(function):
            raise paths.Unsupported(f"{function!r} is no plain function", "")
        if set(function.__code__.co_freevars) - {"__class__"}:
            raise paths.Unsupported(f"{function.__name__} closes over variables", "")
        if "__class__" in function.__code__.co_freevars:
            owner = self.of_class(inspect.getclosurevars(function).nonlocals["__class__"])
        tree = _source(function)
        file = function.__code__.co_filename
        given = tree.args
        mine = given.posonlyargs + given.args
        rewritten = Rewritten(owner.__name__ if owner is not None else "").visit(tree)
        # Defaults are taken from the function: they are made once.
        given.defaults = [ast.Constant(None) for _ in given.defaults]
        given.kw_defaults = [None if d is None else ast.Constant(None) for d in given.kw_defaults]
        if mine and "__class__" in function.__code__.co_freevars:
            first = ast.Assign(
                [ast.Name("__self__", ast.Store())], ast.Name(mine[0].arg, ast.Load())
            )
            rewritten.body.insert(0, first)
        module = ast.fix_missing_locations(ast.Module([rewritten], []))
        code = compile(module, file, "exec")
        space: dict[str, Any] = {paths.MARK: True, "__owner__": owner, **SAFE}
        space["__builtins__"] = {}
        exec(code, space)
        bound = space[tree.name]
        for name in _names(bound.__code__):
            if name in function.__globals__:
                space[name] = self._outside(name, function.__globals__[name])
            elif name not in space and hasattr(builtins, name):
                space[name] = Refusal(f"{name}() on symbols")
        bound.__defaults__ = self._defaults(function, function.__defaults__)
        if function.__kwdefaults__:
            bound.__kwdefaults__ = {
                k: self._outside(k, v) for k, v in function.__kwdefaults__.items()
            }
        return bound

    def _defaults(self, function: Any, values: tuple[Any, ...] | None) -> Any:
        name = function.__name__
        return values and tuple(self._outside(f"a default of {name}", v) for v in values)

    def _outside(self, name: str, known: Any) -> Any:
        """What stands for something that is neither local nor the learner's own."""
        if known is np:
            return Numpy()
        if known is math:
            return Maths()
        if known is np.random:
            return Shared()
        # Not what is derived from numbers: it may do otherwise than they do.
        if type(known) in (types.NoneType, bool, int, float, np.float64, str):
            return known
        if isinstance(known, Value):
            return known
        if isinstance(known, Array):
            raise paths.Unsupported(f"{name} is an array that is made once")
        if type(known) in (tuple, list):
            kind = tuple if type(known) is tuple else FrozenList
            return kind(self._outside(name, each) for each in known)
        if type(known) is dict and all(isinstance(k, (str, int)) for k in known):
            return types.MappingProxyType({k: self._outside(name, v) for k, v in known.items()})
        if inspect.isfunction(known):
            return Helper(self._lazily(known, None))
        for own, stand_in in arrays.KNOWN.items():
            if known is getattr(np, own):
                return stand_in
        named = str(getattr(known, "__name__", ""))
        if inspect.isbuiltin(known) and getattr(math, named, None) is known:
            return getattr(Maths(), named)
        if isinstance(known, type) and known.__module__ != "builtins":
            return self._kind(name, known)
        if isinstance(known, type) and getattr(builtins, known.__name__, None) is known:
            return SAFE.get(named, Refusal(f"{name} on symbols"))
        return Refusal(f"{name} is {_what(known)}, which cannot be run on symbols")

    def _kind(self, name: str, kind: type) -> Any:
        try:
            return self.of_class(kind)
        except paths.Unsupported as stopped:
            return Refusal(stopped.what)


def _what(known: Any) -> str:
    if isinstance(known, types.ModuleType):
        return f"the module {known.__name__}"
    return f"a {type(known).__name__}"


def _source(function: Any) -> ast.FunctionDef:
    code = function.__code__
    try:
        source = textwrap.dedent(inspect.getsource(code))
        tree = ast.parse(source).body[0]
    except (OSError, SyntaxError):
        raise paths.Unsupported(f"{code.co_name}: its source is not to be had", "") from None
    if not isinstance(tree, ast.FunctionDef):
        raise paths.Unsupported(f"{code.co_name} is no plain function", "")
    ast.increment_lineno(tree, code.co_firstlineno - 1)
    return tree


def _names(code: types.CodeType) -> set[str]:
    """Global names in a function and in those inside it."""
    found = set(code.co_names)
    for each in code.co_consts:
        if isinstance(each, types.CodeType):
            found |= _names(each)
    return found
