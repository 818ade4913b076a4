"""Hu, Huang & Mehta (arXiv 2102.07929), Section 6: Figures 1 and 2."""

from __future__ import annotations

from dpaudit.laboratory.experiments.checks import always_below, below_at, similar
from dpaudit.laboratory.experiments.terms import Curve, Experiment, Sentence

EPSILONS = (0.25, 0.5, 1.0)
UCB, TS, SE, KL = "Anytime-Lazy-UCB", "Lazy-DP-TS", "DP-SE", "AdaP-KLUCB"
TS_BASE_2 = "Lazy-DP-TS (log base 2)"
KL_ALPHA_1 = "AdaP-KLUCB (alpha = 1)"

NOTES = (
    "The text gives T, the means, the epsilons and 20 runs; the figures themselves are not in it. "
    "One panel an epsilon and a linear axis of rounds are our choice.",
    "Lazy-DP-TS, line 4, prints log without a base. The figure's reading is the natural one (the "
    "catalogue's default); base 2, declared by Hu & Hegde (2022) for the same line, is shown too.",
    "AdaP-KLUCB is credited to Asi et al. (2022); elsewhere the paper has it by Azize & Basu, and "
    "theirs is run. Its exploration parameter is not given: alpha = 3.1, the least that their "
    "analysis allows to one decimal; alpha = 1, that of KL-UCB, is shown too.",
    "DP-SE's failure probability is not given: 1/T. It is told T.",
)


def panel(epsilon: float) -> str:
    """The panel of an epsilon."""
    return f"epsilon = {epsilon:g}"


def curves(epsilon: float) -> tuple[Curve, ...]:
    """The lines of a panel."""
    where = panel(epsilon)
    return (
        Curve(UCB, "anytime-lazy-ucb", epsilon, panel=where),
        Curve(TS, "lazy-dp-ts", epsilon, panel=where),
        Curve(SE, "dp-se", epsilon, panel=where),
        Curve(KL, "adap-klucb", epsilon, panel=where),
        Curve(TS_BASE_2, "lazy-dp-ts", epsilon, {"log_base": 2.0}, where, extra=True),
        Curve(KL_ALPHA_1, "adap-klucb", epsilon, {"alpha": 1.0}, where, extra=True),
    )


def sentences(epsilon: float) -> tuple[Sentence, ...]:
    """What Section 6 says of both figures, for a panel."""
    where = panel(epsilon)
    better = f"{where}: Lazy-DP-TS always does better than DP-SE and Anytime-Lazy-UCB"
    alike = f"{where}: Lazy-DP-TS and AdaP-KLUCB do about equally well"
    natural, base_2 = "natural logarithm", "log base 2"
    return (
        *(
            Sentence(better, check(where, lazy, SE, UCB), f"{when}; {base}")
            for lazy, base in ((TS, natural), (TS_BASE_2, base_2))
            for check, when in ((below_at, "at the end"), (always_below, "at every point"))
        ),
        Sentence(alike, similar(where, TS, KL), f"{natural}; alpha = 3.1"),
        Sentence(alike, similar(where, TS_BASE_2, KL), f"{base_2}; alpha = 3.1"),
        Sentence(alike, similar(where, TS, KL_ALPHA_1), f"{natural}; alpha = 1"),
    )


def figure(number: int, means: tuple[float, ...]) -> Experiment:
    """Both figures differ in the means only."""
    return Experiment(
        name=f"hu-huang-mehta-figure-{number}",
        paper="hu_huang_mehta_2021",
        where=f"Section 6, Figure {number}",
        means=means,
        horizon=10**6,
        runs=20,
        curves=tuple(curve for epsilon in EPSILONS for curve in curves(epsilon)),
        sentences=tuple(sentence for epsilon in EPSILONS for sentence in sentences(epsilon)),
        notes=NOTES,
    )


EXPERIMENTS = (
    figure(1, (0.75, 0.625, 0.5, 0.375, 0.25)),
    figure(2, (0.5, 0.4, 0.4, 0.4, 0.4)),
)
