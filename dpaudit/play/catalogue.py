"""Who can be played: the catalogue's entries, each module of `algorithms/` being found by being
there, and anybody's class, as `module:Class`, `path/to/file.py:Class` or the class itself.

Both can be told to another process by a name and a digest of their code, and are refused there if
the code is another.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib
import importlib.util
import inspect
import os
import pkgutil
import platform
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from dpaudit import algorithms
from dpaudit.algorithm.contract import Algorithm
from dpaudit.errors import UsageError, one_line, unknown
from dpaudit.machine.compiling import bound, digest
from dpaudit.machine.safe import SAFE, with_safe_laplace
from dpaudit.papers import order
from dpaudit.run.code import held, object_digest, source_digest
from dpaudit.run.plain import Parcel, traveller


def modules() -> list[str]:
    """Every module of `algorithms/`, a folder a paper."""
    found = pkgutil.walk_packages(algorithms.__path__, "dpaudit.algorithms.")
    return [module.name for module in found if not module.ispkg]


@functools.cache
def catalogue() -> dict[str, Algorithm]:
    """All entries by name, in the order of the papers and, within a paper, of their names."""
    entries: list[Algorithm] = []
    for name in modules():
        entries.extend(importlib.import_module(name).ENTRIES)
    entries.sort(key=lambda entry: (order(entry.card.paper), entry.card.name))
    names = [entry.card.name for entry in entries]
    if len(set(names)) != len(names):
        raise TypeError("two catalogue entries have the same name")
    return dict(zip(names, entries, strict=True))


def find(name: str) -> Algorithm:
    """The entry of that name, or, for NAME-safe, the entry with noise that is safe in floating
    point; an unknown one is a UsageError with the nearest known names."""
    entries = catalogue()
    if name in entries:
        return entries[name]
    if name.endswith(SAFE) and name.removesuffix(SAFE) in entries:
        return with_safe_laplace(entries[name.removesuffix(SAFE)])
    raise unknown("algorithm", name, entries)


def resolve(target: str | Algorithm) -> Algorithm:
    """A catalogue entry by name, one of anybody's file by `file.py:NAME`, or an algorithm as it
    is."""
    if isinstance(target, str) and ":" in target:
        found = loaded(target)[2]
        if not isinstance(found, Algorithm):
            raise UsageError(f"target: {target} is a class; this is for algorithms of the contract")
        return found
    return target if isinstance(target, Algorithm) else find(target)


def in_catalogue(algorithm: Algorithm) -> bool:
    """Whether it is what its name stands for, NAME-safe included."""
    name = algorithm.card.name
    return name.removesuffix(SAFE) in catalogue() and find(name) is algorithm


def home(algorithm: Algorithm) -> Path:
    """The file that defines an entry; outside the catalogue, the one of its `observe`."""
    if in_catalogue(algorithm):
        entry = catalogue()[algorithm.card.name.removesuffix(SAFE)]
        for name in modules():
            loaded = importlib.import_module(name)
            if entry in loaded.ENTRIES:
                return Path(str(loaded.__file__))
    return Path(inspect.getfile(algorithm.observe))


def steps_digest(algorithm: Algorithm) -> str:
    """Digest of an algorithm's steps and of its state's layout."""
    return digest(bound("play_tables", algorithm))


def source_of(algorithm: Algorithm) -> str:
    """Digest of what a proof is about: the steps, and what the card fixes or bounds."""
    card = algorithm.card
    about = card.feedback, card.payoff_range, dict(card.fixed), card.epsilon_max, card.anytime
    usual = [(p.name, p.default, p.words) for p in card.parameters]
    parts = (steps_digest(algorithm), repr(about), repr(usual), card.privacy.notion.value)
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:32]


def _leave_algorithm(algorithm: Algorithm, parcel: Parcel) -> dict[str, str]:
    parcel.stays |= not in_catalogue(algorithm)
    return {"name": algorithm.card.name, "steps": steps_digest(algorithm)}


def _arrive_algorithm(plain: dict[str, str], parcel: Parcel) -> Algorithm:
    algorithm = find(plain["name"])
    if steps_digest(algorithm) != plain["steps"]:
        raise UsageError(f"{plain['name']} has other steps on worker {platform.node()}")
    return algorithm


traveller(Algorithm, __name__, _leave_algorithm, _arrive_algorithm)


@dataclass(frozen=True)
class Target:
    """Who is played: a catalogue algorithm or a learner class. `place` is where the class can be
    imported from, if it can."""

    name: str
    algorithm: Algorithm | None = None
    factory: Callable[..., Any] | None = None
    place: str | None = None
    given: Mapping[str, Any] = field(default_factory=dict)
    """What a class is called with besides arms, epsilon and rng."""

    def __call__(self, **given: Any) -> Any:
        """A new learner of the class."""
        assert self.factory is not None
        return self.factory(**given, **self.given)

    def told(
        self,
        *,
        horizon: int,
        delta: float,
        parameters: Mapping[str, Any],
        levels: Mapping[str, float] | None = None,
    ) -> Target:
        """With what a class asks for: the horizon and delta if it names them, the levels of a claim
        that is no epsilon, and parameters by their names, which it must have."""
        if self.factory is None:
            return self
        takes = parameters_of(self.factory)
        for name in parameters:
            if name in FIXED or (name not in takes and ANY not in takes):
                names = [each for each in takes if each not in (*FIXED, *OFFERED, ANY)]
                known = f"allowed is {', '.join(names)}" if names else "it takes no parameters"
                raise UsageError(f"{name}: {self.name} does not take it; {known}")
        offered = {"horizon": horizon, "delta": delta} | dict(levels or {})
        asked = {name: value for name, value in offered.items() if name in takes}
        return replace(self, given=asked | _as_asked(self.factory, parameters))

    def takes(self, name: str) -> bool:
        """Whether a class is called with something of that name."""
        known = parameters_of(self.factory)
        return name in known or ANY in known

    def offered(self, offer: Mapping[str, Any]) -> dict[str, Any]:
        """All that a class is called with, but for a generator."""
        return {name: v for name, v in offer.items() if self.takes(name)} | dict(self.given)


WORDS = {"true": True, "false": False}


def _as_asked(factory: Any, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters as the class has them: where it has a yes or no, `true` and `false` are words for
    that."""
    found = dict(parameters)
    with contextlib.suppress(TypeError, ValueError):
        asked = inspect.signature(getattr(factory, "hands_on_to", None) or factory).parameters
        for name, value in parameters.items():
            yes_or_no = name in asked and isinstance(asked[name].default, bool)
            if yes_or_no and isinstance(value, str) and value.lower() in WORDS:
                found[name] = WORDS[value.lower()]
    return found


