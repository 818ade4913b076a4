"""What a proof rests on, in a file an algorithm: the graph with its weights, and every question
that the solver answered with no, as SMT-LIB, facts of powers of two and bit lengths among them."""

from __future__ import annotations

import base64
import json
import lzma
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import z3

from dpaudit.prover.prove import Proof, prove
from dpaudit.prover.solver import axioms
from dpaudit.results.made import replace

SCHEMA = "dpaudit/evidence/1"


def questions(proof: Proof) -> Iterator[tuple[str, str]]:
    """What each is for, and its SMT-LIB text."""
    if proof.bounds is None:
        return
    proof.bounds.certify()
    for purpose, parts in proof.solver.rests.values():
        yield purpose, _text([*parts, *axioms(list(parts))])


def _text(parts: list[Any]) -> str:
    solver = z3.Solver()
    solver.add(*parts)
    return "\n".join(line for line in solver.to_smt2().splitlines() if not line.startswith(";"))


def document(proof: Proof) -> dict[str, Any]:
    """The evidence as plain data; the questions are one text, packed by xz."""
    asked = sorted(set(questions(proof)))
    packed = lzma.compress(
        "\x00".join(f"{why}\x01{text}" for why, text in asked).encode(), preset=6
    )
    result = {k: v for k, v in proof.result.public().items() if k != "seconds"}
    return {
        "schema": SCHEMA,
        "result": result,
        "questions": len(asked),
        "smt-lib": base64.b64encode(packed).decode(),
    }


def save(proof: Proof, folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    name = "-".join([proof.result.target, *map(str, proof.result.parameters.values())])
    file = folder / f"{name.replace('/', '-').replace(':', '-')}.json"
    text = json.dumps(document(proof), indent=1, ensure_ascii=False)
    replace(file, text + "\n")
    return file


def same_as_now(result: dict[str, Any]) -> str:
    """What differs from the proof of the code as it is; "" if nothing does."""
    # A class is proved for some numbers of arms, if none is given.
    size = {n: result[n] if isinstance(result[n], int) else None for n in ("arms", "rounds")}
    now = prove(result["target"], **size, **result["parameters"]).public()
    for name in ("source", "notion", "bound", "leak", "growth", "undecided", "graph", "counted"):
        if result[name] != now[name]:
            return f"{name} is another one than that of the code as it is"
    return ""
