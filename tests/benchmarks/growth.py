"""How cost grows with rounds, arms, runs, epsilon and claims: a few sizes each, a minute in all.

A slope is the exponent of the cost, by least squares in logarithms over the upper half of the
sizes: 1 is proportional, 0 does not depend.
"""

from __future__ import annotations

import itertools
import json
import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

import dpaudit
from dpaudit.laboratory.exact.regret import exact_regret
from dpaudit.play.environments import play_environment
from tests.benchmarks.rows import MEANS, seconds

QUICK = 0.35
"""Claims that took longer (seconds, as committed) are left out: a few of them would be the sum."""
PANELS = ("rounds T", "arms K", "runs", "epsilon", "claims")


@dataclass(frozen=True)
class Growth:
    """A curve: the cost in seconds at each size."""

    panel: str
    name: str
    sizes: tuple[float, ...]
    seconds: tuple[float, ...]

    @property
    def slope(self) -> float:
        """The exponent over the upper half of the sizes."""
        half = len(self.sizes) // 2
        x, y = np.log(self.sizes[half:]), np.log(self.seconds[half:])
        return float(np.polyfit(x, y, 1)[0])

    def saved(self) -> dict[str, Any]:
        """As plain data."""
        return json.loads(json.dumps(asdict(self) | {"slope": round(self.slope, 3)}))


def curve(panel: str, name: str, sizes: Sequence[float], cost: Callable[[Any], float]) -> Growth:
    """Measure one curve."""
    return Growth(panel, name, tuple(sizes), tuple(cost(size) for size in sizes))


def playing(algorithm: str, horizon: int, runs: int, epsilon: float | None, arms: int = 5) -> float:
    """Seconds a run; by leaps where the algorithm can."""
    means = MEANS if arms == 5 else np.linspace(0.75, 0.25, arms)
    return (
        seconds(lambda: play_environment(algorithm, means, horizon, epsilon=epsilon, runs=runs), 2)
        / runs
    )


def exactly(arms: int, epsilon: float) -> float:
    """Seconds for the exact regret at T = 2^60, gaps spread over 0.8."""
    means = np.linspace(0.9, 0.1, arms)
    return seconds(lambda: exact_regret("rnm-ftnl", means, 2**60, epsilon=epsilon), 1)


def auditing(runs: int) -> float:
    """Seconds for a two-world audit, pairs and events chosen in it."""
    return seconds(
        lambda: dpaudit.audit(
            "anytime-lazy-ucb", epsilon=1.0, rounds=12, engine="two-world", runs=runs
        ),
        1,
    )


def claims(sizes: Sequence[int]) -> Iterator[Growth]:
    """The ledger's checks and the checker on the same claims, in a fixed random order."""
    from dpaudit.ledger.certificates import load, plain, run_claim
    from dpaudit.paper_rooms import papers
    from dpaudit.recheck import check_claim
    from dpaudit.results.made import own_folder

    known = load(sorted(papers("claims")), own_folder() / "certificates").values()
    entries = [plain(entry) for entry in known if entry.seconds <= QUICK]
    if not entries:
        raise SystemExit("there are no certificates; say `make claims` first")
    entries = random.Random(0).sample(entries, min(max(sizes), len(entries)))
    for name, work in (
        ("ledger: found and broken", lambda entry: run_claim(entry["paper"], entry["id"])),
        ("recheck", check_claim),
    ):
        work(entries[0])  # what is imported and parsed once
        took = [seconds(lambda e=entry, w=work: w(e), 1) for entry in entries]
        total = list(itertools.accumulate(took))
        chosen = [size for size in sizes if size <= len(total)]
        yield Growth("claims", name, tuple(chosen), tuple(total[size - 1] for size in chosen))


def measured() -> Iterator[Growth]:
    """Every curve."""
    lazy = "anytime-lazy-ucb"
    for algorithm in (lazy, "ucb1"):
        playing(algorithm, 100, 1, 1.0 if algorithm == lazy else None)
    far = [10**e for e in (3, 6, 9, 12, 15, 18)]
    rounds = [10**e for e in (3, 4, 5, 6, 7)]
    yield curve(PANELS[0], "a run by leaps", far, lambda t: playing(lazy, t, 2000, 0.5))
    yield curve(
        PANELS[0],
        "a run round by round",
        rounds,
        lambda t: playing("ucb1", t, max(1, 10**6 // t), None),
    )
    arms = [4, 16, 64, 256, 1024]
    yield curve(PANELS[1], "exact regret, T = 2^60", arms, lambda k: exactly(k, 0.5))
    yield curve(
        PANELS[1], "10^5 rounds, round by round", arms, lambda k: playing("ucb1", 10**5, 5, None, k)
    )
    runs = [10**4, 10**5, 10**6, 10**7, 3 * 10**7]
    yield curve(PANELS[2], "two-world audit, K = 2, T = 12", runs, auditing)
    budgets = [2.0**e for e in (-10, -7, -4, -1, 2)]
    yield curve(
        PANELS[3], "a run by leaps, T = 10^9", budgets, lambda e: playing(lazy, 10**9, 2000, e)
    )
    yield curve(PANELS[3], "exact regret, T = 2^60, K = 16", budgets, lambda e: exactly(16, e))
    yield from claims([10, 30, 100, 200, 300])


def draw(curves: Sequence[Growth], path: Path) -> None:
    """One SVG, a panel for each of `PANELS`; the same curves give the same file."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "dpaudit"}):
        figure = Figure(figsize=(12.6, 7.2), layout="constrained")
        grid = figure.subplots(2, 3).ravel()
        drawn = [panel for panel in PANELS if any(c.panel == panel for c in curves)]
        for axes, panel in zip(grid, drawn, strict=False):
            for each in (c for c in curves if c.panel == panel):
                label = f"{each.name} (slope {each.slope:.2f})"
                axes.loglog(each.sizes, each.seconds, "o-", ms=4, lw=1.2, label=label)
            low, high = axes.get_ylim()
            axes.set_ylim(low / 2, high * 6)  # room for the legend
            axes.set_xlabel(panel)
            axes.set_ylabel("seconds")
            axes.grid(alpha=0.3)
            axes.legend(frameon=False, fontsize="small", loc="upper left")
        for axes in grid[len(drawn) :]:
            axes.set_axis_off()
        figure.suptitle(
            "How cost grows (slopes over the upper half of the sizes)", fontsize="medium"
        )
        figure.savefig(path, format="svg", metadata={"Date": None})


if __name__ == "__main__":
    began = time.perf_counter()
    for each in measured():
        costs = ", ".join(
            f"{size:.3g}: {cost:.3g}" for size, cost in zip(each.sizes, each.seconds, strict=True)
        )
        print(f"{each.panel}: {each.name}: {costs} s; slope {each.slope:.2f}")
    print(f"{time.perf_counter() - began:.0f} s")
