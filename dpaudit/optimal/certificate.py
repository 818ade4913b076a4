"""The certificate of an optimum as a file: the question, and the multipliers, packed by xz."""

from __future__ import annotations

import base64
import json
import lzma
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from dpaudit import __version__
from dpaudit.optimal.question import Question
from dpaudit.optimal.solving import TIGHT, Progress, Solved, solve
from dpaudit.recheck.optima import Refused, proved
from dpaudit.results.made import lines, replace
from dpaudit.results.optima import OptimumResult

SCHEMA = "dpaudit/optimum-certificate/2"


def certified(
    question: Question, folder: Path, progress: Progress = lambda *_: None
) -> OptimumResult:
    """Solve, let the checker find the bound, and leave the certificate in a folder."""
    return result_of(solve(question, progress), folder)


def result_of(solved: Solved, folder: Path) -> OptimumResult:
    """Let the checker find the bound, and leave the certificate in a folder."""
    question, data = solved.question, document(solved)
    bound = proved(data)
    file = save(data, bound, folder)
    low = math.nextafter(float(bound), -math.inf)
    return OptimumResult(
        rounds=question.rounds,
        arms=question.arms,
        epsilon=float(question.epsilon),
        delta=float(question.delta),
        instance_gap=float(question.gap),
        feedback=question.feedback,
        value=solved.value,
        certified=low,
        gap=solved.value - low,
        certificate=file.name,
        uniform=question.rounds * float(question.gap) * (1 - 1 / question.arms),
        variables=solved.variables,
        pairs=solved.pairs,
        seconds=solved.seconds,
        notes=_notes(solved, low),
        finished=not solved.stopped,
        version=__version__,
    )


def _notes(solved: Solved, low: float) -> list[str]:
    notes = [solved.stopped] if solved.stopped else []
    if solved.value - low > TIGHT:
        notes.append(f"the two differ by {solved.value - low:.2g}, which is more than {TIGHT:g}")
    return notes


def document(solved: Solved) -> dict[str, Any]:
    """All that the checker needs, but for the bound that it is to find."""
    question = solved.question
    steps = np.diff(solved.code, prepend=0)
    entries = np.stack([steps, solved.multiplier]).astype("<i8")
    # All lowest bytes, then all next ones, ...: most of the high ones are zero.
    packed = entries.view(np.uint8).reshape(2, -1, 8).transpose(0, 2, 1).tobytes()
    return {
        "schema": SCHEMA,
        "rounds": question.rounds,
        "arms": question.arms,
        "epsilon": str(question.epsilon),
        "delta": str(question.delta),
        "gap": str(question.gap),
        "feedback": question.feedback,
        "ratio": str(solved.ratio),
        "scale": 2**solved.bits,
        "multipliers": base64.b64encode(lzma.compress(packed, preset=9)).decode(),
    }


def save(data: dict[str, Any], bound: Fraction, folder: Path) -> Path:
    """Write it with the bound that the checker found, unless one that is there proves more."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{name_of(data)}.json"
    if _proves(file) < bound:
        replace(file, lines({**data, "certified": str(bound)}) + "\n")
    return file


def _proves(file: Path) -> float | Fraction:
    """The bound of the question that a file is named for, by the checker; without one, none."""
    try:
        known = json.loads(file.read_text())
        return proved(known) if name_of(known) == file.stem else -math.inf
    except (OSError, ValueError, KeyError, TypeError, Refused):
        return -math.inf


def name_of(data: dict[str, Any]) -> str:
    """What the question is, as a file's name."""

    def short(value: str) -> str:
        return f"{float(Fraction(value)):g}"

    delta = f"-delta-{short(data['delta'])}" if Fraction(data["delta"]) else ""
    return (
        f"{data['feedback']}-{data['arms']}-arms-{data['rounds']}-rounds-epsilon-"
        f"{short(data['epsilon'])}{delta}-gap-{short(data['gap'])}"
    )


def differing(data: dict[str, Any], entry: OptimumResult) -> str | None:
    """What of the certificate's question is not that of a result; None if they are the same."""
    for name in ("rounds", "arms", "feedback"):
        if data[name] != getattr(entry, name):
            return name
    for name, stated in (
        ("epsilon", entry.epsilon),
        ("delta", entry.delta),
        ("gap", entry.instance_gap),
    ):
        if float(Fraction(data[name])) != stated:
            return name
    return None
