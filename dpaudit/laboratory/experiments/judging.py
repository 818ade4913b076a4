"""A sentence held against an experiment that is played with several seeds.

Every seed plays the experiment as the paper ran it, with the paper's number of runs, and the
sentence is judged in each. Whether it is confirmed is then a coin whose chance is that of the
sentence under the learner; tosses are independent, so Clopper and Pearson's interval is exact.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from dpaudit.laboratory.bands import chance_band
from dpaudit.laboratory.experiments.terms import BAND, Curves, Measured, Sentence
from dpaudit.results.reproduction import Sentence as Answered
from dpaudit.results.reproduction import Verdict, common

VERDICTS: dict[bool | None, Verdict] = {True: "confirmed", False: "not confirmed", None: "open"}
FINE = 10_000
"""Chances are kept to one part in so many, rounded outward."""


def judge(said: Sentence, repetitions: Sequence[Curves]) -> Answered:
    """The verdict in which all repetitions agree, or open; the numbers are of the first one.

    A sentence on computed curves alone is the same with every seed: it is judged once and has no
    chance. Nor is one said where there is one seed.
    """
    looked = Looked(repetitions[0])
    answer, numbers = said.check(looked)
    answers = [VERDICTS[answer]]
    if len(repetitions) == 1 or all(each.exact for each in looked.at.values()):
        return Answered(text=said.text, reading=said.reading, verdict=answers[0], numbers=numbers)
    answers += [VERDICTS[said.check(curves)[0]] for curves in repetitions[1:]]
    low, high = chance_band(answers.count("confirmed"), len(answers), 1.0 - BAND)
    return Answered(
        text=said.text,
        reading=said.reading,
        verdict=common(answers),
        numbers=numbers,
        answers=answers,
        chance=[math.floor(low * FINE) / FINE, math.ceil(high * FINE) / FINE],
    )


class Looked(Mapping[tuple[str, str], Measured]):
    """Curves that note which of them were looked at."""

    def __init__(self, curves: Curves) -> None:
        self.curves = curves
        self.at: dict[tuple[str, str], Measured] = {}

    def __getitem__(self, key: tuple[str, str]) -> Measured:
        self.at[key] = self.curves[key]
        return self.at[key]

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self.curves)

    def __len__(self) -> int:
        return len(self.curves)
