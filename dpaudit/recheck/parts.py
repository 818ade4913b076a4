"""The checker's kinds of part: each function accepts what is certain and refuses all else."""

from __future__ import annotations

import ast
import itertools
import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from mpmath import iv, mp

from dpaudit.recheck.exact.algebra import Algebra, equal
from dpaudit.recheck.exact.forms import Box, add, constant, is_zero, mul
from dpaudit.recheck.numbers import Point, Refused, binary, need, same, tree, value, wide
from dpaudit.recheck.proofs import longest

DEEPER = 9
"""How many more halvings a leaf may take here than where it was found."""
DIGITS = Fraction(1, 2 * 10**14)
"""Agreement asked of a recorded decimal."""
ALPHA = 1e-6
"""Largest error probability of a sampled part."""


def split(statement: str) -> tuple[str, Any, str]:
    """Both sides of a statement and the kind of its relation."""
    node = tree(statement)
    need(isinstance(node, ast.Compare) and len(node.ops) == 1, f"not one relation: {statement}")
    return ast.unparse(node.left), type(node.ops[0]), ast.unparse(node.comparators[0])


def margin(statement: str) -> tuple[str, bool]:
    """What must be >= 0, and whether it must be > 0."""
    left, kind, right = split(statement)
    need(kind not in (ast.Eq, ast.NotEq), f"not an inequality: {statement}")
    up = kind in (ast.Lt, ast.LtE)
    return (f"({right})-({left})" if up else f"({left})-({right})"), kind in (ast.Lt, ast.Gt)


def exact(texts: dict[str, str]) -> Point:
    return {name: Fraction(text) for name, text in texts.items()}


def recorded(text: str, number: Any) -> None:
    given = Fraction(text)
    need(
        given == number or (given != 0 and same(wide(number) / wide(given), 1, DIGITS)),
        f"not {text}",
    )


def point(part: Any) -> None:
    """One point: the relation, and the two recorded sides."""
    at = exact(part["at"])
    need(value(part["statement"], at), "the statement is not certain at the point")
    left, _, right = split(part["statement"])
    for text, side in zip(part["sides"], (left, right), strict=True):
        recorded(text, value(side, at))


def each(part: Any) -> None:
    """A finite set: every point, how many there are, and the smallest gap."""
    left, _, right = split(part["statement"])

    def gap(at: Point) -> Any:
        return abs(binary(ast.Sub(), value(left, at), value(right, at)))

    axes = [
        axis if isinstance(axis, list) else range(axis["from"], axis["to"] + 1, axis["step"])
        for axis in part["axes"].values()
    ]
    gaps = []
    for values in itertools.product(*axes):
        at = dict(zip(part["axes"], map(Fraction, values), strict=True))
        if part["where"] is None or value(part["where"], at):
            need(value(part["statement"], at), f"not certain at {at}")
            gaps.append(gap(at))
    need(len(gaps) == part["size"], f"there are {len(gaps)} points")
    closest = gap(exact(part["closest"]["at"]))
    recorded(part["closest"]["gap"], closest)
    need(all(wide(g).b >= wide(closest).a for g in gaps), "another point is closer")


def halves(box: Any, axis: int) -> Iterator[Any]:
    name = list(box)[axis]
    low, high = box[name]
    yield {**box, name: (low, (low + high) / 2)}
    yield {**box, name: ((low + high) / 2, high)}


