"""Results in words, for the terminal, a failing test's message, a log; and the command that makes a
result again."""

from __future__ import annotations

import json
import shlex
from typing import Any

from dpaudit.results.audit import AuditResult, Table, Witness
from dpaudit.results.regret import RegretResult
from dpaudit.results.tradeoff import TradeOff

CROSS_CHECK = "cross-check"
"""What a second look at the algorithm by another engine spends error probability on."""
EPSILONS = (0.0, 0.5, 1.0, 2.0)
"""At which a trade-off is told."""
WIDEST = 40
"""Rounds of a table that are shown."""


def describe(audit: AuditResult) -> list[str]:
    lines = [f"{audit.target} {audit.sentence()}"]
    lines += [f"  about         {'; '.join(about(audit))}"] if about(audit) else []
    if audit.upper is not None:
        bound = "none" if audit.upper_bound is None else f"{audit.upper_bound:.6g}"
        lines.append(f"  upper bound   {bound} ({audit.upper.how})")
    lines.append(f"  engine        {audit.engine}: {audit.why}")
    lines += _witness(audit)
    if audit.per_step is not None:
        lines.append(
            f"  per step      epsilon >= {audit.per_step.lower_bound:.4g} for one action given "
            f"those before it: {audit.per_step.event}"
        )
    if audit.tradeoff is not None:
        lines.append(f"  trade-off     {told(audit.tradeoff)}")
    searched = f" ({audit.searched})" if audit.searched else ""
    lines.append(
        f"  {audit.runs} runs{searched}, {audit.seconds:.1f} s, seed {audit.seed}, "
        f"confidence {audit.confidence:g}"
    )
    heads = ("mended by", *[""] * len(audit.mends))
    lines.extend(
        f"  {head:<12}  {mend.text}" for head, mend in zip(heads, audit.mends, strict=False)
    )
    lines.extend(f"  note          {note}" for note in audit.notes)
    lines.append(f"  again         {replay(audit)}")
    return lines


NEIGHBOURS = {"add-remove": "a round is there or is left out"}
SEEN = {
    "actions": "the arms",
    "others": "the arms of all other rounds (joint DP)",
    "stop": "the round in which it stops",
    "outputs": "what is published",
    "reports": "the users' reports",
    "shuffled": "the users' reports in no order",
}


def about(audit: AuditResult) -> list[str]:
    """In what an audit is not the usual one: who are neighbours, what is seen, what is shown."""
    found = []
    if audit.neighbours:
        rounds = f"up to {audit.neighbours.partition(':')[2]} rounds differ"
        found.append(f"neighbours: {NEIGHBOURS.get(audit.neighbours, rounds)}")
    if audit.sees:
        found.append(f"seen: {', '.join(SEEN[part] for part in audit.sees.split('+'))}")
    if audit.contexts:
        kind, _, number = audit.contexts.partition(":")
        found.append(f"contexts: {number} numbers, {kind}")
    if audit.batch > 1 or audit.delay:
        found.append(f"feedback after batches of {audit.batch}, {audit.delay} rounds late")
    return found


def left_out(witness: Witness) -> str:
    """Which world is without the round, if one is."""
    if not witness.without:
        return "is left out of one world"
    has = "rewards" if witness.without == "neighbour" else "neighbour"
    return f"is there in the world of the table {has}, and left out of the other"


def _witness(audit: AuditResult) -> list[str]:
    witness = audit.witness
    lines = []
    if witness.rewards is not None and witness.neighbour is not None:
        if audit.neighbours == "add-remove":
            differ = f"round {witness.round} {left_out(witness)}"
        else:
            rounds = witness.changed or [witness.round or 1]
            many = "s" if len(rounds) > 1 else ""
            which, are = ", ".join(map(str, rounds)), "are" if many else "is"
            differ = f"round{many} {which} {are} changed"
        lines.append(f"  {differ}; rewards, then its neighbour, one row an arm")
        lines += _table("rewards", "arm", witness.rewards)
        lines += _table("neighbour", "arm", witness.neighbour)
        if witness.contexts is not None and witness.neighbour_contexts is not None:
            lines.append(
                "  contexts, then the neighbour's, one row a number; what is shown are these "
                f"divided by the root of {len(witness.contexts[0])}"
            )
            lines += _table("contexts", "nr ", witness.contexts)
            lines += _table("neighbour", "nr ", witness.neighbour_contexts)
    elif audit.levels:
        mine, others, changed = audit.levels.split(",")[:3]
        lines.append(
            f"  tables        the first arm's rewards are {mine}, the others' {others}; round "
            f"{changed} is changed (--levels {audit.levels})"
        )
    lines.append(f"  event         {witness.event}")
    if witness.shrunk:
        alone = f"{audit.claim.symbol} >= {witness.lower_bound:.4g}"
        lines.append(f"                these tables and this event, shrunk, alone show {alone}")
    return lines


