"""The examples run as they stand and print what they are about.

Audits in them have confidence 1 - 1e-6 and fixed seeds: that is the probability of a false alarm.
"""

import re
import runpy
from pathlib import Path

import pytest

HERE = Path(__file__).parent
EXAMPLES = {
    "library_mechanism": (
        r"noisy_count: consistent, epsilon >= 0\.4\d",
        r"mistaken_count: violated, epsilon >= 1\.9\d",
    ),
    "new_algorithm": (
        r"conformance: passed",
        r"noise x 1\.0: consistent, epsilon in \[0\.\d+, 1\.00\], exact",
        r"noise x 0\.5: violated, epsilon in \[1\.\d+, 2\.00\], exact",
    ),
    "constant": (
        r"c = 1/2: +loose, by interval arithmetic .* tight constant is 0\.2501",
        r"c = 0\.2501: holds",
        r"c = 0\.2499: refuted; counterexample .* at x = 1$",
    ),
    "regret_study": (
        r"T = 2\^20: regret 21\.699597",
        r"T = 2\^60: regret 21\.699597",
        r"slope in 1/epsilon: (0\.99|1\.00)",
        r"K = 65536: regret .* log K 2[78]\.",
        r"the exact value inside: True",
    ),
    "floating_point": (
        r"ordinary noise, intervals: consistent",
        r"ordinary noise, bits: +violated, epsilon >= [5-9]",
        r"safe noise, bits: +consistent",
        r"half the safe noise, bits: violated, epsilon >= 1\.",
        r"anytime-lazy-ucb-safe: consistent, epsilon <= 1\.0000",
    ),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_example_prints_what_it_is_about(name, capsys):
    runpy.run_path(str(HERE / f"{name}.py"), run_name="__main__")
    out = capsys.readouterr().out
    for fact in EXAMPLES[name]:
        assert re.search(fact, out, re.M), f"{fact} is not in\n{out}"


def test_every_example_is_run_says_how_and_is_short():
    files = {
        path.stem: path for path in HERE.glob("*.py") if not path.stem.startswith(("_", "test"))
    }
    assert set(files) == set(EXAMPLES)
    for name, path in files.items():
        text = path.read_text()
        assert f"Run it: python tests/examples/{name}.py" in text
        assert len(text.splitlines()) <= 80