def cover(part: Any) -> None:
    """A bisection tree: the margin's sign on every leaf, and its enclosure at the middle."""
    expression, strict = margin(part["statement"])
    marks, leaves = iter(part["tree"]), iter(part["leaves"])

    def signed(box: Any, deeper: int) -> bool:
        at = {k: iv.mpf([wide(a).a, wide(b).b]) for k, (a, b) in box.items()}
        try:
            found = wide(value(expression, at))
        except (Refused, ValueError, ZeroDivisionError):
            found = iv.mpf(["-inf", "inf"])
        if found.a > 0 or (not strict and found.a >= 0):
            return True
        widths = [high - low for low, high in box.values()]
        axis = widths.index(max(widths))
        return deeper > 0 and all(signed(half, deeper - 1) for half in halves(box, axis))

    def walk(box: Any) -> None:
        mark = next(marks)
        if mark != ".":
            for half in halves(box, int(mark)):
                walk(half)
            return
        low, high = (Fraction(text) for text in next(leaves))
        middle = wide(value(expression, {k: (a + b) / 2 for k, (a, b) in box.items()}))
        need(bool(low >= 0 and wide(low).a <= middle.b and middle.a <= wide(high).b), "enclosure")
        need(signed(box, DEEPER), f"no sign on {box}")

    walk({name: (Fraction(low), Fraction(high)) for name, (low, high) in part["domain"].items()})
    need(next(marks, None) is None and next(leaves, None) is None, "more leaves than boxes")


def box_of(domain: dict[str, Any]) -> Box:
    return {name: (Fraction(low), Fraction(high)) for name, (low, high) in domain.items()}


def identity(part: Any) -> None:
    """The sides have the same normal form over the domain."""
    left, kind, right = split(part["statement"])
    need(kind is ast.Eq, "not an identity")
    need(equal(left, right, box_of(part["domain"])), "the sides differ, or are not seen to be one")


def coefficients(node: Any, start: Point) -> dict[tuple[int, ...], Fraction]:
    """A polynomial in the variables less their starts: coefficients by powers."""
    constant = (0,) * len(start)
    match node:
        case ast.Name(id=name) if name in start:
            return {tuple(int(n == name) for n in start): Fraction(1), constant: start[name]}
        case ast.UnaryOp(op=ast.USub(), operand=x):
            return {p: -c for p, c in coefficients(x, start).items()}
        case ast.BinOp(left=x, op=ast.Pow(), right=ast.Constant(value=int(n))) if n > 0:
            rest = ast.BinOp(x, ast.Pow(), ast.Constant(n - 1)) if n > 1 else ast.Constant(1)
            return coefficients(ast.BinOp(x, ast.Mult(), rest), start)
        case ast.BinOp(left=x, op=ast.Div(), right=y):
            return {p: c / value(y, {}) for p, c in coefficients(x, start).items()}
        case ast.BinOp(left=x, op=ast.Add() | ast.Sub() | ast.Mult() as op, right=y):
            a, b = coefficients(x, start), coefficients(y, start)
            out: dict[tuple[int, ...], Fraction] = {}
            if isinstance(op, ast.Mult):
                pairs = itertools.product(a.items(), b.items())
                terms = [(tuple(map(sum, zip(p, q))), c * d) for (p, c), (q, d) in pairs]  # noqa: B905
            else:
                sign = 1 if isinstance(op, ast.Add) else -1
                terms = [*a.items(), *((q, sign * d) for q, d in b.items())]
            for p, c in terms:
                out[p] = out.get(p, Fraction(0)) + c
            return out
    number = value(node, {})
    need(isinstance(number, Fraction), "not a polynomial with rational coefficients")
    return {constant: number}


def polynomial(part: Any) -> None:
    """A polynomial: expanded again, coefficient by coefficient, none negative."""
    expression, strict = margin(part["statement"])
    start = exact(part["from"])
    found = {p: c for p, c in coefficients(tree(expression), start).items() if c}
    given = {tuple(c["powers"]): Fraction(c["coefficient"]) for c in part["coefficients"]}
    need(found == {p: c for p, c in given.items() if c}, "coefficients")
    need(all(c > 0 for c in found.values()), "a negative coefficient")
    need(not strict or (0,) * len(start) in found, "not strict at the start")


def nonnegative(node: Any, start: Point) -> bool:
    """Whether an expression is evidently >= 0 from the starts on."""
    match node:
        case ast.Constant(value=x):
            return bool(isinstance(x, int | float) and x >= 0)
        case ast.Name(id=name):
            return name in start and start[name] >= 0
        case ast.Call(func=ast.Name(id="exp" | "sqrt" | "abs")):
            return True
        case ast.BinOp(left=x, op=ast.Pow(), right=ast.Constant(value=int(n))) if n % 2 == 0:
            return True
        case ast.BinOp(left=x, op=ast.Pow()):
            return nonnegative(x, start)
        case ast.BinOp(left=x, op=ast.Add() | ast.Mult() | ast.Div(), right=y):
            return nonnegative(x, start) and nonnegative(y, start)
    return False


