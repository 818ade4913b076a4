"""From parts to goals: what a claim says in formulas, and which parts show or refute it.

A goal is a formula with its quantifiers, `y <= k*(1 + y) for y >= 0, whole k in [1, 9]`, or about
an algorithm, `loss(NAME; arms=2, rounds=7, epsilon=1.0) <= 1` and `regret(NAME; …) <= 12`, or about
an experiment, `laboratory: EXPERIMENT | TEXT | READING`, or, for what no formula can say, `words:
…`. A derivation says for each goal by which parts it is covered, by which exceeded, or at which
point of its domain it is false. It is found here and evaluated by the checker.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpaudit.ledger.formulas import NotShown, fraction, rational, sides
from dpaudit.ledger.parts import Part, holds_at

WORDS = "words: "
LABORATORY = "laboratory: "
PLAYED = ("loss(", "regret(")
ROUGH = {"floor", "ceil", "floorlog2", "ceillog2", "abs", "min", "max", "sum", "prod"}
"""A formula with none of these is analytic: an identity on an interval is one everywhere."""
Step = dict[str, Any]


class Unbound(NotShown):
    """A goal that no part reaches."""


@dataclass(frozen=True)
class Range:
    """What a variable runs through: reals or whole numbers from low to high (None: for ever), or
    a finite set."""

    low: Fraction
    high: Fraction | None
    whole: bool = False
    values: frozenset[Fraction] | None = None

    def within(self, other: Range) -> bool:
        """Whether all of this lies in the other."""
        if self.values is not None:
            return all(other.has(value) for value in self.values)
        if other.values is not None:
            if not self.whole or self.high is None:
                return False
            return all(
                Fraction(n) in other.values for n in range(int(self.low), int(self.high) + 1)
            )
        if other.whole and not self.whole:
            return False
        below = other.high is None or (self.high is not None and self.high <= other.high)
        return other.low <= self.low and below

    def has(self, value: Fraction) -> bool:
        if self.values is not None:
            return value in self.values
        inside = self.low <= value and (self.high is None or value <= self.high)
        return inside and (not self.whole or value.denominator == 1)

    def some(self) -> Fraction:
        """A member."""
        return min(self.values) if self.values else self.low


Domain = dict[str, Range]


@dataclass(frozen=True)
class Goal:
    formula: str
    domain: Domain
    where: str | None


def plain(formula: str) -> str:
    """A formula in one way of writing it."""
    return ast.unparse(ast.parse(formula, mode="eval"))


def split_outside(text: str, mark: str) -> list[str]:
    """Split at a mark that is in no bracket."""
    pieces, depth, start = [], 0, 0
    for i, letter in enumerate(text):
        depth += (letter in "([{") - (letter in ")]}")
        if depth == 0 and text.startswith(mark, i):
            pieces.append(text[start:i])
            start = i + len(mark)
    return [*pieces, text[start:]]


def parse_goal(text: str) -> Goal:
    """`FORMULA for x in [a, b], y >= c, whole n in {1, 2}, z = 3 where CONDITION`."""
    formula, *rest = split_outside(text, " for ")
    if len(rest) > 1:
        raise NotShown(f"not a goal: {text!r}")
    ranges, *conditions = split_outside(rest[0], " where ") if rest else [""]
    domain = dict(_range(item.strip()) for item in split_outside(ranges, ",") if item.strip())
    return Goal(plain(formula), domain, plain(conditions[0]) if conditions else None)


def _range(item: str) -> tuple[str, Range]:
    whole = item.startswith("whole ")
    name, relation, given = item.removeprefix("whole ").split(" ", 2)
    if relation == "in" and given[0] == "[":
        low, high = (fraction(end.strip()) for end in given[1:-1].split(","))
        return name, Range(low, high, whole)
    if relation == ">=":
        return name, Range(fraction(given), None, whole)
    values = given[1:-1].split(",") if relation == "in" else [given]
    found = frozenset(fraction(value.strip()) for value in values)
    return name, Range(min(found), max(found), whole, found)


def domain_of(part: Part) -> Domain:
    """Where a part shows its statement."""
    kind = part["kind"]
    if kind == "point":
        found = {name: fraction(text) for name, text in part["at"].items()}
        return {name: Range(v, v, values=frozenset({v})) for name, v in found.items()}
    if kind in ("each", "grid"):
        return {name: _axis(axis) for name, axis in part["axes"].items()}
    if kind in ("identity", "cover"):
        ends = {n: (fraction(low), fraction(high)) for n, (low, high) in part["domain"].items()}
        return {name: Range(low, high) for name, (low, high) in ends.items()}
    if kind in ("polynomial", "evident"):
        return {name: Range(fraction(low), None) for name, low in part["from"].items()}
    if kind == "chain":
        end = None if part["end"] is None else fraction(part["end"])
        return {part["variable"]: Range(fraction(part["start"]), end)}
    if kind == "induction":
        tree: Any = ast.parse(part["statement"], mode="eval").body
        return {tree.left.args[3].id: Range(Fraction(part["start"]), None, whole=True)}
    return {}


def _axis(axis: Any) -> Range:
    if isinstance(axis, list):
        values = frozenset(fraction(v) for v in axis)
    elif axis["step"] == 1:
        return Range(Fraction(axis["from"]), Fraction(axis["to"]), whole=True)
    else:
        steps = range(axis["from"], axis["to"] + 1, axis["step"])
        values = frozenset(map(Fraction, steps))
    return Range(min(values), max(values), values=values)


BOOKED = ("proved", "bookings")
"""Kinds of part that bound what an algorithm's releases book."""


