"""How results show themselves in a notebook."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any


class Shown(ABC):
    """A result that is published as plain data and rendered from that."""

    @abstractmethod
    def public(self) -> dict[str, Any]:
        """As plain data, in the published schema."""

    def _repr_html_(self) -> str:
        from dpaudit.report.notebook import html_of

        return html_of(self.public())

    def _repr_markdown_(self) -> str:
        from dpaudit.report.notebook import markdown_of

        return markdown_of(self.public())
