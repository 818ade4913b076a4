"""What would mend a violated claim, worked out on a proof's graph: by how much a scale would have
to grow, the release that is one too many, the sum that is not cleared.

Each is the longest way through the graph with one thing changed. The graph's weights are bounds
from above, so what is said to mend does; what mends and is not seen here is left out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import msgspec

from dpaudit.results.proofs import Arrow, ProofResult

Kind = Literal["entry", "reading", "release", "clear", "scale", "epsilon", "leak", "prove"]


class Mend(msgspec.Struct, frozen=True):
    """One way to keep the claim: in words, where, by which factor, and what is booked then."""

    kind: Kind
    text: str
    where: str = ""
    factor: float | None = None
    bound: float | None = None
    """Epsilon or eta at most, with it; null where it was not worked out."""


@dataclass(frozen=True)
class Part:
    """An arrow's weight, as what is left when one place is taken out and what that place books."""

    rest: Fraction
    mine: Fraction

    def at(self, factor: Fraction) -> Fraction:
        return self.rest + self.mine / factor


Ends = tuple[list[str], list[str]]
"""What differs before an arrow and after it."""


def mends(proof: ProofResult, claimed: float, epsilon: float = 1.0) -> list[Mend]:
    """What would bring the releases of an algorithm that is run at `epsilon` down to what is
    claimed: an epsilon, or an eta for GDP. None if they keep it, or nothing was found."""
    if proof.leak is not None:
        place = f"{proof.leak.file}, line {proof.leak.line}"
        text = f"let it pass a release: {place}: {proof.leak.text}"
        return [Mend("leak", text, place)]
    if proof.growth is not None:
        where = proof.growth.partition(" books ")[0]
        text = (
            f"release it once: {proof.growth}; cleared after its release, or kept and not drawn "
            "again, it is booked once"
        )
        return [Mend("clear", text, where)]
    unit = epsilon if proof.notion == "pure" else 1.0
    if proof.bound is None or proof.bound * unit <= claimed:
        return []
    one = list(_of_graph(_Repair(proof, claimed, unit)))
    return [*one, *_of_all(proof, claimed, unit, one)]


def _of_all(proof: ProofResult, claimed: float, unit: float, one: Sequence[Mend]) -> Iterator[Mend]:
    """All scales at once, and a smaller epsilon: what is booked is a multiple of one over the
    other."""
    assert proof.bound is not None
    times = proof.bound * unit / claimed
    places = {place for arrow in proof.graph for place in arrow.where}
    if len(places) != 1 or not any(mend.kind == "scale" for mend in one):
        text = f"every scale {_up(times)} times as large: it then books at most {claimed:.6g}"
        yield Mend("scale", text, factor=times, bound=claimed)
    if proof.notion == "pure":
        own = unit / times
        text = f"as it is, run with epsilon = {_down(own)}: it then books at most {claimed:.6g}"
        yield Mend("epsilon", text, factor=1.0 / times, bound=claimed)


def _of_graph(repair: _Repair) -> Iterator[Mend]:
    """One place changed, the rest as it is."""
    if not repair.known:
        return
    enough = {place: bound for place in repair.places if (bound := repair.without(place))}
    for place, bound in enough.items():
        text = f"one release is too many: without that at {place} at most {bound:.6g} is booked"
        yield Mend("release", text, place, bound=bound)
    for place in repair.places:
        cleared = repair.cleared(place)
        if cleared is not None:
            fields, bound = cleared
            text = f"clear {' and '.join(fields)} after the release at {place}: "
            yield Mend("clear", f"{text}then at most {bound:.6g} is booked", place, bound=bound)
    for place in repair.places:
        found = repair.scaled(place)
        if found is not None:
            factor, bound = found
            text = f"noise of a scale {_up(factor)} times as large at {place}: "
            yield Mend("scale", f"{text}then at most {bound:.6g} is booked", place, factor, bound)


