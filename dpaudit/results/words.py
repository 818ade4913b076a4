"""An audit in words: for the terminal, a failing test's message, a log."""

from __future__ import annotations

import shlex

from dpaudit.results.audit import AuditResult

WIDEST = 40
"""Rounds of a table that are shown."""


def describe(audit: AuditResult) -> list[str]:
    """The result as lines for a person."""
    lines = [f"{audit.target} {audit.sentence()}"]
    if audit.upper is not None:
        bound = "none" if audit.upper_bound is None else f"{audit.upper_bound:.6g}"
        lines.append(f"  upper bound   {bound} ({audit.upper.how})")
    lines.append(f"  engine        {audit.engine}: {audit.why}")
    lines += witness_lines(audit)
    if audit.per_step is not None:
        lines.append(
            f"  per step      epsilon >= {audit.per_step.lower_bound:.4g} for one action given "
            f"those before it: {audit.per_step.event}"
        )
    searched = f" ({audit.searched})" if audit.searched else ""
    lines.append(
        f"  {audit.runs} runs{searched}, {audit.seconds:.1f} s, seed {audit.seed}, "
        f"confidence {audit.confidence:g}"
    )
    lines.extend(f"  note          {note}" for note in audit.notes)
    lines.append(f"  again         {replay(audit)}")
    return lines


def witness_lines(audit: AuditResult) -> list[str]:
    """The two tables, one row an arm, and the event."""
    witness = audit.witness
    lines = []
    if witness.rewards is not None and witness.neighbour is not None:
        lines.append(
            f"  round {witness.round} is changed; rewards, then its neighbour, one row an arm"
        )
        for name, table in (("rewards", witness.rewards), ("neighbour", witness.neighbour)):
            for arm in range(len(table[0])):
                cells = " ".join(f"{row[arm]:g}" for row in table[:WIDEST])
                more = " ..." if len(table) > WIDEST else ""
                lines.append(f"    {name:<10} arm {arm}  {cells}{more}")
    lines.append(f"  event         {witness.event}")
    if witness.shrunk:
        alone = f"{audit.claim.symbol} >= {witness.lower_bound:.4g}"
        lines.append(f"                these tables and this event, shrunk, alone show {alone}")
    return lines


def replay(audit: AuditResult) -> str:
    """The command that makes the result again."""
    words = ["dpaudit", "audit", audit.target, "--epsilon", f"{audit.claim.level:g}"]
    if audit.claim.delta:
        words += ["--delta", f"{audit.claim.delta:g}"]
    words += ["--arms", str(audit.arms), "--rounds", str(audit.rounds)]
    words += ["--gate"] if audit.engine == "gate" else ["--engine", audit.engine]
    words += ["--adversary", audit.adversary] if audit.adversary else []
    words += ["--confidence", f"{audit.confidence:.12g}"] if audit.confidence != 0.999 else []
    words += ["--seed", str(audit.seed)]
    for name, value in audit.parameters.items():
        words += ["--param", f"{name}={value}"]
    if audit.budget:
        words += ["--runs", str(audit.budget)]
    return shlex.join(words)
