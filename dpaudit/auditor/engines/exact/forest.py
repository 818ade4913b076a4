"""The bands of a path as trees: nodes are noisy values, edges say how far two of them are apart.

Units are chosen along the edges so that each edge bounds a plain difference. The private data of
the comparisons becomes the nodes' centres.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from flint import fmpq

from dpaudit.auditor.engines.exact.steps.bands import Asked, Band, Key
from dpaudit.auditor.engines.exact.steps.forms import Weights, plus
from dpaudit.play.reach.steps import Unfit


@dataclass(frozen=True)
class Node:
    """data + scale Z, between two bounds if there are any."""

    kind: str
    scale: Any
    data: Weights
    low: Any = None
    high: Any = None


@dataclass(frozen=True)
class Edge:
    """low < parent - child < high, between nodes by their places."""

    parent: int
    child: int
    low: Any
    high: Any


@dataclass(frozen=True)
class Tree:
    """The first node is the root; edges lead away from it."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]


def trees(asked: Asked) -> list[Tree]:
    """All noise that is bounded; what nothing was asked of has no part in the probability."""
    beside: dict[int, list[Key]] = {}
    for key in asked.bands:
        for name in key:
            beside.setdefault(name, []).append(key)
    found, seen = list[Tree](), set[int]()
    # A value with bounds of its own says where its tree stands; else any end of a chain is a root.
    by_use = sorted(beside, key=lambda name: ((name,) not in asked.bands, len(beside[name]), -name))
    for name in by_use:
        if name not in seen:
            tree, used = _tree(asked, name, beside)
            found.append(tree)
            seen |= used
    return found


def _tree(asked: Asked, root: int, beside: dict[int, list[Key]]) -> tuple[Tree, set[int]]:
    own = asked.bands.get((root,))
    nodes = [_node(asked, root, fmpq(1), own.data if own else {})]
    places, edges, open_ = {root: 0}, list[Edge](), [root]
    while open_:
        name = open_.pop()
        parent = nodes[places[name]]
        for key in beside[name]:
            if len(key) == 1 or (other := key[1] if key[0] == name else key[0]) in places:
                continue
            band = asked.bands[key]
            # In units of the parent's own variable: Z + ratio Z' + data lies in the band.
            ratio, factor = (
                (band.ratio, fmpq(1)) if key[0] == name else (1 / band.ratio, 1 / band.ratio)
            )
            low, high = _times(band, factor * parent.scale)
            data = plus(parent.data, band.data, -factor * parent.scale)
            places[other] = len(nodes)
            nodes.append(_node(asked, other, -parent.scale * ratio, data))
            edges.append(Edge(places[name], places[other], low, high))
            open_.append(other)
    return Tree(tuple(nodes), tuple(edges)), set(places)


def _node(asked: Asked, name: int, scale: Any, data: Weights) -> Node:
    own = asked.bands.get((name,))
    if own is None:
        return Node(asked.kinds[name], scale, data)
    if {key: weight * scale for key, weight in own.data.items()} != data:
        raise Unfit("a noisy value is compared with several private ones")
    return Node(asked.kinds[name], scale, data, *_times(own, scale))


def _times(band: Band, factor: Any) -> tuple[Any, Any]:
    """The band's bounds times a factor that may be negative."""
    low, high = (None if side is None else side * factor for side in (band.low, band.high))
    return (low, high) if factor > 0 else (high, low)
