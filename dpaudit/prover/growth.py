"""A circle that books and that nothing counts: how the sum grows with T."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import z3

from dpaudit.prover.graph import NOTHING, Edge, Node
from dpaudit.prover.products import Product
from dpaudit.prover.solver import constants

MOST_TERMS = 2**20


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
