"""Where the two definitions are compared: settings at which every constant shows in the actions.

Small epsilon or many rounds let bonuses decide, tables with ties show who wins them, and tables
made for it stand at an elimination's threshold.
"""

from dataclasses import dataclass, field, replace

import numpy as np

from dpaudit.machine.compiling import bound
from dpaudit.play.tables import configured
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


ROUND_BY_ROUND = (
    _many(("uniform", "ties"), 3, 200, (1.0, 30.0))
    + _many(("fading",), 2, 60, (3.0,))
    + _many(("close",), 5, 400, (1.0,), 3)
)
EPOCHS = (
    _many(("uniform", "coins"), 3, 300, (0.3, 3.0))
    + _many(("close",), 5, 3000, (0.3, 10.0, 100.0), 3)
    + _many(("close",), 12, 3000, (1.0, 1000.0), 2)
    + _many(("0.05 0.5", "0.02 0.2"), 5, 8000, (0.3, 2.0, 100.0), 2)
)
NOISY_MAX = (
    _many(("uniform", "ties"), 4, 130, (0.1, 0.5), 2)
    + _many(("coins",), 40, 63, (0.1, 0.5), 12)
    + _many(("uniform",), 40, 63, (0.3, 1.0), 6)
)
RESAMPLED = _many(("uniform",), 3, 70, (0.2, 1.0), 1, resample="1") + _many(
    ("uniform",), 20, 127, (0.3, 1.0), 4, resample="1"
)
HYBRID = (
    _many(("uniform",), 3, 150, (0.5, 5.0, 50.0))
    + _many(("close",), 4, 300, (2.0, 20.0, 100.0, 500.0), 3)
    + _many(("uniform", "close"), 3, 200, (5.0, 50.0), 2, node_noise="ln")
    + _many(("uniform",), 3, 60, (5.0,), 6)
)
# Indices that exceed 1 - 10^-16 are told apart by nobody: no large epsilon with means near 1.
BATCHES = (
    _many(("uniform", "coins", "ties"), 3, 300, (0.3, 3.0))
    + _many(("uniform", "coins"), 8, 300, (5.0,))
    + _many(("close",), 5, 1000, (0.3, 10.0, 100.0))
    + _many(("0.05 0.5", "0.02 0.2"), 5, 1000, (0.3, 2.0), growth=1.1)
    + _many(("uniform",), 4, 1000, (0.3, 2.0, 30.0), growth=1.3, batches="powers")
)
TS_GAUSSIAN = _many(("uniform", "close"), 4, 300, (1.0,), 3)

