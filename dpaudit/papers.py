"""The bibliography: the papers by key, in the order in which results are shown.

A key is a paper's file name, the name of its room in `proofs_checks/`, and what a card names.
The text of `hu_huang_mehta_2021` has lost its title; its abstract is that of arXiv 2102.07929v3,
whose title stands here (that of v1 was "Optimal algorithms for private online learning in a
stochastic environment").
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Paper:
    """Authors as they are cited, and the title as printed."""

    key: str
    authors: str
    year: int
    title: str

    @property
    def citation(self) -> str:
        return f"{self.authors} ({self.year}), {self.title}"


PAPERS = (
    Paper(
        "hu_huang_mehta_2021",
        "Hu, Huang & Mehta",
        2021,
        "Near-optimal algorithms for differentially private online learning in a stochastic "
        "environment",
    ),
    Paper(
        "hu_hegde_2022",
        "Hu & Hegde",
        2022,
        "Near-optimal Thompson sampling-based algorithms for differentially private stochastic "
        "bandits",
    ),
    Paper(
        "tossou_dimitrakakis_2016",
        "Tossou & Dimitrakakis",
        2016,
        "Algorithms for differentially private multi-armed bandits",
    ),
    Paper(
        "wu_wang_2025",
        "Wu & Wang",
        2025,
        "Improved regret in stochastic decision-theoretic online learning under differential "
        "privacy",
    ),
    Paper(
        "hu_et_al_2025",
        "Hu, Huang, Zhang, Lécuyer & Hegde",
        2025,
        "Connecting Thompson sampling and UCB: towards more efficient trade-offs between privacy "
        "and regret",
    ),
)
BASELINES = "baselines"
"""Stands on the cards of what the papers compare with; definitions recalled from the literature."""

TITLES = {paper.key: paper.citation for paper in PAPERS}


def cited(key: str) -> str:
    """Authors and year; the key of what the bibliography does not know."""
    known = {paper.key: f"{paper.authors} ({paper.year})" for paper in PAPERS}
    return known.get(key, key)


def order(key: str) -> tuple[int, str]:
    """Sorts papers as listed, then `baselines`, then what the bibliography does not know."""
    known = [*TITLES, BASELINES]
    return (known.index(key), "") if key in known else (len(known), key)
