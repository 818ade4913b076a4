"""Adding an algorithm: explore, release each arm's noisy sum, commit to the best.

Written once, it runs as plain Python and compiled, books its privacy loss, and is audited. As a
file in algorithms/ it would be found by being there; here it is handed over as an object.

Run it: python tests/examples/new_algorithm.py
"""

import dpaudit
from dpaudit.algorithm.card import Card, Line, Notion, Parameter, PrivacyClaim
from dpaudit.algorithm.contract import Algorithm
from dpaudit.machine.releases import laplace
from dpaudit.testing import check_learner

CARD = Card(
    name="explore-then-commit",
    title="each arm a few times, then the arm with the largest noisy sum",
    paper="none",
    where="this file",
    feedback="bandit",
    privacy=PrivacyClaim(Notion.PURE, "each reward is in one sum", "epsilon-DP"),
    regret="none is claimed",
    parameters=(
        Parameter("turns", 2, "pulls of each arm", 1, 1000, whole=True),
        Parameter("factor", 1.0, "the Laplace scale is factor / epsilon", 0, 100),
    ),
    pseudocode=(
        Line("l. 1", "pull each arm the given number of times, in turn", "return (t - 1)"),
        Line("l. 2", "release its sum with Lap(1/epsilon)", "pulled.noisy = laplace("),
        Line("l. 3", "play the arm with the largest noisy sum", "return best"),
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
        scale = own.factor / own.epsilon
        pulled.noisy = laplace(own, pulled.total, pulled.total_in_neighbour, scale, rng)  # l. 2


STATE = {"pulls": int, "total": float, "total_in_neighbour": float, "noisy": float}
ours = Algorithm(CARD, arm=STATE, own={}, select=select, observe=observe)

# Same seed, same actions; only pulled rewards are read; they leave through releases; and so on.
check_learner(ours)
print("conformance: passed, plain Python and compiled alike")

# Two worlds are played at once, each run with its exact loss; all action paths bound it above.
for factor in (1.0, 0.5):
    result = dpaudit.audit(
        ours, epsilon=1.0, rounds=6, runs=100_000, confidence=1 - 1e-6, factor=factor
    )
    bounds = f"[{result.lower_bound:.2f}, {result.upper_bound:.2f}]"
    print(f"noise x {factor}: {result.verdict}, epsilon in {bounds}, {result.engine} engine")
