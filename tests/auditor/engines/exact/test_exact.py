"""The exact engines: against each other, against sampling, and certified from two sides."""

import dataclasses
import math
from collections import Counter

import flint
import mpmath
import numpy as np
import pytest

import dpaudit
from dpaudit.auditor.engines.exact import in_balls, on_grid, search
from dpaudit.auditor.engines.exact import noisy_max as exact_noisy_max
from dpaudit.auditor.engines.exact.engine import exact_lower
from dpaudit.auditor.engines.exact.exponential_pieces import Pieces
from dpaudit.auditor.engines.exact.forest import Edge, Node, Tree
from dpaudit.auditor.engines.exact.outcomes import Chances
from dpaudit.auditor.engines.exact.steps.deriving import law_of
from dpaudit.auditor.engines.exact.steps.forms import double
from dpaudit.machine.noisy_max import EXPONENTIAL, GUMBEL, LAPLACE, NOISES, log_win
from dpaudit.play.tables import configured, play_tables


@pytest.mark.parametrize("noise", [LAPLACE, EXPONENTIAL, GUMBEL], ids=NOISES)
@pytest.mark.parametrize("scores", [[0, 3], [2, 0, 5], [4, 4, 1, 0, 6]], ids=str)
def test_balls_contain_the_quadrature(noise, scores):
    for j in range(len(scores)):
        with flint.ctx.workprec(128):
            whole = [flint.fmpq(score) for score in scores]
            ball = exact_noisy_max.ball_win(whole, j, 0.7, noise).log()
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
    who = configured(name, arms=arms, rounds=rounds, epsilon=epsilon, parameters={})
    return exact_lower(who)[0]


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


def path_probabilities(name, table, epsilon, *, balls, arms=2):
    """Of all sequences of actions under a table, for learners whose rounds are one phase."""
    who = configured(name, arms=arms, rounds=len(table), epsilon=epsilon, parameters={})
    ((_, phase),) = law_of(who).phases.items()
    out = {}
    for outcome, ways in phase.outcomes.items():
        chances = Chances(ways, arms)
        sums = tuple(int(sum(table[t - 1][s.arm] for t in s.rounds)) for s in chances.sums)
        if balls:
            with flint.ctx.workprec(search.BITS):
                out[outcome.actions] = chances.at(sums)
        else:
            out[outcome.actions] = float(chances.everywhere()[sums])
    return out


@pytest.mark.parametrize("name", ["anytime-lazy-ucb", "adap-ucb"])
@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0])
def test_path_probabilities_sum_to_one_and_the_grid_is_as_good_as_it_says(epsilon, name):
    rng = np.random.default_rng(3)
    for _ in range(2):
        table = rng.integers(0, 2, (7, 2))
        balls = path_probabilities(name, table, epsilon, balls=True)
        total = sum(balls.values())
        assert abs(float(total.mid()) - 1.0) < 1e-30 + float(total.rad())
        grid = path_probabilities(name, table, epsilon, balls=False)
        for actions, ball in balls.items():
            exact_value = float(ball.mid())
            if exact_value > 1e-6:
                assert abs(math.log(grid[actions] / exact_value)) < 100 * search.GRID_ERROR


@pytest.mark.parametrize("name", ["anytime-lazy-ucb", "adap-ucb"])
def test_path_probabilities_agree_with_a_million_runs(name):
    """Largest deviation below 5.5 standard errors; the control asks for another epsilon."""
    table = np.array([[1, 0], [0, 1], [1, 1], [0, 0], [1, 0], [0, 1], [1, 1]], float)
    runs = 10**6
    plays = play_tables(name, table, epsilon=1.0, runs=runs, seed=2)
    counts = Counter(map(tuple, plays.actions.tolist()))
    for epsilon, agrees in ((1.0, True), (1.1, False)):
        exact_values = path_probabilities(name, table, epsilon, balls=False)
        assert set(counts) <= set(exact_values)
        worst = max(
            abs(counts[a] - runs * p) / math.sqrt(runs * p * (1 - p) + 1)
            for a, p in exact_values.items()
        )
        assert (worst < 5.5) == agrees


def test_anytime_lazy_ucb_approaches_its_epsilon_and_never_exceeds_it():
    values = [exact("anytime-lazy-ucb", 2, rounds).bound for rounds in (4, 6, 8)]
    assert values == sorted(values)
    assert 0.9999 < values[-1] <= 1.0


def test_adap_ucb_approaches_its_epsilon_and_never_exceeds_it():
    result = dpaudit.audit("adap-ucb", epsilon=1.0, rounds=10)
    assert result.engine == "exact"
    assert 0.95 < result.lower_bound <= 1.0


