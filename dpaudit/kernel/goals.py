"""A part of a certificate as a lemma: what is stated, and how the kernel is shown it."""

from __future__ import annotations

import ast
import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpaudit.kernel.chains import chained, induced
from dpaudit.kernel.exact import Name, Sayer, Unsaid, number
from dpaudit.kernel.reals import number as real_number
from dpaudit.kernel.reals import real, related, sides
from dpaudit.recheck.numbers import Refused, tree

Part = Mapping[str, Any]


@dataclass(frozen=True)
class Lemma:
    """A statement of Coq and the tactic that proves it."""

    statement: str
    proof: str


def lemma(part: Part) -> Lemma:
    """A part's lemma, or Unsaid."""
    try:
        return KINDS[part["kind"]](part)
    except (Refused, LookupError, TypeError, ValueError, ArithmeticError) as why:
        raise Unsaid(f"{type(why).__name__}: {why}") from None


def computed(statements: Sequence[str]) -> Lemma:
    """All of them, by computation."""
    joined = functools.reduce(lambda one, two: f"(Both {one} {two})", statements)
    return Lemma(f"true_ {joined}", "by_computation")


def point(part: Part) -> Lemma:
    """Computed; an identity of reals by its laws."""
    at = {name: Fraction(text) for name, text in part["at"].items()}
    try:
        one, two = part["sides"]
        say = Sayer({}, at, enclosed=one != two)
        return computed([say.statement(part["statement"]), *say.sides])
    except Unsaid:
        return Lemma(related(part["statement"], at, {}), "by_point")


def each(part: Part) -> Lemma:
    """Computed for every member of the axes' product that meets the condition."""
    names = {name: _axis(name, axis) for name, axis in part["axes"].items()}
    apart = Fraction(part["closest"]["gap"]) != 0
    say = Sayer({name: known for name, (known, _) in names.items()}, enclosed=apart)
    found = say.statement(part["statement"])
    if say.sides:
        raise Unsaid("a rounding that hangs on the point")
    if part["where"] is not None:
        found = f"(When {say.condition(part['where'])} {found})"
    for known, members in reversed(names.values()):
        found = f"(Each{known.sort} {members} (fun {known.text} => {found}))"
    return Lemma(f"true_ {found}", "by_computation")


def _axis(name: str, axis: Any) -> tuple[Name, str]:
    """A name that runs through an axis, and the axis."""
    if isinstance(axis, list):
        values = [Fraction(v) for v in axis]
        whole = all(v.denominator == 1 for v in values)
        texts = "; ".join(number(v).at("Z" if whole else "Q") for v in values)
        if whole:
            ends = int(min(values)), int(max(values))
            return Name("Z", name + "_", *ends), f"[{texts}]%Z"
        return Name("Q", name + "_"), f"[{texts}]%Q"
    low, high, step = axis["from"], axis["to"], axis["step"]
    given = f"(range {_z(low)} {_z(high)})" if step == 1 else f"(steps {_z(low)} {_z(high)} {step})"
    return Name("Z", name + "_", low, high), given


def _z(n: int) -> str:
    return f"({n})" if n < 0 else str(n)


def cover(part: Part) -> Lemma:
    """Smooth functions by the tactic `interval`, others by boxes of the prelude."""
    names = list(part["domain"])
    called = {n.id for n in ast.walk(tree(part["statement"])) if isinstance(n, ast.Name)}
    rooted = any(
        isinstance(n, ast.Constant) and isinstance(n.value, float)
        for n in exponents(part["statement"])
    )
    at_zero = rooted and any(Fraction(low) == 0 for low, _ in part["domain"].values())
    if called & {"normal", "sum", "prod", "min", "max"} or at_zero:
        say = Sayer({name: Name("R", f"(Var {i})") for i, name in enumerate(names)})
        said = "(" + say.statement(part["statement"]).removeprefix("(R")
        ends = [f"({_q(low)}, {_q(high)})" for low, high in part["domain"].values()]
        given = [f"lies_in {e}%Q {n}_" for e, n in zip(ends, names, strict=True)]
        places = [f"{n}_" for n in names]
        return Lemma(
            f"forall {' '.join(places)}, {' -> '.join(given)} -> "
            f"holds [{'; '.join(places)}] {said}",
            f"by_boxes [{'; '.join(ends)}]%Q",
        )
    inside, variables = _domain(part)
    return Lemma(
        f"{inside}{related(part['statement'], {}, variables)}", ladder(list(variables.values()))
    )


