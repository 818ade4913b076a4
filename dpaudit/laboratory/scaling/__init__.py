"""Each stated regret bound as a designed experiment with an answer.

A study (`study.Study`) names the paper's statement, the candidate laws and the grid; running it
gives a verdict, "as stated", "better than stated", "violated" or "not decided", and every number
that it rests on. Exact regret where there is an engine (`dpaudit.laboratory.exact`), simulation
elsewhere. A finite grid can refute an explicit bound; it can only support a rate.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

from dpaudit.errors import unknown
from dpaudit.laboratory.scaling.measuring import Bench
from dpaudit.laboratory.scaling.study import SCHEMA, Finished, Outcome, Point, Study
from dpaudit.play.catalogue import catalogue
from proofs_checks.hu_et_al_2025 import bounds as hu_et_al_2025
from proofs_checks.hu_hegde_2022 import bounds as hu_hegde_2022
from proofs_checks.hu_huang_mehta_2021.bounds import bandits as hu_huang_mehta_2021_bandits
from proofs_checks.hu_huang_mehta_2021.bounds import leader as hu_huang_mehta_2021
from proofs_checks.hu_huang_mehta_2021.bounds import worst_cases as full_information
from proofs_checks.tossou_dimitrakakis_2016 import bounds as tossou_dimitrakakis_2016
from proofs_checks.wu_wang_2025.bounds import arms as wu_wang_2025_arms
from proofs_checks.wu_wang_2025.bounds import rounds as wu_wang_2025

STUDIES: dict[str, Study] = {
    f"{study.paper}/{study.name}": study
    for module in (
        wu_wang_2025,
        wu_wang_2025_arms,
        hu_huang_mehta_2021,
        hu_huang_mehta_2021_bandits,
        full_information,
        hu_hegde_2022,
        tossou_dimitrakakis_2016,
        hu_et_al_2025,
    )
    for study in module.STUDIES
}
"""All studies by paper and name."""


def chosen(target: str | None) -> list[Study]:
    """All studies, or those of an algorithm; a study's own name is fine too."""
    if target is None:
        return list(STUDIES.values())
    found = [s for key, s in STUDIES.items() if target in (key, s.name) or target in s.targets]
    if not found and target not in catalogue():
        raise unknown("target", target, [*catalogue(), *STUDIES])
    return found


def finish(
    study: Study, *, quick: bool = False, seed: int = 0, workers: int | None = None
) -> Finished:
    """Run a study."""
    began = time.perf_counter()
    outcome = study.run(Bench(f"{study.paper}/{study.name}", seed, quick, workers))
    return Finished(study, outcome, seed, quick, time.perf_counter() - began)


def run_studies(
    studies: list[Study], *, quick: bool = False, seed: int = 0, workers: int | None = None
) -> Iterator[Finished]:
    """Run studies one after the other."""
    for study in studies:
        yield finish(study, quick=quick, seed=seed, workers=workers)


__all__ = ["SCHEMA", "STUDIES", "Finished", "Outcome", "Point", "Study", "chosen", "finish",
           "run_studies"]  # fmt: skip