class _Repair:
    """The graph, in the units of its weights: multiples of epsilon, or squares for GDP."""

    def __init__(self, proof: ProofResult, claimed: float, unit: float) -> None:
        self.unit, self.power = unit, 1 if proof.notion == "pure" else 2
        self.arrows = proof.graph
        self.allowed = Fraction(claimed / unit).limit_denominator(10**9) ** self.power
        self.places = list(dict.fromkeys(place for arrow in self.arrows for place in arrow.where))
        self.known = all(arrow.weight for arrow in self.arrows)
        if self.known:
            whole = self._longest([Part(Fraction(a.weight), Fraction(0)) for a in self.arrows])
            # Nodes that differ in the same fields by other amounts are one here.
            self.known = (
                whole is not None
                and proof.bound is not None
                and math.isclose(self._level(whole[0]), proof.bound * unit, rel_tol=1e-9)
            )

    def without(self, place: str) -> float | None:
        """What is booked at most without the release there, if that is enough."""
        found = self._longest([Part(p.rest, Fraction(0)) for p in self._parts(place)])
        return self._level(found[0]) if found and 0 < found[0] <= self.allowed else None

    def cleared(self, place: str) -> tuple[list[str], float] | None:
        """What is booked if nothing differs after the release there, and what would be cleared."""
        mine = [a for a in self.arrows if place in a.where and a.target]
        fields = sorted({name for arrow in mine for name in arrow.target})
        if not mine or any(name.endswith("@") for name in fields):
            return None  # a tree releases a number at each of its levels
        parts = [Part(Fraction(a.weight), Fraction(0)) for a in self.arrows]
        found = self._longest(parts, lambda a: (a.source, [] if a in mine else a.target))
        return (fields, self._level(found[0])) if found and found[0] <= self.allowed else None

    def scaled(self, place: str) -> tuple[float, float] | None:
        """The least factor of the scale there that is enough, and what is booked then."""
        parts, factor = self._parts(place), Fraction(1)
        while True:
            found = self._longest(parts, factor=factor)
            if found is None:
                return None
            total, way = found
            if total <= self.allowed:
                grown = float(factor) ** (1 / self.power)
                return (grown, self._level(total)) if factor > 1 else None
            rest, mine = (sum((getattr(parts[i], n) for i in way), Fraction(0)) for n in PARTS)
            if rest >= self.allowed:
                return None
            factor = mine / (self.allowed - rest)

    def _parts(self, place: str) -> list[Part]:
        return [_split(arrow, place) for arrow in self.arrows]

    def _level(self, total: Fraction) -> float:
        return float(float(total) ** (1 / self.power)) * (self.unit if self.power == 1 else 1.0)

    def _longest(
        self,
        parts: Sequence[Part],
        ends: Callable[[Arrow], Ends] = lambda arrow: (arrow.source, arrow.target),
        factor: Fraction = Fraction(1),
    ) -> tuple[Fraction, tuple[int, ...]] | None:
        """The longest way and its arrows; none where there is no longest."""
        best: dict[tuple[str, ...], tuple[Fraction, tuple[int, ...]]] = {}
        start: tuple[Fraction, tuple[int, ...]] = (Fraction(0), ())
        for _ in range(len(self.arrows) + 2):
            moved = False
            for i, arrow in enumerate(self.arrows):
                source, target = ends(arrow)
                here = best.get(tuple(source)) if source else start
                if here is None:
                    continue
                total, there = here[0] + parts[i].at(factor), tuple(target)
                if there not in best or total > best[there][0]:
                    best[there], moved = (total, (*here[1], i)), True
            if not moved:
                return max(best.values(), default=start)
        return None


PARTS = ("rest", "mine")


def _split(arrow: Arrow, place: str) -> Part:
    """Where the parts of a weight are not known apart, all of it stays."""
    whole = Fraction(arrow.weight)
    if set(arrow.where) == {place}:
        return Part(Fraction(0), whole)
    if place in arrow.where:
        try:
            booked = [Fraction(text) for text in arrow.books]
        except ValueError:
            return Part(whole, Fraction(0))
        if sum(booked) == whole:
            pairs = zip(booked, arrow.where, strict=True)
            mine = sum((b for b, where in pairs if where == place), Fraction(0))
            return Part(whole - mine, mine)
    return Part(whole, Fraction(0))


def _up(value: float) -> str:
    """Four digits, and not less."""
    return _rounded(value, math.ceil)


def _down(value: float) -> str:
    return _rounded(value, math.floor)


def _rounded(value: float, way: Callable[[float], int]) -> str:
    if math.isclose(value, float(f"{value:.4g}"), rel_tol=1e-12):
        return f"{value:.4g}"
    unit = 10.0 ** (math.floor(math.log10(value)) - 3)
    return f"{way(value / unit) * unit:.4g}"
