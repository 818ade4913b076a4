"""Privacy audits as a section of a page: an overview, then each with its evidence."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from dpaudit.report.page.intervals import interval, small_interval, trade_off
from dpaudit.report.page.markup import (
    Html,
    again,
    anchor,
    article,
    at_least,
    at_most,
    badge,
    capital,
    element,
    facts,
    folded,
    joined,
    number,
    scrolling,
    section,
    table,
)
from dpaudit.results.audit import AuditResult, Table
from dpaudit.results.found import MULTIPLE
from dpaudit.results.words import about, left_out, replay

LEGEND = (
    "The bar is the interval in which ε (or η) lies, in multiples of the claim; the upright line "
    "is the claim. A bar that starts to the right of the line is a violation. Consistent means "
    "that no violation was found and that one of twice the claim would have been, not that there "
    "is none; inconclusive, that none of interest could have been found."
)
ROUNDS, ARMS, SHARES, ACROSS = 24, 8, 6, 36
"""How much of a long witness and of a long ledger of confidence is shown, and how many characters
stand beside each other in a table of rounds."""


def _symbol(audit: AuditResult) -> str:
    return {"eta": "η", "rho": "ρ"}.get(audit.claim.symbol, "ε")


def named(audit: AuditResult) -> str:
    """The target with its parameters, or the name of the test that asked."""
    return " ".join(
        [audit.name or audit.target, *(f"{k}={v}" for k, v in audit.parameters.items())]
    )


def audits_sentence(audits: Sequence[AuditResult]) -> str:
    wrong = [a for a in audits if a.verdict == "violated"]
    if len(audits) == 1:
        return f"{named(audits[0])}: {audit_sentence(audits[0])}."
    open_ = sum(a.verdict == "inconclusive" for a in audits)
    untested = f"; {open_} of them inconclusive" if open_ else ""
    if not wrong:
        return f"No violation found in {len(audits)} privacy audits{untested}."
    names = ", ".join(dict.fromkeys(named(a) for a in wrong[:5]))
    more = "" if len(wrong) <= 5 else f" and {len(wrong) - 5} more"
    rest = len(audits) - len(wrong)
    end = f"; no violation found in the other {rest}{untested}" if rest else ""
    return f"{len(wrong)} of {len(audits)} privacy claims violated ({names}{more}){end}."


def audit_sentence(audit: AuditResult) -> str:
    symbol, claimed = _symbol(audit), f"(claimed {number(audit.claim.level)})"
    sure = "exactly" if audit.engine == "exact" else f"at confidence {audit.confidence:.6g}"
    found = f"{symbol} ≥ {at_least(audit.lower_bound)} {sure} {claimed}"
    if audit.verdict == "violated":
        return f"violates its claim: {found}"
    if not audit.complete:
        return f"not finished: {found} so far"
    if audit.verdict == "inconclusive":
        return f"inconclusive: no violation found; not tested: {'; '.join(audit.untested)}; {found}"
    if audit.power is None:
        return f"consistent: no violation found; {found}"
    would = f"would have found {symbol} ≥ {number(audit.power)} with probability 0.9"
    if audit.rarest is not None:
        least = f"{number(MULTIPLE * audit.claim.level)} in events of {100.0 * audit.rarest:.2g} %"
        would += f", {least} of the runs or more"
    return f"consistent: no violation found; {would}; {found}"


def places(audits: Sequence[AuditResult]) -> list[str]:
    """The ids of their articles."""
    return [anchor("audit", i, named(a)) for i, a in enumerate(audits, 1)]


def audits_section(audits: Sequence[AuditResult]) -> Html:
    """All audits: an overview where there are several, then each."""
    idents = places(audits)
    several = (element("p", LEGEND), _overview(audits, idents)) if len(audits) > 1 else ()
    each = (_audit(a, ident) for a, ident in zip(audits, idents, strict=True))
    return section("privacy", "Privacy", *several, *each)


def _overview(audits: Sequence[AuditResult], idents: Sequence[str]) -> Html:
    rows = [
        (
            element("a", named(a), href=f"#{ident}"),
            "" if a.rounds is None else number(a.rounds),
            element("span", str(a.claim), class_="whole"),
            small_interval(a.lower_bound, a.upper_bound, a.claim.level, symbol=_symbol(a)),
            at_least(a.lower_bound),
            at_most(a.upper_bound),
            badge(a.verdict),
            element("span", a.engine, class_="whole"),
        )
        for a, ident in zip(audits, idents, strict=True)
    ]
    header = ("target", "rounds", "claim", "interval", "at least", "at most", "verdict", "engine")
    return table("Privacy audits, violations first", header, rows, ident="audits")


def _audit(a: AuditResult, ident: str) -> Html:
    claim, symbol, name = a.claim.level, _symbol(a), named(a)
    picture = interval(
        a.lower_bound, a.upper_bound, claim, symbol=symbol, name=name, ident=f"{ident}-picture"
    )
    evidence = (*_witness(a, ident), _numbers(a))
    size = f"{number(a.runs)} runs" if a.runs else ""
    took = f"{a.seconds:.1f} s" if a.seconds else ""
    return article(
        ident,
        [name, " ", badge(a.verdict)],
        element("p", capital(audit_sentence(a)), "."),
        element("figure", picture),
        *_mends(a),
        trade_off(a, f"{ident}-tradeoff"),
        folded("Witness and evidence", *evidence, shown=a.verdict != "consistent"),
        again(replay(a), f"dpaudit {a.version}", f"seed {a.seed}", size, took),
    )


def _mends(a: AuditResult) -> tuple[Html, ...]:
    if not a.mends:
        return ()
    title = element("p", element("strong", "What would mend it:"))
    return title, element("ul", *(element("li", mend.text) for mend in a.mends))


def _witness(a: AuditResult, ident: str) -> list[Html]:
    witness = a.witness
    parts = []
    if witness.rewards is not None and witness.neighbour is not None:
        parts.append(_tables(witness.rewards, witness.neighbour, witness.round, ident))
        if a.neighbours == "add-remove":
            parts.append(element("p", f"Round {witness.round} {left_out(witness)}."))
    if witness.contexts is not None and witness.neighbour_contexts is not None:
        shown = witness.contexts, witness.neighbour_contexts
        parts.append(_tables(*shown, witness.round, f"{ident}-contexts", row_name="number"))
    parts.append(element("p", element("strong", "Event: "), witness.event, "."))
    if a.claim.notion == "pure" and witness.lower_bound > 0:
        own = " (shrunk, by themselves)" if witness.shrunk else ""
        times = number(math.exp(min(witness.lower_bound, 700.0)), 3)
        words = (
            f"These sequences and this event{own} show ε ≥ {at_least(witness.lower_bound)}: "
            f"the event is about {times} times as likely under the neighbour, or more."
        )
        parts.append(element("p", words))
    return parts


def _tables(
    rewards: Table, neighbour: Table, changed: int | None, ident: str, row_name: str = "arm"
) -> Html:
    """The two sequences, an arm a row; of long ones the part around the round that differs, and a
    table for as many rounds as a phone has room for."""
    rounds, arms = len(rewards), len(rewards[0])
    first = max(0, min((changed or 1) - 1 - ROUNDS // 2, rounds - ROUNDS))
    shown = range(first, min(rounds, first + ROUNDS))
    differ = {t for t in range(rounds) if rewards[t] != neighbour[t]}
    moving = [i for i in range(arms) if any(rewards[t][i] != neighbour[t][i] for t in differ)]
    others = [i for i in range(arms) if i not in moving]
    kept = sorted([*moving, *others][:ARMS])

    def cell(tag: str, t: int, *content: object, **more: object) -> Html:
        return element(tag, *content, **more, class_="changed" if t in differ else None)

    def row(name: object, cells: Iterable[Html], scope: str) -> Html:
        return element("tr", element("th", name, scope=scope), *cells)

    def numbers(table: Table, part: range) -> Iterator[Html]:
        for i in kept:
            cells = (cell("td", t, f"{table[t][i]:.4g}") for t in part)
            yield row(f"{row_name} {i}", cells, "row")

    def body(name: str, table: Table, part: range) -> Html:
        title = element("th", name, scope="rowgroup", colspan=len(part) + 1)
        return element("tbody", element("tr", title), *numbers(table, part))

    def heads(part: range) -> Iterator[Html]:
        for t in part:
            differs = element("span", " differs") if t in differ else ""
            yield cell("th", t, t + 1, differs, scope="col")

    where = ", ".join(str(t + 1) for t in sorted(differ)[:5]) or "none"
    cut = [f"rounds {first + 1} to {shown[-1] + 1} of {rounds}"] if len(shown) < rounds else []
    cut += [f"{len(kept)} of {arms} arms"] if len(kept) < arms else []
    note = f" ({', '.join(cut)} shown; all are in the raw result)" if cut else ""
    what = "reward" if row_name == "arm" else "context"
    whole = f"Two neighbouring {what} sequences; they differ in round {where}{note}"
    cells = [f"{x[t][i]:.4g}" for x in (rewards, neighbour) for t in shown for i in kept]
    across = max(4, min(12, ACROSS // (1 + max(map(len, [*cells, str(shown[-1] + 1)])))))
    parts = [shown[i : i + across] for i in range(0, len(shown), across)]
    return joined(
        scrolling(
            whole if part is parts[0] else f"rounds {part[0] + 1} to {part[-1] + 1}",
            element("thead", row("round", heads(part), "col")),
            body(f"{what}s", rewards, part),
            body("neighbour", neighbour, part),
            ident=f"{ident}-witness" + (f"-{part[0] + 1}" if part is not parts[0] else ""),
            class_="witness",
        )
        for part in parts
    )


def _numbers(a: AuditResult) -> Html:
    symbol = _symbol(a)
    upper: object = None
    if a.upper is not None:
        upper = f"{at_most(a.upper_bound)}: {a.upper.how}."
    step = a.per_step
    spent = [f"{number(s.alpha, 2)} on {s.on}" for s in a.spent[:SHARES]]
    spent += [f"{len(a.spent) - SHARES} more shares"] if len(a.spent) > SHARES else []
    curve = [f"δ ≥ {number(p.delta, 3)} at ε = {number(p.epsilon, 3)}" for p in a.curve[:SHARES]]
    return facts(
        (
            ("Claim", str(a.claim)),
            ("Asked", "; ".join(about(a))),
            ("At least", f"{symbol} ≥ {at_least(a.lower_bound)}"),
            ("At most", upper),
            ("Estimate", None if a.estimate is None else f"{symbol} ≈ {number(a.estimate)}"),
            ("Engine", a.engine + (f": {a.why}" if a.why else "")),
            ("Arms, rounds", f"{a.arms}, {a.rounds}" if a.arms and a.rounds else None),
            ("Adversary", a.adversary),
            ("Per step", f"ε ≥ {at_least(step.lower_bound)}: {step.event}" if step else None),
            ("Searched", a.searched),
            ("Confidence", f"{a.confidence:.6g}"),
            ("Error spent", "; ".join(spent)),
            ("Curve", "; ".join(curve)),
            ("Notes", "; ".join(a.notes)),
        )
    )
