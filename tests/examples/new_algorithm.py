"""Adding an algorithm: explore, release each arm's noisy sum, commit to the best.

Written once, it runs as plain Python and compiled, books its privacy loss, and is audited. As a
file in algorithms/ it would be found by being there; here it is handed over as an object.

Run it: python tests/examples/new_algorithm.py
"""

from dataclasses import replace

import dpaudit
from dpaudit.contract import Algorithm, Card, Claim, Parameter
from dpaudit.kernel.releases import laplace
from dpaudit.testing import check_learner

CARD = Card(
    name="explore-then-commit",
    title="each arm a few times, then the arm with the largest noisy sum",
    paper="none",
    where="this file",
    feedback="bandit",
    privacy=Claim("pure", "each reward is in one sum", "epsilon-DP", lambda s: s["epsilon"]),
    regret="none is claimed",
    parameters=(Parameter("turns", 2, "pulls of each arm", 1, 1000, whole=True),),
    pseudocode=(
        ("l. 1", "pull each arm the given number of times, in turn"),
        ("l. 2", "release its sum with Lap(1/epsilon)"),
        ("l. 3", "play the arm with the largest noisy sum"),
    ),
)


def select(arms, own, t, rng):
    if t <= own.turns * len(arms):
        return (t - 1) % len(arms)  # l. 1
    best = 0
    for j in range(len(arms)):
        if arms[j].noisy > arms[best].noisy:
            best = j
    return best  # l. 3


def observe(arms, own, arm, pulls, reward, reward_in_neighbour, rng):
    pulled = arms[arm]
    if pulled.pulls >= own.turns:
        return  # committed: no more data is used
    pulled.pulls += pulls
    pulled.total += reward
    pulled.total_in_neighbour += reward_in_neighbour  # both worlds; only a release may compare
    if pulled.pulls == own.turns:
        scale = 1 / own.epsilon
        pulled.noisy = laplace(own, pulled.total, pulled.total_in_neighbour, scale, rng)  # l. 2


def observe_with_half_the_noise(arms, own, arm, pulls, reward, reward_in_neighbour, rng):
    pulled = arms[arm]
    if pulled.pulls >= own.turns:
        return
    pulled.pulls += pulls
    pulled.total += reward
    pulled.total_in_neighbour += reward_in_neighbour
    if pulled.pulls == own.turns:
        scale = 0.5 / own.epsilon
        pulled.noisy = laplace(own, pulled.total, pulled.total_in_neighbour, scale, rng)


STATE = {"pulls": int, "total": float, "total_in_neighbour": float, "noisy": float}
ours = Algorithm(CARD, arm=STATE, own={}, select=select, observe=observe)
wrong = replace(ours, observe=observe_with_half_the_noise)

check_learner(ours)
print("conformance: passed, plain Python and compiled alike")
for name, algorithm in (("as written", ours), ("half the noise", wrong)):
    result = dpaudit.audit(
        algorithm, epsilon=1.0, arms=2, rounds=6, runs=100_000, confidence=1 - 1e-6
    )
    bounds = f"[{result.lower_bound:.2f}, {result.upper_bound:.2f}]"
    print(f"{name}: {result.verdict}, epsilon in {bounds}, by the {result.engine} engine")
