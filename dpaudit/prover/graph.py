"""By how much the private numbers of the two worlds can differ, and what each step then books.

A node says for each private number by which multiple of the changed reward it differs. An edge is a
way through a step that leads from one to another; what it books is a difference over a scale.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import z3

from dpaudit.prover.invariants import Known
from dpaudit.prover.products import Product, product
from dpaudit.prover.steps import Way
from dpaudit.prover.symbols import paths
from dpaudit.prover.symbols.functions import (
    choice,
)
from dpaudit.prover.symbols.state import Written
from dpaudit.prover.symbols.terms import (
    ARMS,
    Applied,
    Private,
    Public,
    add,
    divide,
    times,
)
from dpaudit.prover.symbols.vocabulary import Booking

Move: TypeAlias = tuple[tuple[str, float], ...]
"""A difference: so many times each of these moves, each of which is at most its reach."""
Node: TypeAlias = frozenset[tuple[str, Move]]
"""The private numbers that differ, each with its difference. The empty one: the worlds agree."""
NOTHING: Node = frozenset()
MOST_NODES = 200


@dataclass(frozen=True)
class Cost:
    """What one release books at most: amount / scale, which is |difference| / scale of the pure
    loss, or its square for GDP."""

    kind: str
    amount: Any
    scale: Any
    where: str

    @property
    def infinite(self) -> bool:
        return not isinstance(self.amount, Public) and math.isinf(self.amount)

    @functools.cached_property
    def loss(self) -> Product:
        """In multiples of epsilon if it is pure."""
        grade = -1 if self.kind == "pure" else 0
        return product(divide(self.amount, self.scale), grade)


@dataclass(frozen=True)
class Edge:
    """From one node to another by one way through a step."""

    source: Node
    target: Node
    way: Way
    costs: tuple[Cost, ...]
    first: bool
    """It is the round in which the changed reward comes."""
    indices: tuple[tuple[str, Any], ...] = ()
    """Of each array that differs after it, the index of the place."""


class Graph:
    """All that can happen after a reward was changed."""

    def __init__(self, known: Known) -> None:
        self.known = known
        self.reach: dict[str, float] = {}
        """How far a move goes at most."""
        self.edges: list[Edge] = []
        self.dropped: list[list[Any]] = []
        """What is known on ways that cannot be taken."""
        self.signs: list[tuple[Any, list[Any]]] = []
        """Multiples that are not below 0, and what is known there."""
        self.quiet: list[Edge] = []
        """Ways that book nothing and change no difference; they may change a counter."""
        self._applied: list[Applied] = []
        self.nodes: list[Node] = []
        low, high = known.steps.algorithm.card.payoff_range
        self._width = high - low
        self.since = self._since()
        todo: list[Node] = []
        for way in known.ways:
            if way.pulled in ("focus", "every"):
                self._follow(NOTHING, way, todo, first=True)
        while todo:
            node = todo.pop()
            for way in known.ways:
                self._follow(node, way, todo, first=False)

    def _follow(self, node: Node, way: Way, todo: list[Node], *, first: bool) -> None:
        edge = self.edge(node, way, first=first)
        costs, target = edge.costs, edge.target
        if not costs and target == NOTHING:
            return
        if not costs and target == node and not edge.indices and not first:
            self.quiet.append(edge)
            return
        if self._impossible(way, first):
            return
        self.edges.append(edge)
        if target and target not in self.nodes:
            self.nodes.append(target)
            todo.append(target)
            if len(self.nodes) > MOST_NODES:
                raise paths.Unsupported(f"the differences take more than {MOST_NODES} forms", "")

    def edge(self, node: Node, way: Way, *, first: bool) -> Edge:
        """What a way does at a node, if it can be taken there."""
        state = dict(node)
        costs = tuple(c for b in way.bookings for c in [self._cost(b, way, state, first)] if c)
        target, indices = self._after(way, state, first)
        return Edge(node, target, way, costs, first, indices)

    def _impossible(self, way: Way, first: bool) -> bool:
        facts = self.facts(way, first)
        impossible = self.known.solver.impossible(facts)
        if impossible:
            self.dropped.append(facts)
        return impossible

    def certify(self) -> None:
        """Ask again for what the graph rests on, for it to be noted."""
        known, solver = self.known, self.known.solver
        solver.purpose = "a way that cannot be taken"
        assert all(solver.impossible(facts) for facts in self.dropped)
        solver.purpose = "a multiple that is not below 0"
        assert all(solver.holds(multiple >= 0, facts) for multiple, facts in self.signs)
        solver.purpose = "holds since the change"
        for fact in self.since:
            for way in known.ways:
                if way.pulled == "focus":
                    after = z3.substitute(fact, *known.moves(way))
                    assert solver.holds(after, [*known.always, *known.given(way)])
                assert known.stays(fact, way, self.since)

    def facts(self, way: Way, first: bool) -> list[Any]:
        """All that is known on a way."""
        since = [] if first else self.since
        return [*self.known.always, *since, *self.known.given(way)]

    def _since(self) -> list[Any]:
        """Counters of the arm that was pulled have moved."""
        known, steps = self.known, self.known.steps
        if steps.full:
            return []
        guesses = []
        for name, kind in steps.algorithm.arm.items():
            symbol = z3.Real(f"{steps.arm}.{name}")
            if kind is int and any(z3.eq(g, symbol >= 0) for g in known.always):
                guesses.append(symbol >= 1)
        entering = [w for w in known.ways if w.pulled == "focus"]
        guesses = [
            g
            for g in guesses
            if all(
                known.solver.holds(
                    z3.substitute(g, *known.moves(w)), [*known.always, *known.given(w)]
                )
                for w in entering
            )
        ]
        return known.lasting(guesses, known.ways, [])

    def _move(self, value: Any, state: Mapping[str, Move], first: bool) -> dict[str, Any]:
        """By how much a number of the two worlds differs: a multiple of each move."""
        if not isinstance(value, Private):
            return {}
        total: dict[str, Any] = {}
        for atom, coefficient in value.parts.items():
            for name, multiple in self._atom(atom, state, first).items():
                more = times(coefficient, multiple)
                if name != "change":
                    # Of another round, or of another arm: two that are called alike may differ.
                    more, total[name] = abs(more), abs(total.get(name, 0))
                total[name] = add(total.get(name, 0), more)
        return {k: v for k, v in total.items() if isinstance(v, Public) or v != 0}

    def moves_of(self, booking: Booking, edge: Edge) -> set[str]:
        """By what the numbers of a release may differ."""
        state = dict(edge.source)
        return {k for v in booking.values for k in self._move(v, state, edge.first)}

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
            if atom not in self._applied:
                self._applied.append(atom)
            sources = "/".join(sorted({k for m in moves for k in m}))
            name = f"{atom} {self._applied.index(atom)} of {sources} by {far}"
            self.reach[name] = far
            return {name: 1.0}
        if atom == "reward":
            if not first:
                return {}
            self.reach["change"] = self._width
            return {"change": 1.0}
        if "?" in atom:
            # An arm's that is chosen by a symbol: perhaps the one whose reward was changed.
            who, _, name = atom.partition("?")
            known = state.get(f"{self.known.steps.arm}.{name}", ())
            self.reach.update({f"{k} of {who}": self.reach[k] for k, _ in known})
            return {f"{k} of {who}": v for k, v in known}
        return dict(state.get(atom, ()))

    def _after(
        self, way: Way, state: Mapping[str, Move], first: bool
    ) -> tuple[Node, tuple[tuple[str, Any], ...]]:
        """The differences after a way."""
        found = dict(state)
        indices: dict[str, Any] = {}
        for place, value in way.private.items():
            number = value.value if isinstance(value, Written) else value
            # Arm 0 is the one whose reward was changed: another one's sums are not followed.
            if place.startswith(("arm1.", "arm2.")) and self._move(number, state, first):
                raise paths.Unsupported(f"{place} of another arm differs", "")
            if not isinstance(value, Written):
                found.pop(place, None)
                found.update(self._differs(place, value, state, first))
        for place, value in way.private.items():
            if isinstance(value, Written):
                array = place.partition(" ")[0]
                more = self._differs(array, value.value, state, first)
                if more and array in found:
                    raise paths.Unsupported(f"two places of {array[:-1]} differ", "")
                found.update(more)
                indices.update({array: value.index} if more else {})
        for array in found:
            if array.endswith("@"):
                indices.setdefault(array, z3.Real(array))
        return frozenset(found.items()), tuple(sorted(indices.items()))

    def _differs(
        self, place: str, value: Any, state: Mapping[str, Move], first: bool
    ) -> dict[str, Move]:
        move = self._move(value, state, first)
        if any(isinstance(v, Public) for v in move.values()):
            raise paths.Unsupported(
                f"{place} differs by a multiple of the change that is not a plain number", ""
            )
        return {place: tuple(sorted(move.items()))} if move else {}

    def _cost(
        self, booking: Booking, way: Way, state: Mapping[str, Move], first: bool
    ) -> Cost | None:
        moves = [self._move(v, state, first) for v in booking.values]
        if not any(moves):
            return None
        if booking.kind == "unprotected":
            return Cost("pure", math.inf, 1.0, booking.where)
        gaussian = booking.kind == "gaussian"
        amount = self._size(moves[0], None if gaussian else self.facts(way, first))
        if booking.kind == "noisy_argmax":
            amount = times(amount, 2.0)  # one sum up and another one down
        scale, kind = booking.scale, "pure"
        if gaussian:
            amount, kind = times(amount, amount), "gdp"
            square = scale.square if isinstance(scale, Public) else None
            scale = times(scale, scale) if square is None else square
        if booking.every:
            amount = times(amount, Public(ARMS, whole=True))
        return Cost(kind, amount, scale, booking.where)

    def _size(self, move: Mapping[str, Any], facts: list[Any] | None) -> Any:
        """The most that it can be: each move as far as it goes. Without facts, one move is given up
        to its sign."""
        total: Any = 0.0
        for name, multiple in move.items():
            if not isinstance(multiple, Public):
                size: Any = abs(multiple)
            elif facts is None and len(move) == 1:
                size = multiple
            elif self.known.solver.holds(multiple.term >= 0, facts or []):
                size = multiple
                self.signs.append((multiple.term, facts or []))
            else:
                size = choice(multiple >= 0, multiple, -multiple)
            total = add(total, times(size, self.reach[name]))
        return total
