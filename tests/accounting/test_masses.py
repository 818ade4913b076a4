"""Optional (`make accounting`): dp_accounting reads what we export, and composes it as we do."""

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest

from dpaudit.cli import main
from dpaudit.curves.answer import privacy_curve
from dpaudit.curves.paths import Laws
from dpaudit.curves.tradeoff import delta_at

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / ".venv-accounting" / "bin" / "python"
EPSILONS = (0.25, 1.0, 2.0)


def twice(found):
    """Two independent runs on the same pair."""
    here, there = (np.add.outer(x, x).ravel() for x in (found.here, found.there))
    return Laws(here, there, found.error)


def read(file, times):
    script = Path(__file__).with_name("read_masses.py")
    words = [str(PYTHON), str(script), str(file), str(times), *map(str, EPSILONS)]
    out = subprocess.run(words, capture_output=True, text=True, timeout=300, check=False)
    assert out.returncode == 0, out.stderr
    return json.loads(out.stdout)


@pytest.mark.parametrize("name", ["ts-gaussian", "thompson"])
def test_dp_accounting_composes_what_we_export(name, tmp_path):
    if not PYTHON.is_file():
        pytest.skip("no accountants' environment: make accounting")
    file = tmp_path / "masses.json"
    assert main(["curve", name, "--rounds", "7", "--masses", str(file)]) == 0
    _, found = privacy_curve(name, rounds=7)
    for times, law in ((1, found), (2, twice(found))):
        for epsilon, delta in zip(EPSILONS, read(file, times), strict=True):
            # Their estimate is from above, by their grid of losses.
            ours = delta_at(law, epsilon)
            assert -1e-9 <= delta - ours <= 2e-4
    # The control: another learner's laws are not these.
    assert main(["curve", name, "--rounds", "9", "--masses", str(file)]) == 0
    assert abs(read(file, 1)[0] - delta_at(found, EPSILONS[0])) > 1e-3
