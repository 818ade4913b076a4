"""Objects as plain data, and back: for what leaves this process, and for nothing else.

A class or function that may be told to another process is marked with `@travels`, or entered with
`traveller` where it is not simply the sum of its fields. What is read back names one of these and
no other: its module is imported if it is one of dpaudit's, and nothing is executed or unpickled.
An object that is not marked stays in its process.
"""

from __future__ import annotations

import base64
import dataclasses
import importlib
import types
import zlib
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpaudit.errors import UsageError
from dpaudit.run.code import held, object_digest

ARRAYS = ("int16", "int64", "uint64", "float64", "bool")
Thing = TypeVar("Thing")


class Parcel:
    """What goes along with plain data: whether it can leave this process at all; where its code is
    found elsewhere (a hint, which is not part of what it is); and, between a process and its own
    child, the bytes of its arrays apart."""

    def __init__(
        self, where: dict[str, str] | None = None, frames: list[bytes] | None = None
    ) -> None:
        self.stays = False
        self.untold = ""
        """What in it cannot be told from another's, if anything."""
        self.where: dict[str, str] = {} if where is None else where
        self.frames = frames


class Traveller(NamedTuple):
    """How a kind of object leaves, as plain data, and arrives."""

    leave: Callable[[Any, Parcel], Any]
    arrive: Callable[[Any, Parcel], Any]


_known: dict[str, Traveller] = {}
_names: dict[Any, str] = {}


def traveller(thing: Any, home: str, leave: Any, arrive: Any) -> None:
    """Enter a class, or a function, under a name that begins with the module `home`."""
    name = f"{home}:{thing.__qualname__}"
    _names[thing] = name
    _known[name] = Traveller(leave, arrive)


def travels(thing: Thing, home: str = "") -> Thing:
    """Mark a dataclass or struct, which goes field by field, or a function, which goes by its name.
    `home` is the module that marks it, if that is not its own."""
    made: Any = thing
    home = home or made.__module__
    if isinstance(thing, type):
        names = getattr(made, "__struct_fields__", None) or [
            f.name for f in dataclasses.fields(made)
        ]

        def leave(value: Any, parcel: Parcel) -> Any:
            return {name: pack(getattr(value, name), parcel) for name in names}

        def arrive(plain: Any, parcel: Parcel) -> Any:
            return made(**{name: unpack(part, parcel) for name, part in plain.items()})

        traveller(made, home, leave, arrive)
    else:
        traveller(made, home, lambda *_: None, lambda *_: made)
    return thing


def pack(value: Any, parcel: Parcel) -> Any:
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (np.integer, np.floating, np.bool_)):
        return value.item()
    if isinstance(value, np.ndarray):
        return pack_array(value, parcel.frames)
    if isinstance(value, (list, tuple)):
        return [pack(part, parcel) for part in value]
    if isinstance(value, dict):
        return {str(name): pack(part, parcel) for name, part in value.items()}
    name = _names.get(value if isinstance(value, types.FunctionType) else type(value))
    if name is None:
        parcel.stays = True
        holds, untold = held(value)
        parcel.untold = parcel.untold or untold
        return {"stays": object_digest(value), "holds": holds}
    return {"is": name, "of": _known[name].leave(value, parcel)}


def unpack(plain: Any, parcel: Parcel) -> Any:
    """The value again."""
    if isinstance(plain, list):
        return [unpack(part, parcel) for part in plain]
    if not isinstance(plain, dict):
        return plain
    if plain.keys() == {"dtype", "shape", "data"}:
        return unpack_array(plain, parcel.frames)
    if plain.keys() == {"is", "of"}:
        return known(plain["is"]).arrive(plain["of"], parcel)
    return {name: unpack(part, parcel) for name, part in plain.items()}


def known(name: str) -> Traveller:
    """What is entered under a name; anything else is refused."""
    if name not in _known and name.startswith("dpaudit."):
        importlib.import_module(name.partition(":")[0])
    if name not in _known:
        raise UsageError(f"kind: unknown thing {name!r}")
    return _known[name]


def name_of(thing: Any) -> str:
    return _names[thing]


def pack_array(array: ArrayLike, frames: list[bytes] | None = None) -> dict[str, Any]:
    values = np.ascontiguousarray(array)
    data: str | int
    if frames is None:
        data = base64.b64encode(zlib.compress(values.tobytes(), 1)).decode()
    else:
        data = len(frames)
        frames.append(values.tobytes())
    return {"dtype": str(values.dtype), "shape": list(values.shape), "data": data}


def unpack_array(packed: dict[str, Any], frames: list[bytes] | None = None) -> NDArray[Any]:
    """The array; only plain numbers are taken."""
    if packed["dtype"] not in ARRAYS:
        raise ValueError(f"an array of {packed['dtype']} is none of {', '.join(ARRAYS)}")
    kept = packed["data"]
    data = zlib.decompress(base64.b64decode(kept)) if frames is None else frames[kept]
    values = np.frombuffer(data, packed["dtype"]).reshape(packed["shape"])
    # What a task is given must be writable: compiled code would be compiled again for what is not.
    return values.copy() if frames is None else values