def evident(part: Any) -> None:
    """Defined from the starts on, and a sum, product or power of what is >= 0."""
    left, kind, right = split(part["statement"])
    start = exact(part["from"])
    need(kind is ast.GtE and right == "0", "not of the form expression >= 0")
    need(nonnegative(tree(left), start), "not evident")
    Algebra({name: (low, None) for name, low in start.items()}).form(left)


def chain(part: Any) -> None:
    """Each link is a positive factor times the derivative of the one before, and >= 0 at start.

    What has a form is smooth from the start to the end, so the derivative's sign says how it goes.
    """
    name, low = part["variable"], Fraction(part["start"])
    high = None if part["end"] is None else Fraction(part["end"])
    expression, strict = margin(part["statement"])
    links, closing, algebra = part["links"], part["closing"], Algebra({name: (low, high)})
    forms = [algebra.form(link["expression"]) for link in links]
    need(is_zero(add(forms[0], algebra.form(expression), -1)), "the first link is not the margin")
    for number, (one, two) in enumerate(itertools.pairwise(links)):
        sign = ">" if strict and one is links[0] else ">="
        need(value(f"({one['expression']}) {sign} 0", {name: low}), "negative at the start")
        need(value(f"({two['factor']}) > 0", {name: low}), "a factor is not positive")
        factor = tree(two["factor"])
        if not nonnegative(factor, {name: low}):
            need(min(coefficients(factor, {name: low}).values()) >= 0, "a factor has no sign")
        slope = mul(algebra.derivative(forms[number], name), algebra.form(factor))
        need(is_zero(add(slope, forms[number + 1], -1)), "not the derivative")
    need(closing["statement"] == f"{links[-1]['expression']} >= 0", "closes something else")
    if closing["kind"] == "cover":
        ends = [Fraction(end) for end in closing["domain"][name]]
        need(high is not None and ends == [low, high], "the cover ends elsewhere")
    else:
        need(closing["kind"] in ("polynomial", "evident"), "closes by something else")
        need(exact(closing["from"]) == {name: low}, "the closing starts elsewhere")
    check(closing)


def induction(part: Any) -> None:
    """Base and step are of this statement, and hold."""
    left, kind, right = split(part["statement"])
    total, start, base, step = tree(left), part["start"], part["base"], part["step"]
    need(total.func.id == "sum", "no sum")
    term, variable, first, last = total.args
    name, begin = last.id, Fraction(start)
    need(base["kind"] == "point" and base["statement"] == part["statement"], "base")
    need(exact(base["at"]) == {name: start}, "base")
    gain, step_kind, increase = split(step["statement"])
    begins = step.get("start") or step.get("from", {}).get(name) or step["domain"][name][0]
    need(step_kind is kind and Fraction(begins) == begin and step.get("end") is None, "step")
    need(step["kind"] in ("identity", "polynomial", "chain"), "a step of another kind")
    algebra = Algebra({name: (begin, None)})
    following = add(algebra.form(name), constant(1))
    need(value(first, {}) <= begin + 1, "a sum that begins later")
    one = add(algebra.form(term, {variable.id: following}), algebra.form(gain), -1)
    grows = add(algebra.form(right, {name: following}), algebra.form(right), -1)
    two = add(grows, algebra.form(increase), -1)
    need(is_zero(one) and is_zero(two), "the step is of another statement")
    check(base)
    if step["kind"] == "identity":
        need(is_zero(add(algebra.form(gain), algebra.form(increase), -1)), "the step")
    check(step)


