"""No exact answer but for steps that have been seen to follow the law it is computed from."""

import ast
import dataclasses
import importlib.util
import math
import sys
from pathlib import Path

import pytest

import dpaudit
from dpaudit.algorithm.exact import LazyLaplace, NoisyMax, PrefixNoisyMax
from dpaudit.auditor.engines.exact import law
from dpaudit.errors import UsageError
from dpaudit.play.catalogue import catalogue, find, home

STATED = [
    name for name, entry in catalogue().items() if isinstance(entry.exact, LazyLaplace | NoisyMax)
]


def refusal(entry, arms=2, rounds=8, epsilon=1.0, **given):
    settings = entry.settings(arms=arms, epsilon=epsilon, horizon=rounds, given=given)
    return law.refusal(entry, settings)


def edited(name, folder, *changes):
    """The entry from a copy of its file in which texts are replaced, each where it stands last."""
    text = home(find(name)).read_text()
    for old, new in changes:
        assert old in text, old
        text = new.join(text.rsplit(old, 1))
    path = Path(folder) / f"edited_{len(sys.modules)}.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    (entry,) = (entry for entry in module.ENTRIES if entry.card.name == name)
    return entry


@pytest.mark.parametrize("name", STATED)
def test_the_catalogue_follows_the_laws_it_states(name):
    entry = find(name)
    for rounds in range(1, 11):
        assert refusal(entry, rounds=rounds) is None
    for epsilon in (0.01, 0.3, 20.0):
        assert refusal(entry, rounds=7, epsilon=epsilon) is None
    if isinstance(entry.exact, NoisyMax):
        assert refusal(entry, arms=5, rounds=100, epsilon=0.4) is None
        assert refusal(entry, arms=20, rounds=2000) is None
    if any(parameter.name == "resample" for parameter in entry.card.parameters):
        assert refusal(entry, resample=1) is None


def test_a_law_that_audits_do_not_compute_with_is_refused():
    entry = find("random-prefix-ftl")
    assert entry.exact == PrefixNoisyMax("gumbel", 2.0)
    assert refusal(entry) == "none is stated that an audit computes with"
    with pytest.raises(UsageError, match="does not cover random-prefix-ftl"):
        dpaudit.audit("random-prefix-ftl", epsilon=1.0, engine="exact")


def test_the_law_moves_with_the_parameter_it_is_in_units_of():
    entry = find("adap-ucb")
    assert entry.exact.at({"alpha": 3.1}) == LazyLaplace(1.55, 3.1, episodes=True)
    assert refusal(entry, alpha=4.2) is None
    fixed = dataclasses.replace(entry, exact=entry.exact.at({"alpha": 3.1}))
    assert refusal(fixed) is None
    assert "leads along" in refusal(fixed, alpha=4.2)


NOISE = "pulled.total_in_neighbour, 1.0 / own.epsilon, rng)"
LAZY = {
    "half its noise": (NOISE, NOISE.replace("1.0", "0.5")),
    "half its noise in long epochs": (
        NOISE,
        NOISE.replace("1.0", "(0.5 if observations > 2 else 1.0)"),
    ),
    "half its noise, scaled afterwards": (
        "pulled.noisy_mean = total / observations",
        "pulled.noisy_mean = 0.5 * (pulled.total + total) / observations",
    ),
    "another exponent": ("math.sqrt(3.0 / observations)", "(3.0 / observations) ** 0.6"),
    "another constant": (
        "3.0 / (own.epsilon * observations)",
        "2.9 / (own.epsilon * observations)",
    ),
    "nothing forgotten": ("        pulled.total = 0.0\n", ""),
    "shorter epochs": ("1 << (pulled.epoch + 1):", "2 * pulled.epoch + 2 or 1:"),
    "a uniform besides": (
        "return leader(arms, t)",
        "return leader(arms, t) + 0 * int(rng.random())",
    ),
    "one draw more": (
        "own, pulled.total, pulled",
        "own, pulled.total + 0.0 * rng.laplace(), pulled",
    ),
    "other noise": (NOISE, NOISE[:-1] + ") + rng.normal()"),
    "the neighbour's rewards": (
        "pulled.total += reward\n",
        "pulled.total += reward_in_neighbour\n",
    ),
    "an error": (
        "observations = pulled.pending",
        "observations = pulled.pending + 0 * arms[pulled.pending].epoch",
    ),
}


@pytest.mark.parametrize("change", LAZY)
def test_a_copy_of_anytime_lazy_ucb_with_another_law_is_refused(change, tmp_path):
    entry = edited("anytime-lazy-ucb", tmp_path, LAZY[change])
    assert entry.exact == find("anytime-lazy-ucb").exact
    assert refusal(entry, rounds=10)
    assert "\n" not in refusal(entry, rounds=10)


def test_a_copy_with_the_same_law_passes(tmp_path):
    """The control: other words for the same noise are no other law."""
    same = (NOISE, "pulled.total_in_neighbour, 1.0 / (2.0 * own.epsilon / 2.0), rng)")
    assert refusal(edited("anytime-lazy-ucb", tmp_path, same)) is None
    assert refusal(edited("anytime-lazy-ucb", tmp_path)) is None


