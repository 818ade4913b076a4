"""Wu & Wang (ALT 2025), Algorithm 1, from its text: B is `resample`, Q_epsilon the noise."""

import math

import numpy as np

from tests.algorithms.second.hu_huang_mehta import leader_by_epochs

NOISES = {
    "laplace": lambda rng, beta: rng.laplace(0, beta),
    # Density e^(-x / beta) / beta for x >= 0.
    "exponential": lambda rng, beta: beta * rng.standard_exponential(),
    # Density e^(-x / beta - e^(-x / beta)) / beta: minus the log of an exponential, by inversion.
    "gumbel": lambda rng, beta: -beta * math.log(rng.standard_exponential()),
}


def variant(noise, factor):
    """RNM-FTNL(B, Q) with Q of the given family and scale factor / epsilon, on losses."""

    def play(losses, epsilon, rng, resample="0"):
        arms = losses.shape[1]
        first = int(arms * rng.random())  # J_0, uniform
        draw = NOISES[noise]

        def leader(g):
            return int(np.argmax([-x + draw(rng, factor / epsilon) for x in g]))

        if str(resample) == "0":
            return leader_by_epochs(losses, first, leader)
        # Rows are resampled as they come, an action at a time; the draws stay in their order.
        return leader_by_epochs(Resampled(losses, rng), first, leader)

    return play


class Resampled:
    """Losses whose slices are Bernoulli variables of their means (line 12)."""

    def __init__(self, losses, rng):
        self.losses, self.rng = losses, rng

    def __len__(self):
        return len(self.losses)

    def __getitem__(self, rows):
        return np.array(
            [[float(self.rng.random() < p) for p in row] for row in self.losses[rows]]
        ).reshape(-1, self.losses.shape[1])


rnm_ftnl_laplace = variant("laplace", 2)
rnm_ftnl_exponential = variant("exponential", 1)
rnm_ftnl_exponential_repaired = variant("exponential", 2)
rnm_ftnl_gumbel = variant("gumbel", 2)
