"""What the values of options may be, seen before anything is imported that takes time.

A value that no command can take is refused in milliseconds, also of an option that the command then
would not look at. What hangs on more than the value itself is the command's to say.
"""

from __future__ import annotations

import math
from argparse import Namespace

from dpaudit.errors import UsageError, check_address, check_count, check_number, shortened

INF = math.inf
COUNTS = {
    "arms": (1, 1024),
    "batch": (1, 2**62),
    "changed": (1, 2**62),
    "delay": (0, 2**62),
    "points": (1, 2**62),
    "rounds": (1, 10**6),
    "runs": (1, 2**62),
    "seed": (0, 2**62),
    "seeds": (1, 2**62),
    "workers": (1, 4096),
}
"""Whole numbers, by the option's name: from and to."""
NUMBERS = {
    "allow": (0.0, INF),
    "confidence": (0.0, 1.0),
    "delta": (0.0, 1.0),
    "epsilon": (0.0, INF),
    "eta": (0.0, INF),
    "gap": (-1.0, 1.0),
    "horizon": (1.0, INF),
    "longest": (0.0, INF),
    "rho": (0.0, INF),
    "seconds": (0.0, INF),
}
POSITIVE = ("eta", "longest", "rho", "seconds")
MOST_EPSILON = 700.0
"""Of a claim: beyond it, its odds are no number any more."""
OWN = {
    ("audit", "epsilon"): (0.0, MOST_EPSILON),
    ("bisect", "epsilon"): (0.0, MOST_EPSILON),
    ("wrap", "epsilon"): (0.0, MOST_EPSILON),
}
"""Of one command; these are claims, and positive."""
FEEDBACK = ("full-information", "bandit")
LISTS = ("means", "drift", "values", "worst")


def check_values(given: Namespace) -> None:
    """Refuse what is wrong for sure."""
    for name, value in vars(given).items():
        if value is None or value is False or value is True or name == "command":
            continue
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, str):
                _check(given.command, name, each)


def _check(command: str, name: str, text: str) -> None:
    if (command, name) in OWN or name in NUMBERS:
        low, high = OWN.get((command, name)) or NUMBERS[name]
        positive = (command, name) in OWN or name in POSITIVE
        check_number(name, text, low, high, low_open=positive, high_open=name == "delta")
    elif name in COUNTS:
        check_count(name, text, *COUNTS[name])
    elif name in LISTS:
        _check_list(name, text)
    elif name == "probabilities":
        for row in text.split(";"):
            _check_list(name, row)
    elif name == "param":
        if not text.partition("=")[0] or "=" not in text:
            raise UsageError(f"param: got {text!r}, allowed is NAME=VALUE")
    elif name == "scheduler":
        check_address(text)
    elif name == "feedback" and text not in FEEDBACK:
        shown = shortened(repr(text), 40)
        raise UsageError(f"feedback: got {shown}, allowed is {' or '.join(FEEDBACK)}")


def _check_list(name: str, text: str) -> None:
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        numbers = [math.nan]
    if not all(map(math.isfinite, numbers)):
        shown = shortened(text, 40)
        raise UsageError(f"{name}: got {shown!r}, allowed are numbers between commas")
