"""What a journal is of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dpaudit.run.runner import current

if TYPE_CHECKING:
    from dpaudit.auditor.auditing import Request


def bind(request: Request, how: list[Any]) -> None:
    """Say what is audited, so that another audit's journal is refused."""
    size = [request.arms, request.rounds, request.runs, request.seconds, request.seed]
    asked = {
        "target": request.target,
        "claim": request.claim,
        "settings": [request.epsilon, request.parameters],
        "size": size,
        "how": how,
    }
    current(request.workers).bind(f"audit {request.target.name}", asked)
