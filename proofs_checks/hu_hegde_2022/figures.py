"""Hu & Hegde (UAI 2022), Section 4: Figures 1 to 5."""

from __future__ import annotations

from dpaudit.laboratory.experiments.checks import always_below, below_at, worst_of
from dpaudit.laboratory.experiments.terms import Curve, Experiment, Sentence

EPSILONS = (500.0, 1.0, 0.5, 0.25, 0.1)
"""Of Figures 1 to 5, by their captions."""
TS, LAZY, SE, UCB = "DP-TS", "Lazy-DP-TS", "DP-SE", "Anytime-Lazy-UCB"
LAZY_NATURAL = "Lazy-DP-TS (natural logarithm)"
BASE_2, NATURAL = "log base 2, as Section 3 declares", "natural logarithm"

NOTES = (
    "The number of runs is not given: 100 (the first author's other two papers have 20).",
    "log is base 2 by Section 3. With a natural logarithm the bonus of Lazy-DP-TS is smaller by "
    "a factor 0.69; that reading is shown too.",
    "DP-TS in its catalogue readings: the mean of line 7 is the private one, the binary mechanism "
    "keeps running. Figures 2 to 5 leave it out; it is run for what is said about it, and is in "
    "the files but not in the picture.",
    "DP-SE's failure probability is not given: 1/T. It is told T.",
    "The paper's further experiments are in an appendix that is not in the text at hand.",
)


def figure(number: int) -> Experiment:
    """The figure of an epsilon; only the first one has DP-TS."""
    epsilon = EPSILONS[number - 1]
    private = number > 1
    better = "Lazy-DP-TS always does better than DP-SE and Anytime-Lazy-UCB"
    sentences = [
        Sentence(better, check("", lazy, SE, UCB), f"{when}; {base}")
        for lazy, base in ((LAZY, BASE_2), (LAZY_NATURAL, NATURAL))
        for check, when in ((below_at, "at the end"), (always_below, "at every point"))
    ]
    if private:
        text = "with little epsilon DP-TS does worse than the other three"
        sentences.append(Sentence(text, worst_of("", TS, LAZY, SE, UCB), BASE_2))
    else:
        text = "with a very large epsilon DP-TS does better than Lazy-DP-TS"
        thompson = "the Thompson sampling algorithms do better than those by UCB and elimination"
        sentences += [
            Sentence(text, below_at("", TS, LAZY), BASE_2),
            Sentence(f"{thompson} (DP-TS)", below_at("", TS, SE, UCB), BASE_2),
            Sentence(f"{thompson} (Lazy-DP-TS)", below_at("", LAZY, SE, UCB), BASE_2),
        ]
    return Experiment(
        name=f"hu-hegde-figure-{number}",
        paper="hu_hegde_2022",
        where=f"Section 4, Figure {number} (epsilon = {epsilon:g})",
        means=(0.75, 0.625, 0.5, 0.375, 0.25),
        horizon=10**5,
        runs=100,
        curves=(
            Curve(UCB, "anytime-lazy-ucb", epsilon),
            Curve(LAZY, "lazy-dp-ts", epsilon, {"log_base": 2.0}),
            Curve(SE, "dp-se", epsilon),
            Curve(TS, "dp-ts", epsilon, extra=private, drawn=not private),
            Curve(LAZY_NATURAL, "lazy-dp-ts", epsilon, extra=True),
        ),
        sentences=tuple(sentences),
        notes=NOTES,
    )


EXPERIMENTS = tuple(figure(number) for number in range(1, 6))
