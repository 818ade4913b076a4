"""The exact engines: against each other, against sampling, and certified from two sides."""

import math
from collections import Counter

import flint
import mpmath
import numpy as np
import pytest

import dpaudit
from dpaudit.algorithm.exact import LazyLaplace
from dpaudit.auditor.engines.exact import lazy as exact_lazy
from dpaudit.auditor.engines.exact import noisy_max as exact_noisy_max
from dpaudit.auditor.engines.exact.engine import exact_lower
from dpaudit.auditor.engines.exact.exponential_pieces import Pieces
from dpaudit.machine.noisy_max import EXPONENTIAL, GUMBEL, LAPLACE, NOISES, log_win
from dpaudit.play.catalogue import find
from dpaudit.play.tables import play_tables


@pytest.mark.parametrize("noise", [LAPLACE, EXPONENTIAL, GUMBEL], ids=NOISES)
@pytest.mark.parametrize("scores", [[0, 3], [2, 0, 5], [4, 4, 1, 0, 6]], ids=str)
def test_balls_contain_the_quadrature(noise, scores):
    for j in range(len(scores)):
        with flint.ctx.workprec(128):
            ball = exact_noisy_max._ball_win(scores, j, 0.7, noise).log()
        value = log_win(np.array(scores, float), j, 0.7, noise)
        assert float(ball.mid()) == pytest.approx(value, abs=1e-10)
        assert float(ball.rad()) < 1e-20


def test_rnm_ftnl_needs_four_rounds_to_lose_ln_half_over_a_closed_form():
    """T = 4: the epoch of two rounds; gap 0 against gap 2: ln(1/2) - ln((2 + 2)/4 e^-2)."""
    result = dpaudit.audit("rnm-ftnl", epsilon=1.0, arms=2, rounds=4, engine="exact")
    by_hand = math.log(0.5) - (math.log((2 + 2) / 4) - 2)
    assert by_hand - 1e-12 < result.lower_bound <= by_hand
    assert result.verdict == "violated"
    assert result.upper_bound == 2.0


def exact(name, arms, rounds, epsilon=1.0):
    entry = find(name)
    settings = entry.settings(arms=arms, epsilon=epsilon, horizon=rounds, given={})
    return exact_lower(entry, settings)[0]


@pytest.mark.parametrize(
    ("name", "limit"),
    [
        ("rnm-ftnl", 2.0),
        ("rnm-ftnl-repaired", 1.0),
        ("rnm-ftnl-laplace", 1.0),
        ("rnm-ftnl-exponential", 2.0),
        ("rnm-ftnl-exponential-repaired", 1.0),
        ("rnm-ftnl-gumbel", 1.0),
    ],
)
def test_the_loss_grows_to_its_limit_and_never_exceeds_it(name, limit):
    values = [exact(name, 2, rounds).bound for rounds in (2, 4, 8, 16, 32, 64)]
    assert values == sorted(values)
    assert values[-1] <= limit
    assert values[-1] > 0.93 * limit
    if name.startswith("rnm-ftnl-exponential"):
        assert values[1] == pytest.approx(limit, abs=1e-12)


@pytest.mark.parametrize("name", ["rnm-ftnl", "rnm-ftnl-exponential", "rnm-ftnl-gumbel"])
@pytest.mark.parametrize("arms", [2, 3])
def test_the_witness_replays(name, arms):
    """Sample both tables: the event's log-ratio is the exact one within 5.2 standard errors (1e-6
    for both sides together), and not half of it."""
    lower = exact(name, arms, 4)
    runs = 400_000
    hits = []
    for table in (lower.pair.neighbour, lower.pair.rewards):
        plays = play_tables(name, table, epsilon=1.0, runs=runs, seed=5)
        hits.append(int((plays.actions[:, 3] == 0).sum()))
    estimate = math.log(hits[0] / hits[1])
    error = math.sqrt(1 / hits[0] + 1 / hits[1])
    assert abs(estimate - lower.bound) < 5.2 * error
    assert abs(estimate - lower.bound / 2) > 5.2 * error


def test_the_witness_differs_in_one_round_only():
    for name, arms, rounds in (("rnm-ftnl", 3, 16), ("rnm-ftnl-gumbel", 2, 8)):
        pair = exact(name, arms, rounds).pair
        differing = np.nonzero((pair.rewards != pair.neighbour).any(axis=1))[0] + 1
        assert list(differing) == [pair.round]
        assert set(np.unique(pair.rewards)) <= {0.0, 1.0}


