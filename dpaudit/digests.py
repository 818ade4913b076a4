"""The digest of the code that makes a result: what has to change before it is made again.

It starts at one name of a paper's room, follows what that uses there statement by statement, and
takes the modules of `dpaudit` that are imported on the way as a whole. Algorithms count only where
they are named: a string among what is used that is a name of the catalogue. Comments don't count.
The ledger and the laboratory ask; `dpaudit.results.made` keeps the answers.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib
import importlib.util
import pkgutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from dpaudit.paper_rooms import HOUSE

OURS = "dpaudit"
WORDS = ("dpaudit.errors", "dpaudit.papers", "dpaudit.paper_rooms")
"""Modules of messages and names: no finding depends on them."""


@dataclass
class Reached:
    """Statements of the papers' rooms by module and name, whole modules, and the strings in the
    statements."""

    statements: dict[tuple[str, str], str] = field(default_factory=dict)
    modules: set[str] = field(default_factory=set)
    strings: set[str] = field(default_factory=set)

    def follow(self, module: str, name: str) -> None:
        """Add a name of a room's module, and all that its statement uses."""
        if (module, name) in self.statements:
            return
        for node in _binding(module).get(name, ()):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    self.close(alias.name)
            elif isinstance(node, ast.ImportFrom):
                first = next(a.name for a in node.names if (a.asname or a.name) == name)
                self._imported(str(node.module), first)
            else:
                before = self.statements.get((module, name), "")
                self.statements[module, name] = before + ast.unparse(node)
                self._used(module, node)

    def _used(self, module: str, tree: ast.AST) -> None:
        for node in ast.walk(tree):
            if isinstance(node, ast.Name):
                self.follow(module, node.id)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                self.strings.add(node.value)
            elif isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    self._imported(node.module, alias.name)

    def _imported(self, module: str, name: str) -> None:
        home = _home(module, name)
        if home.startswith(f"{HOUSE}.") and home != f"{module}.{name}":
            self.follow(home, name)
        else:
            self.close(home)

    def close(self, module: str) -> None:
        """Add a module and what it imports."""
        if module in self.modules or module in WORDS or module.split(".")[0] != OURS:
            return
        self.modules.add(module)
        for other in _imports_of(module):
            self.close(other)

    def digest(self) -> str:
        """Of everything that was reached."""
        statements = [f"{m}.{n} {text}" for (m, n), text in sorted(self.statements.items())]
        parts = [*statements, *(_unparsed(_source(name)) for name in sorted(self.modules))]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def reached(module: str, name: str) -> Reached:
    """All that a name of a room's module depends on, but for the algorithms it plays."""
    found = Reached()
    found.follow(module, name)
    return found


def played(found: Reached) -> list[str]:
    """The algorithms that are named there, by their names in the catalogue."""
    from dpaudit.play.catalogue import catalogue

    return [name for name in catalogue() if name in found.strings]


def code_digest(module: str, name: str) -> str:
    """Digest of a name of a room's module with everything of ours that it depends on."""
    found = reached(module, name)
    return _with_algorithms(found, played(found))


def digest_with(module: str, algorithm: str) -> str:
    """Digest of a module, with all that it imports, and of an algorithm of the catalogue."""
    found = Reached()
    found.close(module)
    return _with_algorithms(found, [algorithm])


def modules_digest(names: Sequence[str]) -> str:
    """Digest of modules, with all that they import; `room.*` is all modules of a room."""
    found = Reached()
    for name in names:
        if name.endswith(".*"):
            spec = importlib.util.find_spec(name[:-2])
            places = (spec.submodule_search_locations or ()) if spec else ()
            for module in pkgutil.iter_modules(list(places)):
                found.close(f"{name[:-2]}.{module.name}")
        else:
            found.close(name)
    return found.digest()


def _with_algorithms(found: Reached, names: list[str]) -> str:
    from dpaudit.play.catalogue import modules

    for home in modules() if names else ():
        if any(e.card.name in names for e in importlib.import_module(home).ENTRIES):
            found.close(home)
    return found.digest()


@functools.cache
def _binding(module: str) -> dict[str, list[ast.stmt]]:
    """The top-level statements of a module by the names that they bind."""
    found: dict[str, list[ast.stmt]] = {}
    for node in ast.parse(_source(module)).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names = [node.name]
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names = [(a.asname or a.name).split(".")[0] for a in node.names]
        else:
            stored = (n for n in ast.walk(node) if isinstance(n, ast.Name))
            names = [n.id for n in stored if isinstance(n.ctx, ast.Store)]
        for name in names:
            found.setdefault(name, []).append(node)
    return found


@functools.cache
def _home(module: str, name: str) -> str:
    """The module that defines a name which a package hands on."""
    if module.split(".")[0] != OURS:
        return module
    if importlib.util.find_spec(f"{module}.{name}") if _is_package(module) else None:
        return f"{module}.{name}"
    thing = getattr(importlib.import_module(module), name, None)
    home = str(getattr(thing, "__module__", module))
    return home if home.split(".")[0] == OURS else module


@functools.cache
def _imports_of(name: str) -> tuple[str, ...]:
    """Modules of ours that a module imports; a package hands on, and depends on nothing."""
    if _is_package(name):
        return ()
    found = []
    for node in ast.walk(ast.parse(_source(name))):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found += [_home(node.module, alias.name) for alias in node.names]
    return tuple(name for name in found if name.split(".")[0] == OURS)


@functools.cache
def _unparsed(source: str) -> str:
    return ast.unparse(ast.parse(source))


def _is_package(name: str) -> bool:
    return getattr(importlib.util.find_spec(name), "submodule_search_locations", None) is not None


def _source(name: str) -> str:
    spec = importlib.util.find_spec(name)
    return Path(str(spec.origin)).read_text() if spec and spec.origin else ""
