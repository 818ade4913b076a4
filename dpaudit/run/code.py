"""Digests of code: what numbers depend on besides what was asked."""

from __future__ import annotations

import ast
import contextlib
import functools
import hashlib
import inspect
import pickle
import random
import struct
import types
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np


@functools.cache
def package_digest() -> str:
    """Digest of all code of dpaudit, but for what the papers say: whoever plays an algorithm tells
    the digest of its steps."""
    here = Path(__file__).parents[1]
    whole = hashlib.sha256()
    for path in sorted(here.rglob("*.py")):
        name = path.relative_to(here)
        if name.parts[0] not in ("algorithms", "proofs_checks"):
            whole.update(f"{name}\0".encode() + path.read_bytes())
    return whole.hexdigest()[:32]


def source_files(file: str | Path) -> list[Path]:
    """A Python file and the modules beside it that it imports, and they import."""
    seen: list[Path] = []

    def visit(path: Path) -> None:
        if path in seen:
            return
        seen.append(path)
        try:
            tree = ast.parse(path.read_bytes())
        except SyntaxError:
            return
        for name in _imported(tree):
            parts = name.split(".")
            for folder in (path.parent, *path.parents[1 : len(parts) + 1]):
                for found in (folder.joinpath(*parts).with_suffix(".py"),
                              folder.joinpath(*parts, "__init__.py")):  # fmt: skip
                    if found.is_file() and "site-packages" not in found.parts:
                        visit(found.resolve())

    visit(Path(file).resolve())
    return seen


def source_digest(file: str | Path) -> str:
    """Digest of a Python file and of the modules beside it that it imports, and they import."""
    whole = hashlib.sha256()
    for path in source_files(file):
        whole.update(path.name.encode() + b"\0" + path.read_bytes())
    return whole.hexdigest()[:32]


def _imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ([node.module] if node.module else [name.name for name in node.names])


def object_digest(thing: Any) -> str:
    """Digest of the source of a class or function that lives in this process, if it has one."""
    try:
        file = inspect.getsourcefile(thing)
        return source_digest(file) if file else "unknown"
    except (TypeError, OSError):
        return "unknown"


def held(thing: Any, *, code: bool = True) -> tuple[str, str]:
    """Digest of what an object holds besides its source: the values that a function or a class has
    captured, and, with `code`, what is compiled. And what of it cannot be told from another's, in
    words, if there is anything."""
    held = _Holding(str(getattr(thing, "__module__", "")), code=code)
    try:
        told = held.tell(thing, "it")
    except RecursionError:
        return "", "something that goes too deep"
    return hashlib.sha256(repr(told).encode()).hexdigest()[:32], held.untold


