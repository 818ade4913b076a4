"""dpaudit: is a private bandit or online-learning algorithm as private and as good as it says?

The names below are loaded when they are first used; `import dpaudit` alone loads nothing heavy.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dpaudit.auditor.auditing import audit as audit
    from dpaudit.auditor.auditing import audit_mechanism as audit_mechanism
    from dpaudit.errors import UsageError as UsageError
    from dpaudit.laboratory.studies import regret as regret
    from dpaudit.play.catalogue import catalogue as catalogue
    from dpaudit.play.environments import play_environment as play_environment
    from dpaudit.play.learner import learner as learner
    from dpaudit.play.tables import play_tables as play_tables
    from dpaudit.play.tables import trace as trace

__version__ = "0.1.0"

_HOMES = {
    "audit": "dpaudit.auditor.auditing",
    "audit_mechanism": "dpaudit.auditor.auditing",
    "UsageError": "dpaudit.errors",
    "catalogue": "dpaudit.play.catalogue",
    "learner": "dpaudit.play.learner",
    "play_environment": "dpaudit.play.environments",
    "play_tables": "dpaudit.play.tables",
    "regret": "dpaudit.laboratory.studies",
    "trace": "dpaudit.play.tables",
}
__all__ = [
    "UsageError",
    "audit",
    "catalogue",
    "learner",
    "play_environment",
    "play_tables",
    "regret",
    "trace",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'dpaudit' has no attribute {name!r}")
