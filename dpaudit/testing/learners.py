"""What every learner must do, anyone's own class or a catalogue algorithm."""

from __future__ import annotations

import random

import numpy as np

from dpaudit.testing.subject import ROUNDS, RUNS, Subject, assert_same, reward_table


def same_seed_gives_same_actions(subject: Subject) -> None:
    """The generator is the only source of randomness, and state is not shared."""
    for seed in range(RUNS):
        table = reward_table(ROUNDS, 3, seed)
        assert_same(subject.play(table, seed), subject.play(table, seed), f"seed {seed}")


def no_global_randomness(subject: Subject) -> None:
    """Neither `random` nor `numpy.random`'s global state is drawn from or changed."""
    table = reward_table(ROUNDS, 3, 1)
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
    assert_same(runs[0], runs[1], "actions depend on a global seed")


def edge_cases(subject: Subject) -> None:
    """One arm, fewer rounds than arms, one round, ties, rewards at 0 and 1: arms stay in range."""
    for rounds, arms in ((1, 1), (20, 1), (1, 4), (3, 5), (ROUNDS, 2)):
        for seed in range(2):
            subject.play(reward_table(rounds, arms, seed, binary=True), seed)
            subject.play(np.zeros((rounds, arms)), seed)
            subject.play(np.ones((rounds, arms)), seed)
            subject.play(np.full((rounds, arms), 0.5), seed)


def unpulled_rewards_are_not_read(subject: Subject) -> None:
    """Bandit: changing what was not pulled changes nothing."""
    if subject.feedback != "bandit":
        return
    for seed in range(RUNS):
        table = reward_table(ROUNDS, 3, seed)
        chosen = subject.play(table, seed)
        other = reward_table(ROUNDS, 3, seed + 1000)
        rows = np.arange(ROUNDS)
        other[rows, chosen] = table[rows, chosen]
        assert_same(subject.play(other, seed), chosen, f"seed {seed}")


def anytime_has_the_prefix_property(subject: Subject) -> None:
    """The first rounds do not depend on how many follow (unless the card says not anytime)."""
    if subject.algorithm is not None and not subject.algorithm.card.anytime:
        return
    for seed in range(RUNS):
        table = reward_table(ROUNDS, 3, seed)
        whole = subject.play(table, seed)
        for rounds in (1, 5, ROUNDS // 2):
            assert_same(
                subject.play(table[:rounds], seed), whole[:rounds], f"first {rounds} rounds"
            )
