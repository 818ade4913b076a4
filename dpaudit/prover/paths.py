"""All ways through a step: each fork on a public condition is taken both ways."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any, TypeVar

import z3


Result = TypeVar("Result")
MOST_FORKS = 300
"""A way with more forks is a loop that no symbol ends."""
MARK = "__of_an_algorithm__"
"""A global of the functions that are run on symbols, by which their frames are known."""


def place() -> str:
    """File and line of the algorithm's code that is being run."""
    frame: Any = sys._getframe()
    while frame is not None and MARK not in frame.f_globals:
        frame = frame.f_back
    if frame is None:
        return ""
    return f"{frame.f_code.co_filename.rpartition('/')[2]}, line {frame.f_lineno}"


class Stopped(Exception):
    """Why there is no proof, with the line."""

    def __init__(self, what: str) -> None:
        self.what, self.where = what, place()
        super().__init__(f"{self.where}: {what}" if self.where else what)


class Leak(Stopped):
    """Private data goes where it must not."""


class Unsupported(Stopped):
    """This cannot be run on symbols."""


class Ended(Exception):
    """This way is not to be followed."""


class Path:
    """One way: what was chosen so far, and what is known on it."""

    def __init__(self, given: tuple[int, ...]) -> None:
        self.given, self.taken = given, list[int]()
        self.options: list[int] = []
        self.facts: list[Any] = []
        self.known: dict[int, bool] = {}
        self.kept: list[Any] = []
        self.names = 0
        self.limited = False

    def fresh(self, name: str, *, whole: bool = False) -> Any:
        """A public number of which nothing is known; the same one on the same way."""
        from dpaudit.prover.terms import Public

        self.names += 1
        return Public(z3.Real(f"{name}.{self.names}"), whole=whole)

    def know(self, fact: Any) -> None:
        self.facts.append(fact)

    def choose(self, options: int) -> int:
        """One of so many; all are taken, one after the other."""
        at = len(self.taken)
        if at >= MOST_FORKS:
            raise Unsupported(f"a way through this has more than {MOST_FORKS} forks")
        chosen = self.given[at] if at < len(self.given) else 0
        self.taken.append(chosen)
        self.options.append(options)
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

    def concrete(self, value: Any) -> int:
        """Which whole number it is, of 0 to what a tree has levels for."""
        from dpaudit.machine.trees import LEVELS

        term = z3.simplify(value.term)
        if z3.is_rational_value(term):
            return int(term.as_fraction())
        if not _bounded(term):
            raise Unsupported("an index or a number of rounds of a loop that nothing bounds")
        for number in range(LEVELS + 1):
            if self.known.get(z3.simplify(term == number).get_id()):
                return number
        number = self.choose(LEVELS + 1)
        fact = z3.simplify(term == number)
        self.kept.append(fact)
        self.known[fact.get_id()] = True
        self.know(fact)
        self.limited = True
        return number


def _bounded(term: Any) -> bool:
    """Bits of a counter, or their zeros at the end, and a plain number."""
    parts = term.children() if z3.is_add(term) else [term]
    unknown = [p for p in parts if not z3.is_rational_value(p)]
    names = [p.decl().name() for p in unknown]
    return len(names) == 1 and names[0].partition(".")[0] in ("bit_length", "trailing_zeros")


_current: ContextVar[Path] = ContextVar("path")


def current() -> Path:
    return _current.get()


def explore(run: Callable[[], Result], most: int) -> Iterator[tuple[Result, Path]]:
    """Every way through `run`, as results and what is known on the way."""
    todo: list[tuple[int, ...]] = [()]
    found = 0
    while todo:
        given = todo.pop()
        path = Path(given)
        token = _current.set(path)
        try:
            result = run()
        except Ended:
            continue
        finally:
            _current.reset(token)
            for at in range(len(given), len(path.taken)):
                todo += [
                    (*path.taken[:at], other) for other in range(1, path.options[at])
                ]
        found += 1
        if found > most:
            raise Unsupported(f"more than {most} ways through one step")
        yield result, path
