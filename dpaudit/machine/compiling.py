"""Compile bound drivers with numba, once a machine: later processes load them from disk.

The cache lives in the user's cache directory (or where DPAUDIT_CACHE_DIR says), one folder per
driver and digest of its sources. Where that cannot be written, code is compiled in each process:
a shared temporary directory would let others plant machine code.

All functions that are compiled together carry the digest of their sources in their names. Numba
tells functions of one name, and record types, apart by counters of the process that compiled them;
where machine code of two processes meets in a third, one would silently take the other's place.
"""

from __future__ import annotations

import functools
import os
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dpaudit.algorithm.contract import Algorithm
from dpaudit.machine.binding import Function, bound, deep_copy, digest

KEPT_VERSIONS = 4
"""Digests kept on disk per driver; older ones are removed when a new one is made."""

_lock = threading.Lock()


def cache_root() -> Path:
    """Where compiled code is kept."""
    given = os.environ.get("DPAUDIT_CACHE_DIR")
    if given:
        return Path(given)
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "dpaudit" / "compiled"


def _cache_folder(function: Function, sources: str) -> Path | None:
    if not sources:
        return None
    try:
        folder = cache_root() / function.__name__ / sources
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


def _sources(function: Function) -> str:
    try:
        return digest(function)
    except OSError:  # it was typed in, so its code is not kept
        return ""


def compiled(function: Function) -> Callable[..., Any]:
    """Machine code for a bound driver and everything it calls, GIL-free."""
    import numba  # here, so that plain Python runs and the command line's help never load it

    def jit(inner: Function, **options: Any) -> Any:
        return numba.njit(nogil=True, error_model="numpy", **options)(inner)

    with _lock:
        sources = _sources(function)
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


@functools.cache
def compiled_once(function: Function) -> Callable[..., Any]:
    """Machine code for a plain function, made once a process."""
    return compiled(function)


def compiled_driver(driver: str, algorithm: Algorithm, environment: str = "") -> Callable[..., Any]:
    """The compiled driver of an algorithm, made once a process."""
    return compiled_once(bound(driver, algorithm, environment))
