"""What steps can get hold of besides what they are handed: plain numbers, `math`, other such steps.

Whatever else a global name stands for may draw, remember, or look at the clock, and a law that is
derived from one run of it is not the law. So nothing is looked for: what is not known is refused.
"""

from __future__ import annotations

import builtins
import dis
import inspect
import math
import types
from collections import namedtuple
from collections.abc import Callable
from typing import Any, cast

import numpy as np

from dpaudit.machine.compiling import Function, deep_copy

BUILTINS = frozenset(
    "abs all any bool divmod enumerate float int len list max min pow range reversed round sorted "
    "sum tuple zip".split()
)
ARRAYS = frozenset(
    "all any arange argmax argmin argsort array clip concatenate copy count_nonzero cumprod "
    "cumsum diff dot eye flatnonzero float64 full full_like int64 linspace max mean median min "
    "nonzero ones ones_like outer prod repeat searchsorted sort sum where zeros zeros_like".split()
)
"""What numpy may be asked for besides its ufuncs and constants."""
ELSEWHERE = {
    "IMPORT_NAME": "an import of {}",
    "STORE_GLOBAL": "the global {} that it sets",
    "DELETE_GLOBAL": "the global {} that it deletes",
    "LOAD_BUILD_CLASS": "a class of its own",
    "BUILD_SET": "a set, whose order",
    "SET_ADD": "a set, whose order",
}
INSIDES = frozenset("ag_frame cr_frame ctypes gi_frame".split())
"""Attributes that lead to all globals, or to where a thing is kept."""
Row = namedtuple("Row", "field")
"""To see what a named tuple has."""


class Unfit(Exception):
    """What does not fit the mathematics, in words."""


def admitted(*steps: Callable[..., Any]) -> list[Function]:
    """Copies of steps of which `admit` refuses none, nor what they call."""

    def looked_at(function: Function) -> Function:
        admit(function)
        return function

    known: dict[Any, Any] = {}
    return [looked_at(deep_copy(cast(Function, step), looked_at, known)) for step in steps]


def admit(function: Function) -> None:
    """Refuses one that can get at chance, or keep anything, elsewhere than in its arguments. What
    it calls by a plain name is looked at by itself. Its global arrays cannot be written after."""
    if not all(_plain(value) for value in function.__defaults__ or ()):
        raise _otherwise(function, "an argument's default")
    _admit(function, function.__code__)


def _admit(function: Function, code: types.CodeType) -> None:
    found = [each for each in dis.get_instructions(code) if each.opname != "EXTENDED_ARG"]
    for each, behind in zip(found, [*found[1:], None], strict=True):
        asked = behind.argval if behind is not None and _attribute(behind) else ""
        if each.opname == "PUSH_EXC_INFO":
            raise Unfit(f"{function.__name__} catches errors, with them what is said here")
        if each.opname in ELSEWHERE:
            raise _otherwise(function, ELSEWHERE[each.opname].format(each.argval))
        if _attribute(each) and (str(each.argval).startswith("_") or each.argval in INSIDES):
            raise _otherwise(function, str(each.argval))
        if each.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            # A function that is not called there may be given attributes: a memory.
            called = each.opname == "LOAD_GLOBAL" and bool((each.arg or 0) & 1)
            _reached(function, str(each.argval), str(asked), called)
        if isinstance(each.argval, frozenset) and (
            behind is None or behind.opname != "CONTAINS_OP"
        ):
            raise _otherwise(function, ELSEWHERE["BUILD_SET"])
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            _admit(function, constant)
        # What a ufunc leaves out is memory as it was.
        elif constant == "where" or (isinstance(constant, tuple) and "where" in constant):
            raise _otherwise(function, "where=")


def _attribute(instruction: dis.Instruction) -> bool:
    return instruction.opname in ("LOAD_ATTR", "LOAD_METHOD")


def _reached(function: Function, name: str, asked: str, called: bool) -> None:
    if name not in function.__globals__:
        if name not in BUILTINS and (asked or not _error(getattr(builtins, name, None))):
            raise _otherwise(function, name)
        return
    value = function.__globals__[name]
    if value is math or value is np:
        held = getattr(value, asked, value) if asked else value
        if not (_plain(held) or _known(held)):
            raise _otherwise(function, f"{name}.{asked}".rstrip("."))
    elif type(value) is np.ndarray and value.dtype.kind in "bif":
        # In bytes, which no flag makes writeable.
        kept = np.ndarray(value.shape, value.dtype, value.tobytes())
        function.__globals__[name] = kept
    elif not (_plain(value) or _known(value) or (inspect.isfunction(value) and called)):
        raise _otherwise(function, f"{name}.{asked}".rstrip("."))


def _plain(value: Any) -> bool:
    """A number or a word that stays what it is, nothing, or some of them. What is derived from a
    number may do otherwise than numbers do."""
    if isinstance(value, tuple):
        return _is_row(type(value)) and all(_plain(each) for each in value)
    return value is None or type(value) in (bool, int, float, str, np.float64)


def _is_row(kind: type) -> bool:
    """Whether it is of tuples, which may be named, without code of its own."""
    return kind is tuple or (
        kind.__bases__ == (tuple,)
        and not any(
            name not in vars(Row) and type(held) is not type(vars(Row)["field"]) and _acts(held)
            for name, held in vars(kind).items()
        )
    )


def _acts(held: Any) -> bool:
    return callable(held) or hasattr(held, "__get__")


def _error(value: Any) -> bool:
    """Raised, it is refused."""
    return isinstance(value, type) and issubclass(value, Exception)


def _known(value: Any) -> bool:
    """A function of its arguments alone."""
    if isinstance(value, np.ufunc):
        return value is getattr(np, value.__name__, None)  # not one that was made of a function
    if isinstance(value, types.BuiltinFunctionType) and value.__self__ is math:
        return True
    return any(value is getattr(np, name) for name in ARRAYS)


def _otherwise(function: Function, what: str) -> Unfit:
    return Unfit(
        f"{function.__name__} uses {what}, with which it may draw by other means than the "
        "generator it is given"
    )
