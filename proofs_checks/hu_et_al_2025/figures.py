"""Hu, Huang, Zhang, Lécuyer & Hegde (ICML 2025), Section 5 and Appendix E: Figures 3 to 7."""

from __future__ import annotations

import itertools
import math

import numpy as np

from dpaudit.laboratory.experiments.checks import (
    LEVEL,
    always_below,
    below_at,
    best_of,
    difference,
    rounds,
    similar,
    worst_of,
)
from dpaudit.laboratory.experiments.terms import (
    ROUNDING,
    Answer,
    Check,
    Curve,
    Curves,
    Experiment,
    Point,
    Quantity,
    Sentence,
)

MEANS = (0.95, 0.75, 0.55, 0.35, 0.15)
T, RUNS = 10**6, 20
ALPHAS = (0.0, 0.25, 0.5, 0.75, 1.0)
HORIZONS = (10**3, 10**4, 10**5, 10**6)
PULLS = (0, 1, 500, 1000, 2000, 5000, 100_000)
BEST = {0.0: 1, 1.0: 2000}
"""The b that the paper finds best at each alpha."""
REGRET, PRIVACY = "(a) regret", "(b) GDP parameter"
PANELS: tuple[tuple[str, Quantity], ...] = ((REGRET, "regret"), (PRIVACY, "gdp"))
OURS, THEIRS = "DP-TS-UCB", "M-TS-Gaussian"
SE, UCB, LAZY = "DP-SE", "Anytime-Lazy-UCB", "Lazy-DP-TS"

TOLD = "DP-TS-UCB is told the horizon; along a curve it is the last one."
OFFSET = (
    "M-TS-Gaussian divides by pulls + 1 in mean and variance, as its sources do and as its GDP "
    "claim needs (the catalogue's default); Section 3 to the letter divides by pulls."
)
ROOT = (
    "c by Appendix E.1. Section 5.3 prints a root over it, which is not in the values 1.18 and "
    "60.46 that both give."
)


def variance(alpha: float, b: int) -> float:
    """Appendix E.1: the c that gives M-TS-Gaussian DP-TS-UCB's privacy guarantee."""
    power = T ** (0.5 * (1.0 + alpha)) * math.log(T) ** (-1.5 * (1.0 - alpha))
    return float(power / (2.0 * math.sqrt(2.0 * math.pi * math.e) * (b + 1.0)))


def letter(alpha: float) -> str:
    """The panel of an alpha in Figures 5 to 7."""
    return f"({'a' if alpha == 0.0 else 'b'}) alpha = {alpha:g}"


def increasing(panel: str, *names: str) -> Check:
    """At every point the curves lie above each other in this order."""

    def check(curves: Curves) -> Answer:
        pairs = list(itertools.pairwise(names))
        points = len(curves[panel, names[0]].x)
        level = LEVEL / (points * len(pairs))
        sure, against = 0, []
        for low, high in pairs:
            found = difference(curves[panel, low].samples, curves[panel, high].samples)
            sure += int(found.surely_positive(LEVEL).sum())
            one, two = curves[panel, low], curves[panel, high]
            against += [
                f"{low} {one.at(i)} > {high} {two.at(i)} at {rounds(one.x[i])}"
                for i in map(int, np.flatnonzero(found.surely_negative(level)))
            ]
        total = points * len(pairs)
        ends = [curves[panel, name].at(-1) for name in names]
        words = f"{sure} of {total} neighbouring pairs surely so; at the last: {', '.join(ends)}"
        if against:
            return False, f"{words}; reversed: {', '.join(against)}"
        return (True if sure == total else None), words

    return check


def constant(panel: str, name: str) -> Check:
    """A computed curve has the same value everywhere."""

    def check(curves: Curves) -> Answer:
        values = curves[panel, name].mean
        same = bool(np.allclose(values, values[0], rtol=ROUNDING, atol=0.0))
        return same, ", ".join(f"{value:.4g}" for value in values)

    return check


def sweep_of_horizons() -> Experiment:
    """Figure 3: DP-TS-UCB's regret and guarantee over T, for each alpha."""
    named = {alpha: f"alpha = {alpha:g}" for alpha in ALPHAS}
    points = tuple(Point(t, t) for t in HORIZONS)
    upwards = list(named.values())
    more = "more alpha costs more regret"
    return Experiment(
        name="hu-et-al-figure-3",
        paper="hu_et_al_2025",
        where="Section 5.1, Figure 3",
        means=MEANS,
        horizon=T,
        runs=RUNS,
        curves=tuple(
            Curve(label, "dp-ts-ucb", None, {"alpha": alpha}, panel, quantity, points)
            for panel, quantity in PANELS
            for alpha, label in named.items()
        ),
        sentences=(
            Sentence(more, increasing(REGRET, *upwards), "each alpha against the next, every T"),
            Sentence(
                more, increasing(REGRET, upwards[0], upwards[-1]), "alpha = 0 against 1, every T"
            ),
            Sentence("more alpha gives a smaller eta", increasing(PRIVACY, *reversed(upwards))),
            Sentence(
                "with alpha = 1 eta is the same for every T", constant(PRIVACY, named[ALPHAS[-1]])
            ),
        ),
        notes=(
            "The values of alpha and T are not in the text: alpha as in Section 5.2, T the powers "
            "of ten up to the 10^6 of the other figures.",
            "Each point is a study of its own, told its T. eta is Theorem 4.4's.",
        ),
        axes=("log", "linear"),
        x="horizon T",
    )


