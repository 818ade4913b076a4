"""The papers' open questions, and what dpaudit says on each: the document `dpaudit/questions/1`."""

from __future__ import annotations

from typing import Literal

import msgspec

from dpaudit.results.showing import Published


class Question(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A question that a paper leaves open, or a conjecture of it."""

    id: str
    paper: str
    where: str
    asked: str
    answer: Literal["decided", "partly", "open"]
    says: str
    means: str
    """By what the answer is known: a proof, an exact computation, a literature that we cite, …"""
    left: str = ""
    """What stays open."""
    command: str = ""
    """What makes the numbers again."""
    shows: list[str] = msgspec.field(default_factory=list)
    """What of the answer that command prints."""


class Questions(Published, frozen=True, kw_only=True):
    schema: str = "dpaudit/questions/1"
    questions: list[Question]
    version: str
