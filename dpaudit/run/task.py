"""Blocks of runs, the unit of work; streams of randomness; and tasks, what is done to every block.

Block i has its own child of the seed, so any number of workers, in any order, gives the same
numbers. A task is a function that makes a player, and what that function is given. The player turns
a block into a record: numbers, arrays and lists of them that add up. Tasks and records are objects
as long as they stay in this process; `dpaudit.run.plain` says what they are when they leave it.
"""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from dpaudit.run.code import package_digest
from dpaudit.run.plain import Parcel, name_of, pack, unpack

ROUNDS_IN_A_BLOCK = 2**20
"""A block holds about so many rounds: some 20 ms of compiled work."""
LARGEST_BLOCK = 2**14


@dataclass(frozen=True)
class Block:
    """A block of runs: its number, its first run and how many there are."""

    number: int
    first: int
    runs: int

    def generator(self, seed: int) -> np.random.Generator:
        return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(self.number,)))


def stream(seed: int, *path: int) -> int:
    """The seed of a part of the work, found by its path from the seed."""
    words = np.random.SeedSequence(seed, spawn_key=path).generate_state(2, np.uint64)
    return int(words[0] >> np.uint64(1))


def cut(runs: int, size: int) -> Iterator[Block]:
    """Cut `runs` runs into blocks of `size`."""
    for number, first in enumerate(range(0, runs, size)):
        yield Block(number, first, min(size, runs - first))


def blocks(runs: int, rounds: int) -> Iterator[Block]:
    """Cut `runs` runs into blocks; `rounds` is the work of one run. Depends on nothing else."""
    return cut(runs, max(1, min(LARGEST_BLOCK, ROUNDS_IN_A_BLOCK // max(1, rounds))))


def large_blocks(runs: int, rounds: int) -> Iterator[Block]:
    """Blocks for work of any size: some 128 of them, but none under 20 ms or over a second or so.
    Depends on nothing else."""
    least, most = ROUNDS_IN_A_BLOCK, 64 * ROUNDS_IN_A_BLOCK
    return cut(runs, max(1, min(most, max(least, runs * rounds // 128)) // max(1, rounds)))


Record = dict[str, Any]
Play = Callable[[Block], Record]
Home = Literal["thread", "process", "fresh process"]


class Letter(NamedTuple):
    """A task as it is told to another process, and the code that it must have there."""

    kind: str
    name: str
    text: str
    where: dict[str, str]
    home: Home
    code: str


@dataclass(frozen=True)
class Task:
    """`make(**given)` is the player; `make` is marked with `plain.travels`. `name` is who is
    played, for messages. User code is played in a process of its own, one for all blocks or a fresh
    one for each."""

    make: Callable[..., Play]
    name: str
    given: dict[str, Any]
    home: Home = "thread"

    @functools.cached_property
    def player(self) -> Play:
        """What plays a block, in this process."""
        return self.make(**self.given)

    @property
    def kind(self) -> str:
        """The task in a word, for messages."""
        return self.make.__name__.replace("_", "-")

    @functools.cached_property
    def _packed(self) -> tuple[str, Parcel]:
        parcel = Parcel()
        plain = pack(self.given, parcel)
        return json.dumps(plain, sort_keys=True, separators=(",", ":")), parcel

    @property
    def stays(self) -> bool:
        return self._packed[1].stays

    @property
    def untold(self) -> str:
        """What of it another task may differ in that has the same digest, if anything."""
        return self._packed[1].untold

    @property
    def letter(self) -> Letter:
        """What another process is told."""
        text, parcel = self._packed
        who = name_of(self.make), self.name, text
        return Letter(*who, parcel.where, self.home, package_digest())

    @functools.cached_property
    def digest(self) -> str:
        """Digest of everything that the records depend on."""
        return digest_of(package_digest(), self.kind, self._packed[0])


def text_of(record: Record) -> str:
    return json.dumps(pack(record, Parcel()), separators=(",", ":"))


def record_of(text: str) -> Record:
    record: Record = unpack(json.loads(text), Parcel())
    return record


def digest_of(*parts: str) -> str:
    whole = hashlib.sha256()
    for part in parts:
        whole.update(f"{len(part)}:{part}".encode())
    return whole.hexdigest()[:32]
