"""Exact laws of whole learners, and what they give away."""

import dataclasses
import functools
import itertools
import json
import math

import mpmath
import numpy as np
import pytest
from scipy.stats import chi2, norm

import dpaudit
from dpaudit.cli import main
from dpaudit.curves.answer import exported, privacy_curve
from dpaudit.curves.draws import STEP_ERROR, log_chances
from dpaudit.curves.paths import Laws, laws
from dpaudit.curves.tradeoff import curve, delta_at, largest_loss, tight_mu
from dpaudit.errors import UsageError
from dpaudit.play.catalogue import catalogue
from dpaudit.play.tables import configured

COVERED = ("ts-gaussian", "m-ts-gaussian", "thompson", "hedge", "dp-ts-ucb")
RUNS = 200_000
FALSE_ALARM = 1e-6


def who(name, rounds, **parameters):
    return configured(name, arms=2, rounds=rounds, parameters=parameters)


def tables(rounds, seed=3):
    rng = np.random.default_rng(seed)
    here = rng.integers(0, 2, (rounds, 2)).astype(float)
    there = here.copy()
    there[0] = 1.0 - there[0]
    return here, there


def p_value(log_law, codes, actions):
    """Chi-square of the sequences' counts against their law."""
    counts = np.bincount(actions @ (1 << np.arange(actions.shape[1])), minlength=len(codes))
    expected = RUNS * np.exp(log_law)
    assert counts[expected == 0].sum() == 0
    kept = expected > 5
    statistic = ((counts - expected) ** 2 / np.where(kept, expected, 1.0))[kept].sum()
    return chi2.sf(statistic, kept.sum() - 1)


def law_by_code(name, rounds, table, **parameters):
    """Probability of each sequence, by playing it alone: -inf where it cannot happen."""
    found = np.full(2**rounds, -np.inf)
    learner = who(name, rounds, **parameters)
    from dpaudit.curves.paths import World

    world = World(learner, table)
    for actions in itertools.product((0, 1), repeat=rounds):
        state, total = world.start, 0.0
        for t, arm in enumerate(actions, 1):
            total += world.chances(state, t)[arm]
            if total == -np.inf:
                break
            state = world.after(state, t, arm)
        found[sum(a << i for i, a in enumerate(actions))] = total
    return found


@pytest.mark.parametrize("name", COVERED)
def test_the_law_is_that_of_the_steps_as_they_are_played(name):
    """Two tests of five learners, each with a false alarm of 1e-6."""
    here, there = tables(5)
    for table, seed in ((here, 1), (there, 2)):
        law = law_by_code(name, 5, table)
        assert np.exp(law).sum() == pytest.approx(1.0, abs=1e-12)
        actions = dpaudit.play_tables(name, table, runs=RUNS, seed=seed, epsilon=1.0).actions
        assert p_value(law, range(32), actions) > FALSE_ALARM


def test_another_law_is_seen():
    """The control: a tenth more variance."""
    here, _ = tables(5)
    law = law_by_code("m-ts-gaussian", 5, here, c=1.1)
    actions = dpaudit.play_tables("m-ts-gaussian", here, runs=RUNS, seed=1).actions
    assert p_value(law, range(32), actions) < FALSE_ALARM


def test_all_sequences_are_those_of_the_two_worlds_apart():
    here, there = tables(5)
    found = laws(who("thompson", 5), here, there)
    for mine, table in ((found.here, here), (found.there, there)):
        assert np.allclose(np.sort(mine), np.sort(law_by_code("thompson", 5, table)), atol=1e-12)


def test_the_law_is_of_the_steps_and_not_of_the_name():
    """Half the noise under the same name has another mu."""
    entry = catalogue()["ts-gaussian"]

    class Halved:
        def __init__(self, rng):
            self.rng = rng

        def standard_normal(self):
            return 0.5 * self.rng.standard_normal()

    halved = dataclasses.replace(
        entry, select=lambda arms, own, t, rng: entry.select(arms, own, t, Halved(rng))
    )
    here, there = np.zeros((4, 2)), np.zeros((4, 2))
    there[0] = 1.0
    mu, other = (
        tight_mu(laws(configured(e, arms=2, rounds=4, parameters={}), here, there)).high
        for e in (entry, halved)
    )
    assert other > 1.5 * mu


def density(a, b, c, d, x):
    """That Beta(a, b) is x and Beta(c, d) below it."""
    below = mpmath.betainc(c, d, 0, x, regularized=True)
    return below * x ** (a - 1) * (1 - x) ** (b - 1) / mpmath.beta(a, b)