def _table(name: str, column: str, table: Table) -> list[str]:
    lines = []
    for number in range(len(table[0])):
        cells = " ".join(f"{row[number]:g}" for row in table[:WIDEST])
        more = " ..." if len(table) > WIDEST else ""
        lines.append(f"    {name:<10} {column} {number}  {cells}{more}")
    return lines


def told(band: TradeOff) -> str:
    """What the band says of a few deltas."""
    shown = []
    for epsilon in EPSILONS:
        low, high = band.delta(epsilon)
        shown.append(f"{low:.3g} to {high:.3g} at epsilon {epsilon:g}")
    return f"delta is {', '.join(shown)}, all at confidence {band.confidence:g}"


def replay_regret(result: RegretResult) -> str:
    last = result.horizons[-1] if len(result.horizons) else 0
    words = ["dpaudit", "regret", result.target, "--horizon", str(last)]
    words += ["--means", ",".join(f"{m:g}" for m in result.means)]
    words += [] if result.epsilon is None else ["--epsilon", f"{result.epsilon:g}"]
    words += [] if result.environment == "bernoulli" else ["--environment", result.environment]
    for start, means in result.changes:
        words += ["--change", f"{start}:{','.join(f'{m:g}' for m in means)}"]
    words += ["--drift", ",".join(f"{m:g}" for m in result.drift)] if result.drift else []
    words += ["--delay", str(result.delay)] if result.delay else []
    words += ["--batch", str(result.batch)] if result.batch > 1 else []
    words += [word for name in result.metrics for word in ("--metric", name)]
    words += _parameters(result.parameters)
    if result.confidence is not None and result.confidence != 0.999:
        words += ["--confidence", f"{result.confidence:g}"]
    words += ["--exact"] if result.exact else ["--runs", str(result.runs)]
    words += [] if result.exact else ["--seed", str(result.seed)]
    return shlex.join(words)


def _parameters(values: dict[str, Any]) -> list[str]:
    return [word for name, value in values.items() for word in ("--param", f"{name}={value}")]


def replay(audit: AuditResult) -> str:
    words = ["dpaudit", "audit", audit.target]
    given = audit.claimed == "card" or audit.claim.notion not in ("pure", "approximate")
    own = audit.epsilon if given else audit.claim.epsilon
    words += [] if own is None else ["--epsilon", f"{own:.12g}"]
    if audit.claimed == "card":
        words += ["--claim", "card"]
    elif audit.claim.notion == "rdp":
        words += ["--rdp", f"{audit.claim.order:.12g}:{audit.claim.epsilon:.12g}"]
    elif audit.claim.symbol != "epsilon":
        words += [f"--{audit.claim.symbol}", f"{audit.claim.level:.12g}"]
    if audit.claim.delta and audit.claimed != "card":
        words += ["--delta", f"{audit.claim.delta:.12g}"]
    words += ["--arms", str(audit.arms), "--rounds", str(audit.rounds)]
    words += ["--neighbours", audit.neighbours] if audit.neighbours else []
    words += ["--sees", audit.sees] if audit.sees else []
    words += ["--contexts", audit.contexts] if audit.contexts else []
    words += ["--batch", str(audit.batch)] if audit.batch > 1 else []
    words += ["--delay", str(audit.delay)] if audit.delay else []
    # The engine that auto took gives its answer again only beside the cross-check.
    engine = "auto" if any(each.on == CROSS_CHECK for each in audit.spent) else audit.engine
    words += ["--gate"] if engine == "gate" else ["--engine", engine]
    words += ["--tradeoff"] if audit.tradeoff is not None else []
    words += ["--adversary", audit.adversary] if audit.adversary else []
    words += ["--levels", audit.levels] if audit.levels else []
    words += ["--confidence", f"{audit.confidence:.12g}"] if audit.confidence != 0.999 else []
    words += ["--seed", str(audit.seed)]
    words += _parameters(audit.parameters)
    words += ["--evidence", audit.evidence] if audit.evidence else []
    words += ["--seconds", f"{audit.limit:.12g}"] if audit.limit is not None else []
    if audit.clock:
        words += ["--clock", json.dumps(audit.clock, separators=(",", ":"))]
    elif audit.budget and audit.limit is None:
        words += ["--runs", str(audit.budget)]
    return shlex.join(words)