class _Holding:
    """What objects hold, as plain data: of functions and classes of the module `home`, or that were
    made inside a function, all parts, of others their names. Generators count by their kind: their
    states are set for each run."""

    def __init__(self, home: str, *, code: bool) -> None:
        self.home, self.code, self.untold = home, code, ""
        self._seen: dict[int, tuple[int, Any]] = {}

    def tell(self, value: Any, at: str) -> Any:
        kind = type(value).__qualname__
        if type(value) in _SIMPLE:
            return kind, repr(value)
        if id(value) in self._seen:
            return "again", self._seen[id(value)][0]
        self._seen[id(value)] = len(self._seen), value  # which keeps it, and its id
        if isinstance(value, (list, tuple)):
            told = [self.tell(each, f"{at}[{i}]") for i, each in enumerate(value)]
            return kind, told, self._besides(value, at)
        if isinstance(value, (set, frozenset)):
            return kind, sorted(self._apart(each, at) for each in value), self._besides(value, at)
        if isinstance(value, (dict, types.MappingProxyType)):
            items = [(self._apart(k, at), self.tell(v, at)) for k, v in value.items()]
            return kind, items, self._besides(value, at)
        if isinstance(value, (np.random.Generator, np.random.RandomState, random.Random)):
            return "generator", kind
        if isinstance(value, types.CodeType):
            names = value.co_names, value.co_varnames, value.co_argcount, value.co_kwonlyargcount
            return (value.co_code, *names, self.tell(value.co_consts, at)) * self.code
        named = f"{getattr(value, '__module__', '')}:{getattr(value, '__qualname__', '')}"
        if isinstance(value, types.ModuleType):
            return kind, value.__name__
        if isinstance(value, types.BuiltinFunctionType):
            return kind, named, self.tell(value.__self__, at)
        if isinstance(value, (type, types.FunctionType)) and not self._inside(value):
            return kind, named
        return kind, named, self._parts(value, at)

    def _apart(self, value: Any, at: str) -> str:
        """A part whose place among others says nothing."""
        one = _Holding(self.home, code=self.code)
        told = repr(one.tell(value, at))
        self.untold = self.untold or one.untold
        return told

    def _inside(self, value: Any) -> bool:
        return value.__module__ == self.home or "<" in value.__qualname__

    def _parts(self, value: Any, at: str) -> Any:
        """What an object is made of."""
        parts: dict[str, Any]
        if isinstance(value, types.FunctionType):
            captured = zip(value.__code__.co_freevars, value.__closure__ or (), strict=True)
            parts = {name: _contents(cell) for name, cell in captured}
            parts |= {"": (value.__code__, value.__defaults__, value.__kwdefaults__), **vars(value)}
            known = value.__globals__
            read = [self._known(known[name]) for name in _names(value.__code__, known)]
            return [*self._all(parts, at), read]
        if isinstance(value, type):
            own = {n: v for n, v in vars(value).items() if callable(v) or not _pythons(n)}
            bases = self.tell((type(value), *value.__bases__), at)
            if "<" in value.__qualname__:
                return [bases, self._all(own, at)]
            return [bases, [(name, self._known(part)) for name, part in own.items()]]
        if isinstance(value, functools.partial):
            parts = {"func": value.func, "args": value.args, "keywords": value.keywords}
        elif isinstance(value, types.MethodType):
            parts = {"function": value.__func__, "of": value.__self__}
        elif isinstance(value, property):
            parts = {"get": value.fget, "set": value.fset}
        elif isinstance(value, (staticmethod, classmethod, functools._lru_cache_wrapper)):
            parts = {"inner": value.__wrapped__}
        elif isinstance(value, functools.cached_property):
            parts = {"inner": value.func}
        elif isinstance(value, _DESCRIPTORS):
            return ()
        elif "py_func" in getattr(value, "__dict__", ()):  # compiled by numba
            parts = {"inner": value.py_func}
        elif _plain(type(value)):
            parts = {"": type(value), **_attributes(value)}
        else:
            return self._bytes(value, at)
        return self._all(parts, at)

    def _besides(self, value: Any, at: str) -> Any:
        """What a container holds besides what is in it, where it is of a kind of its own."""
        parts = {"": type(value), **_attributes(value)} if type(value).__flags__ & _HEAP else {}
        if isinstance(value, defaultdict):
            parts["default"] = value.default_factory
        return self._all(parts, at)

    def _all(self, parts: dict[str, Any], at: str) -> Any:
        return [(name, self.tell(part, name or at)) for name, part in parts.items()]

    def _known(self, value: Any) -> Any:
        """What stands in a module for all to see follows from its source, as far as it is not
        told."""
        before = self.untold
        told = self.tell(value, "")
        self.untold = before
        return told

    def _bytes(self, value: Any, at: str) -> str:
        """What is no Python all through counts by its pickle."""
        try:
            return hashlib.sha256(pickle.dumps(value, 4)).hexdigest()
        except Exception:
            kind = type(value)
            self.untold = self.untold or f"{at} of type {kind.__module__}.{kind.__qualname__}"
            return ""


_SIMPLE = (types.NoneType, bool, int, float, complex, str, bytes, range)
"""Kinds of which the representation says all; subclasses may hold more."""
_DESCRIPTORS = (types.GetSetDescriptorType, types.MemberDescriptorType, types.WrapperDescriptorType)
_HEAP = 1 << 9
"""Py_TPFLAGS_HEAPTYPE: a class that Python code made."""


def _plain(kind: type) -> bool:
    """Whether an instance holds attributes alone, and nothing that C code keeps: its size says so,
    as it does to `pickle`."""
    pointers = len(_slots(kind)) + (kind.__dictoffset__ > 0) + (kind.__weakrefoffset__ > 0)
    most = object.__basicsize__ + pointers * struct.calcsize("P")
    return bool(kind.__flags__ & _HEAP) and not kind.__itemsize__ and kind.__basicsize__ <= most


def _slots(kind: type) -> dict[str, Any]:
    return {
        f"{each.__qualname__}.{name}": slot
        for each in kind.__mro__
        if each.__flags__ & _HEAP
        for name, slot in vars(each).items()
        if isinstance(slot, types.MemberDescriptorType)
    }


def _pythons(name: str) -> bool:
    """What Python itself keeps in a class."""
    return name == "_abc_impl" or (name[:2] == "__" and name[-2:] == "__")


def _attributes(value: Any) -> dict[str, Any]:
    """Of an instance, those in slots, too."""
    found = dict(getattr(value, "__dict__", {}))
    for name, slot in _slots(type(value)).items():
        with contextlib.suppress(AttributeError):  # not set yet
            found[name] = slot.__get__(value)
    return found


def _contents(cell: Any) -> Any:
    """What a closure has captured; nothing where that is not there yet."""
    try:
        return cell.cell_contents
    except ValueError:
        return None


def _names(code: types.CodeType, known: dict[str, Any]) -> list[str]:
    """The globals that a function and those inside it may read."""
    inner = (part for part in code.co_consts if isinstance(part, types.CodeType))
    found = {*code.co_names, *(name for part in inner for name in _names(part, known))}
    return sorted(found & known.keys())