def same_bound() -> Experiment:
    """Figure 4: DP-TS-UCB and M-TS-Gaussian at the same theoretical regret bound, over alpha."""
    ours = tuple(Point(alpha, T, {"alpha": alpha}) for alpha in ALPHAS)
    theirs = tuple(Point(a, T, {"b": 0, "c": 5.0 * math.log(T) ** a}) for a in ALPHAS)
    text = "for every alpha DP-TS-UCB has"
    return Experiment(
        name="hu-et-al-figure-4",
        paper="hu_et_al_2025",
        where="Section 5.2, Figure 4",
        means=MEANS,
        horizon=T,
        runs=RUNS,
        curves=tuple(
            Curve(label, target, panel=panel, quantity=quantity, sweep=points)
            for panel, quantity in PANELS
            for label, target, points in (
                (OURS, "dp-ts-ucb", ours),
                (THEIRS, "m-ts-gaussian", theirs),
            )
        ),
        sentences=(
            Sentence(f"{text} less regret than M-TS-Gaussian", always_below(REGRET, OURS, THEIRS)),
            Sentence(f"{text} the smaller eta", always_below(PRIVACY, OURS, THEIRS)),
        ),
        notes=(
            "b = 0 and c = 5 ln^alpha T, as printed. Each point is a study of its own.",
            "eta is Theorem 4.4's, and sqrt(T/(c (b + 1))) for M-TS-Gaussian.",
            OFFSET,
        ),
        x="alpha",
    )


def pair(alpha: float) -> tuple[Curve, Curve]:
    """DP-TS-UCB and the best M-TS-Gaussian at the same privacy guarantee."""
    b = BEST[alpha]
    return (
        Curve(OURS, "dp-ts-ucb", None, {"alpha": alpha}, letter(alpha)),
        Curve(THEIRS, "m-ts-gaussian", None, {"b": b, "c": variance(alpha, b)}, letter(alpha)),
    )


def same_privacy() -> Experiment:
    """Figure 5: the two at the same privacy guarantee."""
    a, b = letter(0.0), letter(1.0)
    return Experiment(
        name="hu-et-al-figure-5",
        paper="hu_et_al_2025",
        where="Section 5.3, Figure 5",
        means=MEANS,
        horizon=T,
        runs=RUNS,
        curves=(*pair(0.0), *pair(1.0)),
        sentences=(
            Sentence(f"{a}: M-TS-Gaussian has less regret", below_at(a, THEIRS, OURS)),
            Sentence(f"{a}: the two regrets hardly differ", similar(a, THEIRS, OURS)),
            Sentence(f"{b}: DP-TS-UCB has clearly less regret", always_below(b, OURS, THEIRS)),
        ),
        notes=(TOLD, OFFSET, ROOT),
    )


def choice_of_b() -> Experiment:
    """Figure 6: M-TS-Gaussian over b at two privacy guarantees."""
    named = {b: f"b = {b}" for b in PULLS}

    def best(alpha: float) -> Sentence:
        winner = named[BEST[alpha]]
        others = [label for label in named.values() if label != winner]
        text = f"{letter(alpha)}: M-TS-Gaussian has its least regret with {winner}"
        return Sentence(text, best_of(letter(alpha), winner, *others))

    return Experiment(
        name="hu-et-al-figure-6",
        paper="hu_et_al_2025",
        where="Appendix E.1, Figure 6",
        means=MEANS,
        horizon=T,
        runs=RUNS,
        curves=tuple(
            Curve(label, "m-ts-gaussian", None, {"b": b, "c": variance(alpha, b)}, letter(alpha))
            for alpha in BEST
            for b, label in named.items()
        ),
        sentences=(best(0.0), best(1.0)),
        notes=(
            OFFSET,
            ROOT,
            "Drawn with a logarithmic axis of regret; b = 100000 dwarfs the rest.",
        ),
        axes=("linear", "log"),
    )


def against_pure() -> Experiment:
    """Figure 7: both, and three (epsilon, 0)-DP algorithms with epsilon = 0.5."""
    a, b = letter(0.0), letter(1.0)
    return Experiment(
        name="hu-et-al-figure-7",
        paper="hu_et_al_2025",
        where="Appendix E.2, Figure 7",
        means=MEANS,
        horizon=T,
        runs=RUNS,
        curves=tuple(
            curve
            for alpha in BEST
            for curve in (
                *pair(alpha),
                Curve(SE, "dp-se", 0.5, panel=letter(alpha)),
                Curve(UCB, "anytime-lazy-ucb", 0.5, panel=letter(alpha)),
                Curve(LAZY, "lazy-dp-ts", 0.5, {"log_base": 2.0}, letter(alpha)),
            )
        ),
        sentences=(
            Sentence(
                f"{a}: DP-TS-UCB does better than the epsilon-DP algorithms",
                below_at(a, OURS, SE, UCB, LAZY),
            ),
            Sentence(
                f"{a}: M-TS-Gaussian does better than the epsilon-DP algorithms",
                below_at(a, THEIRS, SE, UCB, LAZY),
            ),
            Sentence(
                f"{b}: M-TS-Gaussian does worse than the epsilon-DP algorithms",
                worst_of(b, THEIRS, SE, UCB, LAZY),
            ),
            Sentence(f"{b}: DP-TS-UCB does better than Anytime-Lazy-UCB", below_at(b, OURS, UCB)),
        ),
        notes=(
            TOLD,
            OFFSET,
            "Lazy-DP-TS as Hu & Hegde (2022), who are cited, define it: log is base 2.",
            "DP-SE's failure probability is not given: 1/T. It is told T.",
        ),
    )


EXPERIMENTS = (
    sweep_of_horizons(),
    same_bound(),
    same_privacy(),
    choice_of_b(),
    against_pure(),
)
