"""Compiled code is never stale, never in the way, and made once a machine."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from dpaudit.machine.compiling import digest, with_globals

PLAY = """
import sys; sys.path.insert(0, {folder!r})
import numpy as np, time
import mine
from dpaudit.play.tables import play_tables
began = time.perf_counter()
print(play_tables(mine.ALGORITHM, np.ones((4, 2)), np.zeros((4, 2))).pure[0])
from dpaudit.machine.compiling import compiled_driver
stats = compiled_driver("play_tables", mine.ALGORITHM).stats
print(sum(stats.cache_hits.values()), sum(stats.cache_misses.values()))
"""
MINE = """
import dataclasses
from dpaudit.play.catalogue import find
from dpaudit.machine.releases import laplace
from helper import scale
def observe(arms, own, arm, pulls, reward, reward_in_neighbour, rng):
    arms[arm].noisy_mean = laplace(own, reward, reward_in_neighbour, scale(), rng)
def select(arms, own, t, rng):
    return 0
ALGORITHM = dataclasses.replace(find("anytime-lazy-ucb"), select=select, observe=observe)
ALGORITHM.settings  # the card asks for an epsilon; the test's play gives none
import dpaudit.algorithm.card as c
ALGORITHM = dataclasses.replace(
    ALGORITHM, card=dataclasses.replace(ALGORITHM.card, privacy=c.NO_CLAIM)
)
"""


def run(folder, cache, **environment):
    out = subprocess.run(
        [sys.executable, "-c", PLAY.format(folder=str(folder))],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "DPAUDIT_CACHE_DIR": str(cache), **environment},
        check=False,
    )
    assert out.returncode == 0, out.stderr
    pure, counts = out.stdout.splitlines()
    hits, misses = counts.split()
    return float(pure), int(hits), int(misses)


@pytest.fixture
def folder(tmp_path):
    home = tmp_path / "code"
    home.mkdir()
    (home / "mine.py").write_text(MINE)
    (home / "helper.py").write_text("def scale():\n    return 1.0\n")
    return home


def test_a_second_process_compiles_nothing_and_an_edited_callee_changes_the_result(
    folder, tmp_path
):
    cache = tmp_path / "cache"
    assert run(folder, cache) == (4.0, 0, 1)
    assert run(folder, cache) == (4.0, 1, 0)
    # The callee is in another file, and the file keeps its length.
    (folder / "helper.py").write_text("def scale():\n    return 2.0\n")
    assert run(folder, cache) == (2.0, 0, 1)
    # Back to the first version: its machine code is still there.
    (folder / "helper.py").write_text("def scale():\n    return 1.0\n")
    assert run(folder, cache) == (4.0, 1, 0)


TWINS = """
import sys
import numpy as np
from dpaudit.machine import compiling
from dpaudit.machine.compiling import with_globals
if sys.argv[1] == "untagged":
    tagged = compiling.deep_copy
    compiling.deep_copy = lambda function, wrap, done, tag: tagged(function, wrap, done)
STEP = 0
def inner(x, rng):  # too long to be put into its caller
    total = 0.0
    for i in range(3):
        total += rng.standard_normal() * rng.gamma(2.0, 1.0) + rng.laplace(0.0, 1.0)
        for j in range(int(x)):
            total += rng.binomial(10, 0.5) + np.log(j + rng.random())
    return x + STEP + 0.0 * total
def outer(x, rng):
    return inner(x, rng) + inner(x + 1, rng) + inner(x + 2, rng)
for step in map(int, sys.argv[2:]):
    bound = {"inner": with_globals(inner, "inner", {"STEP": step})}
    twin = compiling.compiled(with_globals(outer, "outer", bound))
    print(twin(1.0, np.random.default_rng(0)))
"""


@pytest.mark.parametrize("names", ["tagged", "untagged"])
def test_functions_of_one_name_from_two_processes_are_kept_apart_in_a_third(tmp_path, names):
    """The control: under their bare names the one takes the other's place."""
    (tmp_path / "twins.py").write_text(TWINS)

    def sums(*steps):
        command = [sys.executable, str(tmp_path / "twins.py"), names, *steps]
        place = {**os.environ, "DPAUDIT_CACHE_DIR": str(tmp_path / "cache")}
        out = subprocess.run(command, capture_output=True, text=True, env=place, check=True)
        return [float(word) for word in out.stdout.split()]

    assert (sums("10"), sums("20")) == ([36.0], [66.0])
    assert sums("10", "20") == ([36.0, 66.0] if names == "tagged" else [36.0, 36.0])


def test_numba_alone_would_have_run_stale_code(folder, tmp_path):
    """The control: with a digest that ignores sources, the edited callee goes unnoticed."""
    cache = tmp_path / "cache"
    (folder / "mine.py").write_text(
        "import dpaudit.machine.compiling as c\nc.digest = lambda f: 'same'\n" + MINE
    )
    assert run(folder, cache)[0] == 4.0
    (folder / "helper.py").write_text("def scale():\n    return 2.0\n")
    assert run(folder, cache)[0] == 4.0


def test_a_global_constant_is_part_of_the_digest(folder, tmp_path):
    cache = tmp_path / "cache"
    (folder / "helper.py").write_text("from k import S\ndef scale():\n    return S\n")
    (folder / "k.py").write_text("S = 1.0\n")
    assert run(folder, cache)[0] == 4.0
    (folder / "k.py").write_text("S = 4.0\n")
    assert run(folder, cache)[0] == 1.0


SIZE = np.int64(1)


def sized(x, by=SIZE):
    return x * by * SIZE


def test_defaults_and_numbers_of_numpy_are_part_of_the_digest():
    """Their source is a name, which stays."""
    own, other = (with_globals(sized, "sized", {"SIZE": np.int64(n)}) for n in (1, 2))
    assert digest(own) == digest(sized) != digest(other)
    own.__defaults__ = (np.int64(2),)
    assert digest(own) != digest(sized)


def test_without_a_writable_cache_it_still_runs(folder, tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("not a directory")
    for _ in range(2):
        assert run(folder, blocked / "cache") == (4.0, 0, 1)


def test_the_cache_keeps_a_few_versions_only(folder, tmp_path):
    cache = tmp_path / "cache"
    run(folder, cache)
    (driver,) = Path(cache).iterdir()
    for i in range(7):
        shutil.copytree(next(driver.iterdir()), driver / f"version-{i}")
    (folder / "helper.py").write_text("def scale():\n    return 7.0\n")
    assert run(folder, cache)[0] == pytest.approx(4.0 / 7.0)
    assert len(list(driver.iterdir())) <= 5
