"""The conformance suite: what every learner must do, a catalogue algorithm or anyone's own.

`check_learner(MyLearner)` runs all checks that apply and raises `AssertionError` with the names of
those that failed; `expected_failures={"check": "reason"}` writes a known deviation down. A check
that is expected to fail and passes is a failure too.
"""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from dpaudit.algorithm.cites import cited_in, complaints
from dpaudit.algorithm.contract import Algorithm
from dpaudit.errors import UsageError
from dpaudit.machine import releases
from dpaudit.machine.compiling import replacing
from dpaudit.machine.safe_laplace import safe_laplace
from dpaudit.play.catalogue import find, home, resolve_target
from dpaudit.play.learner import SteppedClass, step
from dpaudit.play.tables import play_tables
from dpaudit.run.runner import Runner
from dpaudit.run.task import Block, Home, Play, Task, cut

ROUNDS = 40
"""Long enough for several epochs of each arm."""
RUNS = 5
PARENT_EPSILON = 1e12
"""Epsilon at which noise is below the rounding of a reward's last digits."""


class Subject:
    """What is checked: a learner class, or a catalogue algorithm with its parameters."""

    def __init__(self, target: Any, epsilon: float, parameters: Mapping[str, Any]) -> None:
        found = resolve_target(target)
        self.name, self.algorithm, self.factory = found.name, found.algorithm, found.factory
        self.epsilon, self.parameters = epsilon, dict(parameters)
        self.feedback: str = getattr(self.factory, "feedback", "bandit")
        if self.algorithm is not None:
            self.epsilon = min(epsilon, self.algorithm.card.epsilon_max)
            self.feedback = self.algorithm.card.feedback

    @property
    def entry(self) -> Algorithm:
        """The algorithm, for checks that only algorithms are put to."""
        if self.algorithm is None:
            raise UsageError(f"{self.name}: this check is for catalogue algorithms")
        return self.algorithm

    def play(self, table: Any, seed: int = 0) -> list[int]:
        """The arms chosen on a table, rounds 1 to its length."""
        rounds, arms = table.shape
        make: Any = self.factory
        if self.algorithm is not None:
            horizon = None if self.algorithm.card.anytime else rounds
            make = SteppedClass(self.algorithm, self.epsilon, horizon, self.parameters)
        learner = make(arms=arms, epsilon=self.epsilon, rng=np.random.default_rng(seed))
        rows = table.copy()
        chosen = step(self.name, lambda: learner, arms, rounds, lambda t, _: rows[t - 1])
        assert np.array_equal(rows, table), f"observe changed the rewards of {rounds} x {arms}"
        return chosen


def _table(rounds: int, arms: int, seed: int, *, binary: bool = False) -> Any:
    table = np.random.default_rng([seed, rounds, arms]).random((rounds, arms))
    # Multiples of 2^-20: their sums are exact, in whatever order a leap takes them.
    return np.round(table) if binary else np.round(table * 2**20) / 2**20


def same_seed_gives_same_actions(subject: Subject) -> None:
    """The generator is the only source of randomness, and state is not shared."""
    for seed in range(RUNS):
        table = _table(ROUNDS, 3, seed)
        assert subject.play(table, seed) == subject.play(table, seed), f"seed {seed}"


def no_global_randomness(subject: Subject) -> None:
    """Neither `random` nor `numpy.random`'s global state is drawn from or changed."""
    table = _table(ROUNDS, 3, 1)
    kept, kept_numpy = random.getstate(), np.random.get_state()  # noqa: NPY002
    runs = []
    try:
        for seed in (1, 2):
            random.seed(seed)
            np.random.seed(seed)  # noqa: NPY002
            before = random.getstate(), repr(np.random.get_state())  # noqa: NPY002
            runs.append(subject.play(table))
            after = random.getstate(), repr(np.random.get_state())  # noqa: NPY002
            assert before == after, "a global generator was drawn from"
    finally:
        random.setstate(kept)
        np.random.set_state(kept_numpy)  # noqa: NPY002
    assert runs[0] == runs[1], "actions depend on a global seed"


