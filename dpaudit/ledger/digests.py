"""The digest of the code that makes a finding: what has to change before a claim is run again.

It covers the check itself, what else its module defines but for other checks, and, transitively,
the modules of this repo that these import. Comments don't count.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib
import importlib.util
import inspect
from pathlib import Path

from dpaudit.ledger.claims import Claim

OURS = ("dpaudit", "algorithms", "proofs_checks")
WORDS = ("dpaudit.errors",)
"""Modules of messages: no finding depends on them."""


def code_digest(claim: Claim) -> str:
    """Digest of everything of ours that the claim's finding depends on."""
    own = inspect.getsource(inspect.getmodule(claim.check) or claim.check)
    kept = [node for node in ast.parse(own).body if _belongs(node, claim.check.__name__)]
    parts = [ast.unparse(node) for node in kept]
    modules: set[str] = set()
    used = {n.id for node in kept for n in ast.walk(node) if isinstance(n, ast.Name)}
    for node in kept:
        for name in _imports(node, used):
            _close(name, modules)
    parts += [_plain(name) for name in sorted(modules)]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def _belongs(node: ast.stmt, name: str) -> bool:
    """Whether a top-level statement is not another claim's check."""
    if not isinstance(node, ast.FunctionDef) or node.name == name:
        return True
    calls = [d.func for d in node.decorator_list if isinstance(d, ast.Call)]
    return not any(isinstance(f, ast.Name) and f.id == "claim" for f in calls)


def _imports(tree: ast.AST, used: set[str] | None = None) -> list[str]:
    """Modules of ours that are imported; from a package, the homes of the names that are used."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                if used is None or (alias.asname or alias.name) in used:
                    found.append(_home(node.module, alias.name))
    return [name for name in found if name.split(".")[0] in OURS]


@functools.cache
def _home(module: str, name: str) -> str:
    """The module that defines a name which a package hands on."""
    if module.split(".")[0] not in OURS:
        return module
    if importlib.util.find_spec(f"{module}.{name}") if _is_package(module) else None:
        return f"{module}.{name}"
    thing = getattr(importlib.import_module(module), name, None)
    return str(getattr(thing, "__module__", module))


def _close(name: str, modules: set[str]) -> None:
    """Add a module and what it imports; the catalogue loads every algorithm."""
    if name in modules or name in WORDS or name.split(".")[0] not in OURS:
        return
    modules.add(name)
    for other in _imports_of(name):
        _close(other, modules)


@functools.cache
def _imports_of(name: str) -> tuple[str, ...]:
    found = [] if _is_package(name) else _imports(ast.parse(_source(name)))
    if name == "dpaudit.play.catalogue":
        found += importlib.import_module(name).modules()
    return tuple(found)


@functools.cache
def _plain(name: str) -> str:
    return ast.unparse(ast.parse(_source(name)))


def _is_package(name: str) -> bool:
    return getattr(importlib.util.find_spec(name), "submodule_search_locations", None) is not None


def _source(name: str) -> str:
    spec = importlib.util.find_spec(name)
    return Path(str(spec.origin)).read_text() if spec and spec.origin else ""
