"""What the findings mean for the author of an algorithm, for who runs it, and for who builds on it:
a paragraph each, of the numbers on this page."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.report.page.first.findings import Found, least_noise
from dpaudit.report.page.markup import Html, at_least, counted, element, joined, section
from dpaudit.results.audit import AuditResult
from dpaudit.results.claims import kind_of


def meaning_section(found: Found) -> Html | str:
    """Nothing where there is neither an audit nor a claim."""
    if not (found.audits or found.claims):
        return ""
    people = (("Authors", _author), ("Engineers", _engineer), ("Researchers", _researcher))
    told = ((who, " ".join(words(found))) for who, words in people)
    paragraphs = (
        element("p", element("strong", f"{who}. "), words) for who, words in told if words
    )
    return section("meaning", "What this means for you", joined(paragraphs))


def _author(found: Found) -> Iterator[str]:
    """Who wrote the paper or the learner."""
    if found.violated:
        one = found.violated[0]
        yield (
            f"{counted(len(found.violated), 'privacy claim')} cannot stand as stated: "
            f"each comes with two neighbouring tables and an event to check it by, such as "
            f"{one.target} with {least_noise(one)} times its claim."
        )
    if found.false:
        steps = sum(kind_of(c.severity) == "step false" for c in found.false)
        false = counted(len(found.false), "statement")
        yield (
            f"{false} of the text {_is(len(found.false))} false as printed, {steps} of them "
            "steps whose conclusion stands; each has a counterexample to check by hand and the "
            "repair that is proposed."
        )
    if not found.violated and not found.false:
        yield "Nothing here contradicts what is claimed; what was not tested is said beside it."


def _engineer(found: Found) -> Iterator[str]:
    """Who runs it."""
    instead = [m.text.partition(",")[0] for a in found.violated for m in a.mends[:1]
               if m.kind == "entry"]  # fmt: skip
    if found.violated:
        names = ", ".join(dict.fromkeys(a.name or a.target for a in found.violated))
        yield f"Do not rely on the stated epsilon of {names}."
    if instead:
        yield f"Take {', '.join(dict.fromkeys(instead))} instead."
    elif found.violated and found.violated[0].mends:
        yield f"What would mend it first: {found.violated[0].mends[0].text}."
    sure = [a for a in found.audits if _proved(a)]
    if sure:
        yield (
            f"For {len(sure)} of {counted(len(found.audits), 'audit')} the claim is proved from "
            "the code itself, floating-point noise apart."
        )
    rest = len(found.audits) - len(sure) - len(found.violated)
    if rest:
        yield f"Of the other {rest} none was seen to break its claim, which is no proof of it."


def _researcher(found: Found) -> Iterator[str]:
    """Who builds on it."""
    for a in found.violated[:1]:
        yield (
            f"The command beside each result makes it again, seed and confidence included: "
            f"{a.target} at {at_least(a.lower_bound)} is a bound, not an estimate."
        )
    open_ = sum(c.verdict == "undecided" for c in found.claims)
    ranged = sum(kind_of(c.severity) == "holds for" for c in found.claims)
    if found.claims:
        yield (
            f"Of {counted(len(found.claims), 'statement')} {open_} are undecided and {ranged} "
            "shown for a stated range only; each says what would decide it."
        )
    if found.broken:
        yield (
            f"{counted(len(found.broken), 'stated rate')} of regret did not hold up as an "
            "experiment: cite the repaired one."
        )
    untested = sum(a.verdict == "inconclusive" for a in found.audits)
    if untested:
        yield f"{counted(untested, 'audit')} tested too little to say anything."


def _is(count: int) -> str:
    return "is" if count == 1 else "are"


def _proved(audit: AuditResult) -> bool:
    upper = audit.upper
    return (
        upper is not None
        and upper.proof
        and audit.upper_bound is not None
        and audit.upper_bound <= audit.claim.level * (1 + 1e-9)
    )
