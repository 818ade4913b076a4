"""All ways through a step: each fork on a public condition is taken both ways."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any, TypeVar

import z3

Result = TypeVar("Result")
MOST_FORKS = 200
"""A way with more forks is a loop that no symbol ends."""
MARK = "__of_an_algorithm__"
"""A global of the functions that are run on symbols, by which their frames are known."""


def place() -> str:
    """File and line of the algorithm's code that is being run."""
    frame: Any = sys._getframe()
    while frame is not None and MARK not in frame.f_globals:
        frame = frame.f_back
    return "" if frame is None else named(frame.f_code.co_filename, frame.f_lineno)


def named(file: str, line: int) -> str:
    return f"{file}, line {line}"


class Stopped(Exception):
    """Why there is no proof, with the line."""

    def __init__(self, what: str, where: str | None = None) -> None:
        self.what, self.where = what, place() if where is None else where
        super().__init__(f"{self.where}: {what}" if self.where else what)


class Leak(Stopped):
    """Private data goes where it must not."""


class Unsupported(Stopped):
    """A step cannot be run on symbols."""


class Ended(Exception):
    """A way is not to be followed."""


class Learnt(Exception):
    """A local variable sums private numbers in a loop: all ways are to be followed anew."""

    def __init__(self, variable: tuple[str, str], world: str) -> None:
        self.variable, self.world = variable, world
        super().__init__(f"{variable} is a sum")


class Path:
    """One way: what was chosen so far, and what is known on it."""

    def __init__(self, given: tuple[int, ...], sums: dict[tuple[str, str], str]) -> None:
        self.sums = sums
        """Local variables that sum private numbers in a loop, by line and name: of which world."""
        self.given, self.taken = given, list[int]()
        self.options: list[int] = []
        self.inside: list[bool] = []
        self.facts: list[Any] = []
        self.claims: list[Any] = []
        """What must be so where this way is followed, or there is no proof."""
        self.made: list[Any] = []
        """Releases so far."""
        self.known: dict[int, bool] = {}
        self.kept: list[Any] = []
        self.names = 0
        self.defined: list[tuple[Any, str, tuple[Any, ...]]] = []
        """Symbols that are a function of others, with its name and these: the same of the same."""
        self.answer: Any = None
        """What the step returns."""
        self.loop: Any = None
        """The loop whose body is being run."""
        self.state: Any = None
        """The arms' records and the learner's own."""

    def fresh(self, name: str, *, whole: bool = False) -> Any:
        """A public number of which nothing is known; the same one on the same way."""
        from dpaudit.prover.symbols.terms import (
            Public,
        )

        self.names += 1
        return Public(z3.Real(f"{name}.{self.names}"), whole=whole)

    def define(self, symbol: Any, function: str, *given: Any) -> None:
        self.defined.append((symbol.term, function, given))

    def know(self, fact: Any) -> None:
        self.facts.append(fact)

    def claim(self, goal: Any) -> None:
        self.claims.append(goal)

    def choose(self, options: int) -> int:
        """One of so many; all are taken, one after the other."""
        at = len(self.taken)
        if at >= MOST_FORKS:
            raise Unsupported(f"a way through this has more than {MOST_FORKS} forks")
        chosen = self.given[at] if at < len(self.given) else 0
        self.taken.append(chosen)
        self.options.append(options)
        self.inside.append(self.loop is not None)
        return chosen

    def decide(self, condition: Any) -> bool:
        """Whether a condition holds on this way."""
        condition = z3.simplify(condition)
        if z3.is_true(condition):
            return True
        if z3.is_false(condition):
            return False
        key = condition.get_id()
        if key not in self.known:
            truth = self.choose(2) == 0
            other = z3.simplify(z3.Not(condition))
            self.kept += [condition, other]
            self.known[key], self.known[other.get_id()] = truth, not truth
            self.know(condition if truth else other)
        return self.known[key]


_current: ContextVar[Path] = ContextVar("path")


def current() -> Path:
    return _current.get()


def explore(run: Callable[[], Result], most: int) -> list[tuple[Result, Path]]:
    """Every way through `run`, as results and what is known on the way."""
    sums: dict[tuple[str, str], str] = {}
    while True:
        try:
            return list(_explored(run, most, sums))
        except Learnt as learnt:
            if learnt.variable in sums:
                raise Unsupported(f"{learnt.variable[1]} sums numbers of both worlds", "") from None
            sums[learnt.variable] = learnt.world


def _explored(
    run: Callable[[], Result], most: int, sums: dict[tuple[str, str], str]
) -> Iterator[tuple[Result, Path]]:
    todo: list[tuple[int, ...]] = [()]
    found = 0
    while todo:
        given = todo.pop()
        path = Path(given, sums)
        token = _current.set(path)
        try:
            result = run()
        except Ended:
            continue
        finally:
            _current.reset(token)
            for at in range(len(given), len(path.taken)):
                todo += [(*path.taken[:at], other) for other in range(1, path.options[at])]
        found += 1
        if found > most:
            raise Unsupported(f"more than {most} ways through one step", "")
        yield result, path