def goal_of(part: Part) -> str:
    """What a part shows, as a goal."""
    if part["kind"] in BOOKED:
        return f"loss({_played(part)}) <= {part['level']}"
    if part["kind"] == "counts":
        return f"loss({_played(part)}) > {part['claim']}"
    if part["kind"] == "laboratory":
        return sentence(part)
    if part["kind"] == "regret":
        return f"regret({_played(part)}) {part['relation']} {part['bound']}"
    ranges = []
    for name, r in domain_of(part).items():
        head = f"whole {name}" if r.whole else name
        if r.values is not None:
            texts = [str(v) for v in sorted(r.values)]
            ranges.append(
                f"{head} = {texts[0]}" if len(texts) == 1 else f"{head} in {{{', '.join(texts)}}}"
            )
        elif r.high is None:
            ranges.append(f"{head} >= {r.low}")
        else:
            ranges.append(f"{head} in [{r.low}, {r.high}]")
    text = plain(part["statement"]) + (f" for {', '.join(ranges)}" if ranges else "")
    return text + (f" where {plain(part['where'])}" if part.get("where") else "")


def sentence(part: Part) -> str:
    """What a part of the laboratory is about, as a goal."""
    return f"{LABORATORY}{part['experiment']} | {part['text']} | {part['reading']}"


def settings_of(part: Part) -> dict[str, Any]:
    """What was played, by name."""
    own = {"notion": "gdp"} if part.get("notion") == "gdp" else {}
    for key in ("means", "horizon", "arms", "rounds", "event"):
        if key in part:
            own[key] = part[key]
    return {**part["settings"], **own}


def _played(part: Part) -> str:
    given = ", ".join(f"{k}={v}" for k, v in settings_of(part).items())
    return f"{part['target']}; {given}"


def parse_played(text: str) -> tuple[str, dict[str, str], str, str]:
    """Target, settings as text, relation, bound of `loss(NAME; k=v, …) <= BOUND`."""
    inside, _, rest = text.partition("(")[2].partition(") ")
    target, _, given = inside.partition("; ")
    pairs = (item.strip().split("=", 1) for item in split_outside(given, ",") if item.strip())
    relation, bound = rest.split(" ", 1)
    return target, dict(pairs), relation, plain(bound)


def covers(goal: Goal, parts: Sequence[tuple[str, Part]]) -> list[str] | None:
    """The parts that together show a goal on all of its domain; None if they do not."""
    same = [
        (name, domain_of(part))
        for name, part in parts
        if "statement" in part
        and plain(part["statement"]) == goal.formula
        and (part.get("where") is None or plain(part["where"]) == goal.where)
    ]
    analytic = not ROUGH & {
        n.id for n in ast.walk(ast.parse(goal.formula)) if isinstance(n, ast.Name)
    }
    kinds = {name: part["kind"] for name, part in parts}
    for name, domain in same:
        if kinds[name] == "identity" and analytic and goal.domain.keys() == domain.keys():
            positive = all(d.low <= 0 or goal.domain[v].low >= 0 for v, d in domain.items())
            if positive:
                return [name]
        if goal.domain.keys() == domain.keys() and all(
            own.within(domain[v]) for v, own in goal.domain.items()
        ):
            return [name]
    for variable in goal.domain:
        found = _joined(goal, same, variable)
        if found:
            return found
    return None


