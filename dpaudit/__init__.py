"""dpaudit: is a private bandit or online-learning algorithm as private and as good as it says?

The names below are loaded when they are first used; `import dpaudit` alone loads nothing heavy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dpaudit import results as _results
from dpaudit.errors import extras_for as _extras_for

if TYPE_CHECKING:
    from dpaudit.algorithm.card import Adjacency, Card, Line, Notion, Parameter, PrivacyClaim
    from dpaudit.algorithm.contract import Algorithm
    from dpaudit.auditor.auditing import audit
    from dpaudit.auditor.engines.black_box.mechanism import audit_mechanism
    from dpaudit.errors import UsageError
    from dpaudit.laboratory.studies import regret
    from dpaudit.machine import releases
    from dpaudit.play.catalogue import catalogue
    from dpaudit.play.environments import play_environment
    from dpaudit.play.learner import Learner, learner
    from dpaudit.play.tables import play_tables, trace
    from dpaudit.prover.prove import prove
    from dpaudit.results.audit import AuditResult, Guarantee
    from dpaudit.results.proofs import ProofResult
    from dpaudit.results.regret import RegretResult
    from dpaudit.run.runner import Runner

__version__ = "0.1.0"

_HOMES = {
    "dpaudit.algorithm.card": "Adjacency Card Line Notion Parameter PrivacyClaim",
    "dpaudit.algorithm.contract": "Algorithm",
    "dpaudit.auditor.auditing": "audit",
    "dpaudit.auditor.engines.black_box.mechanism": "audit_mechanism",
    "dpaudit.errors": "UsageError",
    "dpaudit.laboratory.studies": "regret",
    "dpaudit.machine": "releases",
    "dpaudit.play.catalogue": "catalogue",
    "dpaudit.play.environments": "play_environment",
    "dpaudit.play.learner": "Learner learner",
    "dpaudit.play.tables": "play_tables trace",
    "dpaudit.prover.prove": "prove",
    "dpaudit.results.audit": "AuditResult Guarantee",
    "dpaudit.results.proofs": "ProofResult",
    "dpaudit.results.regret": "RegretResult",
    "dpaudit.run.runner": "Runner",
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
    "ProofResult",
    "RegretResult",
    "Runner",
    "UsageError",
    "audit",
    "audit_mechanism",
    "catalogue",
    "learner",
    "play_environment",
    "play_tables",
    "prove",
    "regret",
    "releases",
    "trace",
]


if not TYPE_CHECKING:  # or every name would be there, and of any type

    def __getattr__(name: str) -> Any:
        for home, names in _HOMES.items():
            if name in names.split():
                # As `from home import name` does it, which loads a module of that name, too.
                with _extras_for(f"dpaudit.{name}"):
                    found = globals()[name] = getattr(__import__(home, fromlist=[name]), name)
                return found
        raise AttributeError(f"module 'dpaudit' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def _render(document: dict[str, Any], form: str) -> str:
    from dpaudit.report.notebook import FORMS

    return FORMS[form](document)


_results.render = _render