def exponents(statement: str) -> list[Any]:
    """All exponents of a formula."""
    nodes = ast.walk(tree(statement))
    return [n.right for n in nodes if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Pow)]


def _q(text: str) -> str:
    return number(Fraction(text)).at("Q")


def ladder(variables: list[str]) -> str:
    """The tactic `interval` over a box, with more and more effort."""
    halves = ", ".join(f"i_bisect {v}" for v in variables)
    tries = [f"interval with ({halves}, i_depth 20)"]
    tries += [f"interval with ({halves}, i_autodiff {v}, i_depth 25)" for v in variables]
    if len(variables) == 1:
        tries.append(f"interval with ({halves}, i_taylor {variables[0]}, i_depth 25)")
    tries.append(f"interval with ({halves}, i_depth 40, i_prec 80)")
    return f"one_side; solve [{' | '.join(tries)}]"


def _domain(part: Part) -> tuple[str, dict[str, str]]:
    """`forall` the variables of a box."""
    names = {name: f"{name}_" for name in part["domain"]}
    ends = [
        f"{real_number(low)} <= {names[name]} <= {real_number(high)}"
        for name, (low, high) in part["domain"].items()
    ]
    return _forall(names, ends), names


def _forall(names: Mapping[str, str], given: Sequence[str]) -> str:
    variables = f"forall {' '.join(names.values())} : R, " if names else ""
    return variables + "".join(f"{each} -> " for each in given)


def _from(part: Part) -> tuple[str, dict[str, str]]:
    names = {name: f"{name}_" for name in part["from"]}
    given = [f"{real_number(low)} <= {names[name]}" for name, low in part["from"].items()]
    return _forall(names, given), names


def identity(part: Part) -> Lemma:
    """On its box, by algebra and the laws of exponentials, logarithms and roots."""
    inside, names = _domain(part)
    return Lemma(inside + related(part["statement"], {}, names), "by_algebra")


def polynomial(part: Part) -> Lemma:
    inside, names = _from(part)
    return Lemma(inside + related(part["statement"], {}, names), expanded(part, names))


MARGIN = {
    "<=": "Rminus_le_0",
    "<": "Rminus_lt_0",
    ">=": "Rle_ge, Rminus_le_0",
    ">": "Rlt_gt, Rminus_lt_0",
}
"""By which law a relation is that its margin is not negative, or positive."""


def expanded(part: Part, names: Mapping[str, str]) -> str:
    """A polynomial is what its coefficients say, and they have signs."""
    left, sign, right = sides(part["statement"])
    one, two = real(left, {}, names), real(right, {}, names)
    margin = f"({two}) - ({one})" if sign in ("<", "<=") else f"({one}) - ({two})"
    terms = []
    for c in sorted(part["coefficients"], key=lambda c: sum(c["powers"])):
        if Fraction(c["coefficient"]) != 0:
            term = real_number(c["coefficient"])
            for (name, start), k in zip(part["from"].items(), c["powers"], strict=True):
                if k:
                    term = f"({term} * ({names[name]} - {real_number(start)}) ^ {k})"
            terms.append(term)
    return (
        f"intros; apply {MARGIN[sign]}; "
        f"replace ({margin}) with ({' + '.join(terms) or '0'}) by (field; side); by_sign"
    )


def evident(part: Part) -> Lemma:
    inside, names = _from(part)
    return Lemma(inside + related(part["statement"], {}, names), "intros; apply Rle_ge; sign")