SETTINGS = {
    "anytime-lazy-ucb": EPOCHS,
    "lazy-dp-ts": _many(("uniform", "coins"), 3, 300, (0.3, 3.0), 2)
    + _many(("close",), 5, 600, (3.0, 100.0), 3)
    + _many(("coins",), 10, 60, (30.0,), 10)
    + _many(("uniform",), 3, 300, (0.7,), log_base=2.0),
    "thompson": ROUND_BY_ROUND,
    "rnm-ftnl": NOISY_MAX,
    "rnm-ftnl-repaired": NOISY_MAX,
    "ftnl": NOISY_MAX + _many(("coins", "uniform"), 40, 63, (4.0, 20.0), 20),
    "dp-ts": _many(("uniform", "coins"), 2, 200, (30.0, 300.0), 2)
    + _many(("close",), 4, 400, (30.0, 100.0, 300.0), 3)
    + _many(("uniform",), 2, 200, (20.0, 60.0), 4)
    + _many(("uniform", "coins"), 3, 150, (40.0, 150.0), 5)
    + _many(("uniform",), 2, 100, (100.0,), invoke="afresh")
    + _many(("uniform",), 2, 100, (100.0,), average="printed"),
    "dp-ucb-bound": HYBRID,
    "dp-ucb-bound-repaired": HYBRID,
    "dp-ucb": HYBRID,
    "dp-ucb-repaired": HYBRID,
    "dp-ucb-int": _many(("uniform", "close"), 3, 200, (1.0, 0.3), 2)
    + _many(("close",), 5, 1000, (1.0, 0.5), 3, v=1.3)
    + _many(("uniform",), 3, 150, (0.2,), schedule="lemma-x", redraw="printed", v=1.4)
    + _many(("uniform",), 2, 300, (0.1, 0.05), 2, schedule="lemma-x", v=1.5)
    + _many(("uniform",), 3, 100, (1.0,), schedule="lemma-x")
    + _many(("uniform",), 3, 400, (0.0999, 0.249))
    + _many(("uniform",), 6, 1000, (1.0, 0.5), 3, v=1.05)
    + _many(("uniform",), 3, 300, (0.5,), 3, first_rewards="dropped")
    + _many(("uniform",), 3, 150, (0.2,), schedule="lemma-y", first_rewards="dropped", v=1.2),
    "rnm-ftnl-laplace": NOISY_MAX + RESAMPLED,
    "rnm-ftnl-exponential": NOISY_MAX + RESAMPLED,
    "rnm-ftnl-exponential-repaired": NOISY_MAX + RESAMPLED,
    "rnm-ftnl-gumbel": NOISY_MAX + RESAMPLED,
    # The budget is 22.997 at 261 rounds and 24.004 at 333: a little less or more counts.
    "dp-ts-ucb": _many(("close", "fading"), 4, 261, (1.0,), 2)
    + _many(("close", "fading"), 4, 333, (1.0,), 2)
    + [
        Setting("fading", 4, rounds, parameters={"alpha": alpha})
        for alpha, rounds in ((0.9, 250), (0.5, 250), (0.7, 400))
    ],
    "ts-gaussian": TS_GAUSSIAN + _many(("uniform",), 3, 100, (1.0,), offset="0"),
    "m-ts-gaussian": TS_GAUSSIAN
    + _many(("uniform", "close"), 3, 150, (1.0,), 2, b=3, c=2.5)
    + _many(("uniform",), 3, 100, (1.0,), b=0, c=0.5, offset="0"),
    # With beta = 1 an epoch is short; the arms stand on both sides of the threshold.
    "dp-se": _many(("0.1239 0.1261",), 3, 1300, (1e6,), beta=1.0)
    + _many(("0.124 0.126", "0.06 0.065"), 2, 6000, (1e6,), beta=1.0)
    + _many(("0.1 0.4",), 6, 6000, (0.1, 1.0), 3, beta=1.0)
    + _many(("0.13 0.2",), 3, 9000, (3.0,)),
    "adap-ucb": EPOCHS,
    "adap-klucb": EPOCHS,
    "dp-klucb": BATCHES,
    "dp-imed": BATCHES,
    "random-prefix-ftl": _many(("uniform", "ties"), 4, 130, (0.1, 5.0), 2)
    + _many(("coins", "uniform"), 40, 63, (1.0, 4.0), 20)
    + _many(("uniform",), 4, 130, (0.1, 5.0), lengths="any"),
    "private-ucb": _many(("uniform",), 2, 150, (1.0, 100.0, 1000.0))
    + _many(("close",), 4, 300, (100.0, 3000.0, 30000.0), 3)
    + _many(("uniform",), 2, 100, (100.0,), gamma=0.1),
    "ucb1": ROUND_BY_ROUND,
    "kl-ucb": _many(("uniform", "coins", "sure", "ties"), 3, 200, (1.0,)),
    "follow-the-leader": ROUND_BY_ROUND,
    "hedge": ROUND_BY_ROUND + _many(("coins",), 6, 400, (1.0,), 3),
}


def settings_of(name):
    """The settings of an entry; of a new one, some that show what most algorithms do: long plays,
    and many short ones where a single choice counts."""
    return SETTINGS.get(name) or [
        *_many(("uniform", "coins"), 3, 200, (0.3, 3.0, 30.0), 3),
        *_many(("uniform",), 30, 32, (3.0, 10.0), 250),
    ]


def ours(algorithm, setting):
    """The actions of an entry, or of a mutant of it, as plain Python; long lazy ones by leaps."""
    rewards = setting.table()

    def leap(arms, own, t, arm):
        rounds = algorithm.leap(arms, own, t, arm)
        assert rounds >= 1  # a mutant's run must end too
        return rounds

    who = configured(
        replace(algorithm, leap=leap),
        arms=setting.arms,
        rounds=setting.rounds,
        epsilon=setting.epsilon,
        parameters=setting.parameters,
    )
    actions, books = np.empty((1, setting.rounds), np.int16), np.empty((1, 3))
    drive = bound("play_tables", who.algorithm)
    leaping = algorithm.lazy and (setting.rounds > 200 or setting.arms > 4)
    drive(who.fresh(), rewards, rewards, leaping, actions, books, setting.rng())
    return actions[0].tolist()