FIXED = ("arms", "epsilon", "rng")
OFFERED = ("horizon", "delta")
ANY = "**"


def parameters_of(factory: Any) -> list[str]:
    """The names that a class is called with; `**` for any name."""
    inner = getattr(factory, "hands_on_to", None)  # of an adapted class: see `adapters`
    names = parameters_of(inner) if inner is not None else []
    try:
        found = inspect.signature(factory).parameters.values()
    except (TypeError, ValueError):
        return [ANY]
    if inner is not None:
        return [*(each.name for each in found if each.kind != each.VAR_KEYWORD), *names]
    return [ANY if each.kind == each.VAR_KEYWORD else each.name for each in found]


def resolve_target(target: Any) -> Target:
    """Find what is meant; nothing found is a UsageError."""
    if isinstance(target, Target):
        return target
    if isinstance(target, Algorithm):
        return Target(target.card.name, algorithm=target)
    if isinstance(target, str):
        if ":" not in target:
            return Target(target, algorithm=find(target))
        _, attribute, found = loaded(target)
        if isinstance(found, Algorithm):
            return Target(target, algorithm=found)
        return Target(target, factory=_checked(found, attribute), place=target)
    if callable(target):
        name = getattr(target, "__qualname__", repr(target))
        return Target(name, factory=_checked(target, name))
    raise UsageError(
        f"target: got {target!r}, allowed is a catalogue name, module:Class, file.py:Class or a "
        "class"
    )


def loaded(place: str) -> tuple[str, str, Any]:
    """Of `module:NAME` or `file.py:NAME`, both parts, and the class, function or entry itself."""
    where, colon, attribute = place.rpartition(":")
    if not colon:
        raise UsageError(f"target: got {place!r}, allowed is module:NAME or file.py:NAME")
    module = load(where)
    entries = {e.card.name: e for e in getattr(module, "ENTRIES", ()) if isinstance(e, Algorithm)}
    if attribute in entries:
        return where, attribute, entries[attribute]
    found = getattr(module, attribute, None)
    if not callable(found):
        if entries:
            raise unknown(f"target: {where}: entry", attribute, entries)
        raise UsageError(f"target: {where} has no class {attribute!r}")
    return where, attribute, found