OWN_COIN = """
import dataclasses, random
import numpy as np
from dpaudit.play.catalogue import find
BASE = find("ts-gaussian")
choose, SEEN = BASE.select, np.zeros(1)
def select(arms, own, t, rng):
    BEFORE
    if COIN < 0.001:
        return 0 if arms[0].total > 0.5 else 1
    return choose(arms, own, t, rng)
CARD = dataclasses.replace(BASE.card, name="coin")
ENTRIES = [dataclasses.replace(BASE, select=select, card=CARD)]
"""


@pytest.mark.parametrize(
    ("coin", "before", "said"),
    [
        ("random.random()", "pass", "uses random.random, with which it may draw"),
        ("SEEN[0] - 1e-9", "SEEN[0] = 1.0", "read-only"),
        ("1.0", "pass", ""),
    ],
)
def test_a_coin_of_the_learners_own_is_refused(coin, before, said, tmp_path):
    """It gives a reward away in one round of a thousand, and had the law of a learner that never
    does. The last is the control."""
    text = OWN_COIN.replace("COIN", coin).replace("BEFORE", before)
    (tmp_path / "own.py").write_text(text)
    command = f"{tmp_path / 'own.py'}:coin"
    if said:
        with pytest.raises(UsageError, match=said):
            privacy_curve(command, rounds=4)
    else:
        assert mu(command) == mu("ts-gaussian")


def mu(target):
    return privacy_curve(target, rounds=4)[0].mu_low


def test_the_error_of_a_choice_is_below_its_bound():
    mpmath.mp.dps = 40
    rng = np.random.default_rng(5)
    for _ in range(200):
        means, sigmas = rng.normal(0, 3, 2), rng.uniform(0.1, 2, 2)
        chances = log_chances(
            lambda c, m=means, s=sigmas: int(
                m[0] + s[0] * c.standard_normal() < m[1] + s[1] * c.standard_normal()
            )
        )
        z = (mpmath.mpf(means[0]) - means[1]) / mpmath.sqrt(
            mpmath.mpf(sigmas[0]) ** 2 + mpmath.mpf(sigmas[1]) ** 2
        )
        for x, found in ((z, chances[0]), (-z, chances[1])):
            true = mpmath.log(mpmath.ncdf(x))
            assert abs(found - true) <= STEP_ERROR * (1 + abs(true))
    for _ in range(60):
        a, b, c, d = (int(x) for x in rng.integers(1, 22, 4))
        chances = log_chances(
            lambda k, p=(a, b, c, d): int(k.beta(p[0], p[1]) < k.beta(p[2], p[3]))
        )
        above = sum(
            mpmath.beta(c + i, b + d) / ((b + i) * mpmath.beta(1 + i, b) * mpmath.beta(c, d))
            for i in range(a)
        )
        more = mpmath.quad(functools.partial(density, a, b, c, d), [0, 0.25, 0.5, 0.75, 1])
        assert abs(above - more) < 1e-12
        for true, found in ((above, chances[0]), (1 - above, chances[1])):
            assert abs(found - mpmath.log(true)) <= STEP_ERROR * (1 + abs(mpmath.log(true)))


def small(seed, outcomes=6):
    rng = np.random.default_rng(seed)
    here, there = rng.dirichlet(np.ones(outcomes), 2)
    return Laws(np.log(here), np.log(there), 0.0)


@pytest.mark.parametrize("seed", range(8))
def test_mu_and_delta_are_the_worst_over_all_events(seed):
    found = small(seed)
    p, q = np.exp(found.here), np.exp(found.there)
    mu, delta = 0.0, 0.0
    for event in itertools.product((False, True), repeat=len(p)):
        inside = np.array(event)
        for a, b in ((p, q), (q, p)):
            if 0 < inside.sum() < len(p):
                mu = max(mu, norm.ppf(a[inside].sum()) - norm.ppf(b[inside].sum()))
            delta = max(delta, a[inside].sum() - math.exp(0.3) * b[inside].sum())
    interval = tight_mu(found)
    assert interval.low <= mu + 1e-9
    assert interval.high >= mu - 1e-9
    assert interval.high - interval.low < 1e-10
    assert delta_at(found, 0.3) == pytest.approx(delta, abs=1e-12)
    assert largest_loss(found) == pytest.approx(np.abs(np.log(p / q)).max())
    first, second = curve(found)
    assert first[0] == 0.0
    assert second[0] == first[-1] == 1.0
    assert np.all(np.diff(first) >= 0)


def test_randomised_response_has_its_known_mu():
    """epsilon-DP is mu-GDP for mu = -2 Phi^-1(1 / (1 + e^epsilon)) and none less."""
    p = math.e / (1 + math.e)
    found = Laws(np.log([p, 1 - p]), np.log([1 - p, p]), 0.0)
    assert tight_mu(found).high == pytest.approx(-2 * norm.ppf(1 - p), abs=1e-12)
    assert delta_at(found, 1.0) == pytest.approx(0.0, abs=1e-15)