def _joined(goal: Goal, same: Sequence[tuple[str, Domain]], variable: str) -> list[str] | None:
    """Parts whose ranges of one variable, end to end, make up the goal's."""
    own = goal.domain[variable]
    fits = [
        (domain[variable], name)
        for name, domain in same
        if domain.keys() == goal.domain.keys()
        and domain[variable].values is None
        and (own.whole or not domain[variable].whole)
        and all(r.within(domain[v]) for v, r in goal.domain.items() if v != variable)
    ]
    reached = own.low
    used: list[str] = []
    for piece, name in sorted(fits, key=lambda f: f[0].low):
        step = Fraction(int(own.whole and piece.whole)) if used else Fraction(0)
        if piece.low > reached + step:
            break
        used.append(name)
        if piece.high is None or (own.high is not None and piece.high >= own.high):
            return used
        reached = max(reached, piece.high)
    return None


def points(part: Part) -> Iterator[dict[str, Fraction]]:
    """Points at which a part shows its statement: where it may speak against a goal."""
    if part["kind"] in ("each", "grid"):
        yield {name: fraction(v) for name, v in part["closest"]["at"].items()}
    else:
        yield {name: r.some() for name, r in domain_of(part).items()}
        yield {name: r.some() if r.high is None else r.high for name, r in domain_of(part).items()}


def false_at(goal: Goal, point: Mapping[str, Fraction]) -> bool:
    """Whether a goal is certainly false at a point of its domain."""
    if not goal.domain.keys() <= point.keys():
        return False
    own = {name: point[name] for name in goal.domain}
    try:
        inside = all(r.has(own[name]) for name, r in goal.domain.items())
        if goal.where is not None and not bool(rational(goal.where, own)):
            return False
        return inside and not holds_at(goal.formula, own)[0]
    except NotShown:
        return False


def derive(texts: Sequence[str], parts: Sequence[Part], *, true: bool) -> list[Step]:
    """A step for each goal: covered, false at a point, exceeded by a sample, or words.

    Where the statement is true all goals are covered; where it is false one at least is false.
    """
    named = [(f"p{i}", part) for i, part in enumerate(parts, 1)]
    steps = [_step(i, text, named, true=true) for i, text in enumerate(texts)]
    if not true and not any(step["rule"] in ("false", "exceeded", "words") for step in steps):
        raise Unbound(f"no part speaks against a goal: {'; '.join(texts) or 'there is none'}")
    return steps


def _step(number: int, text: str, named: Sequence[tuple[str, Part]], *, true: bool) -> Step:
    if text.startswith(WORDS):
        shown = [name for name, part in named if part["kind"] == "words"]
        return {"goal": number, "rule": "words", "by": shown or [name for name, _ in named]}
    if text.startswith(LABORATORY):
        for name, part in named:
            if part["kind"] == "laboratory" and text == sentence(part):
                if part["verdict"] == "confirmed":
                    return {"goal": number, "rule": "covered", "by": [name]}
                if part["verdict"] == "not confirmed" and not true:
                    return {"goal": number, "rule": "exceeded", "by": [name]}
        raise Unbound(f"no part reaches the goal {text}")
    if text.startswith(PLAYED):
        return _played_step(number, text, named, true=true)
    goal = parse_goal(text)
    covering = covers(goal, named)
    if covering:
        return {"goal": number, "rule": "covered", "by": covering}
    for name, part in named:
        for point in points(part) if "statement" in part and not true else ():
            if false_at(goal, point):
                at = {key: str(point[key]) for key in goal.domain}
                return {"goal": number, "rule": "false", "by": [name], "at": at}
    raise Unbound(f"no part reaches the goal {text}")


def _played_step(number: int, text: str, named: Sequence[tuple[str, Part]], *, true: bool) -> Step:
    target, given, relation, bound = parse_played(text)
    for name, part in named:
        if part.get("target") != target:
            continue
        played = {key: str(value) for key, value in settings_of(part).items()}
        if any(played.get(key) != value for key, value in given.items()):
            continue
        if part["kind"] == "counts" and text.startswith("loss("):
            if not true and relation == "<=" and holds_at(f"{part['claim']} >= {bound}", {})[0]:
                return {"goal": number, "rule": "exceeded", "by": [name]}
            continue
        booked = part["kind"] in BOOKED
        shown = "<=" if booked else part["relation"]
        if plain(part["level" if booked else "bound"]) != bound:
            continue
        if shown == relation:
            return {"goal": number, "rule": "covered", "by": [name]}
        if not true:
            return {"goal": number, "rule": "exceeded", "by": [name]}
    raise Unbound(f"no part reaches the goal {text}")


def negated(text: str) -> str:
    """A goal's formula turned round, over the same domain."""
    from dpaudit.ledger.formulas import OPPOSITE

    formula, *rest = split_outside(text, " for ")
    left, relation, right = sides(formula)
    return " for ".join([f"({left}) {OPPOSITE[relation]} ({right})", *rest])
