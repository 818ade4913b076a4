"""Formulas as mathematics: the ledger's formulas and goals in MathML, which browsers and Markdown
viewers set without scripts."""

from __future__ import annotations

import ast
import re
from html import escape

RELATIONS = {
    ast.Lt: "&lt;",
    ast.LtE: "≤",
    ast.Gt: "&gt;",
    ast.GtE: "≥",
    ast.Eq: "=",
    ast.NotEq: "≠",
}
BINARY: dict[type, tuple[str, int]] = {
    ast.Add: ("+", 1),
    ast.Sub: ("−", 1),
    ast.Mult: ("·", 2),
    ast.Div: ("/", 2),
    ast.Pow: ("^", 3),
}
NAMES = {"pi": "π", "eps": "ε", "alpha": "α", "delta": "δ", "mu": "μ", "theta": "θ"}
AROUND = {"abs": ("|", "|"), "floor": ("⌊", "⌋"), "ceil": ("⌈", "⌉")}
ATOM = 4
"""How tightly a term holds together; what holds less than it must gets brackets."""


def mathml(formula: str) -> str:
    """A formula, or a chain of relations, as one MathML element."""
    return f"<math>{_node(ast.parse(formula, mode='eval').body)[0]}</math>"


def goal_html(goal: str) -> str:
    """A goal: its formula as mathematics, the rest as words; what is no formula as code."""
    formula, _, ranges = goal.partition(" for ")
    try:
        shown = mathml(formula)
    except (SyntaxError, KeyError, ValueError):
        return f"<code>{escape(goal)}</code>"
    return shown + (f" for {escape(ranges)}" if ranges else "")


POWER = re.compile(r"(\w+|\([^()]*\)|\|[^|]*\|)\^(\([^()]*\)|[-+]?[\w.]*\w)")
"""What stands in words as `e^(2 eps)`, `T^-3` or `(1 - d)^n`."""


def words_html(text: str) -> str:
    """Words with their powers and relations as mathematics."""
    parts, end = [], 0
    for found in POWER.finditer(text):
        parts += [_plain(text[end : found.start()]), _power(found[1], found[2])]
        end = found.end()
    return "".join([*parts, _plain(text[end:])])


def _plain(text: str) -> str:
    return escape(text.replace(" <= ", " ≤ ").replace(" >= ", " ≥ "))


def _power(base: str, exponent: str) -> str:
    inner = exponent[1:-1] if exponent.startswith("(") else exponent
    return f"<math><msup>{_term(base)}{_term(inner.replace('-', '−'))}</msup></math>"


def _term(text: str) -> str:
    """A name, a number, or words."""
    kind = "mi" if text.isalpha() else "mn" if text.isdigit() else "mtext"
    return f"<{kind}>{escape(NAMES.get(text, text))}</{kind}>"


def _row(*parts: str) -> str:
    """Elements as one; a single one is that already."""
    return parts[0] if len(parts) == 1 else f"<mrow>{''.join(parts)}</mrow>"


def _open(row: str) -> str:
    """What a row in a row holds, without its own element."""
    return row[len("<mrow>") : -len("</mrow>")] if row.startswith("<mrow>") else row


def _op(mark: str) -> str:
    return f"<mo>{mark}</mo>"


def _held(node: ast.expr, least: int) -> str:
    """A term, in brackets where it holds together less tightly than asked."""
    text, tightness = _node(node)
    return text if tightness >= least else _row(_op("("), text, _op(")"))


def _node(node: ast.expr) -> tuple[str, int]:
    """MathML of a node, and how tightly it holds together."""
    match node:
        case ast.Constant(value=int() | float() as number):
            return f"<mn>{number:g}</mn>" if number < 10**6 else f"<mn>{number}</mn>", ATOM
        case ast.Name(id=name):
            stem, digits = name.rstrip("0123456789"), name[len(name.rstrip("0123456789")) :]
            base = f"<mi>{NAMES.get(stem, escape(stem))}</mi>"
            return (f"<msub>{base}<mn>{digits}</mn></msub>" if digits else base), ATOM
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return _row(_op("−"), _held(inner, 2)), 1
        case ast.BinOp(left=left, op=ast.Div(), right=right):
            return f"<mfrac>{_row(_node(left)[0])}{_row(_node(right)[0])}</mfrac>", ATOM
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            return f"<msup>{_row(_held(left, ATOM))}{_row(_node(right)[0])}</msup>", 3
        case ast.BinOp(left=left, op=op, right=right):
            mark, tightness = BINARY[type(op)]
            after = tightness + (1 if isinstance(op, ast.Sub) else 0)
            terms = _open(_held(left, tightness)), _open(_held(right, after))
            return _row(terms[0], _op(mark), terms[1]), tightness
        case ast.Compare(left=first, ops=ops, comparators=rest):
            parts = [_open(_node(first)[0])]
            for relation, term in zip(ops, rest, strict=True):
                parts += [_op(RELATIONS[type(relation)]), _open(_node(term)[0])]
            return _row(*parts), 0
        case ast.BoolOp(op=link, values=values):
            word = f"<mtext> {'and' if isinstance(link, ast.And) else 'or'} </mtext>"
            shown, *more = (_node(value)[0] for value in values)
            return _row(shown, *(word + each for each in more)), 0
        case ast.IfExp(test=test, body=body, orelse=orelse):
            case = _row(_node(body)[0], "<mtext> if </mtext>", _node(test)[0])
            return _row(_op("["), case, "<mtext>, else </mtext>", _node(orelse)[0], _op("]")), ATOM
        case ast.Call(func=ast.Name(id=name), args=arguments):
            return _call(name, arguments)
    raise ValueError(f"no formula: {ast.unparse(node)}")


def _call(name: str, arguments: list[ast.expr]) -> tuple[str, int]:
    inner = [_node(argument)[0] for argument in arguments]
    if name in ("sum", "prod"):
        _, variable, low, high = inner
        mark = _op("∑" if name == "sum" else "∏")
        below = _row(variable, _op("="), low)
        sign = f"<munderover>{mark}{below}{_row(high)}</munderover>"
        return _row(sign, _held(arguments[0], 2)), 1
    if name == "exp":
        return f"<msup><mi>e</mi>{_row(inner[0])}</msup>", 3
    if name == "sqrt":
        return f"<msqrt>{inner[0]}</msqrt>", ATOM
    if name in AROUND:
        left, right = AROUND[name]
        return _row(_op(left), inner[0], _op(right)), ATOM
    if name in ("floorlog2", "ceillog2"):
        left, right = AROUND[name.removesuffix("log2")]
        return _row(_op(left), _log2(), inner[0], _op(right)), ATOM
    if name == "binomial":
        fraction = f'<mfrac linethickness="0">{inner[0]}{inner[1]}</mfrac>'
        return _row(_op("("), fraction, _op(")")), ATOM
    if name == "factorial":
        return _row(_held(arguments[0], ATOM), _op("!")), ATOM
    heads = {"log": "<mi>ln</mi>", "log2": _log2(), "normal": "<mi>Φ</mi>"}
    head = heads.get(name, f"<mi>{escape(name)}</mi>")
    return _row(head, _op("("), _op(",").join(inner), _op(")")), 3


def _log2() -> str:
    return "<msub><mi>log</mi><mn>2</mn></msub>"
