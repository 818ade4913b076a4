"""Who may name whom, room by room. What is not listed here is forbidden.

A room is a folder of `dpaudit`, `algorithms` and `proofs_checks` among them, or a module that
stands in `dpaudit` itself. `dpaudit` is the public names of its `__init__`.
"""

ALLOWED = {
    # What people call.
    "__main__": "cli run",
    "cli": "guide adapters report results prover auditor laboratory ledger kernel optimal curves "
    "recheck digests play run machine algorithm papers paper_rooms config errors",
    "dpaudit": "report results prover auditor laboratory play run machine algorithm errors",
    "pytest_plugin": "dpaudit results play config errors",
    "testing": "play run machine algorithm errors",
    "adapters": "play run errors",
    "strategies": "results errors",
    "config": "errors",
    # What is shown.
    "report": "guide results papers errors",
    "guide": "",
    "results": "papers errors",
    # What finds results.
    "auditor": "results digests prover play run machine algorithm errors",
    "prover": "results play run machine algorithm errors",
    "laboratory": "results digests paper_rooms papers play run machine algorithm errors",
    "curves": "results play algorithm errors",
    "optimal": "results laboratory recheck play algorithm errors",
    "ledger": "results auditor prover recheck digests paper_rooms papers play run errors",
    "kernel": "results ledger recheck errors",
    "recheck": "play",
    "digests": "play paper_rooms papers errors",
    "paper_rooms": "papers",
    # What plays.
    "play": "run machine algorithm algorithms papers errors",
    "run": "errors",
    "machine": "algorithm errors",
    "algorithm": "papers errors",
    "papers": "errors",
    "errors": "",
    # What the papers say and prove.
    "algorithms": "algorithm machine papers",
    "proofs_checks": "ledger laboratory results papers machine",
}
FOUND = {("paper_rooms", "proofs_checks")}
"""The papers' rooms are found by being there, at this one place: nothing names a paper. It is the
only edge against the arrows, and so the search for circles leaves it out."""
NARROW = {
    ("adapters", "play"): {"dpaudit.play.kinds.setting"},
    ("optimal", "recheck"): {"dpaudit.recheck.optima"},
    ("ledger", "auditor"): {"dpaudit.auditor.statistics"},
    ("ledger", "prover"): {"dpaudit.prover.prove"},
    ("pytest_plugin", "play"): {"dpaudit.play.isolated"},
    ("recheck", "play"): {
        "dpaudit.play.tables",
        "dpaudit.play.environments",
        "dpaudit.play.catalogue",
    },
}
"""Edges that may name these modules only: the ledger's samples are judged by the audit's tests, its
theorems of privacy by proofs, and the checker plays again what was played. What a learner may
publish is listed once. A replay names a class as its module does."""
