"""The rows: what is measured, its denominator in the same run, the figure to reach."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping

import numpy as np

import dpaudit
from dpaudit.auditor.engines.black_box.gate import gate
from dpaudit.auditor.statistics import Alpha, coin_log_ratio_lower, joint_log_ratio_lower
from dpaudit.laboratory.exact.regret import exact_regret
from dpaudit.play.catalogue import catalogue
from dpaudit.play.environments import play_environment
from dpaudit.play.tables import play_tables
from dpaudit.results.audit import Guarantee
from tests.benchmarks import plain, running
from tests.benchmarks.record import BOUND, Peer, Row
from tests.quality import mechanisms, wide

MEANS = [0.75, 0.625, 0.5, 0.375, 0.25]
COUNTS = {100: (50, 18), 10**6: (500_000, 183_940)}
"""Hits among so many runs of each world: what Laplace noise with epsilon = 1 gives "above 1"."""
SEEDS = 3
"""Audits of which a bound is the median: at confidence 0.95 one in twenty may be too high."""
NOISES = ("rnm-ftnl", "rnm-ftnl-exponential", "rnm-ftnl-gumbel")

Peers = Mapping[str, tuple[Peer, ...]]


def seconds(work: Callable[[], object], repeat: int = 3) -> float:
    """The best of a few."""
    best = float("inf")
    for _ in range(repeat):
        began = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - began)
    return best


def rates(peers: Peers) -> Iterator[Row]:
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
        beside = peers.get(algorithm, ())
        rate, base = 4 * rounds / took / 1e6, few / slow / 1e6
        yield Row(what, rate, "M/s", figure, 1, base, name, peers=beside)
    table, other = np.tile([1.0, 0.0], (12, 1)), np.tile([1.0, 0.0], (12, 1))
    other[0] = [0.0, 1.0]
    play_tables("anytime-lazy-ucb", table, other, epsilon=1.0)
    took = seconds(lambda: play_tables("anytime-lazy-ucb", table, other, epsilon=1.0, runs=10**6))
    slow = seconds(lambda: plain.two_worlds(1.0, 12, 2000, 1), 2)
    yield Row(
        "two-world audit runs, K=2, T=12", 1 / took, "M/s", 3.0, 1, 2e-3 / slow, "plain, M runs/s"
    )


def counts(peers: Peers) -> Iterator[Row]:
    """Lower bounds on epsilon from the same counts; the truth is 1."""
    for runs, (hits, base) in COUNTS.items():
        if runs <= 150:
            found = joint_log_ratio_lower(hits, base, runs, Alpha(0.05))
        else:
            tossed = (np.random.default_rng(seed) for seed in range(1001))
            bounds = [coin_log_ratio_lower(hits, base, runs, Alpha(0.05), rng) for rng in tossed]
            found = float(np.median(bounds))
        beside = peers.get(f"counts {runs}", ())
        least = max((peer.value for peer in beside if peer.value is not None), default=0.0)
        what = f"lower bound (true 1) from counts of {runs:,} runs a world, confidence 0.95"
        yield Row(what, found, BOUND, least, 1, peers=beside)


def exact() -> Iterator[Row]:
    """Exact regret of report-noisy-max; the loop does not get to 2^60 and bounds no error."""

    def took(name: str, gap: float) -> float:
        rewards = [0.9 - gap * arm for arm in range(16)]
        means = rewards if name == NOISES[0] else [1.0 - mean for mean in rewards]
        return seconds(lambda: exact_regret(name, means, 2**60, epsilon=0.1), 1)

    means = [0.9 - 0.04 * arm for arm in range(16)]
    slow = seconds(lambda: plain.noisy_max_regret(means, 0.1, 2**16), 2)
    what = "exact regret, report-noisy-max, T=2^60, K=16"
    took(NOISES[0], 0.04)
    name = "plain quadrature to T=2^16 only, s"
    yield Row(f"{what}, Laplace, gaps 1/25", took(NOISES[0], 0.04), "s", 1.0, -1, slow, name)
    for gap, said in ((0.04, "1/25"), (2.0**-20, "2^-20")):
        slowest = max(took(noise, gap) for noise in NOISES)
        yield Row(f"{what}, slowest of three noises, gaps {said}", slowest, "s", 1.0, -1)


def pages() -> Iterator[Row]:
    """The HTML pages of all committed results."""
    from dpaudit.cli.look import report
    from dpaudit.results.documents import read
    from dpaudit.results.made import committed

    began = time.perf_counter()
    rendered = report.pages([read(path) for path in committed()])
    took = time.perf_counter() - began
    largest = max(len(text) for text in rendered.values()) / 1000
    note = f"{len(rendered)} pages in {took:.1f} s"
    yield Row("largest HTML report", largest, "kB", 500.0, -1, note=note)


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
    for name, entry in catalogue().items():
        if entry.stretch is not None and not entry.lazy:

            def far(name: str = name, horizon: int = 10**12) -> object:
                return play_environment(name, MEANS, horizon, epsilon=0.5, runs=5)

            play_environment(name, MEANS, 100, epsilon=0.5, far=True)
            what = f"{name} by leaps in law, T=10^12, K=5"
            yield Row(what, seconds(far, 1) / 5, "s/run", 1.0, -1)


def tight() -> Iterator[Row]:
    """How close lower bounds come, with no denominator but the truth."""
    began = time.perf_counter()
    result = dpaudit.audit(
        "anytime-lazy-ucb", epsilon=1.0, rounds=12, engine="two-world", runs=100_000_000
    )
    took = time.perf_counter() - began
    what = "two-world bound (true 1), anytime-lazy-ucb, K=2, T=12, confidence 0.999, two cores"
    yield Row(what, result.lower_bound, BOUND, 0.99, 1, note=f"{took:.0f} s")
    began = time.perf_counter()
    dpaudit.audit("anytime-lazy-ucb", epsilon=1.0, rounds=8, engine="exact")
    yield Row("exact engine, K=2, T=8", time.perf_counter() - began, "s", 10.0, -1)
    began = time.perf_counter()
    dpaudit.audit("rnm-ftnl", epsilon=1.0, arms=4, rounds=16, engine="exact")
    yield Row("exact engine, report-noisy-max, K=4", time.perf_counter() - began, "s", 1.0, -1)


def black_box() -> Iterator[Row]:
    """Guarantee epsilon 1, one pair, confidence 0.95, a million and ten million outputs a world."""
    cases = (
        ("Laplace", mechanisms.laplace, 0.0, 1.0, {6: 0.990, 7: 0.997}),
        ("noisy max, half its noise", mechanisms.noisy_max("laplace", 1.0), mechanisms.FIVE,
         mechanisms.MOVED,
         {6: 1.95, 7: 1.97}),
        ("sparse vector 4", mechanisms.sparse_vector(4), mechanisms.SIX_HIGH, mechanisms.LEVEL,
         {6: 1.63, 7: 1.72}),
        ("sparse vector 6", mechanisms.sparse_vector(6), mechanisms.HALVES, mechanisms.REVERSED,
         {6: 3.5, 7: 3.9}),
    )  # fmt: skip
    vectors = []
    for name, sample, x, y, figures in cases:
        for exponent, figure in figures.items():
            runs = 10**exponent
            drawn = seconds(lambda s=sample, x=x: s(x, 10**5, np.random.default_rng(0)))
            bounds, took = [], float("inf")
            for seed in range(SEEDS):
                began = time.perf_counter()
                result = dpaudit.audit_mechanism(
                    sample, x, y, epsilon=1.0, runs=runs, confidence=0.95, seed=seed
                )
                took = min(took, time.perf_counter() - began)
                bounds.append(result.lower_bound)
            rest = took - drawn * 2 * runs / 10**5
            what = f"black-box {name}, 10^{exponent} outputs"
            note = f"{took:.1f} s, median of {SEEDS} seeds"
            yield Row(what, float(np.median(bounds)), BOUND, figure, 1, note=note)
            if name == "Laplace" and exponent == 6:
                yield Row(f"... besides drawing, {what}", max(rest, 0.0), "s", 0.1, -1)
            if name.startswith("sparse") and exponent == 7:
                vectors.append(took)
    note = " and ".join(f"{took:.1f}" for took in vectors)
    what = "... both sparse vectors, 10^7 outputs, in all"
    yield Row(what, sum(vectors), "s", 10.0, -1, note=note)
    sample = mechanisms.noisy_max("laplace", 1.0)

    def draw(stage: int, number: int, n: int) -> tuple[np.ndarray, np.ndarray]:
        first, second = (
            sample(data, n, np.random.default_rng([stage, number, w])).reshape(n, 1) * 1.0
            for w, data in ((0, mechanisms.FIVE), (1, mechanisms.MOVED))
        )
        return first, second

    opened = gate(draw, Guarantee("pure", 1.0), Alpha(0.05), 10**6)
    what = "pairs of runs to reject epsilon <= 1 for noisy max, half its noise, level 0.05"
    yield Row(what, opened.pairs if opened.refuted else float("inf"), "", 3000, -1)


def many_numbers() -> Iterator[Row]:
    """Outputs of many numbers: the bound in parts of what a threshold on the true log ratio gives
    from as many outputs, chosen and counted on them all."""
    for case, runs, seeds in (
        *((case, 20_000, 2 * SEEDS + 1) for case in wide.WIDE),
        (wide.WIDE[0], 200_000, SEEDS),
        *((case, 20_000, SEEDS) for case in wide.WIDER),
    ):
        began = time.perf_counter()
        shares = list(wide.reached(case, runs, seeds, 300_000))
        took = time.perf_counter() - began
        truth = case.truth(runs, 300_000)
        note = f"the truth's {truth:.3f}, median of {seeds} seeds, {took:.0f} s"
        what = f"black-box {case.name}, {runs:,} outputs, of the true log ratio's bound"
        yield Row(what, float(np.median(shares)), "of it", 0.9, 1, note=note)


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
        "import numpy as np\nfrom dpaudit.play.tables import play_tables\n"
        "from dpaudit.machine.compiling import compiled_driver\n"
        "from dpaudit.play.catalogue import find\n"
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


def all_rows(peers: Peers, lost: list[str]) -> Iterator[Row]:
    """Every row, as it is measured; what a group of rows raises is added to `lost`."""
    beside = rates, counts
    groups = (rates, leaps, exact, tight, counts, black_box, many_numbers, start_up, pages)
    for group in (*groups, running.workers, running.memory):
        try:
            yield from group(peers) if group in beside else group()
        except Exception as error:
            lost.append(f"{group.__name__} ({type(error).__name__})")
            print(f"{group.__name__}: {error}", file=sys.stderr)
