"""A stranger's module with a generator of its own, seeded once."""

import numpy as np

RNG = np.random.default_rng(0)


class Responder:
    """Randomised response on the last reward at epsilon, noise from the module's generator."""

    def __init__(self, n_arms, eps):
        self.n, self.keep = n_arms, 1 / (1 + np.exp(-eps))
        self.last = 0

    def predict(self):
        return np.array([self.last])

    def partial_fit(self, action, reward):
        told = int(reward > 0.5)
        self.last = told if RNG.random() < self.keep else 1 - told
