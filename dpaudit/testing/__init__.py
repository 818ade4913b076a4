"""The conformance suite: what every learner must do, a catalogue algorithm or anyone's own.

`check_learner(MyLearner)` runs all checks that apply and raises `AssertionError` with the names of
those that failed; `expected_failures={"check": "reason"}` writes a known deviation down. A check
that is expected to fail and passes is a failure too.

Algorithms are played until each of their releases has happened several times; where that cannot be,
the suite fails, as nothing that it says would be about the noise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from dpaudit.errors import UsageError
from dpaudit.play.catalogue import resolve_target
from dpaudit.run.runner import Runner
from dpaudit.run.task import Block, Home, Play, Task, cut
from dpaudit.testing.algorithms import (
    each_pseudocode_line_is_cited_once,
    leaps_reproduce_single_rounds,
    opening_depends_on_nothing,
    python_equals_compiled,
    without_noise_it_is_its_parent,
)
from dpaudit.testing.learners import (
    anytime_has_the_prefix_property,
    edge_cases,
    no_global_randomness,
    same_seed_gives_same_actions,
    unpulled_rewards_are_not_read,
)
from dpaudit.testing.noise import (
    actions_depend_on_the_noise,
    bookings_are_those_of_the_releases,
    every_release_is_reached,
    private_data_leaves_through_releases_only,
    released_noise_is_what_is_booked,
    releases_compare_the_two_worlds,
)
from dpaudit.testing.subject import Subject

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
    every_release_is_reached,
    private_data_leaves_through_releases_only,
    releases_compare_the_two_worlds,
    bookings_are_those_of_the_releases,
    released_noise_is_what_is_booked,
    actions_depend_on_the_noise,
    opening_depends_on_nothing,
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
