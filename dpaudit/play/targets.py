"""What can be audited: a catalogue name, `module:Class`, `path/to/file.py:Class`, or a class."""

from __future__ import annotations

import importlib
import importlib.util
import platform
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from dpaudit.algorithm.contract import Algorithm
from dpaudit.errors import UsageError, one_line
from dpaudit.play.catalogue import described, find
from dpaudit.run.task import enter, object_digest, place, source_digest


@dataclass(frozen=True)
class Target:
    """A named subject of an audit: a catalogue algorithm or a learner class."""

    name: str
    algorithm: Algorithm | None = None
    factory: Callable[..., Any] | None = None
    place: str | None = None
    """Where the class can be imported from, if it can: module:Class or file.py:Class."""


def resolve_target(target: Any) -> Target:
    """Find what is meant; nothing found is a UsageError."""
    if isinstance(target, Algorithm):
        return Target(target.card.name, algorithm=target)
    if isinstance(target, str):
        where, colon, attribute = target.rpartition(":")
        if not colon:
            return Target(target, algorithm=find(target))
        module = _load_file(where) if where.endswith(".py") else _load_module(where)
        factory = getattr(module, attribute, None)
        if not callable(factory):
            raise UsageError(f"target: {where} has no class {attribute!r}")
        return Target(target, factory=_checked(factory, attribute), place=target)
    if callable(target):
        name = getattr(target, "__qualname__", repr(target))
        return Target(name, factory=_checked(target, name))
    raise UsageError(
        f"target: got {target!r}, allowed is a catalogue name, module:Class, file.py:Class or a "
        "class"
    )


def sent_target(subject: Target) -> tuple[dict[str, Any], dict[str, str]]:
    """What names a learner to another process, with a digest of its source, and where it is found;
    nowhere, if it lives in this process only."""
    if subject.algorithm is not None:
        name, local = described(subject.algorithm)
        return {"algorithm": name}, {} if local else place()
    if subject.place is None:
        return {"name": subject.name, "source": object_digest(subject.factory)}, {}
    where, _, attribute = subject.place.rpartition(":")
    file = where.endswith(".py")
    named = {
        "class": attribute,
        "module": Path(where).name if file else where,
        "source": source_digest(where if file else _origin(where)),
    }
    found = f"{Path(where).resolve()}:{attribute}" if file else subject.place
    return named, {**place(), "target": found, "name": subject.name}


def arrive(named: dict[str, Any], where: dict[str, str]) -> Target:
    """The learner, in another process; its source must be the same there."""
    if "algorithm" in named:
        return Target(named["algorithm"], algorithm=find(named["algorithm"]))
    enter(where)
    try:
        subject = resolve_target(where["target"])
    except UsageError as error:
        raise UsageError(f"{error} (on worker {platform.node()})") from None
    if sent_target(subject)[0] != named:
        raise UsageError(
            f"target: {where['target']} has another source on worker {platform.node()}"
        )
    return replace(subject, name=where["name"])


def _origin(module: str) -> str:
    """The file of a module that was imported."""
    return str(getattr(sys.modules.get(module), "__file__", None) or __file__)


def _checked(factory: Any, name: str) -> Callable[..., Any]:
    if isinstance(factory, type):
        for method in ("select", "observe"):
            if not callable(getattr(factory, method, None)):
                raise UsageError(f"target: {name} has no method {method}")
    return factory  # type: ignore[no-any-return]


def _load_module(name: str) -> Any:
    sys.path.insert(0, "")
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise UsageError(f"target: cannot import {name!r} ({error})") from None
    except Exception as error:
        raise UsageError(f"target: importing {name!r} raised {type(error).__name__}") from None
    finally:
        sys.path.remove("")


def _load_file(path: str) -> Any:
    file = Path(path)
    if not file.is_file():
        raise UsageError(f"target: no file {path!r}")
    spec = importlib.util.spec_from_file_location(f"dpaudit_target_{file.stem}", file)
    if spec is None or spec.loader is None:
        raise UsageError(f"target: {path!r} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raised = f"{type(error).__name__}: {one_line(error)}"
        raise UsageError(f"target: {path} raised {raised}") from None
    return module
