"""Instances by name: what is played, read from a file of TOML or JSON.

    [easy]
    means = [0.9, 0.1]

    [three-values]                      # arms on a finite set, a row of probabilities an arm
    values = [0, 0.5, 1]
    probabilities = [[0.2, 0.3, 0.5], [0.5, 0.3, 0.2]]

    [turned]                            # from round 1000 on the arms change places
    means = [0.7, 0.3]
    changes = [{round = 1000, means = [0.3, 0.7]}]

    [sliding]                           # along a line, to these means in the last round
    means = [0.7, 0.3]
    drift = [0.3, 0.7]
    environment = "deterministic"       # each round gives the mean; otherwise "bernoulli"

JSON has the same: an object of objects. `dpaudit.regret(name, horizon=T, **instance.given())` plays
one.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dpaudit.errors import UsageError, one_line, unknown
from dpaudit.machine.feedback import ENVIRONMENTS
from dpaudit.play.environments import check_means
from dpaudit.play.worlds import world_of

FIELDS = ("means", "values", "probabilities", "changes", "drift", "environment")
LONGEST = 2**62
"""Rounds: a change point may stand behind the horizon that is then played."""


@dataclass(frozen=True)
class Instance:
    """A named instance. Either means, which may change, or arms on a finite set."""

    name: str
    means: tuple[float, ...] | None = None
    values: tuple[float, ...] | None = None
    probabilities: tuple[tuple[float, ...], ...] | None = None
    changes: tuple[tuple[int, tuple[float, ...]], ...] = ()
    drift: tuple[float, ...] | None = None
    environment: str = "bernoulli"

    @property
    def arms(self) -> int:
        return len(self.means if self.means is not None else self.probabilities or ())

    def given(self) -> dict[str, Any]:
        """As arguments of `dpaudit.regret`."""
        if self.means is None:
            return {"environment": (self.values, self.probabilities)}
        return {
            "means": self.means,
            "environment": self.environment,
            "changes": self.changes,
            "drift": self.drift,
        }


def read_instances(path: str | Path) -> list[Instance]:
    """The instances of a file, in its order; a UsageError in one line says what is wrong and where.
    A file whose name ends in .json is JSON, any other TOML."""
    where = f"instances {path}"
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{where}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise UsageError(f"{where}: cannot be read (no text)") from None
    as_json = str(path).endswith(".json")
    try:
        data = json.loads(text) if as_json else tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        form = "JSON" if as_json else "TOML"
        raise UsageError(f"{where}: not {form} ({one_line(error, 80)})") from None
    if not isinstance(data, dict) or not data:
        raise UsageError(f"{where}: got no instances, allowed are tables by name")
    return [instance(name, fields, where) for name, fields in data.items()]


def instance(name: str, fields: Any, where: str = "instances") -> Instance:
    """One, checked."""
    where = f"{where}, {name}"
    if not isinstance(fields, Mapping):
        raise UsageError(f"{where}: got {fields!r}, allowed is a table with {', '.join(FIELDS)}")
    for field in fields:
        if field not in FIELDS:
            raise unknown(f"{where}: field", str(field), FIELDS)
    try:
        return _checked(name, fields)
    except UsageError as error:
        raise UsageError(f"{where}: {error}") from None


def chosen(known: list[Instance], name: str) -> Instance:
    """That of this name."""
    for each in known:
        if each.name == name:
            return each
    raise unknown("instance", name, [each.name for each in known])


def _checked(name: str, fields: Mapping[str, Any]) -> Instance:
    finite = [field for field in ("values", "probabilities") if field in fields]
    if finite:
        if len(finite) < 2:
            raise UsageError("values, probabilities: one needs the other")
        if len(fields) > 2:
            extra = next(field for field in fields if field not in finite)
            raise UsageError(f"{extra}: not for arms on a finite set")
        support, rows = fields["values"], fields["probabilities"]
        if not (isinstance(rows, list) and rows):
            raise UsageError("probabilities: allowed is a row an arm")
        values, table = _numbers("values", support), [_numbers("probabilities", r) for r in rows]
        return Instance(name, values=values, probabilities=tuple(table))
    if "means" not in fields:
        raise UsageError("means: none given, allowed are means, or values and probabilities")
    means = tuple(check_means(fields["means"]).tolist())
    environment = fields.get("environment", "bernoulli")
    named = [each for each in ENVIRONMENTS if each != "finite"]
    if environment not in named:
        allowed = ", ".join(named)
        raise UsageError(f"environment: got {environment!r}, allowed is one of {allowed}")
    changes = []
    for each in _list("changes", fields.get("changes", [])):
        if not isinstance(each, Mapping) or set(each) != {"round", "means"}:
            raise UsageError(f"changes: got {each!r}, allowed is a round and means")
        changes.append((each["round"], each["means"]))
    drift = fields.get("drift")
    world = world_of(means, LONGEST, changes=changes, drift=drift)
    points = zip(world.starts[1:].tolist(), world.means[1:].tolist(), strict=True)
    return Instance(
        name,
        means=means,
        changes=tuple((start, tuple(row)) for start, row in points),
        drift=None if drift is None else tuple(check_means(drift).tolist()),
        environment=environment,
    )


def _list(name: str, given: Any) -> list[Any]:
    if not isinstance(given, list):
        raise UsageError(f"{name}: got {given!r}, allowed is a list")
    return given


def _numbers(name: str, given: Any) -> tuple[float, ...]:
    numbers = _list(name, given)
    if not numbers or not all(isinstance(x, (int, float)) for x in numbers):
        raise UsageError(f"{name}: got {given!r}, allowed are numbers")
    return tuple(float(x) for x in numbers)
