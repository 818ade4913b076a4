"""The committed results, and in a file beside them, which is not, by what code each was made.

Committed are values only: no seconds, digests or seals. `.made.json` has, by result and by claim,
the digest of the code (`dpaudit.digests`) and the seconds; it says whether a result is of the code
as it is. In a checkout all stands in `reports/`; an installed package brings the results
as data files (`share/dpaudit/reports`) and keeps what it makes in the user's cache directory.
"""

from __future__ import annotations

import functools
import importlib.metadata
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

NAMES = ("catalogue", "claims", "scaling", "reproduction", "optima", "leaderboard")
"""The committed results, in the order of the page."""
WIDTH = 1000
"""What is shorter stands on one line of a committed file."""
EMPTY: tuple[Any, ...] = (None, "", [], {})
PROMISED = ("upper_bound", "rewards", "neighbour", "round", "counterexample", "tight")
"""Fields of audits and claims that outside scripts rely on; they are written where they are empty.
"""
FREE = ("numbers", "sweep")
"""Fields that hold what their study or experiment likes: reading could not fill in what is gone."""
State = Literal["current", "stale", "unknown"]


def checkout() -> Path | None:
    """The folder of the committed results, if this is a checkout."""
    root = Path(__file__).parents[2]
    return root / "reports" if (root / "pyproject.toml").is_file() else None


def own_folder() -> Path:
    """Where certificates and the record of what was made are kept."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    cache = os.environ.get("DPAUDIT_CACHE_DIR") or Path(base) / "dpaudit"
    return checkout() or Path(cache) / "reports"


def committed() -> list[Path]:
    """The files of the committed results: those of the checkout, of ./reports, or those that came
    with the package."""
    for place in (checkout, lambda: Path("reports"), _packaged):
        folder = place()
        files = [folder / f"{name}.json" for name in NAMES] if folder is not None else []
        found = [file for file in files if file.is_file()]
        if found:
            return found
    return []


@functools.cache
def _packaged() -> Path | None:
    try:
        files = importlib.metadata.files(__name__.partition(".")[0]) or []
    except importlib.metadata.PackageNotFoundError:
        return None
    found = (file for file in files if file.match("share/dpaudit/reports/claims.json"))
    return next((Path(str(file.locate())).parent for file in found), None)


def commit(folder: Path, name: str, document: Mapping[str, Any]) -> None:
    """Write a result as it is committed: values only, a line an entry."""
    folder.mkdir(parents=True, exist_ok=True)
    replace(folder / f"{name}.json", lines(lean(document)) + "\n")


def replace(file: Path, text: str) -> None:
    """Write a file whole: who reads it meanwhile gets the old one or the new one."""
    beside = file.with_name(f"{file.name}.{os.getpid()}")
    beside.write_text(text, encoding="utf-8")
    beside.replace(file)


def lean(value: Any) -> Any:
    """Plain data without the seconds that it took, and without fields that are empty; the points of
    a study are a table."""
    if isinstance(value, Mapping):
        inner = {k: v if k in FREE else lean(v) for k, v in value.items() if k != "seconds"}
        if isinstance(inner.get("points"), list):
            inner["points"] = table(inner["points"])
        return {key: each for key, each in inner.items() if key in PROMISED or each not in EMPTY}
    return [lean(each) for each in value] if isinstance(value, (list, tuple)) else value


def table(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The same with each field's name once, and once the values that are the same in all rows."""
    fields = list(dict.fromkeys(field for row in rows for field in row))
    missing: list[Any] = []
    same = {
        field: rows[0][field]
        for field in fields
        if len(rows) > 1 and all(row.get(field, missing) == rows[0].get(field) for row in rows)
    }
    fields = [field for field in fields if field not in same]
    found: dict[str, Any] = {"fields": fields}
    found["rows"] = [[row.get(field) for field in fields] for row in rows]
    return {**found, "same": same} if same else found


def untabled(value: Any) -> Any:
    """A committed document with its tables as entries again."""
    if isinstance(value, dict):
        if {"fields", "rows"} <= value.keys() <= {"fields", "rows", "same"}:
            fields, same = value["fields"], value.get("same", {})
            rows = [{**same, **dict(zip(fields, row, strict=True))} for row in value["rows"]]
            return [{k: v for k, v in row.items() if v is not None} for row in rows]
        return {key: untabled(each) for key, each in value.items()}
    return [untabled(each) for each in value] if isinstance(value, list) else value


def lines(value: Any, indent: str = "") -> str:
    """JSON with a line for each entry that fits on one, and for each list of numbers."""
    short = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    deep = isinstance(value, (dict, list)) and any(
        isinstance(inner, (dict, list, str))
        for inner in (value.values() if isinstance(value, dict) else value)
    )
    if not deep or (indent and len(short) <= WIDTH):
        return short
    deeper = indent + " "
    if isinstance(value, dict):
        inner = [f"{json.dumps(k)}:{lines(v, deeper)}" for k, v in value.items()]
    else:
        inner = [lines(v, deeper) for v in value]
    body = ",\n".join(deeper + line for line in inner)
    return f"{short[0]}\n{body}\n{indent}{short[-1]}"


class Made:
    """The record in a folder: digest and seconds by name, `claims/PAPER/ID` or `scaling/…`."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / ".made.json"
        try:
            known = json.loads(self.file.read_text("utf-8"))
            self.known = {str(k): (str(v[0]), float(v[1])) for k, v in known.items()}
        except (OSError, ValueError, LookupError, TypeError, AttributeError):
            self.known = {}

    def state(self, name: str, digest: str) -> State:
        """Whether a result is of the code with this digest."""
        if name not in self.known:
            return "unknown"
        return "current" if self.known[name][0] == digest else "stale"

    def seconds(self, name: str) -> float:
        return self.known.get(name, ("", 0.0))[1]


def record(folder: Path, made: Mapping[str, tuple[str, float]]) -> None:
    """Note by what digest, and in how many seconds, results in a folder were made."""
    before = Made(folder)
    known = {**before.known, **{name: (code, round(s, 2)) for name, (code, s) in made.items()}}
    text = ",\n".join(f" {json.dumps(k)}: {json.dumps(v)}" for k, v in known.items())
    folder.mkdir(parents=True, exist_ok=True)
    replace(before.file, "{\n" + text + "\n}\n")
