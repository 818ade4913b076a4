"""The checker's derivations: from parts to goals, evaluated once more from the goals' own text.

A goal is `FORMULA for RANGES where CONDITION`, or about an algorithm, or words. A verdict that a
claim is true needs all of its goals covered; that it is false, one of them false at a point of its
domain, exceeded by a sample, or a matter of words, for which a conclusion is never called false.
"""

from __future__ import annotations

import ast
from fractions import Fraction
from typing import Any

from dpaudit.recheck.exact.algebra import equal
from dpaudit.recheck.numbers import Refused, need, tree, value

TRUE = ("holds", "loose")
VERDICT = {
    "conclusion false": "refuted",
    "step false": "refuted",
    "ambiguous": "typo",
    "misprint": "typo",
    "undecided": "undecided",
    "loose": "loose",
    "holds": "holds",
}
FALSE = ("conclusion false", "step false", "misprint")
Span = tuple[str, Fraction | None, Fraction | None, frozenset[Fraction]]
"""`real`, `whole` or `set`; ends; members."""


def same(one: str, other: str) -> bool:
    """Whether two formulas are the same but for blanks and brackets."""
    return ast.dump(tree(one)) == ast.dump(tree(other))


def pieces(text: str, mark: str) -> list[str]:
    """Split at a mark outside of all brackets."""
    out, depth, last = [], 0, 0
    for i, c in enumerate(text):
        depth += 1 if c in "([{" else -1 if c in ")]}" else 0
        if not depth and text[i : i + len(mark)] == mark:
            out.append(text[last:i])
            last = i + len(mark)
    return [*out, text[last:]]


def number(text: str) -> Fraction:
    base, _, exponent = text.strip().partition("**")
    return Fraction(base) ** int(exponent) if exponent else Fraction(base)


def span(item: str) -> tuple[str, Span]:
    kind = "whole" if item.startswith("whole ") else "real"
    name, sign, given = item.removeprefix("whole ").split(" ", 2)
    if sign == ">=":
        return name, (kind, number(given), None, frozenset())
    if sign == "in" and given.startswith("["):
        low, high = (number(end) for end in given[1:-1].split(","))
        return name, (kind, low, high, frozenset())
    need(sign in ("in", "="), f"no range: {item}")
    values = frozenset(number(v) for v in (given[1:-1].split(",") if sign == "in" else [given]))
    return name, ("set", min(values), max(values), values)


def parsed(goal: str) -> tuple[str, dict[str, Span], str | None]:
    formula, *more = pieces(goal, " for ")
    need(len(more) <= 1, "not a goal")
    ranges, *condition = pieces(more[0], " where ") if more else [""]
    spans = dict(span(item.strip()) for item in pieces(ranges, ",") if item.strip())
    return formula, spans, condition[0] if condition else None


def shown_on(part: Any) -> dict[str, Span]:
    """Where a part shows its statement."""
    kind = part["kind"]
    none: frozenset[Fraction] = frozenset()
    if kind == "point":
        return {
            n: ("set", number(v), number(v), frozenset({number(v)})) for n, v in part["at"].items()
        }
    if kind in ("each", "grid"):
        return {n: axis(a) for n, a in part["axes"].items()}
    if kind in ("identity", "cover"):
        return {n: ("real", number(a), number(b), none) for n, (a, b) in part["domain"].items()}
    if kind in ("polynomial", "evident"):
        return {n: ("real", number(a), None, none) for n, a in part["from"].items()}
    if kind == "chain":
        end = None if part["end"] is None else number(part["end"])
        return {part["variable"]: ("real", number(part["start"]), end, none)}
    need(kind == "induction", f"{kind} shows no formula")
    name = tree(part["statement"]).left.args[3].id
    return {name: ("whole", Fraction(part["start"]), None, none)}


def axis(given: Any) -> Span:
    if isinstance(given, list):
        values = frozenset(number(v) for v in given)
        return "set", min(values), max(values), values
    if given["step"] == 1:
        return "whole", Fraction(given["from"]), Fraction(given["to"]), frozenset()
    values = frozenset(map(Fraction, range(given["from"], given["to"] + 1, given["step"])))
    return "set", min(values), max(values), values


def member(x: Fraction, of: Span) -> bool:
    kind, low, high, values = of
    if kind == "set":
        return x in values
    assert low is not None
    return low <= x and (high is None or x <= high) and (kind == "real" or x.denominator == 1)


