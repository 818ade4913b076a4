"""The reference of the guide: every public name with its types and its docstring, and an example.

    python -m tests.guide.reference     writes dpaudit/guide/api.md anew

Types and words are those of the code. The examples stand in the page itself, where they are
written, and run by tests/house/test_readme.py; a name that is new gets an empty one.
"""

from __future__ import annotations

import dataclasses
import enum
import inspect
import re
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dpaudit
import dpaudit.adapters
import dpaudit.strategies
import dpaudit.testing
from dpaudit.machine import releases

PAGE = Path(__file__).parents[2] / "dpaudit" / "guide" / "api.md"
WIDTH = 96
START = """# The Python names

Every public name with its types, from the code itself. `import dpaudit` loads nothing heavy: each
name is loaded when it is first used.
"""


def own_names(module: types.ModuleType) -> list[str]:
    """Public names that a module defines itself."""
    return [
        name
        for name, thing in vars(module).items()
        if not name.startswith("_") and getattr(thing, "__module__", "") == module.__name__
    ]


PUBLIC: dict[str, tuple[str, Any, list[str]]] = {
    "dpaudit": (
        "Audits, proofs, regret, plays, and what they are made of.",
        dpaudit,
        [name for name in dpaudit.__all__ if name != "releases"],
    ),
    "dpaudit.machine.releases": (
        "The doors through which an algorithm's private data may leave, `dpaudit.releases`.",
        releases,
        ["laplace", "gaussian", "noisy_argmax", "unprotected"],
    ),
    "dpaudit.adapters": (
        "Learner classes of other people's code: [adapters](adapters.md).",
        dpaudit.adapters,
        list(dpaudit.adapters.__all__),
    ),
    "dpaudit.testing": ("For your own suite.", dpaudit.testing, ["check_learner"]),
    "dpaudit.strategies": (
        "For Hypothesis.",
        dpaudit.strategies,
        [n for n in own_names(dpaudit.strategies) if n[0].islower() or n[0].isupper()],
    ),
}
"""Rooms with what they are for and the names that are public there."""
PACKAGES = ("from_mabwiser", "from_obp", "from_river", "from_smpybandits")
"""Whose examples need packages of others: `make libraries` runs them."""


def typed(annotation: Any) -> str:
    """A type as the code writes it."""
    if isinstance(annotation, str):
        return annotation
    if annotation is None or annotation is type(None):
        return "None"
    if isinstance(annotation, type) and not isinstance(annotation, types.GenericAlias):
        return annotation.__name__
    found = re.sub(r"ForwardRef\('(\w+)'\)", r"\1", str(annotation))
    return re.sub(r"\b(?:\w+\.)+(\w+)", r"\1", found)


def parameters(thing: Any) -> Iterator[str]:
    """Each with its type and default."""
    star = False
    for each in inspect.signature(thing).parameters.values():
        if each.kind == each.KEYWORD_ONLY and not star:
            star = True
            yield "*"
        mark = {each.VAR_POSITIONAL: "*", each.VAR_KEYWORD: "**"}.get(each.kind, "")
        star = star or each.kind == each.VAR_POSITIONAL
        text = f"{mark}{each.name}"
        if each.annotation is not each.empty:
            text += f": {typed(each.annotation)}"
        if each.default is not each.empty:
            text += f" = {default(each.default)}"
        if each.name != "self":
            yield text


def default(value: Any) -> str:
    """Without addresses."""
    if inspect.isfunction(value):
        return value.__name__
    if isinstance(value, enum.Enum):
        return str(value)
    text = repr(value)
    return "..." if "<" in text else text


def signature(name: str, thing: Any, width: int = WIDTH) -> str:
    """As it would be written, a parameter a line where it is long."""
    if isinstance(thing, type) and issubclass(thing, enum.Enum):
        return "\n".join([f"class {name}:", *(f"    {m.name} = {m.value!r}" for m in thing)])
    if isinstance(thing, type) and (issubclass(thing, Exception) or _protocol(thing)):
        bases = ", ".join(base.__name__ for base in thing.__bases__ if base is not object)
        return f"class {name}({bases})"
    end = ""
    if not isinstance(thing, type):
        end = f" -> {typed(inspect.signature(thing).return_annotation)}"
    words = list(parameters(thing))
    start = f"class {name}" if isinstance(thing, type) else name
    line = f"{start}({', '.join(words)}){end}"
    if len(line) <= width:
        return line
    return "\n".join([f"{start}(", *(f"    {word}," for word in words), f"){end}"])


def _protocol(thing: type) -> bool:
    return bool(getattr(thing, "_is_protocol", False))


def methods(thing: Any) -> Iterator[str]:
    """Public methods and properties of a class that have something to say."""
    if not isinstance(thing, type) or issubclass(thing, enum.Enum):
        return
    fields = set(getattr(thing, "__struct_fields__", ()))
    if dataclasses.is_dataclass(thing):
        fields |= {field.name for field in dataclasses.fields(thing)}
    for name, member in vars(thing).items():
        if isinstance(member, classmethod):
            continue
        inner = member.fget if isinstance(member, property) else member
        words = inspect.getdoc(inner) if inspect.isfunction(inner) else None
        if not name.startswith("_") and words and name not in fields:
            shown = (
                f".{name}" if isinstance(member, property) else f".{signature(name, inner, 1000)}"
            )
            yield f"- `{shown}`: {' '.join(words.split())}"


def said(thing: Any) -> str:
    """The docstring, of the thing itself and not of what it inherits from."""
    words = thing.__doc__ if not isinstance(thing, type) else vars(thing).get("__doc__")
    if (
        isinstance(thing, type)
        and dataclasses.is_dataclass(thing)
        and str(words).startswith(f"{thing.__name__}(")
    ):
        return ""
    return inspect.cleandoc(words or "")


def examples() -> dict[str, str]:
    """Those that are in the page, by name, fences and all."""
    if not PAGE.exists():
        return {}
    found = {}
    for section in re.split(r"(?m)^(?=### )", PAGE.read_text()):
        name = re.match(r"### `(\w+)`", section)
        blocks = re.findall(r"^```\w+\n.*?^```", section, re.S | re.M)
        if name and len(blocks) > 1:
            found[name[1]] = blocks[-1]
    return found


def page(kept: dict[str, str]) -> str:
    """The whole page, with these examples."""
    parts = [START]
    for room, (words, module, names) in PUBLIC.items():
        parts.append(f"## {room}\n\n{words}\n")
        for name in names:
            thing = getattr(module, name)
            shown = signature(name, thing).replace("'", '"')  # as the formatter has it
            parts.append(f"### `{name}`\n\n```py\n{shown}\n```\n")
            parts += [f"{said(thing)}\n"] if said(thing) else []
            parts += ["\n".join(methods(thing)) + "\n"] if list(methods(thing)) else []
            parts += [kept[name] + "\n"] if name in kept else []
    return "\n".join(parts)


def main() -> None:
    """Write the page anew."""
    PAGE.write_text(page(examples()))
    missing = [n for _, _, names in PUBLIC.values() for n in names if n not in examples()]
    print(f"{PAGE}: {'without an example: ' + ', '.join(missing) if missing else 'complete'}")


if __name__ == "__main__":
    main()