def test_pieces_agree_with_mpmath():
    def laplace(center, n):
        return Pieces.density("laplace", flint.fmpq(*center), flint.fmpq(1, n))

    with flint.ctx.workprec(128):
        one, two = laplace((1, 2), 1), laplace((-1, 4), 2)
        ball = (one * two.antiderivative().shifted(flint.fmpq(3, 4))).total()
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


@pytest.mark.parametrize("kind", ["laplace", "exponential", "uniform"])
def test_pieces_between_two_points_hold_what_the_distribution_function_says(kind):
    from dpaudit.auditor.engines.exact.on_grid import below

    for scale in (flint.fmpq(2), flint.fmpq(-1, 3)):
        density = Pieces.density(kind, flint.fmpq(1, 2), scale)
        low, high = flint.fmpq(1, 4), flint.fmpq(3, 2)
        with flint.ctx.workprec(128):
            found = float(density.within(low, high).total().mid())
        size = float(scale.p) / float(scale.q)
        ends = [float(below(kind, np.array((x - 0.5) / size))) for x in (0.25, 1.5)]
        assert found == pytest.approx(abs(ends[1] - ends[0]), abs=1e-12)
        assert found > 0.01


KINDS = ["laplace", "exponential", "gaussian", "gumbel", "uniform"]
SIDES = [(-1, 2), (None, 1), (0, None)]


def random_tree(rng, first, star):
    """Three or four values compared with the first, or in a chain; each edge has other bounds."""
    part = [first, *rng.permutation([k for k in KINDS if star or k in in_balls.IN_PIECES])[:3]]
    sizes = [flint.fmpq(int(n), 2) for n in rng.choice([-3, -2, -1, 1, 2, 3], len(part))]
    nodes = [Node(kind, size, {}) for kind, size in zip(part, sizes, strict=True)]
    low, high = flint.fmpq(-3, 2), flint.fmpq(5, 2)
    nodes[0] = dataclasses.replace(nodes[0], low=low, high=high)
    edges = []
    for child, sides in zip(
        range(1, len(part)), rng.permutation(np.array(SIDES, object)), strict=False
    ):
        ends = (None if side is None else flint.fmpq(int(side)) for side in sides)
        edges.append(Edge(0 if star else child - 1, child, *ends))
    return Tree(tuple(nodes), tuple(edges)), [flint.fmpq(int(n), 4) for n in rng.integers(-4, 5, 4)]


@pytest.mark.parametrize("star", [True, False], ids=["star", "chain"])
@pytest.mark.parametrize("first", KINDS)
def test_grid_and_balls_agree_on_trees(first, star):
    """They share no formula: distribution functions in doubles, densities in balls."""
    if not star and first not in in_balls.IN_PIECES:
        pytest.skip("chains are of exponential pieces")
    rng, seen = np.random.default_rng(11), 0
    for _ in range(6):
        tree, centers = random_tree(rng, first, star)
        grid = float(on_grid.chances(tree, [np.array([double(c)]) for c in centers])[0])
        with flint.ctx.workprec(96):
            ball = in_balls.chance(tree, centers[: len(tree.nodes)])
        assert float(ball.rad()) < 1e-12
        assert grid == pytest.approx(float(ball.mid()), abs=3e-3)
        seen += float(ball.mid()) > 0.02
    assert seen >= 3


@pytest.mark.parametrize("kind", KINDS)
def test_two_values_are_as_far_apart_as_draws_are(kind):
    """Largest deviation below 5.5 standard errors; the control forgets one bound."""
    rng = np.random.default_rng(4)
    draw = {"laplace": rng.laplace, "exponential": rng.standard_exponential, "gumbel": rng.gumbel}
    draw |= {"gaussian": rng.standard_normal, "uniform": rng.random}
    one, two = (draw[kind](size=200_000) for _ in range(2))
    far = 0.25 + 1.5 * one - (0.5 - 0.5 * two)
    nodes = (Node(kind, flint.fmpq(3, 2), {}), Node(kind, flint.fmpq(-1, 2), {}))
    centers, quarter = [flint.fmpq(1, 4), flint.fmpq(1, 2)], flint.fmpq(1, 4)
    for low, agrees in ((quarter, True), (None, False)):
        tree = Tree(nodes, (Edge(0, 1, low, flint.fmpq(1)),))
        with flint.ctx.workprec(96):
            chance = float(in_balls.chance(tree, centers).mid())
        grid = float(on_grid.chances(tree, [np.array([double(c)]) for c in centers])[0])
        assert grid == pytest.approx(chance, abs=1e-3)
        hits = int(((far > 0.25) & (far < 1)).sum())
        error = math.sqrt(len(far) * chance * (1 - chance) + 1)
        assert (abs(hits - len(far) * chance) < 5.5 * error) == agrees
