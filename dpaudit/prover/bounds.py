"""The largest sum that the ways through the graph can book.

Each edge has a weight that the solver shows: a number that what it books does not exceed. A circle
that books has weights of 0 where something counts its turns: the place in an array that differs
moves up, or a counter moves down, and what is left of it pays for what is booked. A circle that
nothing counts has no bound: it is the finding.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import z3

from dpaudit.prover.graph import NOTHING, Edge, Graph, Node
from dpaudit.prover.growth import Growth, circles, falls, per_epsilon
from dpaudit.prover.products import Product, at_most, least, of_term
from dpaudit.prover.solver import constants
from dpaudit.prover.symbols.functions import BITS


@dataclass(frozen=True)
class Turns:
    """What pays for the turns of a circle: `unit` is what each books."""

    unit: Product
    paid: Fraction
    """All turns together, however many."""
    by: str
    """The counter, or the array whose place moves."""
    rising: bool


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
            turns = self._counted(circle)
            if turns is None:
                self.growth.append(self._grows(circle))
            else:
                self.turns.append(turns)
                self.paid.update(dict.fromkeys(circle, turns))
        if not self.growth:
            self._weigh()
        else:
            self.growth = self._by_rounds()

    def _by_rounds(self) -> list[Growth]:
        """Where one step alone books, each round books what its dearest way does, at most."""
        booking = [e for e in self.graph.edges if self._books(e)]
        once = len({e.way.step for e in booking}) == 1
        if once and len(self.growth) == 1 and all(e in self.growth[0].edges for e in booking):
            return self.growth
        first = self._dearest([e for e in booking if e.first]) if once else None
        most = self._dearest([e for e in booking if not e.first]) if once else None
        one = replace(self.growth[0], most=most, first=first, counter="")
        alike = {per_epsilon(b) for e in booking for b in self.booked(e)} == {one.per_epsilon}
        return [one if alike else replace(one, most=None)]

    def _books(self, edge: Edge) -> bool:
        return any(p.number != 0 for p in self.booked(edge))

    def _dearest(self, edges: list[Edge]) -> Fraction | None:
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
            self._counted(circle)
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

    def _circles(self) -> list[list[Node]]:
        """Those that book."""
        found = circles(self.graph.nodes, self.graph.edges)
        return [c for c in found if any(self._books(e) for e in self._inside(c))]

    def _inside(self, circle: list[Node]) -> list[Edge]:
        return [
            e
            for e in (*self.graph.edges, *self.graph.quiet)
            if not e.first and e.source in circle and e.target in circle
        ]

    def _counted(self, circle: list[Node]) -> Turns | None:
        """What pays for a circle's turns."""
        inside = self._inside(circle)
        booking = [e for e in inside if self.booked(e)]
        if any(len(self.booked(e)) > 1 for e in booking):
            return None
        arrays = {n for node in circle for n, _ in node if n.endswith("@")}
        for edge in booking:
            unit = self._after(edge, self.booked(edge)[0])
            if not all(self._same(unit, e) for e in inside):
                continue
            if not all(self._is(unit, e) for e in booking):
                continue
            for array in sorted(arrays):
                paid = self._by_place(circle, unit, array)
                if paid is not None:
                    return Turns(unit, paid, array, rising=True)
            for counter in self._counters():
                paid = self._by_counter(circle, unit, counter)
                if paid is not None:
                    return Turns(unit, paid, counter, rising=False)
        return None

    def _after(self, edge: Edge, loss: Product) -> Product:
        """A loss in terms of the state after the edge: fields that moved by a number are moved
        back."""
        back = []
        for symbol, value in self.moves(edge):
            step = z3.simplify(value - symbol)
            if z3.is_rational_value(step):
                back.append((symbol, symbol - step))
        return loss.substituted(*back)

    def _same(self, unit: Product, edge: Edge) -> bool:
        """The edge does not change it."""
        return self._equal(unit.substituted(*self.moves(edge)), unit, edge)

    def _is(self, unit: Product, edge: Edge) -> bool:
        """It is what the edge books, after it."""
        if len(self.booked(edge)) != 1:
            return False
        return self._equal(unit.substituted(*self.moves(edge)), self.booked(edge)[0], edge)

    def _equal(self, one: Product, other: Product, edge: Edge) -> bool:
        if one.equals(other):
            return True
        if one.number != other.number or len(one.powers) != len(other.powers):
            return False
        pairs = zip(sorted(one.powers, key=_power), sorted(other.powers, key=_power), strict=True)
        return all(p == q and self.holds(a == b, edge) for (a, p), (b, q) in pairs)

    def _by_place(self, circle: list[Node], unit: Product, array: str) -> Fraction | None:
        """The place moves up with each booking, and unit * (place + 1) stays below a number."""
        place = z3.Real(array)
        for edge in self._inside(circle):
            index = dict(edge.indices).get(array)
            if index is None:
                return None
            step = 1 if self.booked(edge) else 0
            if not self.holds(index >= place + step, edge):
                return None
        for edge in self._entering(circle):
            index = dict(edge.indices).get(array)
            if index is None or not self.holds(index >= 0, edge):
                return None
        return self._largest(unit, place + 1, [*self._entering(circle), *self._inside(circle)])

    def _by_counter(self, circle: list[Node], unit: Product, counter: str) -> Fraction | None:
        """The counter moves down by 1 with each booking, not below 0, and unit * counter is below
        a number where the circle is entered."""
        symbol = z3.Real(counter)
        for edge in self._inside(circle):
            after = z3.substitute(symbol, *self.moves(edge))
            step = 1 if self.booked(edge) else 0
            if not self.holds(after <= symbol - step, edge):
                return None
            if not self.holds(after >= 0, edge):
                return None
        if not all(
            self.holds(z3.substitute(symbol, *self.moves(e)) >= 0, e)
            for e in self._entering(circle)
        ):
            return None
        return self._largest(unit, symbol, self._entering(circle))

    def _largest(self, unit: Product, times: Any, edges: list[Edge]) -> Fraction | None:
        """A number that unit * times does not exceed after these edges."""
        whole = unit.times(of_term(times))
        found = [self.least([whole.substituted(*self.moves(e))], e) for e in edges]
        if not found or any(f is None for f in found):
            return None
        return max(f for f in found if f is not None)

    def _entering(self, circle: list[Node]) -> list[Edge]:
        return [
            e
            for e in self.graph.edges
            if e.target in circle and (e.first or e.source not in circle)
        ]

    def _counters(self) -> Iterator[str]:
        steps = self.graph.known.steps
        yield from (f"{steps.arm}.{n}" for n, kind in steps.algorithm.arm.items() if _number(kind))
        yield from (f"own.{n}" for n, kind in steps.algorithm.own.items() if _number(kind))

    def _grows(self, circle: list[Node]) -> Growth:
        booking = [e for e in self._inside(circle) if self.booked(e)]
        unit = self.booked(booking[0])[0]
        return Growth(unit, self._dearest(booking), tuple(booking), self._rising(circle, unit))

    def _rising(self, circle: list[Node], unit: Product) -> str:
        """A counter that each booking raises, and of which what it books is a function."""
        inside = self._inside(circle)
        names = constants(unit.terms) - {"epsilon", "arms"}
        if len(names) != 1 or not all(falls(t, p) for t, p in unit.without_epsilon.powers):
            return ""
        (name,) = names
        for counter in self._counters():
            symbol = z3.Real(counter)
            of_counter = unit.substituted((z3.Real(name), symbol))
            if all(self._rises(symbol, of_counter, edge) for edge in inside):
                return counter
        return ""

    def _rises(self, symbol: Any, unit: Product, edge: Edge) -> bool:
        after = z3.substitute(symbol, *self.moves(edge))
        if not self.booked(edge):
            return self.holds(after >= symbol, edge)
        rising = z3.And(symbol >= 0, after >= symbol + 1)
        return self.holds(rising, edge) and self._is(unit, edge)

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
                mine = [b for b in booked if there.rising and self._is_unit(there, b, edge)][:1]
                rest = self.least([b for b in booked if b not in mine], edge)
                weight = None if rest is None else rest + there.paid
            if weight is None:
                where = edge.costs[0].where if edge.costs else ""
                self.reasons.append(f"{where}: books {' + '.join(map(str, booked))}")
            else:
                self.weights[number] = weight

    def _is_unit(self, turns: Turns, loss: Product, edge: Edge) -> bool:
        return self._equal(turns.unit.substituted(*self.moves(edge)), loss, edge)

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


def _number(kind: Any) -> bool:
    return kind in (int, float)


def _power(pair: tuple[Any, Fraction]) -> tuple[Fraction, str]:
    return pair[1], str(pair[0])
