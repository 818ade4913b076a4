"""Cites: the lines of a card's pseudo-code against the comments in the algorithm's file.

A comment `# l. 4` stands at the code that does line 4. The card quotes that code, so that a label
which is lost, doubled or exchanged, or whose code has moved, is a complaint. The conformance suite
(`dpaudit.testing`) asks for the complaints of each entry.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Mapping, Sequence

from dpaudit.algorithm.card import Line

STATE = {"arm", "arms", "own"}
"""A function with one of these arguments is a step, or helps one."""
DECLARED = {"ARM", "OWN"}
"""Names of the declarations of the state."""
STRUCTURE = ("input", "variant", "for", "while", "else", "end")
"""How a line that has no code begins."""
CITE = re.compile(r"# ([ls]\.) (\d+(?:, \d+)*)")
LABEL = re.compile(r"\b[ls]\. \d")


def complaints(lines: Sequence[Line], source: str) -> list[str]:
    """What is wrong with the cites in a file; nothing, if it is empty."""
    comments = _comments(source)
    code = _code(source, comments)
    wanted = {line.label: line.code for line in lines if line.code}
    found = [
        f"{line.label}: has no code, and does not begin with one of {', '.join(STRUCTURE)}"
        for line in lines
        if not (line.code or line.same or line.text.startswith(STRUCTURE))
    ]
    letter = lines[0].label[:2] if lines else ""
    if [line.label for line in lines] != [f"{letter} {i + 1}" for i in range(len(lines))]:
        found.append("the labels of the pseudo-code are not l. 1, l. 2, ... or s. 1, s. 2, ...")
    cited: list[str] = []
    for number, comment in comments.items():
        here = _labels(comment)
        cited += here
        if not here and LABEL.search(comment):
            found.append(f"line {number}: a cite is a comment of its own, as # l. 4")
        if here != [label for label in wanted if label in here]:
            found.append(f"line {number}: {', '.join(here)}: not labels of lines with code in turn")
        found += [
            f"{label}: cited at line {number}, which is not {wanted[label]!r}"
            for label in here
            if label in wanted and wanted[label] not in code.get(number, "")
        ]
    for label, text in wanted.items():
        if cited.count(label) != 1:
            found.append(f"{label}: cited {cited.count(label)} times")
        holding = [number for number, written in code.items() if text in written]
        if len(holding) != 1:
            found.append(f"{label}: {text!r} stands in {len(holding)} lines of code, not in one")
    return found


def cited_in(label: str, source: str) -> str | None:
    for number, comment in _comments(source).items():
        if label in _labels(comment):
            for node in ast.parse(source).body:
                if isinstance(node, ast.FunctionDef) and node.lineno <= number <= _end(node):
                    return node.name
    return None


def _labels(comment: str) -> list[str]:
    match = CITE.fullmatch(comment)
    return [f"{match[1]} {number}" for number in match[2].split(", ")] if match else []


def _code(source: str, comments: Mapping[int, str]) -> dict[int, str]:
    """Lines of statements in steps, and of the state's declaration, without their comments."""
    statements: list[ast.stmt] = []
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef) and STATE & {a.arg for a in node.args.args}:
            documented = ast.get_docstring(node) is not None
            statements += node.body[1:] if documented else node.body
        if isinstance(node, ast.Assign) and DECLARED & {ast.unparse(t) for t in node.targets}:
            statements.append(node)
    lines = source.splitlines()
    numbers = {n for stmt in statements for n in range(stmt.lineno, _end(stmt) + 1)}
    return {n: lines[n - 1].removesuffix(comments.get(n, "")) for n in sorted(numbers)}


def _end(node: ast.stmt) -> int:
    return node.end_lineno or node.lineno


def _comments(source: str) -> dict[int, str]:
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return {t.start[0]: t.string for t in tokens if t.type == tokenize.COMMENT}
