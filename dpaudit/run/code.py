"""Digests of code: what numbers depend on besides what was asked."""

from __future__ import annotations

import ast
import functools
import hashlib
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any


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
