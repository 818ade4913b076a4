"""Circles that book: what counts their turns, or how the sum grows with T.

Something counts them where the place in an array that differs moves up, where a counter moves down,
and where a counter has passed a number for good after one booking. What is left of it pays for what
is booked. A circle that nothing counts has no bound: it is the finding.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import z3

from dpaudit.prover.graph import NOTHING, Edge, Node
from dpaudit.prover.products import Product, of_term
from dpaudit.prover.solver import constants

if TYPE_CHECKING:
    from dpaudit.prover.bounds import Bounds

MOST_TERMS = 2**20


@dataclass(frozen=True)
class Turns:
    """What pays for the turns of a circle: `unit` is what each books."""

    unit: Product
    paid: Fraction
    """All turns together, however many."""
    by: str
    """The counter, or the array whose place moves."""
    rising: bool
    """A booking by which the circle is entered is paid for, too, if it is alike."""


@dataclass(frozen=True)
class Growth:
    """What each turn of the circle books, and on which edges."""

    unit: Product
    most: Fraction | None
    """What a turn books at most, times epsilon where it does not fall with it."""
    edges: tuple[Edge, ...]
    counter: str = ""
    """A field that each booking raises by 1 at least, and of which the unit is a function."""
    first: Fraction | None = Fraction(0)
    """What the changed round itself books at most; `most` is of every later one."""

    @property
    def per_epsilon(self) -> bool:
        return per_epsilon(self.unit)

    def law(self) -> str | None:
        """The sum as a function of T."""
        over = " / epsilon" if self.per_epsilon else ""
        if self.counter:
            (name,) = constants(self.unit.terms) - {"epsilon", "arms"}
            each = str(self.unit.without_epsilon).replace(name, "n")
            return f"(the sum of {each} over n = 1, ..., T){over}"
        if self.most is None or self.first is None:
            return None
        if self.first == self.most:
            return f"{'' if self.most == 1 else f'{self.most} '}T{over}"
        later = f"{'' if self.most == 1 else f'{self.most} '}(T - 1)"
        return f"{later}{over}" if not self.first else f"({self.first} + {later}){over}"

    def to(self, rounds: int) -> Fraction | None:
        """The sum for T = rounds, at epsilon = 1 where it is per epsilon."""
        if not self.counter:
            if self.most is None or self.first is None:
                return None
            return self.first + self.most * (rounds - 1)
        if rounds > MOST_TERMS:
            return None
        (name,) = constants(self.unit.terms) - {"epsilon", "arms"}
        each = self.unit.without_epsilon
        total = math.fsum(each.at({name: n}) for n in range(1, rounds + 1))
        return Fraction(math.nextafter(total, math.inf))


def per_epsilon(loss: Product) -> bool:
    """The loss itself does not depend on epsilon."""
    return "epsilon" in constants(loss.terms)


def circles(nodes: list[Node], edges: list[Edge]) -> list[list[Node]]:
    """Nodes from which one comes back, together."""
    reach = {node: _from(node, edges) for node in nodes}
    found: list[list[Node]] = []
    for node in nodes:
        circle = [n for n in nodes if n in reach[node] and node in reach[n]]
        if circle and circle not in found:
            found.append(circle)
    return found


def _from(node: Node, edges: list[Edge]) -> set[Node]:
    found: set[Node] = set()
    todo = [node]
    while todo:
        here = todo.pop()
        for edge in edges:
            if edge.source == here and not edge.first and edge.target not in found:
                found.add(edge.target)
                todo.append(edge.target)
    return found - {NOTHING}


def falls(term: Any, power: Fraction) -> bool:
    """The power of a term falls with its one symbol: so the sum over all whole numbers is more than
    that over any of them."""
    names = constants([term]) - {"arms"}
    symbols = [z3.Real(name) for name in names]
    slope = z3.simplify(z3.substitute(term, *((s, s + 1) for s in symbols)) - term)
    return power < 0 and z3.is_rational_value(slope) and slope.as_fraction() >= 0


class Circle:
    """Nodes from which one comes back, in the graph whose bounds are looked for."""

    def __init__(self, bounds: Bounds, nodes: list[Node]) -> None:
        self.bounds, self.nodes = bounds, nodes
        self.booked, self.moves, self.holds = bounds.booked, bounds.moves, bounds.holds
        self.inside = [
            e
            for e in (*bounds.graph.edges, *bounds.graph.quiet)
            if not e.first and e.source in nodes and e.target in nodes
        ]
        self.entering = [
            e
            for e in bounds.graph.edges
            if e.target in nodes and (e.first or e.source not in nodes)
        ]

    @property
    def books(self) -> bool:
        return any(map(self.bounds.books, self.inside))

    def counted(self) -> Turns | None:
        """What pays for its turns."""
        booking = [e for e in self.inside if self.booked(e)]
        if any(len(self.booked(e)) > 1 for e in booking):
            return None
        arrays = {n for node in self.nodes for n, _ in node if n.endswith("@")}
        for edge in booking:
            unit = self._after(edge, self.booked(edge)[0])
            if not all(self._same(unit, e) for e in self.inside):
                continue
            if not all(self.is_booked(unit, e) for e in booking):
                continue
            for array in sorted(arrays):
                paid = self._by_place(unit, array)
                if paid is not None:
                    return Turns(unit, paid, array, rising=True)
            for counter in self._counters():
                paid = self._by_counter(unit, counter)
                if paid is not None:
                    return Turns(unit, paid, counter, rising=False)
            for counter in self._counters():
                paid = self._by_passing(unit, counter)
                if paid is not None:
                    return Turns(unit, paid, counter, rising=True)
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
        return self.bounds.is_after(unit, unit, edge)

    def is_booked(self, unit: Product, edge: Edge) -> bool:
        """It is what the edge books, after it."""
        if len(self.booked(edge)) != 1:
            return False
        return self.bounds.is_after(unit, self.booked(edge)[0], edge)

    def _by_place(self, unit: Product, array: str) -> Fraction | None:
        """The place moves up with each booking, and unit * (place + 1) stays below a number."""
        place = z3.Real(array)
        for edge in self.inside:
            index = dict(edge.indices).get(array)
            if index is None:
                return None
            step = 1 if self.booked(edge) else 0
            if not self.holds(index >= place + step, edge):
                return None
        for edge in self.entering:
            index = dict(edge.indices).get(array)
            if index is None or not self.holds(index >= 0, edge):
                return None
        return self._largest(unit, place + 1, [*self.entering, *self.inside])

    def _by_counter(self, unit: Product, counter: str) -> Fraction | None:
        """The counter moves down by 1 with each booking, not below 0, and unit * counter is below
        a number where the circle is entered."""
        symbol = z3.Real(counter)
        for edge in self.inside:
            after = z3.substitute(symbol, *self.moves(edge))
            step = 1 if self.booked(edge) else 0
            if not self.holds(after <= symbol - step, edge):
                return None
            if not self.holds(after >= 0, edge):
                return None
        if not all(
            self.holds(z3.substitute(symbol, *self.moves(e)) >= 0, e) for e in self.entering
        ):
            return None
        return self._largest(unit, symbol, self.entering)

    def _largest(self, unit: Product, times: Any, edges: list[Edge]) -> Fraction | None:
        """A number that unit * times does not exceed after these edges."""
        whole = unit.times(of_term(times))
        found = [self.bounds.least([whole.substituted(*self.moves(e))], e) for e in edges]
        if not found or any(f is None for f in found):
            return None
        return max(f for f in found if f is not None)

    def _by_passing(self, unit: Product, counter: str) -> Fraction | None:
        """After each booking the counter has come to a number, which it never falls below again,
        and from which on nothing is booked: there is one booking. One by which the circle is
        entered is among them if it is alike."""
        symbol = z3.Real(counter)
        inside = [e for e in self.inside if self.booked(e)]
        booking = [*inside, *(e for e in self.entering if self._is_among(unit, e))]
        number = self._reached(symbol, booking[0])
        if number is None:
            return None
        passed = symbol >= number
        if not all(self.holds(z3.substitute(passed, *self.moves(e)), e) for e in booking):
            return None
        solver = self.bounds.solver
        for edge in self.inside:
            facts = [*self.bounds.facts(edge), passed]
            if not solver.holds(z3.substitute(passed, *self.moves(edge)), facts):
                return None
            if edge in inside and not solver.impossible(facts):
                return None
        return self._largest(unit, z3.RealVal(1), booking)

    def _is_among(self, unit: Product, edge: Edge) -> bool:
        return any(self.bounds.is_after(unit, b, edge) for b in self.booked(edge))

    def _reached(self, symbol: Any, edge: Edge) -> Any:
        """The number that a counter is after an edge, if it is one."""
        after = z3.substitute(symbol, *self.moves(edge))
        some = self.bounds.solver.example(self.bounds.facts(edge), after)
        return some if some is not None and self.holds(after == some, edge) else None

    def _counters(self) -> Iterator[str]:
        steps = self.bounds.graph.known.steps
        yield from (f"{steps.arm}.{n}" for n, kind in steps.algorithm.arm.items() if _number(kind))
        yield from (f"own.{n}" for n, kind in steps.algorithm.own.items() if _number(kind))

    def grows(self) -> Growth:
        booking = [e for e in self.inside if self.booked(e)]
        unit = self.booked(booking[0])[0]
        return Growth(unit, self.bounds.dearest(booking), tuple(booking), self._rising(unit))

    def _rising(self, unit: Product) -> str:
        """A counter that each booking raises, and of which what it books is a function."""
        inside = self.inside
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
        return self.holds(rising, edge) and self.is_booked(unit, edge)


def _number(kind: Any) -> bool:
    return kind in (int, float)