def test_gaussian_thompson_sampling_to_twenty_rounds():
    mu = []
    for rounds in (5, 10, 20):
        result, _ = privacy_curve("ts-gaussian", rounds=rounds)
        assert result.mu_high - result.mu_low < 1e-8
        assert result.mu_high < result.claimed_mu
        mu.append(result.mu_high)
    assert mu[2] == pytest.approx(2.04295, abs=1e-5)
    # Faster than T^(1/4) from each horizon to the next, and slower than T.
    for before, after in itertools.pairwise(mu):
        assert 2**0.5 < after / before < 2


def test_the_worst_of_all_binary_tables_is_the_first_row_of_zeros_changed():
    result, _ = privacy_curve("ts-gaussian", rounds=3, everything=True)
    assert result.rewards == [[0.0, 0.0]] * 3
    assert result.neighbour[0] == [1.0, 1.0]
    assert result.mu_high == pytest.approx(0.57699, abs=1e-5)
    assert privacy_curve("ts-gaussian", rounds=3)[0].mu_low == result.mu_low


def test_outcomes_are_exported_with_all_their_mass():
    _, found = privacy_curve("thompson", rounds=6)
    data = exported(found)
    here, there = (np.exp(np.array(data[name], float)) for name in ("log_here", "log_there"))
    assert len(here) < len(found.here)
    assert here.sum() == pytest.approx(1.0)
    assert there.sum() == pytest.approx(1.0)
    merged = Laws(np.log(here), np.log(there), 0.0)
    assert delta_at(merged, 1.0) == pytest.approx(delta_at(found, 1.0))


@pytest.mark.parametrize(
    ("name", "rounds", "why"),
    [
        ("dp-ts-ucb", 16, "may use an older draw"),
        ("dp-ts", 4, "not covered"),
        ("rnm-ftnl", 4, "not covered"),
        ("lazy-dp-ts", 4, "not covered"),
    ],
)
def test_what_remembers_noise_is_refused(name, rounds, why):
    with pytest.raises(UsageError, match=why):
        privacy_curve(name, rounds=rounds)


@pytest.mark.parametrize(
    "words",
    [
        ["--rounds", "24"],
        ["--rounds", "0"],
        ["--rounds", "4", "--changed", "5"],
        ["--rounds", "4", "--gap", "2"],
        ["--rounds", "9", "--all"],
        ["--rounds", "1", "--all"],
        ["--rounds", "7", "--all", "--levels", "3"],
        ["--rounds", "4", "--all", "--levels", "1"],
        ["--rounds", "4", "--levels", "3"],
        ["--rounds", "4", "--epsilon", "0"],
        ["--rounds", "4", "--all", "--changed", "2"],
        ["--rounds", "4", "--losses", "5"],
        ["--rounds", "4", "--losses", "0"],
        ["--rounds", "24", "--losses", "1"],
        ["--rounds", "4", "--losses", "2", "--gap", "0.5"],
        ["--rounds", "4", "--along", "0,2"],
        ["--rounds", "4", "--along", "0,x"],
        ["--rounds", "4", "--along", "0,1,0,1,0"],
        ["--rounds", "100001", "--along", "0"],
        ["--rounds", "4", "--losses", "2", "--masses", "file"],
        ["--rounds", "4", "--all", "--gap", "0.5"],
    ],
)
def test_bad_input_is_one_line(words, capsys):
    assert main(["curve", "ts-gaussian", *words]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_the_command_writes_what_it_found(tmp_path, capsys):
    masses = tmp_path / "masses.json"
    words = ["curve", "dp-ts-ucb", "--rounds", "4", "--gap", "0.5", "--masses", str(masses)]
    assert main([*words, "--json", "-"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["mu_low"] <= found["mu_high"] < found["claimed_mu"]
    assert json.loads(masses.read_text())["schema"] == "dpaudit/mass-functions/1"
    assert main(words) == 0
    assert "searched over: nothing: this pair only" in capsys.readouterr().out


def test_coins_refuse_what_they_do_not_know():
    with pytest.raises(UsageError, match="draws gamma"):
        log_chances(lambda c: c.gamma(1.0))
    with pytest.raises(UsageError, match="more than two fresh draws"):
        log_chances(
            lambda c: int(
                c.standard_normal() < c.standard_normal()
                and c.standard_normal() < c.standard_normal()
            )
        )
    with pytest.raises(UsageError, match="two kinds"):
        log_chances(lambda c: int(c.standard_normal() < c.beta(1, 1)))
    assert log_chances(lambda c: int(c.random() < 0.25)) == pytest.approx(
        (math.log(0.75), math.log(0.25))
    )
