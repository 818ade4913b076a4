"""The papers' experiments by name: settings, curves, and what the papers say about their figures.

They are the EXPERIMENTS of the papers' rooms, data and sentences only;
`dpaudit.laboratory.reproduction` runs them.
"""

from __future__ import annotations

from dpaudit.errors import unknown
from dpaudit.laboratory.experiments.terms import Experiment
from dpaudit.paper_rooms import modules, papers

EXPERIMENTS: dict[str, Experiment] = {
    experiment.name: experiment
    for paper in papers()
    for module in modules(paper, "figures")
    for experiment in getattr(module, "EXPERIMENTS", ())
}


def find_experiment(name: str) -> Experiment:
    """The experiment of that name; an unknown one is a UsageError with the nearest known names."""
    if name not in EXPERIMENTS:
        raise unknown("experiment", name, EXPERIMENTS)
    return EXPERIMENTS[name]