SELECTED = "scale, LAPLACE, rng)"
RNM = {
    "half its noise": (SELECTED, "0.5 * " + SELECTED),
    "half its noise in long epochs": (
        SELECTED,
        "(scale if own.epoch < 4 else 0.5 * scale), LAPLACE, rng)",
    ),
    "other noise": (SELECTED, "scale, 1, rng)"),
    "nothing forgotten": ("        arms[j].total = 0.0\n", ""),
    "the least": ("there, scale", "there, -scale"),
    "now and then the first": (
        "    return int(own.playing)",
        "    return 0 if t > 4 and rng.random() < 0.01 else int(own.playing)",
    ),
    "the neighbour's rewards": ("].total += reward[j]", "].total += reward_in_neighbour[j]"),
}


@pytest.mark.parametrize("change", RNM)
def test_a_copy_of_rnm_ftnl_with_another_law_is_refused(change, tmp_path):
    entry = edited("rnm-ftnl", tmp_path, RNM[change])
    assert entry.exact == NoisyMax("laplace", 1.0)
    assert refusal(entry, rounds=40)


@pytest.mark.parametrize(
    ("name", "exact"),
    [
        ("rnm-ftnl", NoisyMax("laplace", 2.0)),
        ("rnm-ftnl", NoisyMax("exponential", 1.0)),
        ("rnm-ftnl-exponential", NoisyMax("gumbel", 1.0)),
        ("rnm-ftnl-gumbel", NoisyMax("exponential", 2.0)),
        ("anytime-lazy-ucb", LazyLaplace(3.0, 3.0, scale=2.0)),
        ("anytime-lazy-ucb", LazyLaplace(3.0, 3.0, episodes=True)),
        ("adap-ucb", LazyLaplace(1.55, 3.1)),
        ("adap-klucb", LazyLaplace(1.55, 3.1, episodes=True)),
        ("ftnl", NoisyMax("laplace", 1.0)),
    ],
    ids=str,
)
def test_a_law_that_is_not_the_steps_is_refused(name, exact):
    assert refusal(dataclasses.replace(find(name), exact=exact))


def test_auto_says_why_it_is_not_exact_and_exact_is_one_line(tmp_path):
    entry = edited("anytime-lazy-ucb", tmp_path, LAZY["half its noise"])
    result = dpaudit.audit(entry, epsilon=1.0, rounds=6, runs=200_000, workers=1)
    assert result.engine == "two-world"
    assert result.why.startswith("the exact law is not that of these steps: noise ")
    assert result.why.endswith("; every run carries its exact privacy loss")
    assert (
        result.verdict == "violated"
    )  # the exact law of the original would have called it private
    with pytest.raises(UsageError, match=r"^engine: the exact law is not that of these steps: .+$"):
        dpaudit.audit(entry, epsilon=1.0, rounds=6, engine="exact")


def test_steps_are_compared_once_and_again_when_what_they_call_is_edited(monkeypatch):
    entry = find("rnm-ftnl")
    assert refusal(entry) is None
    compared = []
    monkeypatch.setattr(law, "_noisy_max", lambda *_: compared.append(1))
    assert refusal(entry) is None
    assert not compared
    known = entry.observe.__globals__
    monkeypatch.setitem(known, "noisy_argmax", half_noise)
    assert refusal(entry) is None
    assert compared
    monkeypatch.undo()
    monkeypatch.setitem(known, "noisy_argmax", half_noise_again)
    assert "leads to" in refusal(entry)


def half_noise(own, scores, scores_in_neighbour, scale, noise, rng):
    return half_noise_again(own, scores, scores_in_neighbour, scale, noise, rng)


def half_noise_again(own, scores, scores_in_neighbour, scale, noise, rng):
    drawn = [score + 0.5 * rng.laplace(0.0, scale) for score in scores]
    return drawn.index(max(drawn))


def test_what_is_safe_in_floating_point_has_no_law_of_real_numbers():
    assert find("anytime-lazy-ucb-safe").exact is None
    assert find("adap-ucb-safe").exact is None


def test_no_engine_asks_for_the_name_of_a_card():
    """A name may be shown, but nothing is compared with it or found under it."""
    for path in Path(law.__file__).parents[1].rglob("*.py"):
        text = path.read_text()
        assert not any(f'"{name}"' in text for name in catalogue()), path
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, (ast.Compare, ast.Subscript, ast.Match)):
                assert "card.name" not in ast.unparse(node), path


def test_a_law_with_another_scale_is_the_law_at_another_epsilon_but_for_the_index():
    """Lap(2/epsilon) and linear = 6 at epsilon = 2 are Lap(1/epsilon) and linear = 3 at 1."""
    from dpaudit.auditor.engines.exact.lazy import exact_lower

    one = exact_lower(6, 1.0, LazyLaplace(3.0, 3.0))[0]
    two = exact_lower(6, 2.0, LazyLaplace(3.0, 6.0, scale=2.0))[0]
    assert math.isclose(one.bound, two.bound, rel_tol=1e-12)