LAZY_UCB = LazyLaplace(root=3.0, linear=3.0)
ADAP = LazyLaplace(root=1.55, linear=3.1, episodes=True)


def path_probabilities(table, epsilon, *, balls, rule=LAZY_UCB):
    grid = exact_lazy.Grid(epsilon)
    out = {}
    for path in exact_lazy.paths(len(table), epsilon, rule):
        sums = tuple(int(sum(table[t - 1][arm] for t in played)) for arm, _, played in path.epochs)
        if balls:
            with flint.ctx.workprec(exact_lazy.BITS):
                out[path.actions] = exact_lazy.probability(
                    path, sums, exact_lazy.Balls(epsilon, rule)
                )
        else:
            out[path.actions] = exact_lazy.probability(path, sums, grid)
    return out


@pytest.mark.parametrize("rule", [LAZY_UCB, ADAP], ids=["lazy", "adap"])
@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0])
def test_path_probabilities_sum_to_one_and_the_grid_is_as_good_as_it_says(epsilon, rule):
    rng = np.random.default_rng(3)
    for _ in range(3):
        table = rng.integers(0, 2, (7, 2))
        balls = path_probabilities(table, epsilon, balls=True, rule=rule)
        total = sum(balls.values())
        assert abs(float(total.mid()) - 1.0) < 1e-30 + float(total.rad())
        grid = path_probabilities(table, epsilon, balls=False, rule=rule)
        for actions, ball in balls.items():
            exact_value = float(ball.mid())
            if exact_value > 1e-6:
                assert abs(math.log(grid[actions] / exact_value)) < 100 * exact_lazy.GRID_ERROR


@pytest.mark.parametrize(
    ("name", "rule"),
    [("anytime-lazy-ucb", LAZY_UCB), ("adap-ucb", ADAP)],
    ids=["lazy", "adap"],
)
def test_path_probabilities_agree_with_a_million_runs(name, rule):
    """Largest deviation below 5.5 standard errors; the control asks for another epsilon."""
    table = np.array([[1, 0], [0, 1], [1, 1], [0, 0], [1, 0], [0, 1], [1, 1]], float)
    runs = 10**6
    plays = play_tables(name, table, epsilon=1.0, runs=runs, seed=2)
    counts = Counter(map(tuple, plays.actions.tolist()))
    for epsilon, agrees in ((1.0, True), (1.1, False)):
        exact_values = path_probabilities(table, epsilon, balls=False, rule=rule)
        assert set(counts) <= set(exact_values)
        worst = max(
            abs(counts[a] - runs * p) / math.sqrt(runs * p * (1 - p) + 1)
            for a, p in exact_values.items()
        )
        assert (worst < 5.5) == agrees


def test_anytime_lazy_ucb_approaches_its_epsilon_and_never_exceeds_it():
    values = [exact_lazy.exact_lower(rounds, 1.0, LAZY_UCB)[0].bound for rounds in (4, 6, 8)]
    assert values == sorted(values)
    assert 0.9999 < values[-1] <= 1.0


def test_adap_ucb_approaches_its_epsilon_and_never_exceeds_it():
    result = dpaudit.audit("adap-ucb", epsilon=1.0, rounds=10)
    assert result.engine == "exact"
    assert 0.95 < result.lower_bound <= 1.0


def test_pieces_agree_with_mpmath():
    def laplace(center, n):
        return Pieces.laplace(flint.arb(1), flint.arb(center), n)

    with flint.ctx.workprec(128):
        one, two = laplace(0.5, 1), laplace(-0.25, 2)
        ball = (one * two.antiderivative().shifted(flint.arb(0.75))).total()
    with mpmath.workdps(25):

        def density(x):
            return mpmath.exp(-abs(x - 0.5)) / 2

        def below(x):
            y = x + 0.75 + 0.25
            return mpmath.exp(2 * y) / 2 if y < 0 else 1 - mpmath.exp(-2 * y) / 2

        cuts = [-40, -10, -3, -1, 0.5, 3, 10, 40]
        value = mpmath.quad(lambda x: density(x) * below(x), cuts)
    assert float(ball.mid()) == pytest.approx(float(value), abs=1e-12)
    with flint.ctx.workprec(128):
        total = one.total()
    assert total.contains(1)


def test_overlapping_cuts_are_refused():
    a, b = flint.arb("0 +/- 0.1"), flint.arb("0.05 +/- 0.1")
    from dpaudit.auditor.engines.exact.exponential_pieces import merged

    with pytest.raises(ArithmeticError):
        merged([a], [b])
