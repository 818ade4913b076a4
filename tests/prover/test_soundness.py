"""Hostile algorithms: each loses more than a proof that overlooks one thing would say. None may get
a bound below its truth; and the prover still proves what they were made from."""

import pytest

import tests.prover.hostile_bandit
import tests.prover.hostile_odd  # noqa: F401
from dpaudit.prover.prove import prove
from tests.prover.hostile_made import HOSTILE, made

ROUNDS = {"a_dear_release_and_a_cheap_one_in_each_round": 3}


@pytest.mark.parametrize("name", HOSTILE)
def test_no_bound_is_below_the_truth(name):
    hostile = HOSTILE[name]
    found = prove(hostile.algorithm, rounds=ROUNDS.get(name))
    assert found.bound is None or found.bound >= hostile.truth
    assert found.leak or found.undecided or found.growth or found.bound is not None


@pytest.mark.parametrize("name", ["range", "max", "len", "rng"])
def test_a_name_that_means_something_else_in_the_file_is_refused(name, tmp_path):
    head = "from dpaudit.machine.releases import laplace\n"
    body = (
        "def observe(arms, own, arm, pulls, reward, there, rng):\n"
        "    for j in range(len(arms)):\n"
        "        arms[j].flag = 0.0\n"
        "    a, b = max(reward, 0.0), max(there, 0.0)\n"
        "    own.noisy = laplace(own, a, b, 1.0 / own.epsilon, rng)\n"
    )
    sound = prove(made("sound", observe=_loaded(tmp_path / "a.py", head + body).observe))
    assert sound.bound == 1.0
    other = "    rng = 0\n" if name == "rng" else ""
    text = head + (f"import operator\n{name} = operator.mul\n" if not other else "") + body + other
    found = prove(made("shadowed", observe=_loaded(tmp_path / "b.py", text).observe))
    assert found.bound is None
    assert found.undecided


def test_a_file_that_was_changed_after_it_was_loaded_is_refused(tmp_path):
    text = (
        "from dpaudit.machine.releases import laplace\n"
        "def observe(arms, own, arm, pulls, reward, there, rng):\n"
        "    own.noisy = laplace(own, reward, there, {} / own.epsilon, rng)\n"
    )
    loaded = _loaded(tmp_path / "steps.py", text.format("0.01"))
    (tmp_path / "steps.py").write_text(text.format("1.0"))
    found = prove(made("changed", observe=loaded.observe))
    assert found.bound is None
    assert "another source" in found.undecided


def _loaded(path, text):
    from tests.prover.mutants import load

    path.write_text(text)
    return load(path)