def load(where: str) -> Any:
    """A module by its name, or by the path of its file."""
    return _load_file(where) if where.endswith(".py") else _load_module(where)


def _leave_target(target: Target, parcel: Parcel) -> dict[str, Any]:
    if target.algorithm is not None:
        return {"algorithm": _leave_algorithm(target.algorithm, parcel)}
    if target.place is None:
        parcel.stays = True
        about = {"name": target.name, "source": object_digest(target.factory)}
        return about | _held(target, parcel, code=True) | _bound(target)
    where, _, attribute = target.place.rpartition(":")
    file = where.endswith(".py")
    found = f"{Path(where).resolve()}:{attribute}" if file else target.place
    parcel.where.update({"folder": os.getcwd(), "target": found, "name": target.name})
    # The path is no part of what it is: it may be another one on a worker.
    origin = where if file else getattr(sys.modules.get(where), "__file__", None) or __file__
    name = Path(where).name if file else where
    about = {"class": attribute, "module": name, "source": source_digest(origin)}
    captures = getattr(target.factory, "made_of", None) or "<" in _qualified(target.factory)
    holds = _held(target, parcel, code=False) if captures else {}
    return about | holds | _bound(target)


def _qualified(factory: Any) -> str:
    return str(getattr(factory, "__qualname__", "<object>"))


def _held(target: Target, parcel: Parcel, *, code: bool) -> dict[str, str]:
    """What a class or function has captured: its source does not say it."""
    holds, untold = held(target.factory, code=code)
    if untold:
        parcel.untold = f"{target.name} holds {untold}"
    return {"holds": holds}


def _bound(target: Target) -> dict[str, Any]:
    """What an answer is about besides the source: what the class is given, and the code that it
    runs elsewhere."""
    code = getattr(target.factory, "code", None)
    given = {"given": dict(target.given)} if target.given else {}
    return given | ({"code": code} if isinstance(code, str) else {})


def _arrive_target(plain: dict[str, Any], parcel: Parcel) -> Target:
    if "algorithm" in plain:
        algorithm = _arrive_algorithm(plain["algorithm"], parcel)
        return Target(algorithm.card.name, algorithm=algorithm)
    where = parcel.where
    folder = where["folder"]
    if folder and folder not in sys.path:
        sys.path.append(folder)
    try:
        target = replace(resolve_target(where["target"]), given=plain.get("given", {}))
    except UsageError as error:
        raise UsageError(f"{error} (on worker {platform.node()})") from None
    if _leave_target(target, Parcel()) != plain:
        raise UsageError(
            f"target: {where['target']} has another source on worker {platform.node()}"
        )
    return replace(target, name=where["name"])


traveller(Target, __name__, _leave_target, _arrive_target)


def _checked(factory: Any, name: str) -> Callable[..., Any]:
    if isinstance(factory, type):
        for method in ("select", "observe"):
            if not callable(getattr(factory, method, None)):
                raise UsageError(f"target: {name} has no method {method}")
    feedback = getattr(factory, "feedback", "bandit")
    if feedback not in ("bandit", "full-information"):
        raise UsageError(
            f"feedback of {name}: got {feedback!r}, allowed is 'bandit' or 'full-information'"
        )
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


def project_of(file: Path) -> tuple[Path, str]:
    """The folder from which a file's project is imported, and the package that it lies in with a
    dot behind it; nothing for a file in none."""
    root, packages = file.resolve().parent, [""]
    while (root / "__init__.py").is_file():
        packages.insert(0, root.name)
        root = root.parent
    return root, ".".join(packages)


_loading: dict[str, float] = {}


def loading(factory: Any) -> float:
    """Seconds that the file of a class took to be loaded; 0 where it was not loaded here."""
    return _loading.get(getattr(factory, "__module__", ""), 0.0)


def _load_file(path: str) -> Any:
    file = Path(path)
    if not file.is_file():
        raise UsageError(f"target: no file {path!r}")
    name = f"dpaudit_target_{file.stem}"
    root, package = project_of(file)
    for folder in (str(root), os.getcwd()):
        if folder not in sys.path:
            sys.path.append(folder)  # what the project imports is found, after everything else
    spec = importlib.util.spec_from_file_location(package + name, file)
    if spec is None or spec.loader is None:
        raise UsageError(f"target: {path!r} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    began = time.monotonic()
    try:
        spec.loader.exec_module(module)
        _loading[spec.name] = time.monotonic() - began
    except Exception as error:
        raised = f"{type(error).__name__}: {one_line(error)}"
        raise UsageError(f"target: {path} raised {raised}") from None
    return module