def inside(inner: Span, outer: Span) -> bool:
    """Whether one range lies in another."""
    kind, low, high, values = inner
    if kind == "set":
        return all(member(x, outer) for x in values)
    assert low is not None
    if outer[0] == "set":
        finite = kind == "whole" and high is not None
        return finite and all(Fraction(n) in outer[3] for n in range(int(low), int(high or 0) + 1))
    assert outer[1] is not None
    up = outer[2] is None or (high is not None and high <= outer[2])
    return outer[1] <= low and up and (outer[0] == "real" or kind == "whole")


def covered(goal: str, parts: list[Any]) -> bool:
    """Whether parts with the goal's formula show it on all of its domain: one of them, or several
    whose ranges of one variable leave no gap."""
    formula, spans, condition = parsed(goal)
    places = []
    for part in parts:
        need("statement" in part and same(part["statement"], formula), "a part of another formula")
        asked = part.get("where")
        need(asked is None or (condition and same(asked, condition)), "a part under a condition")
        place = shown_on(part)
        need(place.keys() == spans.keys(), "a part with other variables")
        places.append(place)
        if part["kind"] == "identity" and one_form(formula, spans):
            return True
        if all(inside(own, place[v]) for v, own in spans.items()):
            return True
    return any(end_to_end(spans, places, v) for v in spans) if len(places) > 1 else False


def one_form(formula: str, spans: dict[str, Span]) -> bool:
    """Whether the sides of an identity are one on all of a goal's ranges: equal on an interval is
    not equal beyond, where a root or a logarithm loses its sign."""
    sides = tree(formula)
    box = {name: (low, high) for name, (_, low, high, _) in spans.items() if low is not None}
    try:
        return len(box) == len(spans) and equal(sides.left, sides.comparators[0], box)
    except Refused:
        return False


def end_to_end(spans: dict[str, Span], places: list[dict[str, Span]], variable: str) -> bool:
    own = spans[variable]
    need(own[0] != "set" and own[1] is not None, "not covered")
    reached, first = own[1], True
    for place in sorted(places, key=lambda p: p[variable][1] or 0):
        if not all(inside(s, place[v]) for v, s in spans.items() if v != variable):
            return False
        kind, low, high, values = place[variable]
        gap = Fraction(0 if first or own[0] == "real" or kind == "real" else 1)
        if values or low is None or reached is None or low > reached + gap:
            return False
        if kind == "whole" and own[0] == "real":
            return False
        if high is None or (own[2] is not None and high >= own[2]):
            return True
        reached, first = max(reached, high), False
    return False


def false_at(goal: str, part: Any, at: dict[str, str]) -> None:
    """The goal is certainly false at a point of its domain, one at which the part speaks."""
    formula, spans, condition = parsed(goal)
    point = {name: number(text) for name, text in at.items()}
    need(point.keys() == spans.keys(), "a point with other variables")
    need(all(member(point[v], s) for v, s in spans.items()), "a point outside of the goal's domain")
    need(condition is None or value(condition, dict(point)) is True, "a point outside of the goal")
    place = shown_on(part)
    shared = place.keys() & point.keys()
    need(all(member(point[v], place[v]) for v in shared), "a point where the part says nothing")
    need(value(formula, dict(point)) is False, "the goal is not certainly false at the point")


def played(goal: str) -> tuple[str, dict[str, str], str, str]:
    """Target, settings, relation and bound of a goal about an algorithm."""
    head, _, rest = goal.partition("(")[2].partition(") ")
    target, _, given = head.partition("; ")
    own = dict(item.strip().split("=", 1) for item in pieces(given, ",") if item.strip())
    sign, bound = rest.split(" ", 1)
    return target, own, sign, bound


def about(goal: str, part: Any) -> tuple[str, str]:
    """Relation and bound of a goal about an algorithm; the part played it with its settings."""
    target, own, sign, bound = played(goal)
    need(part.get("target") == target, "a part about another algorithm")
    extra = {k: part[k] for k in ("means", "horizon", "arms", "rounds", "event") if k in part}
    if part.get("notion") == "gdp":
        extra["notion"] = "gdp"
    given = {k: str(v) for k, v in {**part["settings"], **extra}.items()}
    need(all(given.get(k) == v for k, v in own.items()), "a part with other settings")
    return sign, bound


