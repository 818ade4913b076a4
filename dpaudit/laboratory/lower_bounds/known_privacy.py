"""What the committed audits and proofs say of a learner's privacy, taken where it is of its very
steps."""

from __future__ import annotations

import functools

from dpaudit.algorithm.card import Notion
from dpaudit.algorithm.contract import Algorithm
from dpaudit.play.catalogue import Target, in_catalogue, source_of
from dpaudit.results.audit import AuditResult
from dpaudit.results.comparison import Privacy
from dpaudit.results.documents import Catalogue, read
from dpaudit.results.made import committed
from dpaudit.results.proofs import ProofResult, known


def privacy_of(subject: Target, *, epsilon: float | None, arms: int, horizon: int) -> Privacy:
    """At these settings. The upper end is a proof's, for every number of rounds and arms or for
    these; the lower end is an audit's at the same epsilon, on fewer arms and rounds perhaps."""
    algorithm = subject.algorithm
    if algorithm is None:
        return Privacy(notion="unknown", claimed=epsilon, how="not audited")
    card = algorithm.card
    if card.privacy.notion == Notion.NONE:
        return Privacy(notion="none", claimed=None, how="no privacy is claimed")
    if card.privacy.notion == Notion.APPROXIMATE:
        # Its level is a composition over all rounds, which is not worked out here.
        how = f"{card.privacy.statement} is claimed: no epsilon without delta"
        return Privacy(notion="approximate", claimed=None, how=how)
    given = 1.0 if epsilon is None else epsilon
    claim = algorithm.claim(arms=arms, horizon=horizon, epsilon=given, given={})
    assert claim is not None
    level = claim[1]
    if card.privacy.notion == Notion.GDP:
        how = f"{level:.4g}-GDP is claimed: no epsilon without delta"
        return Privacy(notion="gdp", claimed=level, how=how)
    if epsilon is None or not in_catalogue(algorithm):
        return Privacy(notion="pure", claimed=level, how="not audited")
    proof = _known(algorithm.card.name, source_of(algorithm))
    if proof is None:
        return Privacy(notion="pure", claimed=level, how="not audited")
    upper = _upper(proof, arms, horizon)
    found = _audits(algorithm, epsilon)
    words = []
    best = max(found, key=lambda audit: audit.lower_bound, default=None)
    if best is not None:
        words.append(f"from below by an audit at K = {best.arms}, T = {best.rounds}")
    if upper is not None:
        upper *= epsilon
        words.append("from above by a proof")
    return Privacy(
        notion="pure",
        claimed=level,
        lower=None if best is None else best.lower_bound,
        upper=upper,
        how="; ".join(words) or "not audited at this epsilon",
    )


def _upper(proof: ProofResult, arms: int, horizon: int) -> float | None:
    """In multiples of epsilon."""
    if proof.notion != "pure" or proof.bound is None:
        return None
    counts = proof.arms if isinstance(proof.arms, list) else [proof.arms]
    many = proof.arms == "every" or arms in counts
    long = proof.rounds == "every" or (proof.rounds is not None and horizon <= proof.rounds)
    return proof.bound if many and long else None


def _audits(algorithm: Algorithm, epsilon: float) -> list[AuditResult]:
    """Of the entry as it is by default, at this epsilon."""
    return [
        audit
        for audit in _committed()
        if audit.target == algorithm.card.name
        and not audit.parameters
        and audit.claim.notion == "pure"
        and audit.epsilon == epsilon
    ]


_known = functools.cache(known)
"""Asked for at every point of a study."""


@functools.cache
def _committed() -> list[AuditResult]:
    documents = [read(file) for file in committed() if file.stem == "catalogue"]
    return [audit for d in documents if isinstance(d, Catalogue) for audit in d.audits]
