"""dpaudit: is a private bandit or online-learning algorithm as private and as good as it says?

The names below are loaded when they are first used; `import dpaudit` alone loads nothing heavy.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from dpaudit import results as _results

if TYPE_CHECKING:
    from dpaudit.algorithm.card import Adjacency, Card, Line, Notion, Parameter, PrivacyClaim
    from dpaudit.algorithm.contract import Algorithm
    from dpaudit.auditor.auditing import audit, audit_mechanism
    from dpaudit.errors import UsageError
    from dpaudit.laboratory.studies import regret
    from dpaudit.machine import releases
    from dpaudit.play.catalogue import catalogue
    from dpaudit.play.environments import play_environment
    from dpaudit.play.learner import Learner, learner
    from dpaudit.play.tables import play_tables, trace
    from dpaudit.results.audit import AuditResult, Guarantee
    from dpaudit.results.regret import RegretResult
    from dpaudit.run.runner import Runner

__version__ = "0.1.0"

_HOMES = {
    "Adjacency": "dpaudit.algorithm.card:Adjacency",
    "Algorithm": "dpaudit.algorithm.contract:Algorithm",
    "AuditResult": "dpaudit.results.audit:AuditResult",
    "Card": "dpaudit.algorithm.card:Card",
    "Guarantee": "dpaudit.results.audit:Guarantee",
    "Learner": "dpaudit.play.learner:Learner",
    "Line": "dpaudit.algorithm.card:Line",
    "Notion": "dpaudit.algorithm.card:Notion",
    "Parameter": "dpaudit.algorithm.card:Parameter",
    "PrivacyClaim": "dpaudit.algorithm.card:PrivacyClaim",
    "RegretResult": "dpaudit.results.regret:RegretResult",
    "Runner": "dpaudit.run.runner:Runner",
    "UsageError": "dpaudit.errors:UsageError",
    "audit": "dpaudit.auditor.auditing:audit",
    "audit_mechanism": "dpaudit.auditor.auditing:audit_mechanism",
    "catalogue": "dpaudit.play.catalogue:catalogue",
    "learner": "dpaudit.play.learner:learner",
    "play_environment": "dpaudit.play.environments:play_environment",
    "play_tables": "dpaudit.play.tables:play_tables",
    "regret": "dpaudit.laboratory.studies:regret",
    "releases": "dpaudit.machine.releases:",
    "trace": "dpaudit.play.tables:trace",
}
__all__ = [
    "Adjacency",
    "Algorithm",
    "AuditResult",
    "Card",
    "Guarantee",
    "Learner",
    "Line",
    "Notion",
    "Parameter",
    "PrivacyClaim",
    "RegretResult",
    "Runner",
    "UsageError",
    "audit",
    "audit_mechanism",
    "catalogue",
    "learner",
    "play_environment",
    "play_tables",
    "regret",
    "releases",
    "trace",
]


if not TYPE_CHECKING:  # or every name would be there, and of any type

    def __getattr__(name: str) -> Any:
        if name not in _HOMES:
            raise AttributeError(f"module 'dpaudit' has no attribute {name!r}")
        module, _, attribute = _HOMES[name].partition(":")
        found = importlib.import_module(module)
        globals()[name] = getattr(found, attribute) if attribute else found
        return globals()[name]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def _render(document: dict[str, Any], form: str) -> str:
    from dpaudit.report.notebook import FORMS

    return FORMS[form](document)


_results.render = _render
