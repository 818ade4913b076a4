"""Parts for unbounded ranges, touching inequalities, sums of any length, and identities."""

from __future__ import annotations

import ast
from fractions import Fraction
from typing import Any

from dpaudit.ledger.formulas import (
    Floats,
    NotShown,
    Open,
    evaluate,
    fraction,
    margin,
    parse,
    rational,
    sides,
    substitute,
    symbolic,
)
from dpaudit.ledger.parts import Fails, Part, Value, at, cover, holds_at, value


def identity(statement: str, **domain: tuple[Value, Value]) -> Part:
    """`left == right` for all values: sympy simplifies the difference to 0.

    The domain is where the checker draws the points at which it compares numbers. Variables that
    are 0 or negative nowhere in their domain are told to sympy as positive.
    """
    import sympy

    left, relation, right = sides(statement)
    if relation != "==":
        raise NotShown(f"not an identity: {statement!r}")
    box = {name: (fraction(low), fraction(high)) for name, (low, high) in domain.items()}
    symbols = {
        name: sympy.Symbol(name, positive=True) if low > 0 else sympy.Symbol(name, real=True)
        for name, (low, _) in box.items()
    }
    difference = symbolic(left, symbols) - symbolic(right, symbols)
    for simplify in (sympy.expand, sympy.simplify, _logs):
        if simplify(difference) == 0:
            break
    else:
        middle = {name: (3 * low + 4 * high) / 7 for name, (low, high) in box.items()}
        if bool(value(f"({left}) - ({right})", middle) != 0):
            raise Fails(statement, middle)
        why = f"sympy does not simplify {left} - ({right}) to 0"
        raise Open(why, statement, dict(box))
    return {
        "kind": "identity",
        "statement": statement,
        "domain": {name: [str(low), str(high)] for name, (low, high) in box.items()},
    }


def _logs(expression: Any) -> Any:
    import sympy

    return sympy.simplify(sympy.expand_log(sympy.expand(expression), force=True))


def polynomial(statement: str, **starts: Value) -> Part:
    """A polynomial inequality for all variables from their starts up to infinity.

    Written in the shifted variables (x - start), the margin has no negative coefficient.
    """
    import sympy

    expression, strict = margin(statement)
    exact = {name: fraction(low) for name, low in starts.items()}
    symbols = {name: sympy.Symbol(name) for name in exact}
    shifted = symbolic(expression, symbols).subs(
        {
            symbols[name]: symbols[name] + sympy.Rational(low.numerator, low.denominator)
            for name, low in exact.items()
        },
        simultaneous=True,
    )
    numerator, denominator = sympy.fraction(sympy.together(shifted))
    try:
        terms = sympy.Poly(numerator, *symbols.values()).terms()
        if not sympy.Poly(denominator, *symbols.values()).is_ground:
            raise NotShown(f"not a polynomial: {expression}")
    except sympy.PolynomialError:
        raise NotShown(f"not a polynomial: {expression}") from None
    coefficients: list[dict[str, Any]] = [
        {"powers": [int(p) for p in powers], "coefficient": str(c / denominator)}
        for powers, c in terms
    ]
    if any(c["coefficient"].startswith("-") for c in coefficients):
        box = {name: (low, None) for name, low in exact.items()}
        raise Open(f"{statement}: a shifted coefficient is negative", statement, box)
    constant = rational(expression, exact)
    if constant < 0 or (strict and constant == 0):
        raise Fails(statement, exact)
    return {
        "kind": "polynomial",
        "statement": statement,
        "from": {name: str(low) for name, low in exact.items()},
        "coefficients": coefficients,
    }


