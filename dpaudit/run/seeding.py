"""Streams of randomness: every part of a task has its own, found by its path from the seed."""

from __future__ import annotations

import numpy as np


def stream(seed: int, *path: int) -> int:
    """The seed of a part of the audit: the same for the same path."""
    words = np.random.SeedSequence(seed, spawn_key=path).generate_state(2, np.uint64)
    return int(words[0] >> np.uint64(1))
