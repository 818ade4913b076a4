"""The papers' open questions, and what dpaudit says on each: the document `dpaudit/questions/1`."""

from __future__ import annotations

from typing import Literal

import msgspec

from dpaudit.results.showing import Published


class Number(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A number, or a word, in what is said: where it comes from and what it is."""

    name: str
    value: str
    """As it is said; empty where it was not found yet."""
    at: str
    """Its place in the document that the command writes, or in the committed result."""
    run: str = ""
    """The command, without `dpaudit`; or else …"""
    result: str = ""
    """… the committed result."""
    over: str = ""
    """The place of what it is divided by."""
    as_: str = msgspec.field(default="", name="as")
    """How many digits are behind the point, and whether it is rounded `down` or `up`; as it is if
    empty."""


class Question(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A question that a paper leaves open, or a conjecture of it."""

    id: str
    paper: str
    where: str
    quotation: str = ""
    """The paper's words."""
    anchor: str = ""
    """Where they stand in its text: `LINE HASH`."""
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
    """The numbers in what is said."""
    sources: list[Number] = msgspec.field(default_factory=list)


class Questions(Published, frozen=True, kw_only=True):
    schema: str = "dpaudit/questions/1"
    questions: list[Question]
    version: str