def chain(part: Part) -> Lemma:
    closing = part["closing"]
    names = {part["variable"]: f"{part['variable']}_"}
    if closing["kind"] == "polynomial":
        close = expanded(closing, names)
    elif closing["kind"] == "cover":
        close = ladder(list(names.values()))
    else:
        close = "intros; apply Rle_ge; sign"
    return Lemma(*chained(part, close))


def induction(part: Part) -> Lemma:
    return Lemma(*induced(part))


def regret(part: Part) -> Lemma:
    """Empirical Bernstein from the recorded mean and variance."""
    mean, variance, alpha = (_decimal(part[k]) for k in ("mean", "variance", "alpha"))
    spread = part["horizon"] * (_decimal(max(part["means"])) - _decimal(min(part["means"])))
    runs = part["runs"]
    say = Sayer(
        {}, {"m": mean, "v": variance, "a": alpha, "w": Fraction(spread), "n": Fraction(runs)}
    )
    radius = "sqrt(2*v*log(2/a)/n) + 7*w*log(2/a)/(3*(n - 1))"
    up = part["relation"] == "<="
    found = f"m + ({radius}) <= {part['bound']}" if up else f"m - ({radius}) >= {part['bound']}"
    return computed([say.statement(found), *say.sides])


def _decimal(x: float) -> Fraction:
    return Fraction(str(x))


SLACK = Fraction(1, 10**9)
"""For the floats in which bookings are recorded; the checker's own."""


def bookings(part: Part) -> Lemma:
    """What each path books, added up, is at most the level."""
    level = f"({part['level']})**2" if part["notion"] == "gdp" else part["level"]
    rows = sorted({tuple(sorted(row["booked"])) for row in part["paths"]})
    totals = sorted({sum(map(_decimal, row), Fraction(0)) for row in rows})
    say = Sayer({"total": Name("Q", "total")})
    found = say.statement(f"total <= ({level})*(1 + {SLACK})")
    members = "; ".join(number(t).at("Q") for t in totals)
    return computed([f"(EachQ [{members}]%Q (fun total => {found}))", *say.sides])


def counts(part: Part) -> Lemma:
    """Both proportions are bounded by Chernoff, each at half the error, and their ratio is large.

    The bounds are a little weaker than the exact ones that the certificate has.
    """
    (hits, base), runs = part["hits"], part["runs"]
    half = _decimal(part["alpha"]) / 2
    low = _chernoff(hits, runs, float(half), up=False)
    high = _chernoff(base, runs, float(half), up=True)
    ratio = Sayer({}).statement(f"{part['claim']} < log(({low})/({high}))")
    bounds = [(hits, low), (runs - base, 1 - high)]
    tails = [
        f"tail (Z.to_nat {runs}) (Z.to_nat {count}) {real_number(p)} <= {real_number(half)}"
        for count, p in bounds
    ]
    proofs = [f"by_tail {real_number(_tilt(Fraction(count, runs), p))}" for count, p in bounds]
    return Lemma(
        " /\\ ".join([*tails, f"true_ {ratio}"]),
        f"split; [{proofs[0]} | split; [{proofs[1]} | by_computation]]",
    )


def _tilt(share: Fraction, p: Fraction) -> Fraction:
    """Chernoff's bound is the least where the odds of p times it are those of the share."""
    return (share * (1 - p) / ((1 - share) * p)).limit_denominator(10**9)


def _chernoff(hits: int, runs: int, error: float, *, up: bool) -> Fraction:
    """A proportion that many, or few, hits exclude at an error."""
    share = hits / runs
    near, far = share, 1.0 if up else 0.0
    for _ in range(60):
        p = (near + far) / 2
        gap = share * math.log(share / p) + (1 - share) * math.log((1 - share) / (1 - p))
        near, far = (p, far) if runs * gap < math.log(1 / error) else (near, p)
    return Fraction(math.ceil(far * 10**7) if up else math.floor(far * 10**7), 10**7)


KINDS = {
    kind.__name__: kind
    for kind in (
        *(point, each, cover, identity, polynomial, evident, chain, induction),
        *(regret, bookings, counts),
    )
} | {"grid": each}
