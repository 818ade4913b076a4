"""Each stated regret bound as a designed experiment with an answer.

A design (`study.Design`) names the paper's statement, the candidate laws and the grid; running it
gives a verdict, "as stated", "better than stated", "violated" or "not decided", and every number
that it rests on. Exact regret where there is an engine (`dpaudit.laboratory.exact`), simulation
elsewhere. A finite grid can refute an explicit bound; it can only support a rate. Designs are the
STUDIES of the papers' rooms; `dpaudit scaling` runs them.
"""

from __future__ import annotations

import time

from dpaudit.digests import code_digest
from dpaudit.errors import unknown
from dpaudit.laboratory.scaling.measuring import Bench
from dpaudit.laboratory.scaling.study import Design
from dpaudit.paper_rooms import modules, papers
from dpaudit.play.catalogue import catalogue
from dpaudit.results.scaling import Study

FIRST = "wu_wang_2025"
"""The paper whose studies are shown first."""

STUDIES: dict[str, Design] = {
    f"{design.paper}/{design.name}": design
    for paper in sorted(papers(), key=lambda key: key != FIRST)
    for module in modules(paper, "bounds")
    for design in getattr(module, "STUDIES", ())
}
"""All designs by paper and name."""


def chosen(target: str | None) -> list[Design]:
    """All studies, or those of an algorithm; a study's own name is fine too."""
    if target is None:
        return list(STUDIES.values())
    found = [s for key, s in STUDIES.items() if target in (key, s.name) or target in s.targets]
    if not found and target not in catalogue():
        raise unknown("target", target, [*catalogue(), *STUDIES])
    return found


def digest(design: Design) -> str:
    return code_digest(design.run.__module__, design.run.__name__)


def finish(design: Design, *, quick: bool = False, seed: int = 0) -> Study:
    began = time.perf_counter()
    found = design.run(Bench(f"{design.paper}/{design.name}", seed, quick))
    return Study(
        study=design.name,
        paper=design.paper,
        where=design.where,
        question=design.question,
        targets=list(design.targets),
        laws=design.laws,
        grid=design.grid,
        **{**vars(found), "axes": list(found.axes)},
        seed=seed,
        quick=quick,
        seconds=time.perf_counter() - began,
    )
