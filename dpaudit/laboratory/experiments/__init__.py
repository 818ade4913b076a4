"""The papers' experiments by name: settings, curves, and what the papers say about their figures.

One module per paper, data and sentences only; `dpaudit.laboratory.reproduction` runs them.
"""

from __future__ import annotations

from dpaudit.errors import unknown
from dpaudit.laboratory.experiments.terms import Experiment
from proofs_checks.hu_et_al_2025 import figures as hu_et_al_2025
from proofs_checks.hu_hegde_2022 import figures as hu_hegde_2022
from proofs_checks.hu_huang_mehta_2021 import figures as hu_huang_mehta_2021
from proofs_checks.tossou_dimitrakakis_2016 import figures as tossou_dimitrakakis_2016

EXPERIMENTS: dict[str, Experiment] = {
    experiment.name: experiment
    for paper in (hu_huang_mehta_2021, hu_hegde_2022, tossou_dimitrakakis_2016, hu_et_al_2025)
    for experiment in paper.EXPERIMENTS
}


def find_experiment(name: str) -> Experiment:
    """The experiment of that name; an unknown one is a UsageError with the nearest known names."""
    if name not in EXPERIMENTS:
        raise unknown("experiment", name, EXPERIMENTS)
    return EXPERIMENTS[name]


__all__ = ["EXPERIMENTS", "Experiment", "find_experiment"]
