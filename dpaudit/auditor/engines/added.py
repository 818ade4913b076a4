"""Engines that an audit does not choose by itself, found by standing here.

A module or room of this folder that defines `lower(request, alpha)` is one, and its name is that of
the module, with - for _. It gives back a `Lower` and a note, and uses up `alpha`. An audit runs it
where it is asked for.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from typing import Any

from dpaudit.auditor import engines


def added() -> dict[str, Callable[..., Any]]:
    """Their functions by name."""
    found = {}
    for module in pkgutil.iter_modules(engines.__path__):
        there = importlib.import_module(f"{engines.__name__}.{module.name}")
        if hasattr(there, "lower"):
            found[module.name.replace("_", "-")] = there.lower
    return found
