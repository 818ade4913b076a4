"""Each stated regret bound as a designed experiment with an answer.

A design (`study.Design`) names the paper's statement, the candidate laws and the grid; running it
measures, and one rule (`rule`) gives the verdict: "violated", "not contradicted", "not needed by
any" that was tried, or "not decided", how it hangs on the rule's thresholds, and whether a learner
made false on purpose is caught. Exact regret where there is an engine
(`dpaudit.laboratory.exact`), simulation elsewhere. Designs are the STUDIES of the papers' rooms;
`dpaudit scaling` runs them.
"""

from __future__ import annotations

import time
from functools import partial

from msgspec.structs import replace

from dpaudit.digests import code_digest
from dpaudit.errors import UsageError, unknown
from dpaudit.laboratory.scaling import rule
from dpaudit.laboratory.scaling.measuring import Bench
from dpaudit.laboratory.scaling.study import Design, Outcome
from dpaudit.paper_rooms import modules, papers
from dpaudit.play.catalogue import catalogue, load
from dpaudit.results.scaling import Judged, Point, Study

FIRST = "wu_wang_2025"
"""The paper whose studies are shown first."""
DIGITS = 5
"""Of the numbers of points and curves that are kept; they are judged before."""

STUDIES: dict[str, Design] = {
    f"{design.paper}/{design.name}": design
    for paper in sorted(papers(), key=lambda key: key != FIRST)
    for module in modules(paper, "bounds")
    for design in getattr(module, "STUDIES", ())
}
"""All designs by paper and name."""


def chosen(target: str | None) -> list[Design]:
    """All studies, or those of an algorithm; a study's own name is fine too, and `file.py:NAME`."""
    if target is None:
        return list(STUDIES.values())
    if ":" in target:
        return _of_a_file(target)
    found = [s for key, s in STUDIES.items() if target in (key, s.name) or target in s.targets]
    if not found and target not in catalogue():
        raise unknown("target", target, [*catalogue(), *STUDIES])
    return found


def _of_a_file(target: str) -> list[Design]:
    """Of the STUDIES in anybody's file, `file.py:NAME`: that of the name, or those of an
    algorithm."""
    where, _, name = target.rpartition(":")
    studies = getattr(load(where), "STUDIES", ())
    found = [s for s in studies if name == s.name or {name, target} & set(s.targets)]
    if not found:
        raise UsageError(f"target: {where} has no STUDIES of {name!r}")
    return found


def digest(design: Design) -> str:
    return code_digest(design.run.__module__, design.run.__name__)


def finish(design: Design, *, quick: bool = False, seed: int = 0) -> Study:
    """Measure, and decide by the rule."""
    began = time.perf_counter()
    bench = Bench(f"{design.paper}/{design.name}", seed, quick)
    study = replace(
        decided(design, design.run(bench)), lower_bounds=list(bench.lower_bounds.values())
    )
    return replace(study, seed=seed, quick=quick, seconds=time.perf_counter() - began)


def decided(design: Design, found: Outcome) -> Study:
    """What the rule says of an outcome."""
    judged = [rule.judge(*each) for each in found.curves]
    how = {"lower": found.lower, "every": found.every}
    decide = partial(rule.verdict, found.points, judged, found.control_points, **how)
    verdict, basis = decide()
    answer = found.answer + (f". Growth: {_count(judged)}" if judged else "")
    return Study(
        study=design.name,
        paper=design.paper,
        where=design.where,
        question=design.question,
        targets=list(design.targets),
        laws=design.laws,
        grid=design.grid,
        verdict=verdict,
        basis=basis,
        answer=answer,
        numbers=found.numbers,
        points=[_rounded(p) for p in found.points],
        lower=found.lower,
        judged=[_brief(each) for each in judged],
        sensitivity=rule.sensitivity(decide, found.points, judged),
        control=rule.control(found.points, judged, found.control_points, lower=found.lower),
        control_points=[_rounded(p) for p in found.control_points],
        notes=found.notes,
        axes=list(found.axes),
    )


def _count(judged: list[Judged]) -> str:
    """How many curves got which answer between which laws."""
    groups: dict[tuple[str, str], int] = {}
    for each in judged:
        key = each.laws, each.answer
        groups[key] = groups.get(key, 0) + 1
    return "; ".join(
        f"{answer} ({laws}) in {n} of {len(judged)} curves" for (laws, answer), n in groups.items()
    )


def _rounded(p: Point) -> Point:
    """What is kept of a point; `idle` has done its work in the control."""
    names = ("x", "gap", "epsilon", "regret", "error", "bound", "least")
    known = {name: getattr(p, name) for name in names if getattr(p, name) is not None}
    return replace(p, idle=None, **{name: _short(value) for name, value in known.items()})


def _brief(judged: Judged) -> Judged:
    parts = ("faster", "control", "slower", "over_law")
    return replace(judged, **{name: list(map(_short, getattr(judged, name))) for name in parts})


def _short(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")
