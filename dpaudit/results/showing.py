"""What every result document can do: be plain data, be JSON, and show itself in a notebook."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import numpy as np

from dpaudit import results


class Published(msgspec.Struct, frozen=True):
    """A published result; files have its fields in the order of their definition."""

    def public(self) -> dict[str, Any]:
        fields: dict[str, Any] = plain(self)
        return fields

    def json(self) -> str:
        return json.dumps(self.public(), indent=2, allow_nan=False)

    def _repr_html_(self) -> str:
        return results.render(self.public(), "html")

    def _repr_markdown_(self) -> str:
        return results.render(self.public(), "markdown")


def plain(document: msgspec.Struct) -> Any:
    """All fields as plain data; columns of numbers as lists."""
    return msgspec.to_builtins(document, enc_hook=np.ndarray.tolist)
