"""Every way through a learner's `select` and `observe` from an arbitrary state, and what holds
before each round."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, NoReturn

import z3

from dpaudit.prover.invariants import ROUND
from dpaudit.prover.learners import run, state
from dpaudit.prover.learners.arrays import Array
from dpaudit.prover.learners.binding import Copies
from dpaudit.prover.learners.numbers import Value, is_number, used
from dpaudit.prover.learners.run import Run, Secret
from dpaudit.prover.learners.vocabulary import Coins
from dpaudit.prover.solver import Solver
from dpaudit.prover.steps import MOST_WAYS, Way, _unsupported
from dpaudit.prover.symbols import paths
from dpaudit.prover.symbols.terms import (
    ARMS,
    EPSILON,
    Private,
    Public,
    explicit,
    literal,
)

MOST_TRIES = 24
"""How often the state may be widened."""


@dataclass(frozen=True)
class After:
    """What one way leaves."""

    step: str
    pulled: str
    learner: Any
    """None after an exception."""
    facts: tuple[Any, ...]
    made: tuple[Any, ...]


class KnownLearner:
    """A learner's ways for so many arms; what `Known` is for a contract algorithm."""

    def __init__(self, learner: type, arms: int, solver: Solver) -> None:
        self.solver, self.arms = solver, arms
        full = getattr(learner, "feedback", "bandit") == "full-information"
        # What the graph asks of an algorithm: rewards in [0, 1], and no arms' records.
        card = SimpleNamespace(payoff_range=(0.0, 1.0))
        algorithm = SimpleNamespace(card=card, arm={}, own={})
        self.steps = SimpleNamespace(full=True, algorithm=algorithm, arm="", own={}, given=[])
        self._rewarded = full
        code = getattr(learner.select, "__code__", None)  # type: ignore[attr-defined]
        self._where = paths.named(code.co_filename, code.co_firstlineno) if code else ""
        self._learner = Copies().of_class(learner)
        self._given = [EPSILON > 0, ROUND >= 0, arms == ARMS]
        self._guesses: list[Any] = []
        self._coins = False
        self._private: list[tuple[str, Any, Run]] = []
        begun = self._first_states = self._begun()
        self.forms = {step: state.Forms("self") for step in ("select", "observe")}
        """What may be kept before each step."""
        for each in begun:
            self.forms["select"].join(each.learner)
        self._guesses = self._guessed(begun)
        self.ways = self._lasting(begun)

    @property
    def always(self) -> list[Any]:
        return [*self._given, *self._guesses]

    def given(self, way: Way) -> list[Any]:
        return list(way.facts)

    def moves(self, way: Way) -> list[tuple[Any, Any]]:
        changed = [(z3.Real(k), explicit(v)) for k, v in way.public.items()]
        if way.pulled:
            changed.append((ROUND, ROUND + 1))
        return changed

    def certify(self) -> None:
        """Ask again for what the ways rest on, for it to be noted."""
        self.solver.purpose = "holds after start"
        starts = [self._first(each) for each in self._first_states]
        assert all(self._holds_at_first(g, s) for g in self._guesses for s in starts)
        self.solver.purpose = "a way that cannot be taken"
        after = self._run()
        self.solver.purpose = "holds after every step"
        lasting = [self._way(each) for each in after if each.learner is not None]
        assert all(self._stays(g, way) for g in self._guesses for way in lasting)

    def lasting(self, facts: list[Any], ways: list[Way], known: list[Any]) -> list[Any]:
        return []

    def _begun(self) -> list[After]:
        """What the constructor may leave."""

        def construct() -> Any:
            epsilon = Value(Public(z3.RealVal(1), grade=1))
            return self._learner(arms=self.arms, epsilon=epsilon, rng=Coins())

        return self._explored("__init__", "", construct)

    def _run(self) -> list[After]:
        """All ways through both steps."""
        self._private.clear()
        t = Public(z3.Real("t"), whole=True)

        def begin(step: str) -> Any:
            paths.current().know(t.term == ROUND + 1)
            return self.forms[step].made()

        def select() -> Any:
            learner = begin("select")
            chosen = learner.select(Value(t))
            if isinstance(chosen, Secret):
                run.leaks("select returns a private number", self._where)
            if not is_number(chosen):
                raise paths.Unsupported(f"select returns a {type(chosen).__name__}", self._where)
            try:
                shown = used(chosen, "select returns a private number")
            except paths.Leak as leak:
                raise paths.Leak(leak.what, self._where) from None
            run.current().seen = str(explicit(shown))
            return learner

        def observe() -> Any:
            learner = begin("observe")
            arm = paths.current().choose(self.arms)
            rewards = [Value(0, {f"reward {j}": 1}) for j in range(self.arms)]
            learner.observe(Value(t), arm, Array(list(rewards)) if self._rewarded else rewards[0])
            return learner

        found = self._explored("select", "", select)
        if self.forms["observe"].options:
            found += self._explored("observe", "every", observe)
        return found

    def _next(self, step: str) -> state.Forms:
        """What may be kept after a step."""
        return self.forms["observe" if step == "select" else "select"]

    def _numbers(self) -> Iterator[tuple[state.Forms, state.Number]]:
        for forms in self.forms.values():
            yield from forms.numbers()

    def _played(self, play: Callable[[], Any]) -> Any:
        try:
            learner = play()
            state.check_once(learner, "self")
            state.settle(learner)
        except (paths.Stopped, paths.Ended):
            raise
        except Exception as error:
            if _python_ends(error):
                run.ended()
            raise _unsupported(error) from error
        return learner

    def _explored(self, step: str, pulled: str, play: Callable[[], Any]) -> list[After]:
        def way() -> tuple[Any, Run]:
            here = Run(self.solver, self.always, self.arms, self._coins)
            paths.current().state = here
            try:
                learner = self._played(play)
            except paths.Ended:
                if not (here.over and here.made):
                    raise
                learner = None
            return learner, here

        found = []
        for (learner, here), path in paths.explore(way, MOST_WAYS):
            if here.branches:
                self._private.append((step, learner, here))
            if step == "__init__" and here.drawn:
                self._coins = True
            if not self.solver.impossible([*self.always, *path.facts]):
                found.append(After(step, pulled, learner, tuple(path.facts), tuple(here.made)))
        return found

    def _judge(self, ways: list[tuple[str, Any, Run]]) -> NoReturn:
        """A private number decided a branch: a leak, if what is public is otherwise after it."""
        first = ways[0][2].branches[0]
        if any(here.drawn or here.coins_before for _, _, here in ways):
            raise paths.Unsupported(f"{first.what}, where coins are drawn, too", first.where)
        for step, _, one in ways:
            branch = one.branches[0]
            sides: tuple[set[str], set[str]] = (set(), set())
            for other_step, learner, here in ways:
                other = here.branches[0]
                if (other_step, other.before, other.where) == (step, branch.before, branch.where):
                    sides[other.side].add(here.seen + state.public_words(learner, self._next(step)))
            if sides[0] != sides[1]:
                raise paths.Leak(branch.what, branch.where)
        raise paths.Unsupported("a branch on a private number changes private numbers", first.where)

    # What holds of the public state.

    def _guessed(self, begun: list[After]) -> list[Any]:
        """Counters grow, choices are arms, positive numbers stay so; what does not last goes."""
        first: dict[str, list[Any]] = {}
        for each in begun:
            for forms, option, value in state.leaves(each.learner, self._next(each.step)):
                if not option.private:
                    first.setdefault(forms.symbol(option), []).append(value.offset)
        found: list[Any] = []
        for forms, option in self._numbers():
            if option.private or option.always is not None:
                continue
            name = forms.symbol(option)
            symbol, values = z3.Real(name), first.get(name, [0])
            if any(isinstance(v, Public) for v in values):
                if all(isinstance(v, Public) and v.grade for v in values):
                    found.append(symbol > 0)
                continue
            low = min(values)
            found += [symbol >= literal(low), symbol >= 0]
            if option.whole:
                found += [symbol <= self.arms - 1, symbol <= ROUND + literal(max(values))]
            if low > 0:
                found.append(symbol > 0)
        starts = [self._first(each) for each in begun]
        return [g for g in found if all(self._holds_at_first(g, s) for s in starts)]

    def _lasting(self, begun: list[After]) -> list[Way]:
        """The ways from every state that there may be, when what may be kept grows no more and what
        is said of it holds after each way that begins where it holds."""
        for _ in range(MOST_TRIES):
            after = self._run()
            left = [each for each in after if each.learner is not None]
            new = [self._next(each.step).join(each.learner) for each in left]
            if any(new):
                self._guesses = self._guessed(begun)
                continue
            if self._private:
                self._judge(self._private)
            ways = [self._way(each) for each in after]
            lasting = [w for w, a in zip(ways, after, strict=True) if a.learner is not None]
            kept = [g for g in self._guesses if all(self._stays(g, way) for way in lasting)]
            if len(kept) == len(self._guesses):
                if not any(way.step == "observe" for way in lasting):
                    raise paths.Unsupported("no way through a round was found", "")
                return ways
            self._guesses = kept
        raise paths.Unsupported("what is kept between rounds takes ever new forms", "")

    def _first(self, begun: After) -> tuple[list[Any], list[tuple[Any, Any]]]:
        moved = []
        for forms, option, value in state.leaves(begun.learner, self._next(begun.step)):
            if not option.private:
                moved.append((z3.Real(forms.symbol(option)), explicit(value.offset)))
        names = {str(symbol) for symbol, _ in moved}
        for forms, option in self._numbers():
            if forms.symbol(option) not in names:
                moved.append((z3.Real(forms.symbol(option)), z3.RealVal(0)))
        return list(begun.facts), [*moved, (ROUND, z3.RealVal(0))]

    def _holds_at_first(self, fact: Any, start: tuple[list[Any], list[tuple[Any, Any]]]) -> bool:
        facts, moved = start
        return self.solver.holds(z3.substitute(fact, *moved), [EPSILON > 0, *facts])

    def _stays(self, fact: Any, way: Way) -> bool:
        after = z3.substitute(fact, *self.moves(way))
        if z3.eq(after, fact) or self.solver.holds(after, [fact, ROUND >= 0]):
            return True
        return self.solver.holds(after, [*self.always, *way.facts])

    def _way(self, after: After) -> Way:
        private: dict[str, Any] = {}
        public: dict[str, Any] = {}
        here = () if after.learner is None else state.leaves(after.learner, self._next(after.step))
        for forms, option, value in here:
            if option.private:
                private[forms.name] = value.private if value.form else 0
            else:
                public[forms.symbol(option)] = value.offset
        for forms, option in self._numbers():
            if option.private:
                private.setdefault(forms.name, 0)
        stays = {k for k, v in private.items() if _stays_so(k, v)}
        moved = {k: v for k, v in private.items() if k not in stays}
        return Way(after.step, after.pulled, after.facts, moved, public, after.made)


def _python_ends(error: Exception) -> bool:
    """Lists are lists and None is None on symbols, too: the learner itself stops here."""
    if isinstance(error, TypeError):
        return "NoneType" in str(error) and "support" in str(error)
    return isinstance(error, IndexError)


def _stays_so(place: str, value: Any) -> bool:
    return (
        isinstance(value, Private)
        and list(value.parts) == [place]
        and not isinstance(value.parts[place], Public)
        and (value.parts[place] == 1)
    )
