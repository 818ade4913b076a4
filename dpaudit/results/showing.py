"""What every result document can do: be plain data, be JSON, and show itself in a notebook."""

from __future__ import annotations

import json
from typing import Any, ClassVar

import msgspec
import numpy as np

from dpaudit import results


class Published(msgspec.Struct, frozen=True):
    """A published result. `ORDER` names the fields in the order in which files have them; pages
    embed them in the order of their definition."""

    ORDER: ClassVar[str] = ""

    def public(self) -> dict[str, Any]:
        fields = plain(self)
        return {name: fields[name] for name in self.ORDER.split()}

    def json(self) -> str:
        return json.dumps(self.public(), indent=2, allow_nan=False)

    def _repr_html_(self) -> str:
        return results.render(self.public(), "html")

    def _repr_markdown_(self) -> str:
        return results.render(self.public(), "markdown")


def plain(document: msgspec.Struct) -> Any:
    """All fields as plain data; columns of numbers as lists."""
    return msgspec.to_builtins(document, enc_hook=np.ndarray.tolist)
