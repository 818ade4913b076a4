"""`dpaudit.prove`: what an algorithm's releases book at most, for every horizon, every number of
arms, every table and every outcome of the noise."""

from __future__ import annotations

import linecache
import math
import os
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from dpaudit.algorithm.card import Notion
from dpaudit.algorithm.contract import Algorithm
from dpaudit.errors import UsageError, check_count
from dpaudit.play.catalogue import resolve_target, source_of
from dpaudit.prover.bounds import Bounds
from dpaudit.prover.circles import Growth
from dpaudit.prover.graph import Edge, Graph
from dpaudit.prover.invariants import Known
from dpaudit.prover.solver import Solver
from dpaudit.prover.steps import Steps
from dpaudit.prover.symbols import paths
from dpaudit.results.proofs import Arrow, Leak, ProofResult

FARTHEST = 2**40
ASSUMED = (
    "real numbers: floating-point noise and rounding are apart (NAME-safe)",
    "coins of the generator do not depend on the data",
)
TREES = "an arm's tree holds 2^44 items: beyond that the code stops"


@dataclass(frozen=True)
class Proof:
    """A result, and what it rests on."""

    result: ProofResult
    bounds: Bounds | None
    solver: Solver


def prove(
    target: Any,
    *,
    arms: int | None = None,
    rounds: int | None = None,
    **parameters: Any,
) -> ProofResult:
    """Prove how much the releases of a catalogue algorithm, or of any contract algorithm, book."""
    return proof_of(target, arms=arms, rounds=rounds, **parameters).result


def proof_of(
    target: Any, *, arms: int | None = None, rounds: int | None = None, **parameters: Any
) -> Proof:
    """The proof with its obligations."""
    found = resolve_target(target)
    arms = None if arms is None else check_count("arms", arms, 1, FARTHEST)
    rounds = None if rounds is None else check_count("rounds", rounds, 2, FARTHEST)
    if found.algorithm is None:
        from dpaudit.prover.learners.prove import proof_of_class

        if parameters:
            raise UsageError(f"parameters: got {', '.join(parameters)}; a class has none")
        return proof_of_class(found, arms, rounds)
    return _Prover(found.algorithm, found.name, arms, rounds, parameters).proof()


