"""Learners of every kind, as private as they say, and leaky with a smaller `share` of noise."""

import sys
import time

import numpy as np


class Alternates:
    """Plays its arms in turn."""

    def __init__(self, arms, epsilon, rng, share=1.0):
        self.arms, self.rng, self.sums = arms, rng, np.zeros(arms)
        self.scale = share / epsilon

    def select(self, t):
        return (t - 1) % self.arms

    def observe(self, t, arm, reward):
        self.sums[arm] += reward


class Means(Alternates):
    """Publishes its sums: of one arm one round's reward moves one of them by at most 1."""

    def outputs(self):
        return self.sums + self.rng.laplace(0, self.scale, self.arms)


class Releases(Alternates):
    """Publishes each reward, with noise, in its own round."""

    def observe(self, t, arm, reward):
        self.last = reward + self.rng.laplace(0, self.scale)

    def released(self, t):
        return {"noisy": self.last, "none": None}


class Ranks(Alternates):
    """Publishes a ranking, in words."""

    def outputs(self):
        order = np.argsort(self.sums + self.rng.laplace(0, self.scale, self.arms))
        return [f"arm {j}" for j in order]


class Stops(Alternates):
    """Publishes the first round in which a noisy sum is above a threshold."""

    def __init__(self, arms, epsilon, rng, share=1.0):
        super().__init__(arms, epsilon, rng, share)
        self.bar = 1.0 + rng.laplace(0, 2 * self.scale)
        self.stopped = None

    def observe(self, t, arm, reward):
        super().observe(t, arm, reward)
        if (
            self.stopped is None
            and self.sums.sum() + self.rng.laplace(0, 4 * self.scale) > self.bar
        ):
            self.stopped = t

    def outputs(self):
        return self.stopped


class Halts(Stops):
    """Ends its run there: it tells by what it does not play any more."""

    stops, outputs = True, None

    def select(self, t):
        return super().select(t) if self.stopped is None else None


class Response(Alternates):
    """Randomised response: each user's bit is told truly with e^epsilon against 1."""

    def __init__(self, arms, epsilon, rng, share=1.0):
        super().__init__(arms, epsilon, rng)
        self.lie, self.sent = share / (1.0 + np.exp(epsilon)), []

    def observe(self, t, arm, reward):
        self.sent.append(int((self.rng.random() < reward) != (self.rng.random() < self.lie)))

    def reports(self):
        return self.sent


class User(Alternates):
    """A noisy sum: epsilon for one round, 3 epsilon for three."""

    def __init__(self, arms, epsilon, rng, rounds=1, share=1.0):
        super().__init__(arms, epsilon, rng, rounds * share)

    def outputs(self):
        return self.sums.sum() + self.rng.laplace(0, self.scale)


class Counts(User):
    """Private for a changed reward, not for a round that may be missing."""

    def outputs(self):
        return [super().outputs(), self.seen]

    seen = 0

    def observe(self, t, arm, reward):
        super().observe(t, arm, reward)
        self.seen += 1


class Linear:
    """Decides by noisy moments of contexts and rewards, and by its `own` context: joint DP."""

    def __init__(self, arms, epsilon, rng, horizon, share=1.0, own=True):
        self.rng, self.scale, self.half, self.own = rng, 4 * share / epsilon, horizon // 2, own
        self.moments, self.weights = np.zeros((arms, 2)), np.zeros((arms, 2))

    def select(self, t, context):
        self.context = context
        return int(np.argmax(self.weights @ (context if self.own else np.ones(2))))

    def observe(self, t, arm, reward):
        self.moments[arm] += reward * self.context
        if t == self.half:
            self.weights = self.moments + self.rng.laplace(0, self.scale, self.moments.shape)


class Sees:
    """Notes what it is told, for the tests of the interface."""

    def __init__(self, arms, rng, delta, horizon, loud=False):
        self.arms, self.told, self.loud = arms, [], loud
        self.given = {"delta": delta, "horizon": horizon, "loud": loud}

    def select(self, t):
        return t % self.arms

    def observe(self, t, arm, reward):
        self.told.append(t)

    def released(self, t):
        return len(self.told)


class Gaussian:
    """A sum with Gaussian noise, by its rho or its mu."""

    def __init__(self, arms, rng, rho=None, mu=None, share=1.0):
        self.rng, self.sum = rng, 0.0
        self.sigma = share * (1 / mu if rho is None else np.sqrt(0.5 / rho))

    def select(self, t):
        return 0

    def observe(self, t, arm, reward):
        self.sum += reward

    def outputs(self):
        return self.sum + self.rng.normal(0, self.sigma)


class Talks(Alternates):
    """Prints whatever it does."""

    def select(self, t):
        print("playing")
        sys.stderr.write(f"round {t} of many\n")
        return super().select(t)


class SlowRounds(Alternates):
    seconds = 0.25

    def select(self, t):
        time.sleep(self.seconds)
        return super().select(t)


class SlowToMake(Alternates):
    def __init__(self, arms, epsilon, rng):
        time.sleep(1.0)
        super().__init__(arms, epsilon, rng)


class CannotBeMade(Alternates):
    def __init__(self, arms, epsilon, rng):
        raise KeyError("no such file")


class Uneven(Alternates):
    """Publishes now one number, now two."""

    def outputs(self):
        return [0.0] * int(self.rng.integers(1, 3))
