"""All the randomness that a learner can reach without being handed it, set for every single run.

Nearly every published bandit draws from a global generator, keeps one in its module, or makes one
that nobody seeds. So before a run all of these are set from that run's own stream: `random`,
`np.random`, torch and numba where they are loaded, generators found in the learner's modules and
classes, and the entropy that unseeded generators ask for. Caches of functions are emptied.

What else a run leaves behind is noticed (`Memory`); what cannot be set shows when a run is played
again.
"""

from __future__ import annotations

import functools
import io
import logging
import os
import pickle
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CellType, FunctionType, ModuleType
from typing import Any

import numpy as np

Words = list[int]
"""The seed of a run: four 64-bit words."""

GENERATORS = (np.random.Generator, np.random.RandomState, random.Random)
LARGEST = 2**20
"""Bytes of a value that is compared before and after."""
DEEP = 3
"""So deep is looked into containers and into other modules of the learner's package."""


def words_of(seed: int, path: tuple[int, ...], run: int) -> Words:
    """The seed of a run, whatever block it is in."""
    key = (*path, run // 256)
    words = _page(seed, key)[run % 256]
    return [int(word) for word in words]


@functools.lru_cache(16)
def _page(seed: int, key: tuple[int, ...]) -> Any:
    drawn = np.random.SeedSequence(seed, spawn_key=key).generate_state(1024, np.uint64)
    return drawn.reshape(256, 4)


class Chance:
    """The generators that the learner's code can reach."""

    def __init__(self, factory: Any) -> None:
        self.found: list[tuple[str, Any]] = []
        self.caches: list[Any] = []
        compiled = False
        for name, value in reachable(factory):
            if isinstance(value, random.SystemRandom):
                continue  # asks for entropy
            if isinstance(value, GENERATORS):
                self.found.append((name, value))
            elif hasattr(value, "cache_clear") and hasattr(value, "cache_info"):
                self.caches.append(value)
            compiled = compiled or type(value).__module__.startswith("numba.")
        self._seed_compiled = _compiled_seeder() if compiled else None
        self._entropy: random.Random | None = None
        self._words: Words = [0, 0, 0, 0]

    def __enter__(self) -> Chance:
        self._kept = os.urandom, np.random.bit_generator.randbits  # type: ignore[attr-defined]
        os.urandom = self._bytes
        random._urandom = self._bytes  # type: ignore[attr-defined]
        np.random.bit_generator.randbits = self._bits  # type: ignore[attr-defined]
        return self

    def __exit__(self, *_: object) -> None:
        os.urandom, np.random.bit_generator.randbits = self._kept  # type: ignore[attr-defined]
        random._urandom = self._kept[0]  # type: ignore[attr-defined]

    def set(self, words: Words, *, own: bool = False) -> np.random.Generator:
        """Set everything from the run's seed; returns the generator that the learner is handed.
        `own`: without the global ones, which takes longest."""
        self._words, self._entropy = words, None
        for cache in self.caches:
            cache.cache_clear()
        if self._seed_compiled is not None:
            self._seed_compiled(words[3] >> 32)
        torch = sys.modules.get("torch")
        if torch is not None and hasattr(torch, "manual_seed"):
            torch.manual_seed(words[3] >> 1)
        for number, (_, generator) in enumerate(self.found):
            reseed(generator, [number, *words])
        if not own:
            random.seed(words[1])
            np.random.seed([words[2] >> 32, words[2] & 0xFFFFFFFF])  # noqa: NPY002
        return np.random.default_rng(words)

    def states(self) -> tuple[Any, str]:
        """Where the global generators are: who drew from one moved it."""
        return random.getstate(), repr(np.random.get_state())  # noqa: NPY002

    def _source(self) -> random.Random:
        if self._entropy is None:
            self._entropy = random.Random(repr(self._words))
        return self._entropy

    def _bytes(self, size: int) -> bytes:
        return self._source().randbytes(size)

    def _bits(self, bits: int) -> int:
        return self._source().getrandbits(bits)


def reseed(generator: Any, words: list[int]) -> None:
    """Set one generator."""
    if isinstance(generator, np.random.RandomState):
        generator.seed([word & 0xFFFFFFFF for word in words])
    elif isinstance(generator, random.Random):
        generator.seed(repr(words))
    else:
        bits = generator.bit_generator
        bits.state = type(bits)(words).state


def _compiled_seeder() -> Callable[[int], None]:
    """Compiled code has a global generator of its own."""
    import numba

    def seed(word: int) -> None:
        np.random.seed(word)  # noqa: NPY002

    compiled: Any = numba.njit(seed)
    return compiled  # type: ignore[no-any-return]


class Memory:
    """What the learner's modules and classes hold, to see what a run leaves behind."""

    def __init__(self, factory: Any) -> None:
        self.factory = factory
        self.before = self._signs()

    def changed(self) -> list[str]:
        """What is another than it was."""
        now = self._signs()
        names = self.before.keys() | now.keys()
        return sorted(name for name in names if self.before.get(name) != now.get(name))

    def _signs(self) -> dict[str, Any]:
        found = list(reachable(self.factory))
        set_ = {id(value) for _, value in found if isinstance(value, GENERATORS)}
        return {name: _sign(value, set_) for name, value in found}


class _Pickler(pickle.Pickler):
    """Generators that are set for every run look the same, wherever they are held."""

    def __init__(self, file: io.BytesIO, set_: set[int]) -> None:
        super().__init__(file)
        self.set = set_

    def persistent_id(self, held: Any) -> str | None:
        return "generator" if id(held) in self.set else None


def _sign(value: Any, set_: set[int]) -> Any:
    """The same for what is the same; what cannot be compared is known by its place."""
    if id(value) in set_:
        return "generator"
    if isinstance(value, (ModuleType, FunctionType, type, logging.Logger)) or hasattr(
        value, "cache_clear"
    ):
        return id(value)
    if isinstance(value, (int, float, str, bytes, bool, type(None))):
        return value
    try:
        if sys.getsizeof(value) > LARGEST or getattr(value, "nbytes", 0) > LARGEST:
            return id(value)
        file = io.BytesIO()
        _Pickler(file, set_).dump(value)
    except Exception:
        return id(value)
    said = file.getvalue()
    return said if len(said) <= LARGEST else id(value)


def reachable(factory: Any) -> Iterator[tuple[str, Any]]:
    """What the learner's code can reach without being handed it, by name: the names of its modules,
    the attributes of its classes, what its functions keep, and what containers of these hold."""
    seen: set[int] = set()
    if isinstance(factory, functools.partial):
        yield from held_by("what is bound", [factory.args, factory.keywords], seen, DEEP)
        yield from reachable(factory.func)
        return
    made_of = getattr(factory, "made_of", None)  # of somebody else's code: see `adapters`
    inner = [] if made_of is None else getattr(made_of, "__mro__", (made_of,))
    classes = [c for c in (*getattr(factory, "__mro__", (factory,)), *inner) if c is not object]
    for owner in classes:
        module = sys.modules.get(getattr(owner, "__module__", ""))
        if module is not None and _theirs(module, module):
            yield from _module(module, seen, DEEP)
        yield from held_by(getattr(owner, "__qualname__", "target"), owner, seen, DEEP)


def _module(module: ModuleType, seen: set[int], deep: int) -> Iterator[tuple[str, Any]]:
    if id(module) in seen or deep == 0:
        return
    seen.add(id(module))
    for name, value in list(vars(module).items()):
        if name.startswith("__"):
            continue
        if isinstance(value, ModuleType):
            if _theirs(value, module):
                yield from _module(value, seen, deep - 1)
        elif _defined_elsewhere(value, module):
            continue
        else:
            yield from held_by(name, value, seen, deep)


def held_by(name: str, value: Any, seen: set[int], deep: int) -> Iterator[tuple[str, Any]]:
    """A value and what it holds."""
    if deep == 0 or id(value) in seen:
        return
    yield name, value
    if isinstance(value, (int, float, str, bytes, bool, type(None), np.ndarray, logging.Logger)):
        return  # a logger's cache of levels is no state that decides anything
    seen.add(id(value))
    held: dict[str, Any] = {}
    if isinstance(value, (type, FunctionType)):
        kept = ((k, v) for k, v in vars(value).items())
        held.update({k: v for k, v in kept if not k.startswith("__") or k == "__init__"})
    if isinstance(value, (staticmethod, classmethod)):
        held["function"] = value.__func__
    if isinstance(value, FunctionType):
        held.update(enumerate_values(value.__defaults__ or ()))
        held.update(value.__kwdefaults__ or {})
        held.update(
            zip(value.__code__.co_freevars, map(_content, value.__closure__ or ()), strict=True)
        )
    elif isinstance(value, dict) and len(value) < 1000:
        held.update({str(k): v for k, v in value.items()})
    elif isinstance(value, (list, tuple)) and len(value) < 1000:
        held.update(enumerate_values(value))
    elif not isinstance(value, type) and isinstance(getattr(value, "__dict__", None), dict):
        held.update(value.__dict__)
    for key, inner in held.items():
        yield from held_by(f"{name}.{key}", inner, seen, deep - 1)


def enumerate_values(values: Any) -> dict[str, Any]:
    return {str(i): value for i, value in enumerate(values)}


def _content(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not filled yet
        return None


def _defined_elsewhere(value: Any, module: ModuleType) -> bool:
    """A class or function of a library, imported by name."""
    if not isinstance(value, (type, FunctionType)):
        return False
    home = sys.modules.get(getattr(value, "__module__", "") or "")
    return home is not None and home is not module and not _theirs(home, module)


def _theirs(module: ModuleType, root: ModuleType) -> bool:
    """Whether a module belongs to the learner's code: the same package, or the same folder, and not
    one of ours."""
    name = module.__name__.partition(".")[0]
    if name in ("dpaudit", "builtins", "numpy", "random", "pytest"):
        return False
    if name == root.__name__.partition(".")[0]:
        return True
    files = getattr(module, "__file__", None), getattr(root, "__file__", None)
    if files[0] is None or files[1] is None:
        return False
    return Path(files[0]).parent == Path(files[1]).parent and "site-packages" not in files[0]
