"""The upper end from a proof: the algorithm's own steps, run on symbols (`dpaudit.prover`).

Evidence that is committed or came with the package is taken where it is of these very steps;
otherwise the proof is made.
"""

from __future__ import annotations

import functools
import math
from typing import Any

from dpaudit.algorithm.contract import Algorithm
from dpaudit.errors import UsageError
from dpaudit.play.catalogue import in_catalogue, source_of
from dpaudit.play.tables import Configured
from dpaudit.results.audit import Guarantee, Upper
from dpaudit.results.proofs import ProofResult, known


def proved(who: Configured, claim: Guarantee, rounds: int) -> Upper | None:
    """What is proved of the releases in the claim's terms; infinite, with the line, where private
    data gets past them; None where nothing is proved."""
    algorithm, settings = who.algorithm, who.settings
    card = algorithm.card
    if claim.notion not in ("pure", "gdp"):
        return None
    usual = {p.name: card.fixed.get(p.name, p.default) for p in card.parameters}
    given = {n: settings[n] for n, value in usual.items() if settings[n] != value}
    result = _found(algorithm, source_of(algorithm), tuple(given.items()), rounds)
    if result is None or result.notion != claim.notion:
        return None
    if result.leak is not None:
        where = f"{result.leak.file}, line {result.leak.line}"
        how = f"none, and where it leaks: private data gets past the releases in {where}"
        return Upper(math.inf, how, proof=True)
    if result.bound is None:
        return None
    bound = result.bound * (float(settings["epsilon"]) if claim.notion == "pure" else 1.0)
    scope = "for every T" if result.rounds == "every" else f"to T = {result.rounds}"
    many = "every K" if result.arms == "every" else f"K = {result.arms}"
    how = f"proved {scope}: the algorithm's own steps on symbols, {many} and every table"
    return Upper(bound, how, proof=True)


@functools.lru_cache(maxsize=256)
def _found(
    algorithm: Algorithm, source: str, given: tuple[tuple[str, Any], ...], rounds: int
) -> ProofResult | None:
    if in_catalogue(algorithm) and not given:
        kept = known(algorithm.card.name, source)
        if kept is not None and (kept.bound is not None or kept.leak is not None):
            return kept
    try:
        from dpaudit.prover.prove import prove  # with the solver, which is not small
    except ImportError:
        return None
    try:
        return prove(algorithm, rounds=max(rounds, 2), **dict(given))
    except UsageError:
        return None