def step(goal: str, rule: str, parts: list[Any], at: dict[str, str]) -> None:
    """One step of a derivation, or Refused."""
    if goal.startswith("laboratory: "):
        need(len(parts) == 1 and parts[0]["kind"] == "laboratory", "one sentence of the laboratory")
        part = parts[0]
        about_it = f"laboratory: {part['experiment']} | {part['text']} | {part['reading']}"
        need(goal == about_it, "a sentence about something else")
        wanted = {"covered": "confirmed", "exceeded": "not confirmed"}
        need(wanted.get(rule) == part["verdict"], "the laboratory says something else")
        return
    about_words, about_plays = goal.startswith("words: "), goal.startswith(("loss(", "regret("))
    need(about_words == (rule == "words"), "words are no formula")
    need(bool(parts) or rule == "words", "no part")
    if about_plays:
        need(len(parts) == 1 and rule in ("covered", "exceeded"), "one sample or enumeration")
        [part], kind = parts, parts[0]["kind"]
        sign, bound = about(goal, part)
        need(
            kind in (("proved", "bookings", "counts") if goal[0] == "l" else ("regret",)),
            "another kind",
        )
        if kind == "counts":
            need(rule == "exceeded" and sign == "<=", "counts bound a loss from below")
            need(value(f"({part['claim']}) >= ({bound})", {}) is True, "the bound is not exceeded")
            return
        booked = kind in ("proved", "bookings")
        shown = "<=" if booked else part["relation"]
        need(same(part["level"] if booked else part["bound"], bound), "another bound")
        need((shown == sign) == (rule == "covered"), "the other direction")
        need(kind == "regret" or rule == "covered", "bookings bound a loss from above")
    elif rule == "covered":
        need(covered(goal, parts), "the parts leave something of the goal open")
    elif rule == "false":
        need(len(parts) == 1, "one point")
        false_at(goal, parts[0], at)
    else:
        need(rule == "words", f"no rule {rule}")


def check_derivation(entry: dict[str, Any]) -> None:
    """Goals, derivation and verdict fit one another."""
    goals, severity = entry["goals"], entry["severity"]
    kind = "holds" if severity.startswith("holds for ") else severity
    need(VERDICT.get(kind) == entry["verdict"], "severity and verdict do not fit")
    if entry["verdict"] == "undecided":
        need(not entry["derivation"], "undecided, and derived")
        return
    need(
        check_readings(entry["readings"], kind), "the readings' verdicts and the entry's do not fit"
    )
    named = {f"p{i}": part for i, part in enumerate(entry["parts"], 1)}
    if not goals:
        need(not entry["derivation"] and not entry["quotation"], "a quotation without a goal")
        return
    steps = entry["derivation"]
    need([s["goal"] for s in steps] == list(range(len(goals))), "a goal without a step")
    for s in steps:
        need(set(s["by"]) <= named.keys(), "a step by a part that is not there")
        step(goals[s["goal"]], s["rule"], [named[n] for n in s["by"]], s.get("at", {}))
    rules = {s["rule"] for s in steps}
    if entry["verdict"] in TRUE:
        need(rules <= {"covered", "words"}, "it is said to be true, and a goal is false")
    elif severity == "conclusion false":
        need(bool(rules & {"false", "exceeded"}), "a conclusion is called false, and no goal is")
    else:
        need(bool(rules & {"false", "exceeded", "words"}), "it is said to be false, and no goal is")
    worded = all(g.startswith("words: ") for g in goals)
    need(not worded or entry["trust"] == "read", "words are taken for a proof")


def check_readings(readings: list[Any], kind: str) -> bool:
    """The rule: false in every reading is false, in some ambiguous, in none true."""
    if not readings:
        return kind != "ambiguous"
    wrong = [verdict in FALSE for _, verdict in readings]
    if all(wrong):
        return kind in FALSE
    return kind == "ambiguous" if any(wrong) else kind in TRUE


def level(entry: dict[str, Any], formal: bool) -> str:
    """What a verdict's words, parts and derivation deserve to be called."""
    if entry["verdict"] == "undecided" or not formal:
        return "read"
    sampled = any(part["kind"] in ("counts", "regret", "laboratory") for part in entry["parts"])
    return "statistical" if sampled else "checked"
