"""The result documents, each defined once: what the API returns is what a file is read as."""

from collections.abc import Callable
from typing import Any


def _unshown(document: dict[str, Any], form: str) -> str:
    raise LookupError(f"nothing renders results as {form}")


render: Callable[[dict[str, Any], str], str] = _unshown
"""Shows a document as "html" or "markdown". `dpaudit/__init__.py` puts the report's renderers here:
results know nothing of the report, which stands above them."""
