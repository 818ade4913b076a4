"""Learners as others write them: other names, their own loops, one step, no types."""

import numpy as np


class Solver:
    """Follows a noisy leader; wants to know everything."""

    def __init__(self, n_arms, eps, T, seed=None, scale=1.0):
        self.T, self.rng = T, np.random.default_rng(seed)
        self.sums, self.scale = np.zeros(n_arms), scale / eps

    def run_one_step(self):
        return np.argmax(self.sums + self.rng.laplace(0, self.scale, len(self.sums)))

    def update(self, i, r):
        self.sums[i] += r


class Plain:
    """The same by hand: what the adapter is compared with."""

    def __init__(self, arms, epsilon, rng, horizon):
        self.solver = Solver(arms, epsilon, horizon, int(rng.integers(2**31)))

    def select(self, t):
        return int(self.solver.run_one_step())

    def observe(self, t, arm, reward):
        self.solver.update(arm, reward)


class Agent:
    """One method: the last reward goes in, a label comes out."""

    def __init__(self, rng):
        self.rng, self.total = rng, 0.0

    def act(self, last):
        self.total += 0.0 if last is None else last
        noisy = self.total + self.rng.laplace(0, 1.0)
        return "red" if noisy > 0.5 else "blue"


class Stepped:
    """One method, which is told what was played, too."""

    def __init__(self, n_arms, epsilon):
        self.sums, self.scale = np.zeros(n_arms), 1 / epsilon

    def step(self, last_reward, last_arm):
        if last_reward is not None:
            self.sums[last_arm] += last_reward
        return int(np.argmax(self.sums + np.random.laplace(0, self.scale, len(self.sums))))  # noqa: NPY002


def loop(env, eps, T, random_state):
    """Owns the loop: the same learner as Solver."""
    rng = np.random.default_rng(random_state)
    sums = np.zeros(env.n_arms)
    for _ in range(T):
        arm = np.argmax(sums + rng.laplace(0, 1 / eps, env.n_arms))
        sums[arm] += env.pull(arm)


def short_loop(pull):
    """Ends before it is asked to."""
    for arm in (0, 1, 0):
        pull(arm)


def failing_loop(pull):
    pull(0)
    raise ArithmeticError("no more")


def leaky_loop(pull):
    """What it sees decides at once."""
    arm = 0
    while True:
        arm = int(pull(arm))


PROGRAM = """
import json, random, sys
totals = []
for line in sys.stdin:
    said = json.loads(line)
    if "new" in said:
        new = said["new"]
        rng, sums = random.Random(new["seed"]), [0.0] * new["arms"]
    elif "t" in said:
        noisy = [s + rng.gauss(0, new.get("scale", 1.0)) for s in sums]
        arm = noisy.index(max(noisy))
        print(json.dumps({"arm": arm} if said["t"] % 2 else arm), flush=True)
    else:
        sums[arm] += said["reward"]
"""
DIES = PROGRAM.replace("noisy = [", 'if said["t"] == 3: sys.exit(7)\n        noisy = [')
BABBLES = PROGRAM.replace("print(json.dumps(", 'print("arm number", ').replace("arm)", "arm")
HANGS = PROGRAM.replace("noisy = [", "import time; time.sleep(60)\n        noisy = [")
REMEMBERS = PROGRAM.replace(
    '[0.0] * new["arms"]', '(totals or totals.extend([0.0] * new["arms"]) or totals)'
)
PUBLISHES = """
import json, random, sys
for line in sys.stdin:
    said = json.loads(line)
    if "new" in said:
        new, sent, total = said["new"], [], 0.0
        rng = random.Random(new["seed"])
        noise = lambda: rng.choice((-1, 1)) * rng.expovariate(1 / new.get("scale", 1.0))
        bar = new.get("bar", 99.0)
    elif "t" in said:
        print(json.dumps({"arm": None if total + noise() > bar else said["t"] % 2}), flush=True)
    elif "reward" in said:
        total += said["reward"]
        sent.append(said["reward"] + noise())
    elif said["publish"] == "outputs":
        print(json.dumps({"outputs": ["sum", total + noise()]}), flush=True)
    elif said["publish"] == "released":
        print(json.dumps({"released": sent[-1]}), flush=True)
    else:
        print(json.dumps({"reports": [[x, None] for x in sent]}), flush=True)
"""
