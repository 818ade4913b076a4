"""The proof for a learner's class: the same graph of differences as for contract algorithms."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import msgspec

from dpaudit.errors import UsageError
from dpaudit.play.catalogue import Target
from dpaudit.prover.bounds import Bounds
from dpaudit.prover.circles import Growth
from dpaudit.prover.graph import Cost, Graph, Move, Node
from dpaudit.prover.learners.steps import KnownLearner
from dpaudit.prover.prove import Proof, _arrow, _leak, _Prover, _said, _short
from dpaudit.prover.solver import Solver
from dpaudit.prover.steps import Way
from dpaudit.prover.symbols import paths
from dpaudit.prover.symbols.terms import (
    Private,
    Public,
    add,
    explicit,
    times,
)
from dpaudit.prover.symbols.vocabulary import Booking
from dpaudit.results.proofs import Arrow, ProofResult
from dpaudit.run.code import object_digest

ARMS = (2, 3, 4)
"""Without a number of arms these are proved."""
MOST_ARMS = 8
ASSUMED = (
    "rewards in [0, 1]",
    "real numbers: floating-point noise and rounding are apart",
    "the generator's draws are independent of the data and of each other",
    "what is seen are the actions; nothing outside the class's own methods changes it",
)


def proof_of_class(target: Target, arms: int | None, rounds: int | None) -> Proof:
    """The proof for each number of arms; the worst of them is what is said."""
    if arms is not None and not 2 <= arms <= MOST_ARMS:
        raise UsageError(f"arms: got {arms}, allowed for a class is 2 to {MOST_ARMS}")
    tried = ARMS if arms is None else (arms,)
    solver, begun = Solver(), time.monotonic()
    found = []
    for number in tried:
        one = _OfClass(target, number, rounds, tried, solver, begun).proof()
        found.append(one)
        if one.result.leak is not None or one.result.undecided is not None:
            return one
    return max(found, key=_badness)


def _badness(one: Proof) -> tuple[bool, float]:
    result = one.result
    return result.growth is not None, float("inf") if result.bound is None else result.bound


CHOSEN = "after select"
"""Marks the nodes before `observe`: the two steps take turns."""


class Differences(Graph):
    """As for contract algorithms, with a reward for each arm of which each may change."""

    def __init__(self, known: KnownLearner) -> None:
        self.scales: list[tuple[Any, list[Any]]] = []
        """Scales of noise, and what is known there."""
        super().__init__(known)  # type: ignore[arg-type]

    def certify(self) -> None:
        super().certify()
        self.known.solver.purpose = "noise of a positive scale"
        assert all(self.known.solver.holds(scale > 0, facts) for scale, facts in self.scales)

    def _follow(self, node: Node, way: Way, todo: list[Node], *, first: bool) -> None:
        if first or (CHOSEN in dict(node)) == (way.step == "observe"):
            super()._follow(node, way, todo, first=first)

    def _after(
        self, way: Way, state: Mapping[str, Move], first: bool
    ) -> tuple[Node, tuple[tuple[str, Any], ...]]:
        found, indices = super()._after(way, state, first)
        left = {name: move for name, move in found if name != CHOSEN}
        if left and way.step == "select":
            left[CHOSEN] = ()
        return frozenset(left.items()), indices

    def _move(self, value: Any, state: Mapping[str, Move], first: bool) -> dict[str, Any]:
        """One reward vector changed, once: moves of one name are the same and keep their signs."""
        total: dict[str, Any] = {}
        for atom, coefficient in value.parts.items() if isinstance(value, Private) else ():
            for name, multiple in self._atom(atom, state, first).items():
                total[name] = add(total.get(name, 0), times(coefficient, multiple))
        return {k: v for k, v in total.items() if isinstance(v, Public) or v != 0}

    def _atom(self, atom: Any, state: Mapping[str, Move], first: bool) -> dict[str, float]:
        if not isinstance(atom, str):
            raise paths.Unsupported("a function of private numbers", "")
        if not atom.startswith("reward "):
            return dict(state.get(atom, ()))
        if not first:
            return {}
        change = f"change of {atom}"
        self.reach[change] = self._width
        return {change: 1.0}

    def _cost(
        self, booking: Booking, way: Way, state: Mapping[str, Move], first: bool
    ) -> Cost | None:
        moves = [self._move(v, state, first) for v in booking.values]
        if not any(moves):
            return None
        facts = self.facts(way, first)
        scale = explicit(booking.scale)
        if not self.known.solver.holds(scale > 0, facts):
            raise paths.Unsupported("noise of a scale that need not be positive", booking.where)
        self.scales.append((scale, facts))
        if booking.kind == "noisy_argmax":
            amount = self._spread(moves, facts)
        else:
            amount = self._size(moves[0], facts)
        return Cost("pure", amount, booking.scale, booking.where)

    def _spread(self, moves: list[dict[str, Any]], facts: list[Any]) -> Any:
        """The most by which one score moves up against another one."""
        apart = [self._size(_minus(a, b), facts) for a in moves for b in moves if a is not b]
        if not any(isinstance(size, Public) for size in apart):
            return max(apart)
        # The sum of all is no less.
        total: Any = 0.0
        for move in moves:
            total = add(total, self._size(move, facts))
        return total


def _minus(a: Mapping[str, Any], b: Mapping[str, Any]) -> dict[str, Any]:
    found = {k: add(a.get(k, 0), times(b.get(k, 0), -1)) for k in {**a, **b}}
    return {k: v for k, v in found.items() if isinstance(v, Public) or v != 0}


class _OfClass(_Prover):
    """The proof for one number of arms."""

    def __init__(
        self,
        target: Target,
        arms: int,
        rounds: int | None,
        tried: tuple[int, ...],
        solver: Solver,
        begun: float,
    ) -> None:
        self.target, self.name, self.arms, self.rounds = target, target.name, arms, rounds
        self.tried, self.solver, self.begun, self.number = tried, solver, begun, arms
        self.kind = "pure"

    def proof(self) -> Proof:
        learner = self.target.factory
        if not isinstance(learner, type):
            return self._stopped(undecided=f"{self.name} is no class")
        try:
            graph = Differences(KnownLearner(learner, self.number, self.solver))
            bounds = Bounds(graph, self.kind)
        except paths.Leak as stopped:
            return self._stopped(leak=_leak(stopped.where, stopped.what))
        except paths.Unsupported as stopped:
            return self._stopped(undecided=_said(stopped))
        return Proof(self._result(bounds), bounds, self.solver)

    def _result(self, bounds: Bounds) -> ProofResult:
        most, growth, undecided = bounds.most, None, None
        if bounds.growth:
            most, growth = None, _grows(bounds.growth[0])
        elif most is None:
            undecided = f"no bound was found for {'; '.join(dict.fromkeys(bounds.reasons))}"
        return self._made(
            bound=None if most is None else float(most),
            growth=growth,
            undecided=undecided,
            graph=[
                _shown(_arrow(e, bounds.weights.get(i))) for i, e in enumerate(bounds.graph.edges)
            ],
            counted=[f"{t.by}: all turns together book at most {t.paid}" for t in bounds.turns],
        )

    def _made(self, *, bound: float | None, every: bool = True, **more: Any) -> ProofResult:
        from dpaudit import __version__

        return ProofResult(
            target=self.name,
            notion="pure",
            bound=bound,
            rounds="every",
            arms=self.number if len(self.tried) == 1 else list(self.tried),
            assumed=list(ASSUMED),
            source=object_digest(self.target.factory),
            seconds=round(time.monotonic() - self.begun, 2),
            version=__version__,
            **more,
        )


def _shown(arrow: Arrow) -> Arrow:
    """Rewards are not one arm's."""
    return msgspec.structs.replace(arrow, step=arrow.step.split()[0])


def _grows(growth: Growth) -> str:
    """No sum to a horizon: a round is two steps, and each may book."""
    edge = growth.edges[0]
    fields = ", ".join(sorted(name for name, _ in edge.source if name != CHOSEN))
    unit = growth.unit if growth.most is None else growth.most
    return (
        f"{_short(edge.costs[0].where)} books {unit} times epsilon again while {fields} differs: "
        "epsilon grows with the rounds"
    )