def bookings(part: Any) -> None:
    """All paths are there, none books more than the level, and the largest is as recorded."""
    alphabet = "0123456789"[: part["arms"]]
    paths = [
        "".join(p) for p in itertools.product(alphabet, repeat=part["rounds"] - part["opening"])
    ]
    need([row["path"] for row in part["paths"]] == paths, "a path is missing")
    need(all(b > 0 for row in part["paths"] for b in row["booked"]), "a booking is not positive")
    most = max(math.fsum(row["booked"]) for row in part["paths"])
    level = value(f"({part['level']})**2" if part["notion"] == "gdp" else part["level"], {})
    need(bool(most <= wide(level).b * (1 + 1e-9)), "a path books more")
    need(abs(most - part["largest"]) < 1e-9, "another largest booking")


def proved(part: Any) -> None:
    """The longest way through the graph is as long as the bound, or as its square, for GDP, and not
    above the level; that the graph is that of the algorithm's steps, its evidence says
    (`dpaudit.recheck.replay`)."""
    size = part["arms"], part["rounds"], part["settings"]["epsilon"]
    need(size == ("every",) * 3, "not for every K, T and epsilon")
    most = longest(part["graph"])
    if most is None:
        raise Refused("a circle books")
    bound = math.sqrt(most) if part.get("notion") == "gdp" else float(most)
    need(bound == part["bound"], "another longest way")
    need(bool(mp.mpf(part["bound"]) <= wide(value(part["level"], {})).b), "more than the level")


def tail(hits: int, runs: int, p: float) -> Any:
    """P(binomial(runs, p) >= hits) for p below hits / runs, term by term."""
    log_ways = mp.loggamma(runs + 1) - mp.loggamma(hits + 1) - mp.loggamma(runs - hits + 1)
    term = total = mp.exp(log_ways + hits * mp.log(p) + (runs - hits) * mp.log(1 - mp.mpf(p)))
    for k in range(hits, runs):
        term *= (runs - k) * mp.mpf(p) / ((k + 1) * (1 - mp.mpf(p)))
        total += term
        if term < total * mp.mpf(10) ** -20:
            break
    return total


def counts(part: Any) -> None:
    """Both one-sided binomial bounds at half the error, and the ratio they give."""
    (hits, base), runs, half = part["hits"], part["runs"], part["alpha"] / 2
    low, high = part["proportions"]
    need(part["alpha"] <= ALPHA and 0 < low < hits / runs and base / runs < high < 1, "bounds")
    need(bool(tail(hits, runs, low) <= half), "the lower bound is not one")
    need(bool(tail(runs - base, runs, 1 - high) <= half), "the upper bound is not one")
    claim = wide(value(part["claim"], {}))
    need(bool(claim.b < mp.log(mp.mpf(low) / high)), "the claim is not exceeded")


def regret(part: Any) -> None:
    """Empirical Bernstein from the recorded mean and variance."""
    runs, mean, slack = part["runs"], part["mean"], math.log(2 / part["alpha"])
    span = part["horizon"] * (max(part["means"]) - min(part["means"]))
    radius = math.sqrt(2 * part["variance"] * slack / runs) + 7 * span * slack / (3 * (runs - 1))
    need(part["alpha"] <= ALPHA and 0 <= mean <= span and part["variance"] >= 0, "numbers")
    bound, up = wide(value(part["bound"], {})), part["relation"] == "<="
    need(bool(mean + radius <= bound.b if up else mean - radius >= bound.a), "bound not shown")


def words(part: Any) -> None:
    """The quotation's anchor, which is looked at with the claim, is all there is to it."""
    need(part == {"kind": "words"}, "words and something else")


def laboratory(part: Any) -> None:
    """A sentence about an experiment and a verdict; the report is looked at when it is replayed."""
    known = ("confirmed", "not confirmed", "open")
    need(bool(part["experiment"] and part["text"]) and part["verdict"] in known, "no verdict")


KINDS = {
    kind.__name__: kind
    for kind in (
        *(point, each, cover, identity, polynomial, evident, chain, induction),
        *(proved, bookings, counts, regret, laboratory, words),
    )
} | {"grid": each}


def check(part: Any) -> None:
    """Verify one part, or refuse it."""
    try:
        KINDS[part["kind"]](part)
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        raise Refused(f"malformed: {type(error).__name__} {error}") from None
    except (StopIteration, SyntaxError, RecursionError) as error:
        raise Refused(f"malformed: {type(error).__name__}") from None
