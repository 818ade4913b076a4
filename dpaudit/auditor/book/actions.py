"""Whether what is booked hangs on the actions alone, shown on symbols (`dpaudit.prover`).

Then the largest booking of all action sequences that can be forced bounds every table, every draw
of the noise and every adversary, for that many rounds and arms.

Two runs with the same settings, actions and changed round are compared, by induction over the
rounds: what they share so far (the round, the pulled arm, which private numbers differ and where,
and the *counted* public fields) they share after a step, and they book the same in it. Counted is
the greatest set of public fields of which this is true. Each pair of ways through a step, and each
way with itself, is looked at: what is not shared may be another number in either run, so that the
two must contradict each other or come out alike.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from itertools import combinations_with_replacement
from typing import Any, TypeAlias

import numpy as np
import z3

from dpaudit.play.tables import Configured
from dpaudit.prover.bounds import Bounds
from dpaudit.prover.graph import NOTHING, Edge, Node
from dpaudit.prover.invariants import ROUND
from dpaudit.prover.products import product
from dpaudit.prover.prove import proof_of
from dpaudit.prover.solver import Solver, constants
from dpaudit.prover.steps import Way
from dpaudit.prover.symbols import paths
from dpaudit.prover.symbols.terms import explicit, literal

ALWAYS = frozenset({"round", "t", "epsilon", "arms", "own.horizon", "arm", "pulls"})
"""What two runs with the same actions share in any case."""
Ways: TypeAlias = dict[tuple[str, str], list[Way]]
"""By step, and by whose reward it is."""
DOORS = ("laplace", "gaussian")
MOST_PAIRS = 20_000


class Apart(Exception):
    """Two runs with the same actions may book different amounts: what and where."""


def why_not(who: Configured, rounds: int) -> str:
    """Nothing if it is shown that bookings hang on the actions alone, and the opening on nothing;
    else why not."""
    card, settings = who.algorithm.card, who.settings
    if card.feedback != "bandit":
        return "all arms' rewards are observed"
    if card.payoff_range != (0.0, 1.0):
        return "rewards are not from 0 to 1"
    given = {p.name: settings[p.name] for p in card.parameters if p.name not in card.fixed}
    proof = proof_of(who.algorithm, arms=settings["arms"], rounds=max(rounds, 2), **given)
    if proof.bounds is None:
        return proof.result.undecided or "private data gets past the releases"
    try:
        TwoRuns(who, proof.bounds, rounds).compare()
    except Apart as apart:
        return str(apart)
    return ""


class Run:
    """One of two runs that take a way at a node."""

    def __init__(self, way: Way, facts: Iterable[Any], other_names: frozenset[str] | None) -> None:
        """`other_names`: what the other run shares; None for the first of the two."""
        self.way, self._shared = way, other_names
        self._functions: list[tuple[Any, Any]] = []
        for symbol, function, given in way.defined:
            terms = [z3.substitute(_term(each), *self._functions) for each in given]
            sorts = [z3.RealSort()] * (len(terms) + 1)
            answer = z3.Function(f"{function} of", *sorts)(*terms) if terms else z3.Real(function)
            self._functions.append((symbol, answer))
        self.chosen = [self(fact) for fact in way.facts]
        """What the way is chosen by."""
        self.facts = [self(fact) for fact in facts]

    def __call__(self, value: Any) -> Any:
        """A number in this run."""
        term = z3.substitute(_term(value), *self._functions)
        if self._shared is None:
            return z3.simplify(term)
        own = sorted(constants([term]) - self._shared)
        return z3.simplify(z3.substitute(term, *((z3.Real(n), z3.Real(f"{n}'")) for n in own)))


def _term(value: Any) -> Any:
    return value if z3.is_expr(value) else explicit(value)


def _field(place: str) -> tuple[str, str]:
    of, _, name = place.partition(".")
    return "own" if of == "own" else "arm", name


class TwoRuns:
    """The steps of an algorithm, run twice."""

    def __init__(self, who: Configured, bounds: Bounds, rounds: int) -> None:
        self.bounds, self.graph, self.rounds = bounds, bounds.graph, rounds
        self.known, self.solver = bounds.graph.known, Solver()
        self.opening = who.opening(rounds)
        self.ways: Ways = {}
        for way in self.known.ways:
            self.ways.setdefault((way.step, way.pulled), []).append(way)
        if sum(len(ways) ** 2 for ways in self.ways.values()) > MOST_PAIRS:
            raise Apart("there are too many ways through a step")
        self.counted = frozenset(self._public())
        self.shared = ALWAYS
        self._apart: dict[tuple[int, int], bool] = {}
        given = [z3.Real("pulls") == 1, rounds >= ROUND + 1]
        self.given = [*given, *self._settled(who)]

    def compare(self) -> None:
        """Raises `Apart` where two runs may part."""
        self._count()
        self._open()
        known = self.shared
        for node in (NOTHING, *self.graph.nodes):
            self.shared = known | {name for name, _ in node if name.endswith("@")}
            for one, other in self._pairs(node):
                self._alike(one, other, node)

    def _open(self) -> None:
        """The first choices hang on nothing else."""
        if not self.opening:
            return
        try:
            rule = self.known.steps.select(through=True)
        except paths.Stopped as stopped:
            raise Apart(f"the first choices are not known: {stopped}") from None
        early = [z3.Real("t") <= self.opening]
        for one, other in self._pairs(NOTHING, {("select", ""): rule}, early):
            if not self._same(one.way.answer, other.way.answer, one, other):
                raise Apart(f"the first {self.opening} choices may hang on more than the round")

    # What is counted.

    def _public(self) -> Iterator[str]:
        """The public numbers of an arm, and the learner's own."""
        start = self.known.starts[0].public
        given = {f"own.{name}" for name in self.known.steps.own}
        yield from (p for p in start if p.startswith(("own.", "arm0.")) and p not in given)

    def _settled(self, who: Configured) -> Iterator[Any]:
        """Numbers that no step writes are what they were at first."""
        written = {_field(place) for way in self.known.ways for place in way.public}
        arms, owns = who.algorithm.fresh(who.settings)
        for place in sorted(self.counted):
            of, name = _field(place)
            values = np.unique((owns if of == "own" else arms)[name].astype(float))
            if _field(place) not in written and len(values) == 1 and math.isfinite(values[0]):
                yield z3.Real(place) == literal(float(values[0]))

    def _count(self) -> None:
        """Drop fields until those that are left stay alike."""
        parted: set[str] = set()
        while True:
            self.counted -= parted
            another = {name.replace("arm0.", "arm1.") for name in self.counted}
            self.shared = ALWAYS | self.counted | another
            self._apart = {}
            parted = set()
            for one, other in self._pairs(NOTHING):
                for place in sorted(self.counted - parted):
                    here, there = (r.way.public.get(place, z3.Real(place)) for r in (one, other))
                    if not self._same(here, there, one, other):
                        parted.add(place)
            if not parted:
                return

    # Two runs.

    def _pairs(
        self, node: Node, steps: Ways | None = None, more: Iterable[Any] = ()
    ) -> Iterator[tuple[Run, Run]]:
        """Each pair of ways through the same step, with the same arm pulled."""
        mine = [*self.given, *more, *self.bounds.facts_of.get(node, [])]
        self._apart = {}
        for ways in (steps or self.ways).values():
            facts = [[*self.graph.facts(way, node == NOTHING), *mine] for way in ways]
            first = [Run(way, f, None) for way, f in zip(ways, facts, strict=True)]
            second = [Run(way, f, self.shared) for way, f in zip(ways, facts, strict=True)]
            for i, j in combinations_with_replacement(range(len(ways)), 2):
                yield first[i], second[j]

    def _same(self, a: Any, b: Any, one: Run, other: Run) -> bool:
        """Whether what one run comes to is what the other does, if both can be."""
        here, there = one(a), other(b)
        if z3.eq(here, there) or self._contradict(one, other):
            return True
        return self.solver.holds(here == there, [*one.facts, *other.facts])

    def _contradict(self, one: Run, other: Run) -> bool:
        """Whether two runs that agree so far cannot take these two ways."""
        key = id(one), id(other)
        if key not in self._apart:
            chosen, facts = [*one.chosen, *other.chosen], [*one.facts, *other.facts]
            plain = [fact for fact in facts if constants([fact]) <= ALWAYS]
            asked = (chosen, [*chosen, *plain], facts)
            self._apart[key] = any(map(self.solver.impossible, asked))
        return self._apart[key]

    def _alike(self, one: Run, other: Run, node: Node) -> None:
        """Both book the same, and leave the same numbers different, and in the same place."""
        first = node == NOTHING
        if first and one.way.pulled != "focus":
            return
        edges = [self.graph.edge(node, run.way, first=first) for run in (one, other)]
        for edge in edges:
            self._linear(edge)
        here, there = edges
        where = next((c.where for e in edges for c in e.costs), one.way.step)
        kinds = [[c.kind for c in edge.costs] for edge in edges]
        if kinds[0] != kinds[1] or here.target != there.target:
            if not self._contradict(one, other):
                raise Apart(f"{where}: what is booked may hang on more than the actions")
            return
        pairs = [
            *((a.amount, b.amount) for a, b in zip(here.costs, there.costs, strict=True)),
            *((a.scale, b.scale) for a, b in zip(here.costs, there.costs, strict=True)),
            *((a, b) for (_, a), (_, b) in zip(here.indices, there.indices, strict=True)),
        ]
        if not all(self._same(a, b, one, other) for a, b in pairs):
            raise Apart(f"{where}: how much is booked may hang on more than the actions")
        for cost in here.costs:
            # Of a scale below 0 the book would be credited.
            scale = product(cost.scale, 0)
            terms = [one(term) > 0 for term in scale.terms]
            if scale.number <= 0 or not all(self.solver.holds(t, one.facts) for t in terms):
                raise Apart(f"{cost.where}: the scale may be 0 or below")

    def _linear(self, edge: Edge) -> None:
        """Differences are multiples of the change, so that the largest change books the most."""
        for booking in edge.way.bookings:
            moves = self.graph.moves_of(booking, edge)
            if moves and (booking.kind not in DOORS or moves != {"change"}):
                raise Apart(f"{booking.where}: what is released is no sum of rewards")
        if any(name != "change" for _, move in edge.target for name, _ in move):
            raise Apart("what is kept is no sum of rewards")
