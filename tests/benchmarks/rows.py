"""The rows: what is measured, its denominator in the same run, the figure to reach."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from dpaudit.running.plays import play_environment, play_tables
from tests.benchmarks import plain

MEANS = [0.75, 0.625, 0.5, 0.375, 0.25]


@dataclass(frozen=True)
class Row:
    """One measurement. `better` is +1 where larger is better, -1 where smaller is."""

    what: str
    value: float
    unit: str
    figure: float
    better: int
    baseline: float | None = None
    baseline_is: str = ""

    @property
    def met(self) -> bool:
        """Whether the figure is reached."""
        return self.better * (self.value - self.figure) >= 0

    @property
    def ratio(self) -> float | None:
        """How many times better than the denominator."""
        if self.baseline is None:
            return None
        return (self.value / self.baseline) ** self.better


def seconds(work: Callable[[], object], repeat: int = 3) -> float:
    """The best of a few."""
    best = float("inf")
    for _ in range(repeat):
        began = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - began)
    return best


def rates() -> Iterator[Row]:
    """Rounds and runs a second on one core."""
    rounds, few = 10**6, 20_000
    name = "plain Python loop, M rounds/s"
    for algorithm, what, figure, loop in (
        ("ucb1", "UCB rounds, compiled, round by round, K=5", 40.0, plain.ucb1),
        ("thompson", "Beta Thompson sampling rounds, K=5", 5.0, plain.thompson),
    ):
        play_environment(algorithm, MEANS, 100)
        took = seconds(lambda a=algorithm: play_environment(a, MEANS, rounds, runs=4))
        slow = seconds(lambda run=loop: run(MEANS, few, 1), 2)
        yield Row(what, 4 * rounds / took / 1e6, "M/s", figure, 1, few / slow / 1e6, name)
    table, other = np.tile([1.0, 0.0], (12, 1)), np.tile([1.0, 0.0], (12, 1))
    other[0] = [0.0, 1.0]
    play_tables("anytime-lazy-ucb", table, other, epsilon=1.0)
    took = seconds(lambda: play_tables("anytime-lazy-ucb", table, other, epsilon=1.0, runs=10**6))
    slow = seconds(lambda: plain.two_worlds(1.0, 12, 2000, 1), 2)
    yield Row(
        "two-world audit runs, K=2, T=12", 1 / took, "M/s", 3.0, 1, 2e-3 / slow, "plain, M runs/s"
    )


def leaps() -> Iterator[Row]:
    """Whole runs by leaps on one core."""
    plain_round = seconds(lambda: plain.lazy_ucb(MEANS, 0.5, 20_000, 1), 2) / 20_000
    for exponent, figure in ((6, 20.0), (12, 30.0)):
        horizon = 10**exponent

        def play(horizon: int = horizon) -> object:
            return play_environment("anytime-lazy-ucb", MEANS, horizon, epsilon=0.5, runs=5000)

        play()
        yield Row(
            f"anytime-lazy-ucb by leaps, T=10^{exponent}, K=5",
            seconds(play) / 5000 * 1e6,
            "us/run",
            figure,
            -1,
            plain_round * horizon * 1e6,
            "plain, us/run" + ("" if exponent == 6 else " (extrapolated)"),
        )


def start_up() -> Iterator[Row]:
    """Fresh processes."""

    def process(code: str) -> Callable[[], object]:
        return lambda: subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)

    bare = seconds(process("pass"), 5)
    helped = seconds(
        process("import dpaudit.cli as c\ntry: c.main(['--help'])\nexcept SystemExit: 0")
    )
    yield Row("dpaudit --help", helped, "s", 0.3, -1, bare, "python -c pass, s")
    code = (
        "import numpy as np\nfrom dpaudit.running.plays import play_tables\n"
        "from dpaudit.running.compiling import compiled_driver\n"
        "from dpaudit.catalogue import find\n"
        "play_tables('anytime-lazy-ucb', np.ones((12, 2)), epsilon=1.0, runs=%d)\n"
        "s = compiled_driver('play_tables', find('anytime-lazy-ucb')).stats\n"
        "print(sum(s.cache_misses.values()))\n"
        "print([l.split()[1] for l in open('/proc/self/status') if l.startswith('VmHWM')][0])"
    )
    with tempfile.TemporaryDirectory() as cache:
        first = seconds(
            process(f"import os\nos.environ['DPAUDIT_CACHE_DIR'] = {cache!r}\n" + code % 1), 1
        )
    again = seconds(process(code % 1))
    out = subprocess.run(
        [sys.executable, "-c", code % 10**6], check=True, capture_output=True, text=True
    ).stdout.split()
    yield Row("compilations in a second process", float(out[0]), "", 0, -1)
    yield Row("first play in a second process", again, "s", first, -1, first, "first process, s")
    yield Row("memory of a million-run audit", float(out[1]) / 1024, "MB", 500.0, -1)


def all_rows() -> Iterator[Row]:
    """Every row, as it is measured."""
    yield from rates()
    yield from leaps()
    yield from start_up()


def machine() -> dict[str, str]:
    """What it was measured on, in general terms."""
    import platform

    import numba

    return {
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": numba.__version__,
        "cores": str(os.cpu_count()),
        "processor": platform.machine(),
    }