class _Prover:
    def __init__(
        self,
        algorithm: Algorithm,
        name: str,
        arms: int | None,
        rounds: int | None,
        parameters: Mapping[str, Any],
    ) -> None:
        self.algorithm, self.name, self.arms, self.rounds = algorithm, name, arms, rounds
        self.begun = time.monotonic()
        card = algorithm.card
        chosen = algorithm.settings(
            arms=arms or 2, epsilon=1.0, horizon=rounds or 2, given=parameters
        )
        self.settings = {p.name: chosen[p.name] for p in card.parameters}
        self.parameters = dict(parameters)
        self.kind = "gdp" if card.privacy.notion == Notion.GDP else "pure"

    def proof(self) -> Proof:
        """With a horizon that is a symbol, and only where that gives no bound with the one asked
        for: numbers hide what a proof for all rests on."""
        first = self._of(None)
        told = self.rounds is not None and not self.algorithm.card.anytime
        return self._of(self.rounds) if told and first.result.undecided else first

    def _of(self, horizon: int | None) -> Proof:
        asked: dict[str, Any] = {**self.settings, "arms": self.arms}
        self.solver = Solver()
        self.every = self.rounds is None or self.algorithm.card.anytime or horizon is None
        if not self.algorithm.card.anytime:
            asked["horizon"] = horizon
        steps = None
        try:
            steps = Steps(self.algorithm, asked)
            graph = Graph(Known(steps, self.solver))
            infinite = [c.where for e in graph.edges for c in e.costs if c.infinite]
            if infinite:
                return self._stopped(leak=_leak(infinite[0], "private data is released as it is"))
            other = [c for e in graph.edges for c in e.costs if c.kind != self.kind]
            if other:
                raise paths.Unsupported(
                    f"releases of another notion than {self.kind}", other[0].where
                )
            bounds = Bounds(graph, self.kind)
        except paths.Leak as stopped:
            return self._stopped(leak=_leak(stopped.where, stopped.what))
        except paths.Unsupported as stopped:
            door = steps.bound.releases.unprotected_at if steps is not None else ""
            if door:
                return self._stopped(leak=_leak(door, "private data is released as it is"))
            return self._stopped(undecided=_said(stopped))
        return Proof(self._result(bounds), bounds, self.solver)

    def _stopped(self, *, leak: Leak | None = None, undecided: str | None = None) -> Proof:
        return Proof(self._made(bound=None, leak=leak, undecided=undecided), None, self.solver)

    def _result(self, bounds: Bounds) -> ProofResult:
        most, growth, undecided = bounds.most, None, None
        if bounds.growth:
            most = bounds.growth[0].to(self.rounds) if self.rounds else None
            growth = self._growth(bounds.growth[0])
        elif most is None:
            undecided = f"no bound was found for {'; '.join(dict.fromkeys(bounds.reasons))}"
            if self.solver.undecided:
                undecided += f" ({self.solver.undecided} questions were not answered in time)"
        return self._made(
            bound=None if most is None else self._level(most),
            growth=growth,
            law=self._law(bounds.growth[0]) if bounds.growth else None,
            undecided=undecided,
            every=bounds.growth == [] and self.every,
            graph=[_arrow(e, bounds.weights.get(i)) for i, e in enumerate(bounds.graph.edges)],
            counted=[f"{t.by}: all turns together book at most {t.paid}" for t in bounds.turns],
        )

    def _level(self, most: Fraction) -> float:
        return math.sqrt(most) if self.kind == "gdp" else float(most)

    def _law(self, growth: Growth) -> str | None:
        """The bound as a function of T."""
        law = growth.law()
        return f"sqrt({law})" if law and self.kind == "gdp" else law

    def _growth(self, growth: Growth) -> str:
        """Where, what, and how often."""
        edge = growth.edges[0]
        fields = ", ".join(sorted(name for name, _ in edge.source))
        again = "in each round"
        if growth.counter:
            again = f"each time that {growth.counter} has risen"
        return (
            f"{_short(edge.costs[0].where)} books {growth.unit} again {again} in which {fields} "
            "differs"
        ).replace("risen in which", "risen while")

    def _made(self, *, bound: float | None, every: bool = True, **more: Any) -> ProofResult:
        from dpaudit import __version__

        assumed = list(ASSUMED)
        if any(isinstance(kind, tuple) for kind in self.algorithm.arm.values()):
            assumed.append(TREES)
        return ProofResult(
            target=self.name,
            notion="gdp" if self.kind == "gdp" else "pure",
            bound=bound,
            rounds="every" if every or self.rounds is None else self.rounds,
            arms="every" if self.arms is None else self.arms,
            parameters=self.parameters,
            assumed=assumed,
            source=source_of(self.algorithm),
            seconds=round(time.monotonic() - self.begun, 2),
            version=__version__,
            **more,
        )


def _arrow(edge: Edge, weight: Fraction | None) -> Arrow:
    return Arrow(
        source=sorted(name for name, _ in edge.source),
        target=sorted(name for name, _ in edge.target),
        step=edge.way.step + (f" of the arm that is {edge.way.pulled}" if edge.way.pulled else ""),
        books=[str(cost.loss) for cost in edge.costs],
        where=[_short(cost.where) for cost in edge.costs],
        weight="" if weight is None else str(weight),
    )


def _short(where: str) -> str:
    """A place without the path of a machine."""
    file, comma, line = where.rpartition(", line ")
    return f"{shown_file(file)}{comma}{line}" if comma else where


def shown_file(file: str) -> str:
    """From the package's folder on, or from here."""
    for room in ("algorithms", "dpaudit"):
        parts = Path(file).parts
        if room in parts:
            return "/".join(parts[len(parts) - 1 - parts[::-1].index(room) :])
    return os.path.relpath(file) if file else ""


def _leak(where: str, what: str) -> Leak:
    file, _, line = where.rpartition(", line ")
    number = int(line) if line.isdigit() else 0
    text = linecache.getline(file, number).strip()
    return Leak(file=shown_file(file), line=number, text=f"{what}: {text}" if text else what)


def _said(stopped: paths.Stopped) -> str:
    """One line: where, what, and the construct."""
    what = re.sub(r"\s+", " ", stopped.what)
    file, _, line = stopped.where.rpartition(", line ")
    text = linecache.getline(file, int(line)).strip() if line.isdigit() else ""
    return f"{_short(stopped.where)}: {what}" + (f" ({text})" if text else "") if file else what
