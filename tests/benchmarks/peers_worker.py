"""Runs in `.venv-peers`, without dpaudit: the peers' figures as JSON on standard output.

Called with the name of a peer; prints {"key": value} with rounds/s in millions or lower bounds.
"""

from __future__ import annotations

import json
import random
import sys
import time
import warnings

MEANS = [0.75, 0.625, 0.5, 0.375, 0.25]
COUNTS = {100: (50, 18), 10**6: (500_000, 183_940)}


def best(play, rounds: int) -> float:
    """Million rounds a second, the best of two."""
    took = float("inf")
    for seed in (1, 2):
        random.seed(seed)
        began = time.perf_counter()
        play(rounds)
        took = min(took, time.perf_counter() - began)
    return rounds / took / 1e6


def smpybandits() -> dict[str, float]:
    """Its policies in the loop of its own documentation."""
    from SMPyBandits import Policies

    def player(name: str):
        def play(rounds: int) -> None:
            policy = getattr(Policies, name)(len(MEANS))
            policy.startGame()
            for _ in range(rounds):
                arm = policy.choice()
                policy.getReward(arm, 1.0 if random.random() < MEANS[arm] else 0.0)

        return play

    return {"ucb1": best(player("UCB"), 20_000), "thompson": best(player("Thompson"), 20_000)}


def mabwiser() -> dict[str, float]:
    """`predict` and `partial_fit` each round."""
    from mabwiser.mab import MAB, LearningPolicy

    def player(policy):
        def play(rounds: int) -> None:
            learner = MAB(list(range(len(MEANS))), policy, seed=1)
            rewards = [int(random.random() < mean) for mean in MEANS]
            learner.fit(list(range(len(MEANS))), rewards)
            for _ in range(rounds):
                arm = learner.predict()
                learner.partial_fit([arm], [int(random.random() < MEANS[arm])])

        return play

    policies = {
        "ucb1": LearningPolicy.UCB1(alpha=1.0),
        "thompson": LearningPolicy.ThompsonSampling(),
    }
    return {key: best(player(policy), 4_000) for key, policy in policies.items()}


def privacy_estimates() -> dict[str, float]:
    """Its frequentist bound (Clopper-Pearson) at confidence 0.95, delta = 0."""
    from privacy_estimates import AttackResults, compute_eps_lo

    found = {}
    for runs, (hits, base) in COUNTS.items():
        counts = AttackResults(FN=runs - hits, FP=base, TN=runs - base, TP=hits)
        found[f"counts {runs}"] = float(compute_eps_lo(counts, 0.0, 0.05, "beta"))
    return found


PEERS = {"SMPyBandits": smpybandits, "mabwiser": mabwiser, "privacy-estimates": privacy_estimates}

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print(json.dumps(PEERS[sys.argv[1]]()), flush=True)