def chain(
    statement: str,
    variable: str,
    start: Value,
    end: Value | None = None,
    factors: tuple[str, ...] = ("1",),
) -> Part:
    """An inequality in one variable from `start` on (to `end`, or for ever), by derivatives.

    The margin is >= 0 at the start; its derivative times a positive factor is >= 0 at the start,
    and so on; the last derivative times its factor is a polynomial with no negative shifted
    coefficient, or evidently >= 0, or, where there is an end, is covered by boxes. So every one is
    >= 0 throughout. Factors are polynomials without negative shifted coefficients, or evident.
    """
    import sympy

    expression, strict = margin(statement)
    low = fraction(start)
    if strict and not holds_at(f"({expression}) > 0", {variable: low})[0]:
        raise Fails(statement, {variable: low})
    symbol = sympy.Symbol(variable, positive=True) if low >= 0 else sympy.Symbol(variable)
    links = [{"expression": expression}]
    current = symbolic(expression, {variable: symbol})
    for factor in factors:
        at(f"({links[-1]['expression']}) >= 0", **{variable: low})
        at(f"{factor} > 0", **{variable: low})
        _sign(f"{factor} >= 0", variable, low)
        derivative = sympy.diff(current, symbol) * symbolic(factor, {variable: symbol})
        current = sympy.expand(sympy.simplify(derivative))
        links.append({"expression": str(current), "factor": factor})
    last = f"{links[-1]['expression']} >= 0"
    evaluate_only_known_names(last)
    try:
        closing = _sign(last, variable, low)
    except NotShown as why:
        if end is None:
            raise Open(str(why), statement, {variable: (low, None)}) from None
        closing = cover(last, **{variable: (low, fraction(end))})
    return {
        "kind": "chain",
        "statement": statement,
        "variable": variable,
        "start": str(low),
        "end": None if end is None else str(fraction(end)),
        "links": links,
        "closing": closing,
    }


def evaluate_only_known_names(formula: str) -> None:
    """Refuse what sympy printed but a formula cannot say."""
    names = {node.id for node in ast.walk(parse(formula)) if isinstance(node, ast.Name)}
    evaluate(formula, Floats(), dict.fromkeys(names, 1.0))


def _sign(statement: str, variable: str, low: Fraction) -> Part:
    try:
        return polynomial(statement, **{variable: low})
    except Fails:
        raise
    except NotShown:
        return evident(statement, **{variable: low})


def evident(statement: str, **starts: Value) -> Part:
    """`expression >= 0` from the starts up to infinity, visible in the expression itself.

    Sums, products, quotients and powers of numbers >= 0, variables that start at >= 0,
    exponentials, even powers and square roots.
    """
    left, relation, right = sides(statement)
    exact = {name: fraction(low) for name, low in starts.items()}
    if relation != ">=" or right != "0":
        raise NotShown(f"not of the form expression >= 0: {statement!r}")
    if not _nonnegative(parse(left), exact):
        raise NotShown(f"not evidently >= 0: {left}")
    return {
        "kind": "evident",
        "statement": statement,
        "from": {name: str(low) for name, low in exact.items()},
    }


def _nonnegative(node: ast.expr, starts: dict[str, Fraction]) -> bool:
    match node:
        case ast.Constant(value=int() | float() as literal):
            return literal >= 0
        case ast.Name(id=name):
            return starts.get(name, Fraction(-1)) >= 0
        case ast.Call(func=ast.Name(id="exp" | "sqrt" | "abs")):
            return True
        case ast.BinOp(left=base, op=ast.Pow(), right=ast.Constant(value=int() as n)):
            return n % 2 == 0 or _nonnegative(base, starts)
        case ast.BinOp(left=base, op=ast.Pow()):
            return _nonnegative(base, starts)
        case ast.BinOp(left=a, op=ast.Add() | ast.Mult() | ast.Div(), right=b):
            return _nonnegative(a, starts) and _nonnegative(b, starts)
    return False


def induction(statement: str, start: int, *, factors: tuple[str, ...] = ()) -> Part:
    """`sum(term, k, a, n) <= bound` (or >=, ==) for every whole n >= start, by induction on n.

    Base: at `start`. Step: the next term is at most (at least, equal to) the increase of the
    bound, for all real n >= start: a polynomial inequality, a chain of derivatives, an identity.
    """
    left, relation, right = sides(statement)
    tree: Any = parse(left)
    name, last = tree.args[1].id, tree.args[3].id
    term = substitute(ast.unparse(tree.args[0]), **{name: f"({last} + 1)"})
    increase = f"({substitute(right, **{last: f'({last} + 1)'})}) - ({right})"
    step = f"{term} {relation} {increase}"
    if relation == "==":
        shown = identity(step, **{last: (start, start + 50)})
    elif factors:
        shown = chain(step, last, start, factors=factors)
    else:
        shown = polynomial(step, **{last: start})
    return {
        "kind": "induction",
        "statement": statement,
        "start": start,
        "base": at(statement, **{last: start}),
        "step": shown,
    }
