"""The one kind of error that a user can cause: one line, naming the argument and what it may be."""

from __future__ import annotations

import contextlib
import difflib
import math
import os
import re
import stat
import sysconfig
import traceback
from collections.abc import Iterable, Iterator
from pathlib import Path

ADDRESS = re.compile(r"((tcp|tls|ws|wss|ucx)://[^\s:]+:\d{1,5}|inproc://\S+)$")
MOST_BYTES = 1 << 30
"""Of a file that is read whole."""
LONGEST = 200
"""Characters of a line that says what is wrong."""


EXTRAS = {
    "numba": ("numba", "contract"),
    "flint": ("python-flint", "contract"),
    "z3": ("z3-solver", "contract"),
    "sympy": ("sympy", "laws"),
    "mpmath": ("mpmath", "laws"),
    "statsmodels": ("statsmodels", "laws"),
    "matplotlib": ("matplotlib", "report"),
    "PIL": ("matplotlib", "report"),
    "hypothesis": ("hypothesis", "strategies"),
}
"""By the module that is not there, its package and the extra that brings it."""


OURS = f"{Path(__file__).parent}{os.sep}"
LIBRARIES = tuple({sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib")})
POSIX = ("fcntl", "resource")
"""Modules that Windows has not."""


class UsageError(ValueError):
    """Bad input. The message is one line; the command line prints it and exits with 2."""


def one_line(error: BaseException, most: int = LONGEST) -> str:
    """What an error says, on one line and at most so long."""
    return " ".join(str(error).split())[:most]


def shortened(text: str, most: int = LONGEST) -> str:
    """The text on one line, without its middle where it is too long: the end says what is
    allowed."""
    text = " ".join(text.split())
    if len(text) <= most:
        return text
    kept = most - 3
    return f"{text[: kept // 2]}...{text[len(text) - (kept - kept // 2) :]}"


def check_number(
    name: str,
    value: object,
    low: float,
    high: float,
    *,
    low_open: bool = False,
    high_open: bool = False,
) -> float:
    """Return `value` as a float, or say in one line why it is not in the allowed range."""
    left, right = "(" if low_open else "[", ")" if high_open or math.isinf(high) else "]"
    allowed = f"a number in {left}{low:g}, {high:g}{right}"
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise UsageError(f"{name}: got {_seen(value)}, allowed is {allowed}") from None
    too_low = number <= low if low_open else number < low
    too_high = number >= high if high_open else number > high
    if not math.isfinite(number) or too_low or too_high:
        raise UsageError(f"{name}: got {_seen(value)}, allowed is {allowed}")
    return number


def check_count(name: str, value: object, low: int = 1, high: int = 2**62) -> int:
    """Return `value` as an int (1e6 and "1e6" are fine, 1.5 is not)."""
    if isinstance(value, str):
        with contextlib.suppress(ValueError):
            value = int(value)
    number = check_number(name, value, low, high)
    if number != int(number):
        raise UsageError(
            f"{name}: got {_seen(value)}, allowed is a whole number in [{low}, {high:g}]"
        )
    return value if isinstance(value, int) else int(number)


@contextlib.contextmanager
def extras_for(who: str, extra: str = "") -> Iterator[None]:
    """What is not installed is asked for by name, with the extra that brings it, or the one that
    brings all that is needed."""
    try:
        yield
    except ImportError as error:
        if error.name in POSIX:
            raise UsageError(f"{who} needs a system with {error.name}: on Windows, WSL") from None
        package, brings = EXTRAS.get(str(error.name).partition(".")[0], ("", ""))
        if not package:
            raise
        wanted = f"{who} needs {package}: pip install 'dpaudit[{extra or brings}]'"
        raise UsageError(wanted) from None


@contextlib.contextmanager
def in_strangers_code() -> Iterator[None]:
    """What somebody else's code raises, and what numba says of a step that it cannot compile, in
    one line with that code's own. What our code raises stays as it is."""
    try:
        yield
    except (UsageError, Unfinished):
        raise
    except Exception as error:
        if type(error).__module__.startswith("numba.core.errors"):
            raise UsageError(_not_compiled(str(error))) from None
        last = last_line(error)
        if last.filename.startswith(OURS) or _library(last.filename):
            raise
        where = f"{Path(last.filename).name}, line {last.lineno}"
        raise UsageError(f"{where}: raised {type(error).__name__}: {one_line(error)}") from None


def last_line(error: BaseException) -> traceback.FrameSummary:
    """Where an error comes from: the last line, on its way, of somebody's code or of ours; what a
    library does inside is nobody's here. Of a library alone, its own last."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [f for f in frames if f.filename.startswith(OURS) or not _library(f.filename)]
    return (own or frames)[-1]


def _library(filename: str) -> bool:
    return filename.startswith((*LIBRARIES, "<"))


def _not_compiled(said: str) -> str:
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    why = next((line for line in lines if not line.startswith("Failed in")), lines[0])
    places = re.findall(r'File "([^"]+)", line (\d+)', said)
    where = f"{Path(places[0][0]).name}, line {places[0][1]}: " if places else ""
    return f"{where}numba does not compile this step ({why})"


def _seen(value: object) -> str:
    """What was given, as it was given, but short."""
    return shortened(repr(value), 60)


def read_bytes(path: str | Path, name: str) -> bytes:
    """What stands in a file that somebody named; only a file is read, and no endless one."""
    try:
        about = Path(path).stat()
        if not stat.S_ISREG(about.st_mode):
            raise UsageError(f"{shortened(name, 80)}: cannot be read (not a file)")
        if about.st_size > MOST_BYTES:
            raise UsageError(f"{shortened(name, 80)}: cannot be read (more than 1 GB)")
        return Path(path).read_bytes()
    except OSError as error:
        raise UsageError(f"{shortened(name, 80)}: cannot be read ({error.strerror})") from None


def check_address(address: str) -> str:
    """The address of a scheduler, if it is one."""
    if not ADDRESS.match(address):
        shown = shortened(address, 60)
        raise UsageError(
            f"scheduler: got {shown!r}, allowed is an address such as tcp://127.0.0.1:8786"
        )
    return address


def unknown(kind: str, given: str, known: Iterable[str]) -> UsageError:
    """The error for a name nobody knows, with the nearest known ones."""
    names = sorted(known)
    near = difflib.get_close_matches(given, names, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}?" if near else f"known: {_some(names)}"
    return UsageError(f"{kind}: unknown name {shortened(given, 40)!r}; {hint}")


def _some(names: list[str], most: int = 80) -> str:
    """As many as there is room for, and how many more there are."""
    text = ", ".join(names)
    if len(text) <= most:
        return text
    shown = text[:most].count(",")
    return f"{', '.join(names[:shown])} and {len(names) - shown} more"


class Unfinished(RuntimeError):
    """The work could not be ended, through nobody's input: a full disk, a cluster that is gone. The
    message is one line; the command line prints it and exits with 3."""
