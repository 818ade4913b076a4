"""The largest sum that the ways through the graph can book.

Each edge has a weight that the solver shows: a number that what it books does not exceed. A circle
that books has weights of 0 where something counts its turns: the place in an array that differs
moves up, or a counter moves down, and what is left of it pays for what is booked. A circle that
nothing counts has no bound: it is the finding.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import z3

from dpaudit.prover.circles import Circle, Growth, Turns, circles, per_epsilon
from dpaudit.prover.graph import NOTHING, Edge, Graph, Node
from dpaudit.prover.products import Product, at_most, least
from dpaudit.prover.symbols.functions import BITS


@dataclass
class Bounds:
    """Weights of all edges, and what they sum up to."""

    graph: Graph
    kind: str
    weights: dict[int, Fraction] = field(default_factory=dict)
    turns: list[Turns] = field(default_factory=list)
    growth: list[Growth] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    """Of what cannot be bounded."""

    def __post_init__(self) -> None:
        self.solver = self.graph.known.solver
        self.facts_of = {node: self._node_facts(node) for node in self.graph.nodes}
        self._keep_lasting()
        self.all_edges = list(self.graph.edges)
        self._drop_impossible()
        self.paid: dict[Node, Turns] = {}
        for circle in self._circles():
            turns = circle.counted()
            if turns is None:
                self.growth.append(circle.grows())
            else:
                self.turns.append(turns)
                self.paid.update(dict.fromkeys(circle.nodes, turns))
        if not self.growth:
            self._weigh()
        else:
            self.growth = self._by_rounds()

    def _by_rounds(self) -> list[Growth]:
        """Where one step alone books, each round books what its dearest way does, at most."""
        booking = [e for e in self.graph.edges if self.books(e)]
        once = len({e.way.step for e in booking}) == 1
        if once and len(self.growth) == 1 and all(e in self.growth[0].edges for e in booking):
            return self.growth
        first = self.dearest([e for e in booking if e.first]) if once else None
        most = self.dearest([e for e in booking if not e.first]) if once else None
        one = replace(self.growth[0], most=most, first=first, counter="")
        alike = {per_epsilon(b) for e in booking for b in self.booked(e)} == {one.per_epsilon}
        return [one if alike else replace(one, most=None)]

    def books(self, edge: Edge) -> bool:
        return any(p.number != 0 for p in self.booked(edge))

    def dearest(self, edges: list[Edge]) -> Fraction | None:
        """What each of these books at most, epsilon apart where the loss is per epsilon."""
        found = [self.least([b.without_epsilon for b in self.booked(e)], e) for e in edges]
        return None if None in found else max([Fraction(0), *(x for x in found if x is not None)])

    def certify(self) -> None:
        """Ask again for all that the weights rest on, for it to be noted."""
        self.graph.known.certify()
        self.graph.certify()
        self.solver.purpose = "holds where these differ"
        for edge in (*self.all_edges, *self.graph.quiet):
            for fact in self.facts_of.get(edge.target, []):
                assert self._lasts(fact, edge, self.facts(edge))
        self.solver.purpose = "a way that cannot be taken"
        for edge in self.all_edges:
            if edge.source and not edge.first:
                self.solver.impossible(self.facts(edge))
        self.solver.purpose = "what counts the turns of a circle"
        for circle in self._circles():
            circle.counted()
        if not self.growth:
            self.solver.purpose = "what an arrow weighs"
            self._weigh()
        self.solver.purpose = ""

    @property
    def most(self) -> Fraction | None:
        """The longest way; none if a weight is not known or a circle grows."""
        if self.growth or len(self.weights) < len(self.graph.edges):
            return None
        best: dict[Node, Fraction] = {NOTHING: Fraction(0)}
        for _ in range(len(self.graph.nodes) + 2):
            moved = False
            for number, edge in enumerate(self.graph.edges):
                start = Fraction(0) if edge.first else best.get(edge.source)
                if start is None:
                    continue
                reached, key = start + self.weights[number], edge.target
                if key not in best or reached > best[key]:
                    best[key], moved = reached, True
            if not moved:
                return max(best.values())
        return None

    def booked(self, edge: Edge) -> list[Product]:
        return [c.loss for c in edge.costs if c.kind == self.kind]

    # What holds at a node.

    def _node_facts(self, node: Node) -> list[Any]:
        """Guesses: a place that differs is one that the counters have come to."""
        algorithm, arm = self.graph.known.steps.algorithm, self.graph.known.steps.arm
        counters = [z3.Real(f"{arm}.{n}") for n, kind in algorithm.arm.items() if kind is int]
        found = [c >= 1 for c in counters]
        for name, _ in node:
            if name.endswith("@"):
                place = z3.Real(name)
                found += [place >= 0, *(place + 1 <= BITS(c) for c in counters)]
        return found

    def _keep_lasting(self) -> None:
        """Those that hold on every edge's end, given those at its beginning."""
        changed = True
        while changed:
            changed = False
            for edge in (*self.graph.edges, *self.graph.quiet):
                if edge.target == NOTHING:
                    continue
                facts = self.facts(edge)
                kept = [f for f in self.facts_of[edge.target] if self._lasts(f, edge, facts)]
                if len(kept) < len(self.facts_of[edge.target]):
                    self.facts_of[edge.target] = kept
                    changed = True

    def _lasts(self, fact: Any, edge: Edge, facts: list[Any]) -> bool:
        after = z3.substitute(fact, *self.moves(edge))
        if edge.source == edge.target and not edge.first and z3.eq(after, fact):
            return True
        return self.solver.holds(after, facts)

    def _drop_impossible(self) -> None:
        """Edges that what holds at their beginning rules out, and what is then not reached."""
        graph = self.graph
        graph.edges = [
            e
            for e in graph.edges
            if e.first or not e.source or not self.solver.impossible(self.facts(e))
        ]
        reached = {e.target for e in graph.edges if e.first}
        while True:
            more = {e.target for e in graph.edges if e.source in reached} - reached
            if not more:
                break
            reached |= more
        graph.nodes = [n for n in graph.nodes if n in reached]
        graph.edges = [e for e in graph.edges if e.first or e.source in reached]

    def facts(self, edge: Edge) -> list[Any]:
        mine = [] if edge.first else self.facts_of[edge.source]
        return [*self.graph.facts(edge.way, edge.first), *mine]

    def moves(self, edge: Edge) -> list[tuple[Any, Any]]:
        """What public fields, and the index of the place that differs, become."""
        places = [(z3.Real(array), index) for array, index in edge.indices]
        return [*self.graph.known.moves(edge.way), *places]

    def holds(self, goal: Any, edge: Edge) -> bool:
        return self.solver.holds(goal, self.facts(edge))

    # Circles.

    def _circles(self) -> list[Circle]:
        """Those that book."""
        found = (Circle(self, nodes) for nodes in circles(self.graph.nodes, self.graph.edges))
        return [circle for circle in found if circle.books]

    # Weights.

    def _weigh(self) -> None:
        for number, edge in enumerate(self.graph.edges):
            here = None if edge.first else self.paid.get(edge.source)
            there = self.paid.get(edge.target)
            booked = self.booked(edge)
            if here is not None and here is there:
                weight: Fraction | None = Fraction(0)
            elif there is None:
                weight = self.least(booked, edge)
            else:
                # What the circle pays covers a booking by which it is entered, if that is alike.
                mine = [b for b in booked if there.rising and self.is_after(there.unit, b, edge)][
                    :1
                ]
                rest = self.least([b for b in booked if b not in mine], edge)
                weight = None if rest is None else rest + there.paid
            if weight is None:
                where = edge.costs[0].where if edge.costs else ""
                self.reasons.append(f"{where}: books {' + '.join(map(str, booked))}")
            else:
                self.weights[number] = weight

    def is_after(self, unit: Product, loss: Product, edge: Edge) -> bool:
        """Whether the unit, after the edge, is this loss."""
        return self.equal(unit.substituted(*self.moves(edge)), loss, edge)

    def equal(self, one: Product, other: Product, edge: Edge) -> bool:
        if one.equals(other):
            return True
        if one.number != other.number or len(one.powers) != len(other.powers):
            return False
        pairs = zip(sorted(one.powers, key=_power), sorted(other.powers, key=_power), strict=True)
        return all(p == q and self.holds(a == b, edge) for (a, p), (b, q) in pairs)

    def least(self, losses: Iterable[Product], edge: Edge) -> Fraction | None:
        """A number that the sum does not exceed, nearly the least; none if none is found."""
        total = Fraction(0)
        for loss in losses:
            found = self._least(loss, edge)
            if found is None:
                return None
            total += found
        return total

    def _least(self, loss: Product, edge: Edge) -> Fraction | None:
        purpose, self.solver.purpose = self.solver.purpose, ""
        try:
            best = least(loss, lambda goal: self.holds(goal, edge))
        finally:
            self.solver.purpose = purpose
        # Asked once more for the number that was found, for it to be noted.
        enough = best is not None and at_most(loss, best, lambda goal: self.holds(goal, edge))
        return best if enough else None


def _power(pair: tuple[Any, Fraction]) -> tuple[Fraction, str]:
    return pair[1], str(pair[0])
