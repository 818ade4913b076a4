"""What steps can get hold of besides what they are handed: plain numbers, `math`, other such steps.

Whatever else a global name stands for may draw, remember, or look at the clock, and a law that is
derived from one run of it is not the law. So nothing is looked for: what is not known is refused.
"""

from __future__ import annotations

import dis
import inspect
import math
import types
from typing import Any

import numpy as np

from dpaudit.auditor.engines.exact.steps.forms import Unfit
from dpaudit.machine.compiling import Function

BUILTINS = frozenset(
    "abs all any bool divmod enumerate float int len list max min pow range reversed round sorted "
    "sum tuple zip".split()
)
ARRAYS = frozenset(
    "all any arange argmax argmin argsort array clip cumsum dot float64 full int64 max mean min "
    "ones sort sum where zeros".split()
)
"""What numpy may be asked for besides its ufuncs and constants."""
ELSEWHERE = {
    "IMPORT_NAME": "an import of {}",
    "STORE_GLOBAL": "the global {} that it sets",
    "DELETE_GLOBAL": "the global {} that it deletes",
    "LOAD_BUILD_CLASS": "a class of its own",
}


def admit(function: Function) -> None:
    """Refuses one that can get at chance, or keep anything, elsewhere than in its arguments. What
    it calls by a plain name is looked at by itself. Its global arrays cannot be written after."""
    if any(each.opname == "PUSH_EXC_INFO" for each in dis.get_instructions(function)):
        raise Unfit(f"{function.__name__} catches errors, with them what is said here")
    if not all(_plain(value) for value in function.__defaults__ or ()):
        raise _otherwise(function, "an argument's default")
    _admit(function, function.__code__)


def _admit(function: Function, code: types.CodeType) -> None:
    found = [each for each in dis.get_instructions(code) if each.opname != "EXTENDED_ARG"]
    for each, behind in zip(found, [*found[1:], None], strict=True):
        asked = behind.argval if behind is not None and _attribute(behind) else ""
        if each.opname in ELSEWHERE:
            raise _otherwise(function, ELSEWHERE[each.opname].format(each.argval))
        if _attribute(each) and str(each.argval).startswith("_"):
            raise _otherwise(function, str(each.argval))
        if each.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            _reached(function, str(each.argval), str(asked))
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            _admit(function, constant)


def _attribute(instruction: dis.Instruction) -> bool:
    return instruction.opname in ("LOAD_ATTR", "LOAD_METHOD")


def _reached(function: Function, name: str, asked: str) -> None:
    if name not in function.__globals__:
        if name not in BUILTINS:
            raise _otherwise(function, name)
        return
    value = function.__globals__[name]
    if value is math or value is np:
        held = getattr(value, asked, None) if asked else None
        if not (_plain(held) or _known(held, asked)):
            raise _otherwise(function, f"{name}.{asked}".rstrip("."))
    elif isinstance(value, np.ndarray) and value.dtype.kind in "bif":
        function.__globals__[name] = kept = value.copy()
        kept.flags.writeable = False
    elif not (_plain(value) or _known(value, name) or (inspect.isfunction(value) and not asked)):
        raise _otherwise(function, f"{name}.{asked}".rstrip("."))


def _plain(value: Any) -> bool:
    """A number or a word that stays what it is, or some of them. Nothing is none."""
    if isinstance(value, tuple):
        return all(_plain(each) for each in value)
    return isinstance(value, (bool, int, float, str))


def _known(value: Any, name: str) -> bool:
    """A function of its arguments alone."""
    if isinstance(value, np.ufunc):
        return True
    of_numpy = name in ARRAYS and value is getattr(np, name)
    return of_numpy or (isinstance(value, types.BuiltinFunctionType) and value.__self__ is math)


def _otherwise(function: Function, what: str) -> Unfit:
    return Unfit(
        f"{function.__name__} uses {what}, with which it may draw by other means than the "
        "generator it is given"
    )
