"""The upper end from a proof: the algorithm's own steps, run on symbols (`dpaudit.prover`).

Evidence that is committed or came with the package is taken where it is of these very steps;
otherwise the proof is made.
"""

from __future__ import annotations

import functools
import math
from dataclasses import replace
from typing import Any, Literal

import msgspec

from dpaudit.algorithm.contract import Algorithm
from dpaudit.auditor.accountant import implied
from dpaudit.errors import UsageError
from dpaudit.play.catalogue import Target, catalogue, find, in_catalogue, source_of
from dpaudit.play.tables import Configured
from dpaudit.results.audit import AuditResult, Guarantee
from dpaudit.results.claimed import RENYI
from dpaudit.results.found import Lower, Upper
from dpaudit.results.proofs import ProofResult, known
from dpaudit.results.proofs.mending import Mend, mends


def proved(who: Configured, claim: Guarantee, rounds: int) -> Upper | None:
    """What is proved of the releases in the claim's terms, or follows in these from what is;
    infinite, with the line, where private data gets past them; None where nothing is proved."""
    algorithm, settings = who.algorithm, who.settings
    card = algorithm.card
    if claim.notion == "approximate":
        return None
    usual = {p.name: card.fixed.get(p.name, p.default) for p in card.parameters}
    given = {n: settings[n] for n, value in usual.items() if settings[n] != value}
    result = _found(algorithm, source_of(algorithm), tuple(given.items()), rounds)
    follows = claim.notion in RENYI
    if result is None or (result.notion != claim.notion and not follows):
        return None
    if result.leak is not None:
        where = f"{result.leak.file}, line {result.leak.line}"
        how = f"none, and where it leaks: private data gets past the releases in {where}"
        return Upper(math.inf, how, proof=True)
    if result.bound is None:
        return None
    bound = result.bound * (float(settings["epsilon"]) if result.notion == "pure" else 1.0)
    scope = "for every T" if result.rounds == "every" else f"to T = {result.rounds}"
    many = "every K" if result.arms == "every" else f"K = {result.arms}"
    how = f"proved {scope}: the algorithm's own steps on symbols, {many} and every table"
    if follows:
        how += f"; it follows from {Guarantee.of(result.notion, bound)}"
        bound = implied(claim, result.notion, bound)
    return Upper(bound, how, proof=True)


def put_to_the_test(lower: Lower, upper: Upper | None, claim: Guarantee, rounds: int) -> Lower:
    """An exact answer as it is, but that it shows nothing where nothing is lost: then only a proof
    speaks for the claim."""
    proved_so = upper is not None and upper.proof and upper.bound <= claim.level
    if lower.bound > 0.0 or proved_so:
        return lower
    said = f"the claim: within {rounds} rounds no action depends on the rewards"
    return replace(lower, untested=(*lower.untested, f"{said}; more rounds would help"))


def with_mends(audit: AuditResult, target: Target) -> AuditResult:
    """The answer with what would mend it, if its claim is violated: of a contract algorithm by the
    graph of its proof, of a class by the command that makes one. A proof is of tables that differ
    in one round, and of arms."""
    unusual = audit.neighbours or audit.sees or audit.contexts or audit.batch > 1 or audit.delay
    if audit.verdict != "violated" or audit.adversary is not None or audit.mends or unusual:
        return audit
    if target.algorithm is not None:
        if audit.claim.notion in RENYI:  # what is proved is in other terms
            return audit
        return msgspec.structs.replace(audit, mends=_mends(audit, target.algorithm))
    command = f"dpaudit.prove({target.name}, arms={audit.arms})"
    if ":" in target.name:
        command = f"dpaudit prove {target.name} --arms {audit.arms}"
    text = f"{command} says which line releases too much, and what would mend it"
    return msgspec.structs.replace(audit, mends=[Mend("prove", text)])


def _mends(audit: AuditResult, algorithm: Algorithm) -> list[Mend]:
    """A repaired entry, another reading of the card, then what the graph says."""
    claimed, epsilon = audit.claim.level, 1.0 if audit.epsilon is None else audit.epsilon
    card, source = algorithm.card, source_of(algorithm)
    mended = []
    name = f"{card.name}-repaired"
    repaired = find(name) if in_catalogue(algorithm) and name in catalogue() else None
    if repaired is not None:
        mended += _kept("entry", f"{name}, the repaired entry", repaired, claimed, epsilon, audit)
    usual = {p.name: card.fixed.get(p.name, p.default) for p in card.parameters}
    given = {n: v for n, v in audit.parameters.items() if usual.get(n, v) != v}
    if given:
        words = ", ".join(f"{name}={usual[name]}" for name in given)
        mended += _kept(
            "reading", f"the usual reading, {words}", algorithm, claimed, epsilon, audit
        )
    proof = _found(algorithm, source, tuple(given.items()), audit.rounds or 2)
    return mended + ([] if proof is None else mends(proof, claimed, epsilon))


def _kept(
    kind: Literal["entry", "reading"],
    words: str,
    algorithm: Algorithm,
    claimed: float,
    epsilon: float,
    audit: AuditResult,
) -> list[Mend]:
    """Another algorithm, if it is proved to keep the claim."""
    proof = _found(algorithm, source_of(algorithm), (), audit.rounds or 2)
    if (
        proof is None
        or proof.bound is None
        or (proof.notion == "gdp") != (audit.claim.notion == "gdp")
    ):
        return []
    bound = proof.bound * (epsilon if proof.notion == "pure" else 1.0)
    text = f"{words}: it books at most {bound:.6g}"
    return [Mend(kind, text, bound=bound)] if bound <= claimed else []


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
