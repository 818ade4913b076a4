"""What every catalogue algorithm must do besides: as plain Python, compiled and by leaps it is one
and the same, huge epsilons make it its parent, and its pseudo-code is tied to its code."""

from __future__ import annotations

import inspect
from dataclasses import replace
from typing import Any

import numpy as np

from dpaudit.algorithm.cites import cited_in, complaints
from dpaudit.algorithm.contract import Algorithm, no_leap
from dpaudit.play.catalogue import find, home
from dpaudit.play.tables import play_tables
from dpaudit.testing.reach import reach
from dpaudit.testing.subject import ROUNDS, RUNS, Played, Subject, assert_same, reward_table, run

PARENT_EPSILON = 1e12
"""Epsilon at which noise is below the rounding of a reward's last digits."""


def _assert_same_plays(subject: Subject, seed: int, arms: int, **otherwise: bool) -> None:
    here = reward_table(ROUNDS, arms, seed, binary=seed % 2 == 1)
    there = here.copy()
    there[seed % ROUNDS] = reward_table(1, arms, seed + 500)[0]
    settings: dict[str, Any] = {"epsilon": subject.epsilon, **subject.parameters}
    one, other = (
        play_tables(subject.entry, here, there, runs=RUNS, seed=seed, **settings, **options)
        for options in ({}, otherwise)
    )
    for recorded in ("actions", "loss", "pure", "gdp"):
        assert np.array_equal(getattr(one, recorded), getattr(other, recorded)), (
            f"{recorded} differ, seed {seed}, {arms} arms"
        )


def _assert_equal_runs(one: Played, other: Played, otherwise: str) -> None:
    assert_same(one.actions, other.actions, otherwise)
    assert one.book == other.book, otherwise


def _far(subject: Subject, algorithm: Algorithm, **how: bool) -> Played:
    """A run with two worlds, as long as it takes until every release has happened."""
    at = reach(subject)
    here, there = (reward_table(at.rounds, at.arms, 300 + k) for k in (0, 1))
    who = subject.configured(at.arms, at.rounds, epsilon=at.epsilon, algorithm=algorithm)
    return run(who, here, there, 0, **how)


def python_equals_compiled(subject: Subject) -> None:
    """The same draws, decisions and bookings, bit for bit."""
    if subject.python:
        return
    for seed in range(RUNS):
        for arms in (1, 2, 4):
            _assert_same_plays(subject, seed, arms, python=True)
    plain, machine = (_far(subject, subject.entry, python=python) for python in (True, False))
    _assert_equal_runs(plain, machine, f"plays differ in {len(plain.actions)} rounds")


def leaps_reproduce_single_rounds(subject: Subject) -> None:
    """A run by leaps is the run round by round."""
    if subject.entry.leap is no_leap:
        return
    asked: list[int] = []

    def select(arms: Any, own: Any, t: int, rng: Any) -> int:
        arm = subject.entry.select(arms, own, t, rng)
        asked.append(subject.entry.leap(arms, own, t, arm))
        return arm

    asking = replace(subject.entry, select=select)
    for seed in range(2 * RUNS):
        for arms in (1, 2, 5):
            # As plain Python first: there a leap of no rounds ends, and is seen. A leap is asked
            # for in every round, and not only where the one before has ended.
            table = reward_table(ROUNDS, arms, 400 + seed)
            asked.clear()
            by_leaps, singly = (
                run(
                    subject.configured(arms, ROUNDS, algorithm=who),
                    table,
                    table,
                    seed,
                    leaping=leaps,
                )
                for who, leaps in ((subject.entry, True), (asking, False))
            )
            _assert_equal_runs(by_leaps, singly, f"seed {seed}, {arms} arms")
            for t, (arm, rounds) in enumerate(zip(singly.actions, asked, strict=True), 1):
                stays = set(singly.actions[t - 1 : t - 1 + rounds]) == {arm}
                assert stays, f"leap answers {rounds} in round {t}, but arm {arm} is left before"
    _assert_equal_runs(
        _far(subject, subject.entry, leaping=True),
        _far(subject, subject.entry, python=subject.python),
        "far out leaps and rounds differ",
    )
    if not subject.python:
        for seed in range(4 * RUNS):
            for arms in (1, 2, 5):
                _assert_same_plays(subject, seed, arms, leaping=True)


def opening_depends_on_nothing(subject: Subject) -> None:
    """The rounds of the opening are played the same whatever the rewards and the draws."""
    for arms in (1, 2, 3):
        who = subject.configured(arms, ROUNDS)
        rounds = who.opening(ROUNDS)
        played = []
        for seed in range(RUNS):
            table = reward_table(ROUNDS, arms, 600 + seed, binary=True)
            played.append(run(who, table, table, seed).actions[:rounds])
        assert all(each == played[0] for each in played), f"{rounds} rounds, {arms} arms"


def without_noise_it_is_its_parent(subject: Subject) -> None:
    """At a huge epsilon the actions are the parent's, unless the card says why they cannot be."""
    card = subject.entry.card
    if card.parent is None or card.parent_limit:
        return
    parent = Subject(card.parent, PARENT_EPSILON, {})
    loud = Subject(subject.algorithm, PARENT_EPSILON, subject.parameters)
    for seed in range(RUNS):
        table = reward_table(ROUNDS, 3, seed)
        assert_same(loud.play(table, seed), parent.play(table, seed), f"seed {seed}")


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
