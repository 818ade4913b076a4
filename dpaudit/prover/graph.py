"""By how much the private numbers of the two worlds can differ, and what each step then books.

A node says for each private number by which multiple of the changed reward it differs. An edge is a
way through a step that leads from one to another; what it books is a difference over a scale.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import z3

from dpaudit.prover import paths
from dpaudit.prover.invariants import Known
from dpaudit.prover.steps import Way
from dpaudit.prover.terms import Applied, Private, Public, add, choice, divide, explicit, times
from dpaudit.prover.vocabulary import Booking

Move: TypeAlias = tuple[tuple[str, float], ...]
"""A difference: so many times each of these moves, each of which is at most its reach."""
Node: TypeAlias = frozenset[tuple[str, Move]]
"""The private numbers that differ, each with its difference. The empty one: the worlds agree."""
MOST_NODES = 600


@dataclass(frozen=True)
class Cost:
    """What one release books at most: (amount / scale) of the pure loss, or its square of GDP."""

    kind: str
    amount: Any
    scale: Any
    where: str

    @property
    def infinite(self) -> bool:
        return not isinstance(self.amount, Public) and math.isinf(self.amount)


@dataclass(frozen=True)
class Edge:
    """From one node to another by one way through a step."""

    source: Node
    target: Node
    way: Way
    costs: tuple[Cost, ...]
    first: bool
    """It is the round in which the changed reward comes."""


@dataclass
class Graph:
    """All that can happen after a reward of the given arm, or of all arms, was changed."""

    known: Known
    focus: int
    reach: dict[str, float] = field(default_factory=dict)
    """How far a move goes at most."""
    edges: list[Edge] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    since: list[Any] = field(default_factory=list)
    """What holds of the public state once the change has happened."""

    def __post_init__(self) -> None:
        low, high = self.known.steps.algorithm.card.payoff_range
        self._width = high - low
        self.since = self._since()
        nothing: Node = frozenset()
        todo: list[Node] = []
        for way in self.known.ways:
            if way.arm is not None and (self.known.steps.full or way.arm == self.focus):
                self._follow(nothing, way, todo, first=True)
        while todo:
            node = todo.pop()
            for way in self.known.ways:
                self._follow(node, way, todo, first=False)

    def _follow(self, node: Node, way: Way, todo: list[Node], *, first: bool) -> None:
        state = dict(node)
        costs = tuple(c for b in way.bookings for c in [self._cost(b, state, first)] if c)
        target = self._after(way, state, first)
        if not first and target == node and not costs:
            return
        if not costs and not target:
            return
        # A way that cannot be taken books nothing. (Others are looked at no further: they only
        # make the graph larger.)
        if costs and self._impossible(way, first):
            return
        self.edges.append(Edge(node, target, way, costs, first))
        if target and target not in self.nodes:
            self.nodes.append(target)
            todo.append(target)
            if len(self.nodes) > MOST_NODES:
                raise paths.Unsupported(f"the differences take more than {MOST_NODES} forms")

    def _impossible(self, way: Way, first: bool) -> bool:
        since = [] if first else self.since
        known = self.known
        return known.solver.impossible([*known.always, *since, *known.given(way)])

    def given(self, edge: Edge) -> list[Any]:
        """All that is known on an edge."""
        since = [] if edge.first else self.since
        return [*self.known.always, *since, *self.known.given(edge.way)]

    def _since(self) -> list[Any]:
        """Counters of the arm that was pulled have moved; ways that no longer hold this are none."""
        steps = self.known.steps
        if steps.full:
            return []
        entering = [w for w in self.known.ways if w.arm == self.focus]
        name = f"arm{self.focus}"
        guesses = []
        for field_name, kind in steps.algorithm.arm.items():
            symbol = z3.Real(f"{name}.{field_name}")
            if kind is int and any(z3.eq(g, symbol >= 0) for g in self.known.always):
                guesses.append(symbol >= 1)
        guesses = [
            g
            for g in guesses
            if all(
                self.known.solver.holds(
                    z3.substitute(g, *self.known.moves(w)),
                    [*self.known.always, *self.known.given(w)],
                )
                for w in entering
            )
        ]
        return self.known.lasting(guesses, self.known.ways, [])

    def _move(self, value: Any, state: Mapping[str, Move], first: bool) -> dict[str, Any]:
        """By how much a number of the two worlds differs: a multiple of each move."""
        if not isinstance(value, Private):
            return {}
        total: dict[str, Any] = {}
        for atom, coefficient in value.parts.items():
            for name, multiple in self._atom(atom, state, first).items():
                total[name] = add(total.get(name, 0), times(coefficient, multiple))
        return {k: v for k, v in total.items() if isinstance(v, Public) or v != 0}

    def _atom(self, atom: Any, state: Mapping[str, Move], first: bool) -> dict[str, float]:
        if isinstance(atom, Applied):
            moves = [self._move(a, state, first) for a in atom.arguments]
            if not any(moves):
                return {}
            far = atom.span
            if atom.form is not None:
                inner = self._move(atom.form, state, first)
                if not any(isinstance(v, Public) for v in inner.values()):
                    far = min(far, sum(abs(v) * self.reach[k] for k, v in inner.items()))
            name = f"{atom} of {'/'.join(sorted({k for m in moves for k in m}))}"
            self.reach[name] = max(far, self.reach.get(name, 0.0))
            return {name: 1.0}
        if atom.startswith("reward"):
            if not first:
                return {}
            name = atom.replace("reward", "change")
            self.reach[name] = self._width
            return {name: 1.0}
        return dict(state.get(atom, ()))

    def _after(self, way: Way, state: Mapping[str, Move], first: bool) -> Node:
        """The differences after a way."""
        found = dict(state)
        for place, value in way.private.items():
            move = self._move(value, state, first)
            if any(isinstance(v, Public) for v in move.values()):
                raise paths.Unsupported(
                    f"{place} differs by a multiple of the change that is not a plain number"
                )
            found.pop(place, None)
            if move:
                found[place] = tuple(sorted(move.items()))
        return frozenset(found.items())

    def _cost(self, booking: Booking, state: Mapping[str, Move], first: bool) -> Cost | None:
        moves = [self._move(v, state, first) for v in booking.values]
        if not any(moves):
            return None
        if booking.kind == "unprotected":
            return Cost("pure", math.inf, 1.0, booking.where)
        if booking.kind == "noisy_argmax":
            amount: Any = 0.0
            for i, one in enumerate(moves):
                for other in moves[:i]:
                    amount = _most(amount, self._size(_minus(one, other)))
        else:
            amount = self._size(moves[0])
        kind = "gdp" if booking.kind == "gaussian" else "pure"
        return Cost(kind, amount, booking.scale, booking.where)

    def _size(self, move: Mapping[str, Any]) -> Any:
        """The most that it can be: each move as far as it goes."""
        total: Any = 0.0
        for name, multiple in move.items():
            total = add(total, times(abs(multiple), self.reach[name]))
        return total


def _minus(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    names = one.keys() | other.keys()
    return {n: add(one.get(n, 0), times(other.get(n, 0), -1)) for n in names}


def _most(a: Any, b: Any) -> Any:
    if not isinstance(a, Public) and not isinstance(b, Public):
        return max(a, b)
    test = b - a >= 0
    return choice(test, b, a)


def ratio(cost: Cost) -> Any:
    """amount / scale."""
    return divide(cost.amount, cost.scale)


def positive(cost: Cost) -> Any:
    """The scale is positive."""
    return explicit(cost.scale) > 0
