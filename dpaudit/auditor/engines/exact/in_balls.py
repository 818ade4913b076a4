"""The same probabilities in ball arithmetic: every result contains the true one."""

from __future__ import annotations

import itertools
import math
from typing import Any

from flint import acb, arb, ctx, fmpq

from dpaudit.auditor.engines.exact.exponential_pieces import Pieces
from dpaudit.auditor.engines.exact.forest import Node, Tree
from dpaudit.play.reach.steps import Unfit

IN_PIECES = ("laplace", "exponential", "uniform")


def chance(tree: Tree, centers: list[Any]) -> Any:
    """The tree's probability at these centres, which are rational."""
    if all(node.kind in IN_PIECES for node in tree.nodes):
        return _chain(tree, centers)
    return _star(tree, centers)


def _chain(tree: Tree, centers: list[Any]) -> Any:
    """One-dimensional integrals from the ends of the tree to its root."""

    def gathered(place: int) -> Pieces:
        node = tree.nodes[place]
        density = Pieces.density(node.kind, centers[place], node.scale)
        if node.low is not None or node.high is not None:
            density = density.within(node.low, node.high)
        for edge in tree.edges:
            if edge.parent == place:
                density = density * message(gathered(edge.child), edge.low, edge.high)
        return density

    def message(density: Pieces, low: Any, high: Any) -> Pieces:
        integral = density.antiderivative()
        upper = Pieces.constant(density.total()) if low is None else integral.shifted(-low)
        return upper if high is None else upper - integral.shifted(-high)

    return gathered(0).total()


def check(tree: Tree) -> None:
    """Refuses trees of Gaussian or Gumbel noise that are no star."""
    if not all(node.kind in IN_PIECES for node in tree.nodes):
        middle = _middle(tree)
        for place, node in enumerate(tree.nodes):
            if place != middle and (node.low, node.high) != (None, None):
                raise Unfit(
                    "Gaussian or Gumbel noise is compared with a number and with other noise"
                )


def _middle(tree: Tree) -> int:
    for place in range(len(tree.nodes)):
        if all(place in (edge.parent, edge.child) for edge in tree.edges):
            return place
    raise Unfit("Gaussian or Gumbel noise is compared in a chain of more than three values")


def _star(tree: Tree, centers: list[Any]) -> Any:
    """All others are compared with one value: an integral over that, between the points where a
    density or a distribution function changes its formula."""
    middle = _middle(tree)
    node, center = tree.nodes[middle], centers[middle]
    others: list[tuple[Node, Any, Any]] = []
    for edge in tree.edges:
        # The other is between value - high and value - low.
        other, low, high = edge.child, edge.low, edge.high
        if edge.child == middle:
            other = edge.parent
            low, high = (None if side is None else -side for side in (edge.high, edge.low))
        at = centers[other]
        low, high = (None if side is None else at + side for side in (low, high))
        others.append((tree.nodes[other], low, high))
    reach = fmpq(math.ceil(_reach(node.kind))) * abs(node.scale)
    least, most = (
        bound if own is None else choose(own, bound)
        for own, bound, choose in (
            (node.low, center - reach, max),
            (node.high, center + reach, min),
        )
    )
    cuts = {least, most, *_kinks(node, center)}
    for compared, *sides in others:
        for side in sides:
            cuts |= set() if side is None else _kinks(compared, side)
    places = sorted(cut for cut in cuts if least <= cut <= most)
    total = arb(0)
    for left, right in itertools.pairwise(places):
        inside = (left + right) / 2

        def integrand(x: Any, _analytic: Any, inside: Any = inside) -> Any:
            value = _density(node, center, x, inside)
            for each, low, high in others:
                upper = acb(1) if low is None else _below(each, low, x, inside)
                value = value * (upper if high is None else upper - _below(each, high, x, inside))
            return value

        total = total + acb.integral(integrand, acb(left), acb(right)).real
    return total + arb(0, arb(2) ** (1 - ctx.prec))  # what lies beyond the reach


def _reach(kind: str) -> float:
    """In units of the scale; beyond it, on either side, lies less than 2^-precision."""
    bits = ctx.prec * math.log(2.0)
    return math.sqrt(2.0 * bits) + 1.0 if kind == "gaussian" else bits + 1.0


def _kinks(node: Node, center: Any) -> set[Any]:
    if node.kind == "uniform":
        return {center, center + node.scale}
    return {center} if node.kind in IN_PIECES else set()


def _density(node: Node, center: Any, x: Any, inside: Any) -> Any:
    """At x, by the formula that holds where `inside` is."""
    place = (inside - center) / node.scale
    z, rate = (x - arb(center)) / arb(node.scale), 1 / arb(abs(node.scale))
    if node.kind == "gaussian":
        return rate * (-z * z / 2).exp() / (2 * arb.pi()).sqrt()
    if node.kind == "gumbel":
        return rate * (-z - (-z).exp()).exp()
    if node.kind == "laplace":
        return rate * (-z if place > 0 else z).exp() / 2
    if node.kind == "exponential":
        return rate * (-z).exp() if place > 0 else acb(0)
    return acb(rate) if 0 < place < 1 else acb(0)


def _below(node: Node, center: Any, x: Any, inside: Any) -> Any:
    """Probability that center + scale Z is below x, by the formula that holds where `inside` is."""
    place, z = (inside - center) / node.scale, (x - arb(center)) / arb(node.scale)
    if node.kind == "gaussian":
        below = (-z / arb(2).sqrt()).erfc() / 2
    elif node.kind == "gumbel":
        below = (-(-z).exp()).exp()
    elif node.kind == "laplace":
        below = 1 - (-z).exp() / 2 if place > 0 else z.exp() / 2
    elif node.kind == "exponential":
        below = 1 - (-z).exp() if place > 0 else acb(0)
    else:
        below = z if 0 < place < 1 else acb(int(place >= 1))
    return below if node.scale > 0 else 1 - below
