"""Bind a driver's template to one algorithm, compile it, and digest all that the result depends on.

A bound driver is the template's code with `select`, `observe`, `leap` looked up among the
algorithm's own functions, under a name of its own; with every plain function that it calls it is
compiled once a machine. The cache lives in the user's cache directory (or where DPAUDIT_CACHE_DIR
says), one folder per driver and digest of its sources: numba itself would not notice that a callee
in another file has changed. Where that cannot be written, code is compiled in each process: a
shared temporary directory would let others plant machine code.

All functions that are compiled together carry the digest of their sources in their names. Numba
tells functions of one name, and record types, apart by counters of the process that compiled them;
where machine code of two processes meets in a third, one would silently take the other's place.
"""

from __future__ import annotations

import dis
import functools
import hashlib
import inspect
import os
import shutil
import threading
import types
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import numpy as np

from dpaudit.algorithm.contract import Algorithm
from dpaudit.machine import drivers
from dpaudit.machine.feedback import ENVIRONMENTS, OF_ALL, PAID, TABLES
from dpaudit.machine.measuring import drivers as measuring

Function = types.FunctionType

KEPT_VERSIONS = 4
"""Digests kept on disk per driver; older ones are removed when a new one is made."""

_lock = threading.Lock()


def _named_globals(code: types.CodeType) -> Iterator[str]:
    for instruction in dis.get_instructions(code):
        if instruction.opname == "LOAD_GLOBAL":
            yield instruction.argval
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _named_globals(constant)


def with_globals(function: Function, name: str, replaced: dict[str, Any]) -> Function:
    """The same code under another name and with some of its globals replaced."""
    code = function.__code__.replace(co_name=name, co_qualname=name)
    copy = Function(code, {**function.__globals__, **replaced}, name, function.__defaults__)
    copy.__qualname__ = name
    copy.__module__ = function.__module__
    return copy


def callees(function: Function) -> dict[str, Function]:
    """The plain Python functions that a function calls by a global name."""
    known = function.__globals__
    return {
        name: known[name]
        for name in dict.fromkeys(_named_globals(function.__code__))
        if isinstance(known.get(name), Function)
    }


@functools.cache
def _source(code: types.CodeType, file: str) -> bytes:
    """Its text. The same code of another file is another one."""
    return inspect.getsource(code).encode()


def digest(function: Function) -> str:
    """Digest of a function's source, its constants and, recursively, all of its callees'."""
    seen: set[Function] = set()
    parts = hashlib.sha256()

    def visit(current: Function) -> None:
        if current in seen:
            return
        seen.add(current)
        # The module too: machine code on disk refers to it by name.
        parts.update(f"{current.__module__}.{current.__qualname__}".encode())
        parts.update(_source(current.__code__, current.__code__.co_filename))
        if current.__defaults__:  # their source may be names
            parts.update(repr(current.__defaults__).encode())
        known = current.__globals__
        for name in sorted(set(_named_globals(current.__code__))):
            value = known.get(name)
            if isinstance(value, Function):
                parts.update(name.encode())
                visit(value)
            elif isinstance(value, (bool, int, float, str, tuple, np.generic)):
                parts.update(f"{name}={value!r}".encode())
            elif isinstance(value, np.ndarray):
                parts.update(name.encode() + value.tobytes())

    visit(function)
    return parts.hexdigest()[:32]


def bound(driver: str, algorithm: Algorithm, environment: str = "") -> Function:
    """A driver of `dpaudit.machine.drivers` or `…measuring.drivers`, by its name, bound to an
    algorithm's steps.

    Entries that share their steps and the layout of their state share the bound driver.
    """
    steps = {name: getattr(algorithm, name) for name in ("select", "observe", "leap")}
    if driver.endswith("_far"):
        steps |= {"stretch": algorithm.stretch, "take": algorithm.take or algorithm.observe}
    about = driver, environment, algorithm.card.feedback, algorithm.layout
    return _bound(*about, tuple(steps.items()))


@functools.cache
def _bound(
    driver: str,
    environment: str,
    feedback: str,
    layout: str,
    named: tuple[tuple[str, Function], ...],
) -> Function:
    template: Any = getattr(measuring if driver.startswith("measure") else drivers, driver)
    steps = dict(named)
    modules = (steps[name].__module__.rpartition(".")[2] for name in ("select", "observe"))
    name = "_".join([driver, *dict.fromkeys(modules), *filter(None, [environment])])
    reading = {"read": TABLES[feedback], "scalar_feedback": feedback == "bandit"}
    reading["paid"] = PAID[feedback]
    drawn = ENVIRONMENTS.get(environment, {})
    if feedback != "bandit":
        drawn = {role: with_globals(each, each.__name__, drawn) for role, each in OF_ALL.items()}
    made = with_globals(template, name, {**steps, **reading, **drawn})
    made.__qualname__ = f"{name} of {layout}"  # for its digest
    return made


def replacing(algorithm: Algorithm, others: Mapping[Any, Any]) -> dict[str, Any]:
    """The steps that see private data, with others in place of some functions that they call."""
    done = dict(others)
    steps = {"select": algorithm.select, "observe": algorithm.observe}
    return {
        name: deep_copy(cast(Function, step), lambda inner: inner, done)
        for name, step in steps.items()
    }


def deep_copy(
    function: Function, wrap: Callable[[Function], Any], done: dict[Function, Any], tag: str = ""
) -> Function:
    """The function with each callee replaced by `wrap(deep_copy(callee))`, shared where shared;
    `tag` ends all their names. `done` has what replaces what, and receives it."""
    inner: dict[str, Any] = {}
    for name, callee in callees(function).items():
        if callee not in done:
            done[callee] = wrap(deep_copy(callee, wrap, done, tag))
        inner[name] = done[callee]
    return with_globals(function, function.__name__ + tag, inner)


def _cache_folder(function: Function, sources: str) -> Path | None:
    if not sources:
        return None
    try:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        root = os.environ.get("DPAUDIT_CACHE_DIR") or Path(base) / "dpaudit" / "compiled"
        folder = Path(root) / function.__name__ / sources
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK | os.X_OK):
            return None
        versions = sorted(folder.parent.iterdir(), key=lambda f: f.stat().st_mtime, reverse=True)
        for old in versions[KEPT_VERSIONS:]:
            if old != folder:
                shutil.rmtree(old, ignore_errors=True)
        return folder
    except (OSError, RuntimeError):
        return None


@functools.cache
def compiled(function: Function) -> Callable[..., Any]:
    """Machine code for a bound driver and everything it calls, GIL-free; made once a process."""
    import numba  # here, so that plain Python runs and the command line's help never load it

    def jit(inner: Function, **options: Any) -> Any:
        return numba.njit(nogil=True, error_model="numpy", **options)(inner)

    with _lock:
        try:
            sources = digest(function)
        except OSError:  # it was typed in, so its code is not kept
            sources = ""
        whole = deep_copy(function, jit, {}, f"_{sources}")
        folder = _cache_folder(function, sources)
        if folder is None:
            return jit(whole)
        config: Any = numba.config
        before = config.CACHE_DIR
        config.CACHE_DIR = str(folder)
        try:
            return jit(whole, cache=True)
        finally:
            config.CACHE_DIR = before


def compiled_driver(driver: str, algorithm: Algorithm, environment: str = "") -> Callable[..., Any]:
    return compiled(bound(driver, algorithm, environment))