def edge_cases(subject: Subject) -> None:
    """One arm, fewer rounds than arms, one round, ties, rewards at 0 and 1: arms stay in range."""
    for rounds, arms in ((1, 1), (20, 1), (1, 4), (3, 5), (ROUNDS, 2)):
        for seed in range(2):
            subject.play(_table(rounds, arms, seed, binary=True), seed)
            subject.play(np.zeros((rounds, arms)), seed)
            subject.play(np.ones((rounds, arms)), seed)
            subject.play(np.full((rounds, arms), 0.5), seed)


def unpulled_rewards_are_not_read(subject: Subject) -> None:
    """Bandit: changing what was not pulled changes nothing."""
    if subject.feedback != "bandit":
        return
    for seed in range(RUNS):
        table = _table(ROUNDS, 3, seed)
        chosen = subject.play(table, seed)
        other = _table(ROUNDS, 3, seed + 1000)
        rows = np.arange(ROUNDS)
        other[rows, chosen] = table[rows, chosen]
        assert subject.play(other, seed) == chosen, f"seed {seed}"


def anytime_has_the_prefix_property(subject: Subject) -> None:
    """The first rounds do not depend on how many follow (unless the card says not anytime)."""
    if subject.algorithm is not None and not subject.algorithm.card.anytime:
        return
    for seed in range(RUNS):
        table = _table(ROUNDS, 3, seed)
        whole = subject.play(table, seed)
        for rounds in (1, 5, ROUNDS // 2):
            assert subject.play(table[:rounds], seed) == whole[:rounds], f"first {rounds} rounds"


def _assert_same_plays(subject: Subject, seed: int, arms: int, **otherwise: bool) -> None:
    here = _table(ROUNDS, arms, seed, binary=seed % 2 == 1)
    there = here.copy()
    there[seed % ROUNDS] = _table(1, arms, seed + 500)[0]
    settings: dict[str, Any] = {"epsilon": subject.epsilon, **subject.parameters}
    one, other = (
        play_tables(subject.entry, here, there, runs=RUNS, seed=seed, **settings, **options)
        for options in ({}, otherwise)
    )
    for recorded in ("actions", "loss", "pure", "gdp"):
        assert np.array_equal(getattr(one, recorded), getattr(other, recorded)), (
            f"{recorded} differ, seed {seed}, {arms} arms"
        )


def python_equals_compiled(subject: Subject) -> None:
    """The same draws, decisions and bookings, bit for bit."""
    for seed in range(RUNS):
        for arms in (1, 2, 4):
            _assert_same_plays(subject, seed, arms, python=True)


def leaps_reproduce_single_rounds(subject: Subject) -> None:
    """A run by leaps is the run round by round."""
    for seed in range(4 * RUNS):
        for arms in (1, 2, 5):
            _assert_same_plays(subject, seed, arms, leaping=True)


def _blind_noise(own: Any, value: Any, there: Any, scale: float, rng: Any) -> float:
    return float(rng.laplace(0.0, scale))


def _blind_argmax(own: Any, scores: Any, there: Any, scale: Any, noise: Any, rng: Any) -> int:
    return int(rng.random() * len(scores))


def _blind_value(own: Any, value: Any, there: Any) -> float:
    return 0.0


def private_data_leaves_through_releases_only(subject: Subject) -> None:
    """With releases that ignore what they are given, decisions do not depend on the rewards."""
    algorithm = subject.entry
    blind = {
        releases.laplace: _blind_noise,
        safe_laplace: _blind_noise,
        releases.gaussian: _blind_noise,
        releases.noisy_argmax: _blind_argmax,
        releases.unprotected: _blind_value,
    }
    blinded = Subject(
        replace(algorithm, **replacing(algorithm, blind)), subject.epsilon, subject.parameters
    )
    for seed in range(RUNS):
        one, other = (
            [blinded.play(_table(ROUNDS, 3, 10 * seed + kind), run) for run in range(RUNS)]
            for kind in (1, 2)
        )
        assert one == other, f"rewards reach a decision past the releases, seed {seed}"


def without_noise_it_is_its_parent(subject: Subject) -> None:
    """At a huge epsilon the actions are the parent's, unless the card says why they cannot be."""
    card = subject.entry.card
    if card.parent is None or card.parent_limit:
        return
    parent = Subject(card.parent, PARENT_EPSILON, {})
    loud = Subject(subject.algorithm, PARENT_EPSILON, subject.parameters)
    for seed in range(RUNS):
        table = _table(ROUNDS, 3, seed)
        assert loud.play(table, seed) == parent.play(table, seed), f"seed {seed}"


def each_pseudocode_line_is_cited_once(subject: Subject) -> None:
    """Each line of the card is cited once, at the code that does it (`dpaudit.algorithm.cites`)."""
    algorithm = subject.entry
    lines = algorithm.card.pseudocode
    found = complaints(lines, home(algorithm).read_text("utf-8"))
    functions = (getattr(algorithm, f) for f in ("select", "observe", "leap", "start", "opening"))
    steps = {(inspect.getfile(step), step.__code__.co_name) for step in functions}
    for line in lines:
        if line.same:
            name, label = line.same.split(" ", 1)
            there = home(find(name))
            if (str(there), cited_in(label, there.read_text("utf-8"))) not in steps:
                found.append(f"{line.label}: {line.same} is cited in no step of this algorithm")
    assert not found, "; ".join(found)


Check = Callable[[Subject], None]

LEARNER_CHECKS: tuple[Check, ...] = (
    same_seed_gives_same_actions,
    no_global_randomness,
    edge_cases,
    unpulled_rewards_are_not_read,
    anytime_has_the_prefix_property,
)
ALGORITHM_CHECKS: tuple[Check, ...] = (
    python_equals_compiled,
    leaps_reproduce_single_rounds,
    private_data_leaves_through_releases_only,
    without_noise_it_is_its_parent,
    each_pseudocode_line_is_cited_once,
)


def checks_for(target: Any) -> tuple[Check, ...]:
    """The checks that apply: all of them for a catalogue algorithm."""
    found = resolve_target(target).algorithm
    return LEARNER_CHECKS if found is None else LEARNER_CHECKS + ALGORITHM_CHECKS


def check_learner(
    target: Any,
    *,
    epsilon: float = 1.0,
    expected_failures: Mapping[str, str] | None = None,
    **parameters: Any,
) -> None:
    """Run every check that applies to a learner class or a catalogue algorithm."""
    subject = Subject(target, epsilon, parameters)
    expected = dict(expected_failures or {})
    checks = checks_for(target)
    unknown = set(expected) - {check.__name__ for check in checks}
    if unknown:
        raise UsageError(f"expected_failures: no check is called {sorted(unknown)[0]!r}")
    # Anybody's class is stepped in a process of its own.
    home: Home = "thread" if subject.algorithm else "process"
    task = Task(_checked, f"learner {subject.name}", {"subject": subject, "checks": checks}, home)
    problems = []
    for block, record in Runner(1).run(task, cut(len(checks), 1)):
        name, said = checks[block.number].__name__, record["said"]
        if said and name not in expected:
            problems.append(f"{name}: {said}")
        elif not said and name in expected:
            problems.append(f"{name}: expected to fail ({expected[name]}), but passed")
    if problems:
        raise AssertionError(f"{subject.name}: " + "; ".join(problems))


def _checked(subject: Subject, checks: tuple[Check, ...]) -> Play:
    """Block i: what check i has to say; nothing if it passes."""

    def play(block: Block) -> dict[str, str]:
        try:
            checks[block.number](subject)
        except Exception as error:
            return {"said": f"{type(error).__name__}: {error}"}
        return {"said": ""}

    return play
