"""Where the two definitions are compared: settings at which every constant shows in the actions.

Small epsilon or many rounds let bonuses decide, tables with ties show who wins them, and tables
made for it stand at an elimination's threshold.
"""

from dataclasses import dataclass, field

import numpy as np

from tests.algorithms.second import second


@dataclass(frozen=True)
class Setting:
    """A table by its kind, and what is played on it."""

    kind: str
    arms: int
    rounds: int
    epsilon: float = 1.0
    seed: int = 0
    parameters: dict = field(default_factory=dict)

    def table(self):
        return table(self.kind, self.arms, self.rounds, self.seed)

    def rng(self):
        return np.random.default_rng([self.seed, self.rounds])

    def second(self, name):
        play = second(name)
        return play(self.table(), self.epsilon, self.rng(), **self.parameters)


def table(kind, arms, rounds, seed):
    """Rewards, multiples of 2^-20, so that sums are exact in any order."""
    rng = np.random.default_rng([seed, arms, rounds])
    levels = np.linspace(0.5, 0.5 + 0.01 * arms, arms)
    if kind == "uniform":
        rows = rng.random((rounds, arms))
    elif kind == "coins":
        rows = np.round(rng.random((rounds, arms)))
    elif kind == "ties":
        rows = np.full((rounds, arms), 0.5)
    elif kind == "sure":
        rows = np.ones((rounds, arms))
    elif kind == "close":
        rows = levels + 0.2 * (rng.random((rounds, arms)) - 0.5)
    elif kind == "fading":
        rows = np.where(np.arange(arms) % 2, 0.9, 0.2) + 0.1 * rng.random((rounds, arms))
        rows[rounds // 3 :] = 1.0 - rows[rounds // 3 :]
    else:
        # The first arm is at 1, the others so far below, from a and b on a straight line.
        a, b = (float(x) for x in kind.split())
        rows = np.tile(1.0 - np.r_[0.0, np.linspace(a, b, arms - 1)], (rounds, 1))
    return np.round(rows * 2**20) / 2**20


def _many(kinds, arms, rounds, epsilons, seeds=1, **parameters):
    return [
        Setting(kind, arms, rounds, epsilon, seed, parameters)
        for seed in range(seeds)
        for epsilon in epsilons
        for kind in kinds
    ]


ROUND_BY_ROUND = _many(("uniform", "ties"), 3, 200, (1.0, 30.0)) + _many(("fading",), 2, 60, (3.0,))
EPOCHS = _many(("uniform", "coins"), 3, 300, (0.3, 3.0), 2) + _many(("close",), 5, 500, (100.0,), 2)
NOISY_MAX = _many(("uniform", "ties"), 4, 130, (0.1, 0.5), 4) + _many(("coins",), 40, 70, (0.05,))
RESAMPLED = _many(("uniform",), 3, 70, (0.2, 1.0), 3, resample="1")
KNIFE = 0.12501

SETTINGS = {
    "anytime-lazy-ucb": EPOCHS,
    "lazy-dp-ts": EPOCHS + _many(("uniform",), 3, 300, (0.7,), log_base=2.0),
    "thompson": ROUND_BY_ROUND,
    "rnm-ftnl": NOISY_MAX,
    "rnm-ftnl-repaired": NOISY_MAX,
    "ftnl": NOISY_MAX,
    "dp-ts": _many(("uniform", "coins"), 2, 200, (30.0, 300.0), 2)
    + _many(("uniform",), 2, 100, (100.0,), invoke="afresh")
    + _many(("uniform",), 2, 100, (100.0,), average="printed"),
    "dp-ucb-bound": _many(("uniform",), 3, 150, (0.5, 5.0, 50.0)),
    "dp-ucb-bound-repaired": _many(("uniform",), 3, 150, (0.5, 5.0, 50.0))
    + _many(("uniform",), 3, 100, (5.0,), node_noise="ln"),
    "dp-ucb": _many(("uniform",), 3, 150, (0.5, 5.0, 50.0)),
    "dp-ucb-repaired": _many(("uniform",), 3, 150, (0.5, 5.0, 50.0))
    + _many(("uniform",), 3, 100, (5.0,), node_noise="ln"),
    "dp-ucb-int": _many(("uniform", "close"), 3, 200, (1.0, 0.3), 2)
    + _many(("uniform",), 3, 150, (0.2,), schedule="lemma-x", redraw="printed", v=1.4)
    + _many(("uniform",), 3, 150, (0.2,), schedule="lemma-y", first_rewards="dropped", v=1.2),
    "rnm-ftnl-laplace": NOISY_MAX + RESAMPLED,
    "rnm-ftnl-exponential": NOISY_MAX + RESAMPLED,
    "rnm-ftnl-exponential-repaired": NOISY_MAX + RESAMPLED,
    "rnm-ftnl-gumbel": NOISY_MAX + RESAMPLED,
    "dp-ts-ucb": _many(("uniform", "close"), 3, 250, (1.0,), 2)
    + _many(("uniform",), 3, 250, (1.0,), 1, alpha=0.5)
    + _many(("uniform",), 2, 400, (1.0,), 1, alpha=0.9),
    "ts-gaussian": _many(("uniform", "close"), 3, 150, (1.0,), 2)
    + _many(("uniform",), 3, 100, (1.0,), offset="0"),
    "m-ts-gaussian": _many(("uniform", "close"), 3, 150, (1.0,), 2, b=3, c=2.5)
    + _many(("uniform",), 3, 100, (1.0,), b=0, c=0.5, offset="0"),
    "dp-se": _many(("0.1239 0.1261",), 3, 1200, (1e6,), beta=1.0),
    "adap-ucb": EPOCHS + _many(("close",), 8, 1500, (100.0,), 3),
    "adap-klucb": EPOCHS + _many(("close",), 8, 1500, (100.0,), 3),
    "private-ucb": _many(("uniform",), 2, 150, (1.0, 100.0, 1000.0))
    + _many(("uniform",), 2, 100, (100.0,), gamma=0.1),
    "ucb1": ROUND_BY_ROUND,
    "kl-ucb": _many(("uniform", "coins", "sure", "ties"), 3, 200, (1.0,)),
    "follow-the-leader": ROUND_BY_ROUND,
    "hedge": ROUND_BY_ROUND,
}
