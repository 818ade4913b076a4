"""Cesari & Colomboni (2026), from the abstract: the exponential mechanism as the noisy maximum that
it is with Gumbel noise."""

import math

import numpy as np


def random_prefix_ftl(losses, epsilon, rng, lengths="second-half"):
    """Blocks of 1, 2, 4, ... rounds; the next block's action from a random prefix of this one."""
    rounds, arms = losses.shape
    playing = int(arms * rng.random())
    actions, size, prefix = [], 1, 1
    while len(actions) < rounds:
        block = losses[len(actions) : len(actions) + size]
        actions += [playing] * len(block)
        if len(block) == size:
            sums = block[:prefix].sum(axis=0)
            scores = [-x - 2 / epsilon * math.log(rng.standard_exponential()) for x in sums]
            playing = int(np.argmax(scores))
        size *= 2
        many = size if lengths == "any" else size // 2
        prefix = size - math.floor(many * rng.random())
    return actions
