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
from dpaudit.run.code import object_digest

ARRAYS = ("int16", "int64", "uint64", "float64", "bool")
Thing = TypeVar("Thing")


class Parcel:
    """What is packed: whether it can leave this process, and where its code is found elsewhere
    (a hint, which is not part of what it is)."""

    def __init__(self) -> None:
        self.stays = False
        self.where: dict[str, str] = {}


class Traveller(NamedTuple):
    """How a kind of object leaves, as plain data, and arrives."""

    leave: Callable[[Any, Parcel], Any]
    arrive: Callable[[Any, dict[str, str]], Any]


_known: dict[str, Traveller] = {}
_names: dict[Any, str] = {}


def traveller(thing: Any, home: str, leave: Any, arrive: Any) -> None:
    """Enter a class, or a function, under a name that begins with the module `home`."""
    name = f"{home}:{thing.__qualname__}"
    _names[thing] = name
    _known[name] = Traveller(leave, arrive)


def travels(thing: Thing, home: str = "") -> Thing:
    """Mark a dataclass, which goes field by field, or a function, which goes by its name; `home`
    is the module that marks it, if that is not its own."""
    made: Any = thing
    home = home or made.__module__
    if isinstance(thing, type):
        names = [field.name for field in dataclasses.fields(made) if field.init]

        def leave(value: Any, parcel: Parcel) -> Any:
            return {name: pack(getattr(value, name), parcel) for name in names}

        def arrive(plain: Any, where: dict[str, str]) -> Any:
            return made(**{name: unpack(part, where) for name, part in plain.items()})

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
        return pack_array(value)
    if isinstance(value, (list, tuple)):
        return [pack(part, parcel) for part in value]
    if isinstance(value, dict):
        return {str(name): pack(part, parcel) for name, part in value.items()}
    name = _names.get(value if isinstance(value, types.FunctionType) else type(value))
    if name is None:
        parcel.stays = True
        return {"stays": object_digest(value)}
    return {"is": name, "of": _known[name].leave(value, parcel)}


def unpack(plain: Any, where: dict[str, str]) -> Any:
    """The value again; `where` tells where its code may be found."""
    if isinstance(plain, list):
        return [unpack(part, where) for part in plain]
    if not isinstance(plain, dict):
        return plain
    if plain.keys() == {"dtype", "shape", "data"}:
        return unpack_array(plain)
    if plain.keys() == {"is", "of"}:
        return known(plain["is"]).arrive(plain["of"], where)
    return {name: unpack(part, where) for name, part in plain.items()}


def known(name: str) -> Traveller:
    """What is entered under a name; anything else is refused."""
    if name not in _known and name.startswith("dpaudit."):
        importlib.import_module(name.partition(":")[0])
    if name not in _known:
        raise UsageError(f"kind: unknown thing {name!r}")
    return _known[name]


def name_of(thing: Any) -> str:
    return _names[thing]


def pack_array(array: ArrayLike) -> dict[str, Any]:
    values = np.ascontiguousarray(array)
    data = base64.b64encode(zlib.compress(values.tobytes(), 1)).decode()
    return {"dtype": str(values.dtype), "shape": list(values.shape), "data": data}


def unpack_array(packed: dict[str, Any]) -> NDArray[Any]:
    """The array; only plain numbers are taken."""
    if packed["dtype"] not in ARRAYS:
        raise ValueError(f"an array of {packed['dtype']} is none of {', '.join(ARRAYS)}")
    data = zlib.decompress(base64.b64decode(packed["data"]))
    return np.frombuffer(data, packed["dtype"]).reshape(packed["shape"]).copy()
