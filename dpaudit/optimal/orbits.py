"""Histories up to a renaming of the arms.

The instances are renamings of each other, and so the average of a learner over all renamings is as
private, no worse in the worst case, and has the same regret on each instance: minimax and average
over the instances are the same, and histories that are renamings of each other are one variable.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpaudit.optimal.question import Question

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Orbits:
    """Of codes 0, 1, ...: to which orbit each belongs, a member of each, and how many it has."""

    of: Ints
    member: Ints
    size: Ints

    @classmethod
    def under(cls, images: list[Ints]) -> Orbits:
        """Of the group whose elements take code c to image[c]."""
        least = images[0]
        for image in images[1:]:
            least = np.minimum(least, image)
        member, of, size = np.unique(least, return_inverse=True, return_counts=True)
        return cls(of.astype(np.int64), member, size)

    def __len__(self) -> int:
        return len(self.member)


class Renamed:
    """The renamings of the arms, as permutations of histories' codes.

    A history's code is that of its actions (digits to base K, the first leading) times L^seen plus
    that of its letters (digits to base L).
    """

    def __init__(self, question: Question) -> None:
        self.question = question
        self.arms, self.alphabet = question.arms, len(question.letters)
        self.renamings = list(itertools.permutations(range(self.arms)))
        self.letters = [self._letters(renaming) for renaming in self.renamings]

    def _letters(self, renaming: tuple[int, ...]) -> Ints:
        found = self.question.letters
        if not self.question.full:
            return np.arange(len(found))
        places = {letter: place for place, letter in enumerate(found)}
        moved = []
        for letter in found:
            image = [0] * self.arms
            for arm, loss in enumerate(letter):
                image[renaming[arm]] = loss
            moved.append(places[tuple(image)])
        return np.array(moved, np.int64)

    def histories(self, actions: int, letters: int) -> list[Ints]:
        """For each renaming the images of all histories of so many actions and letters."""
        return list(self._images(actions, letters))

    def _images(self, actions: int, letters: int) -> Iterator[Ints]:
        for renaming, moved in zip(self.renamings, self.letters, strict=True):
            a = _digitwise(np.array(renaming, np.int64), actions)
            o = _digitwise(moved, letters)
            yield (a[:, None] * len(o) + o[None, :]).ravel()


def _digitwise(image: Ints, digits: int) -> Ints:
    """A map of digits, applied to every digit of every number of so many digits."""
    found = np.zeros(1, np.int64)
    for _ in range(digits):
        found = (found[:, None] * len(image) + image[None, :]).ravel()
    return found
