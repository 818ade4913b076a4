"""What `import dpaudit` offers: these names, loaded late, with their types."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

import dpaudit

NAMES = {
    *("audit", "audit_mechanism", "regret", "catalogue", "learner", "trace", "play_tables"),
    *("play_environment", "UsageError", "AuditResult", "RegretResult", "Guarantee"),
    *("PrivacyClaim", "Runner", "Algorithm", "Card", "Parameter", "releases", "Learner"),
    *("Adjacency", "Line", "Notion", "prove", "ProofResult"),
}
HEAVY = ("flint", "matplotlib", "mpmath", "numba", "numpy", "scipy", "statsmodels", "sympy", "z3")
STRANGER = """
import dpaudit

result = dpaudit.audit("ucb1", epsilon=1.0, arms=2, rounds=4)
reveal_type(result)
reveal_type(result.lower_bound)
reveal_type(dpaudit.regret("ucb1", means=[0.7, 0.3], horizon=10))
reveal_type(dpaudit.Guarantee("pure", 1.0).level)


def announced(card: dpaudit.Card, claim: dpaudit.PrivacyClaim) -> str:
    return card.name + claim.statement


dpaudit.audit("ucb1", epsilon="one")
dpaudit.no_such_name
"""


def python(code, folder=None):
    out = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=200,
    )
    assert out.returncode == 0, out.stderr
    return out.stdout.split()


def test_the_names_are_listed_and_each_is_there():
    assert set(dpaudit.__all__) == NAMES
    assert dpaudit.__all__ == sorted(dpaudit.__all__)
    assert set(dir(dpaudit)) >= NAMES
    for name in NAMES:
        assert getattr(dpaudit, name).__class__.__name__ != "NoneType"
        assert name in vars(dpaudit)  # found without a second import


def test_a_name_that_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no_such_name"):
        dpaudit.no_such_name  # noqa: B018


def test_importing_dpaudit_and_listing_its_names_loads_nothing_heavy():
    probe = f"print(*sorted({{*{HEAVY}, 'msgspec', 'dpaudit.report'}} & set(sys.modules)))"
    assert python(f"import sys, dpaudit; dir(dpaudit); {probe}") == []
    # The control: what is asked for is loaded then, and is seen.
    assert "numpy" in python(f"import sys, dpaudit; dpaudit.audit; {probe}")


TEST = """
import sys


class Blind:
    def __init__(self, arms, epsilon, rng):
        self.arms, self.rng = arms, rng

    def select(self, t):
        return int(self.rng.integers(self.arms))

    def observe(self, t, arm, reward):
        pass


def test_blind(dp_audit):
    found = dp_audit(Blind, epsilon=1.0, arms=2, rounds=3, runs=2000, inconclusive="pass")
    assert found.verdict == "inconclusive"
    heavy = {"sympy", "statsmodels", "matplotlib", "flint", "mpmath"}
    assert not heavy & set(sys.modules)
    assert "numpy" in sys.modules
"""


def test_the_fixture_needs_no_symbols_no_regressions_and_no_pictures(tmp_path):
    (tmp_path / "test_blind.py").write_text(TEST)
    code = "import pytest; raise SystemExit(pytest.main(['-q', '-p', 'no:cacheprovider']))"
    assert "passed" in python(code, tmp_path)


@pytest.mark.skipif(importlib.util.find_spec("mypy") is None, reason="mypy is not installed")
def test_a_stranger_s_code_sees_the_types(tmp_path):
    home = Path(dpaudit.__file__).parent
    assert (home / "py.typed").exists()
    (tmp_path / "stranger.py").write_text(STRANGER)
    out = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file=", "stranger.py"],
        cwd=tmp_path,
        # An editable installation is found by a hook, which mypy does not run.
        env={**os.environ, "MYPYPATH": str(home.parent)},
        capture_output=True,
        text=True,
        check=False,
        timeout=280,
    )
    said = out.stdout.splitlines()
    revealed = [line.split('"')[1] for line in said if "Revealed type" in line]
    names = [name.rpartition(".")[2] for name in revealed]
    assert names == ["AuditResult", "float", "RegretResult", "float"]
    errors = [line for line in said if line.startswith("stranger.py") and ": error:" in line]
    assert len(errors) == 2, out.stdout
    assert 'incompatible type "str"' in errors[0]
    assert "no_such_name" in errors[1]
