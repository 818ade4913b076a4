"""Checks the evidence of a proof: a second solver answers each question again, and the longest way
through the graph is added up anew. Shares no code with what found the proof."""

from __future__ import annotations

import base64
import json
import lzma
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

from dpaudit.recheck.numbers import Refused

MILLISECONDS = 60_000
"""For one question."""
MOST_BYTES = 2**26


def load(file: Path) -> dict[str, Any]:
    try:
        data = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise Refused(f"{file.name}: cannot be read ({type(error).__name__})") from None
    if not isinstance(data, dict) or data.get("schema") != "dpaudit/evidence/1":
        raise Refused(f"{file.name}: no evidence of a proof")
    return data


def questions(data: dict[str, Any]) -> list[tuple[str, str]]:
    """What each is for, and its text."""
    try:
        unpack = lzma.LZMADecompressor(memlimit=MOST_BYTES)
        raw = unpack.decompress(base64.b64decode(data["smt-lib"], validate=True), MOST_BYTES)
        found = [tuple(each.split("\x01")) for each in raw.decode().split("\x00") if each]
    except (KeyError, ValueError, lzma.LZMAError):
        raise Refused("the questions cannot be read") from None
    if len(found) != data.get("questions") or any(len(each) != 2 for each in found):
        raise Refused(f"{len(found)} questions, but {data.get('questions')} are said to be there")
    return [(why, text) for why, text in found]


def longest(graph: list[dict[str, Any]]) -> Fraction | None:
    """The largest sum of weights from "nothing differs" on; None where a circle has a positive
    one."""
    best: dict[tuple[str, ...], Fraction] = {}
    arrows = []
    for arrow in graph:
        weight = Fraction(arrow["weight"])
        plain = _plain(arrow["books"])
        if plain is not None and weight < plain and arrow["source"] != arrow["target"]:
            raise Refused(f"an arrow that books {plain} weighs {weight}")
        if weight < 0:
            raise Refused(f"an arrow weighs {weight}")
        arrows.append((tuple(arrow["source"]), tuple(arrow["target"]), weight))
    for _ in range(len(arrows) + 2):
        moved = False
        for source, target, weight in arrows:
            # "Nothing differs" is where it begins; what ends there has ended.
            reached = (
                (best[source] if source else Fraction(0)) + weight
                if (not source or source in best)
                else None
            )
            key = target or ("the end",)
            if reached is not None and reached > best.get(key, Fraction(-1)):
                best[key], moved = reached, True
        if not moved:
            return max(best.values(), default=Fraction(0))
    return None


def _plain(books: list[str]) -> Fraction | None:
    """What an arrow books, where that is a number."""
    try:
        return sum((Fraction(each) for each in books), Fraction(0))
    except ValueError:
        return None


def unsat(text: str) -> bool:
    """Whether the second solver says so."""
    import cvc5

    solver = cvc5.Solver()
    solver.setOption("tlimit-per", str(MILLISECONDS))
    parser = cvc5.InputParser(solver)
    body = text.replace("(set-info :status unknown)", "").replace("(check-sat)", "")
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, f"(set-logic ALL)\n{body}", "question")
    symbols = parser.getSymbolManager()
    while True:
        command = parser.nextCommand()
        if command.isNull():
            break
        command.invoke(solver, symbols)
    return bool(solver.checkSat().isUnsat())


def check_graph(data: dict[str, Any]) -> None:
    """The bound is what the weights sum up to."""
    result = data["result"]
    bound, graph = result["bound"], result["graph"]
    if result["growth"] is not None or bound is None:
        if bound is not None and result["rounds"] == "every":
            raise Refused("a bound for every T, although the sum grows")
        return
    most = longest(graph)
    if most is None:
        raise Refused("a circle of the graph has a positive weight")
    stated = bound**2 if result["notion"] == "gdp" else bound
    if not math.isclose(float(most), stated, rel_tol=1e-9):
        raise Refused(f"the weights sum up to {float(most):.9g}, the bound says {stated:.9g}")


def check(file: Path) -> tuple[dict[str, Any], int]:
    """The result that the evidence shows, and how many questions were asked; or Refused."""
    data = load(file)
    try:
        check_graph(data)
    except (KeyError, TypeError, ValueError, ZeroDivisionError) as error:
        raise Refused(f"{file.name}: the graph cannot be read ({error})") from None
    except Refused as refused:
        raise Refused(f"{file.name}: {refused}") from None
    asked = questions(data)
    for number, (why, text) in enumerate(asked, 1):
        if not unsat(text):
            raise Refused(f"{file.name}: question {number} of {len(asked)} ({why}) has an answer")
    return data["result"], len(asked)
