"""Who names whom: every way in which a module's source reaches another module of the house.

An edge is an import at the top or inside a function, a name given to `import_module` and the like,
and any string that is a module's full name, alone or as `module:function`. What only the type
checker imports counts as well.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FOLDERS = {"dpaudit": "", "algorithms": "dpaudit", "proofs_checks": "dpaudit"}
"""Where modules stand, and the package that has the folder's name in it."""
PACKAGES = ("dpaudit", "dpaudit.algorithms", "dpaudit.proofs_checks")
NAMED = re.compile(r"dpaudit(?:\.\w+)*\.?(?::\w*)?")
LOADERS = {"import_module", "__import__", "find_spec", "iter_modules", "walk_packages"}
FACTS = {"__version__", "__file__", "__path__", "__all__"}
"""What `dpaudit` itself says without loading anything."""


@dataclass(frozen=True)
class Edge:
    """`here` names `there`; both are modules."""

    here: str
    there: str
    line: int


class House:
    """The modules below a folder that holds the packages."""

    def __init__(self, root: Path) -> None:
        self.root = root
        paths = [path for name in FOLDERS for path in sorted((root / name).rglob("*.py"))]
        self.modules = {module_of(path.relative_to(root)): path for path in paths}

    def edges(self) -> list[Edge]:
        """All of them, but none from a module to itself."""
        return [
            edge
            for module, path in self.modules.items()
            for edge in self._of(module, ast.parse(path.read_text()))
            if edge.there != module
        ]

    def _of(self, here: str, tree: ast.Module) -> Iterator[Edge]:
        words = {
            target.id: node.value.value
            for node in tree.body
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
            for target in node.targets
            if isinstance(target, ast.Name) and isinstance(node.value.value, str)
        }
        for node in ast.walk(tree):
            for there in self._named(here, node, words):
                yield Edge(here, there, getattr(node, "lineno", 0))

    def _named(self, here: str, node: ast.AST, words: dict[str, str]) -> Iterator[str]:
        """The modules that a node of the syntax names."""
        if isinstance(node, ast.Import):
            for alias in node.names:
                # `import dpaudit` alone loads nothing; what is taken from it is seen below.
                if alias.name != "dpaudit":
                    yield from self._known(alias.name)
        elif isinstance(node, ast.ImportFrom):
            base = self._base(here, node)
            for alias in node.names:
                if base != "dpaudit" or alias.name not in FACTS:
                    yield from self._known(f"{base}.{alias.name}")
        elif isinstance(node, ast.Attribute):
            taken = isinstance(node.value, ast.Name) and node.value.id == "dpaudit"
            if taken and node.attr not in FACTS:
                yield from self._known(f"dpaudit.{node.attr}")
        elif isinstance(node, ast.Call):
            # What a loader is given may be a package's bare name, in pieces, or in a constant.
            for part in ast.walk(node) if _called(node) in LOADERS else ():
                given = getattr(part, "value", None) if isinstance(part, ast.Constant) else None
                if isinstance(part, ast.Name):
                    given = words.get(part.id)
                if given in PACKAGES:
                    yield given
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            # Elsewhere a package's name is a word like any other; with a module it is that module.
            name = node.value.partition(":")[0].rstrip(".")
            found = set(self._known(name)) if NAMED.fullmatch(node.value) else set()
            yield from found - set(PACKAGES)
            if name in PACKAGES[1:] and node.value.endswith("."):
                yield name

    def _base(self, here: str, node: ast.ImportFrom) -> str:
        """What `from … import` takes from, relative or not."""
        if not node.level:
            return node.module or ""
        package = here if self.modules[here].name == "__init__.py" else here.rpartition(".")[0]
        for _ in range(node.level - 1):
            package = package.rpartition(".")[0]
        return f"{package}.{node.module}" if node.module else package

    def _known(self, name: str) -> Iterator[str]:
        """The module of that name, or the one that has it as a member."""
        if name.split(".")[0] != "dpaudit":
            return
        while name not in self.modules and "." in name:
            name = name.rpartition(".")[0]
        if name in self.modules:
            yield name


def _called(call: ast.Call) -> str:
    return getattr(call.func, "attr", getattr(call.func, "id", ""))


def module_of(path: Path) -> str:
    """A file's name as a module."""
    parts = path.with_suffix("").parts
    parts = (*filter(None, [FOLDERS[parts[0]]]), *parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def room_of(module: str) -> str:
    """`dpaudit.run.task` stands in `run`; `dpaudit.config` is a room of its own."""
    package, *inner = module.split(".")
    return inner[0] if inner else package


def circle(edges: set[tuple[str, str]]) -> list[str]:
    """Some rooms that name each other in a circle; empty if there is none."""
    onward: dict[str, set[str]] = {}
    for here, there in edges:
        onward.setdefault(here, set()).add(there)
    done: set[str] = set()

    def search(room: str, path: list[str]) -> list[str]:
        if room in path:
            return [*path[path.index(room) :], room]
        if room in done:
            return []
        for there in sorted(onward.get(room, ())):
            found = search(there, [*path, room])
            if found:
                return found
        done.add(room)
        return []

    for room in sorted(onward):
        found = search(room, [])
        if found:
            return found
    return []
