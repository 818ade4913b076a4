"""The card of an algorithm: what a reader wants to know before the code.

Each file of `algorithms/` fills one in. The command line shows it, audits take the claim from it,
and `dpaudit.algorithm.cites` holds its pseudo-code against the code.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal

from dpaudit.errors import UsageError, check_count, check_number


class Notion(StrEnum):
    NONE = "none"
    PURE = "pure"
    APPROXIMATE = "approximate"
    GDP = "gdp"


class Adjacency(StrEnum):
    """Which two inputs are neighbours."""

    REWARDS = "one reward vector replaced"
    LOSSES = "one loss vector replaced"


@dataclass(frozen=True)
class Parameter:
    """A named parameter of an algorithm: a number in a range, or one of a few words (a reading)."""

    name: str
    default: float | str
    meaning: str
    low: float = -math.inf
    high: float = math.inf
    words: tuple[str, ...] = ()
    whole: bool = False

    def read(self, value: object) -> float | str:
        """Check a given value; words stay words, `e` is Euler's number where a number is meant."""
        if self.words:
            word = str(value)
            if word not in self.words:
                allowed = ", ".join(self.words)
                raise UsageError(f"{self.name}: got {value!r}, allowed is one of {allowed}")
            return word
        if self.whole:
            return float(check_count(self.name, value, int(self.low), int(self.high)))
        return check_number(self.name, math.e if value == "e" else value, self.low, self.high)


def epsilon_itself(settings: Mapping[str, Any]) -> float:
    """What is claimed where the claim is the algorithm's epsilon."""
    return float(settings["epsilon"])


@dataclass(frozen=True)
class PrivacyClaim:
    """A published privacy claim; `level` computes the claimed parameter from the settings."""

    notion: Notion
    where: str
    statement: str
    level: Callable[[Mapping[str, Any]], float] = epsilon_itself
    per_step: bool = False
    """The paper's definition conditions each action on the earlier ones."""
    claims: tuple[str, ...] = ()
    """Ids of the paper's claims in `proofs_checks` that say whether it is true."""


NO_CLAIM = PrivacyClaim(Notion.NONE, "", "no privacy is claimed")


@dataclass(frozen=True)
class Line:
    """A line of the pseudo-code, in our words, and the code that does it.

    `code` stands in one line of the algorithm's file, which bears the label as a comment. A line
    without code only gives structure: an input, a loop, an else, an end.
    """

    label: str
    text: str
    code: str = ""
    same: str = ""
    """In place of `code`, for steps shared with another entry: its name and its label."""


@dataclass(frozen=True, eq=False)
class Card:
    """An entry of the catalogue: what is published, and the readings of it."""

    name: str
    title: str
    paper: str
    where: str
    feedback: Literal["bandit", "full-information"]
    privacy: PrivacyClaim
    regret: str
    pseudocode: tuple[Line, ...]
    payoff: Literal["rewards", "losses"] = "rewards"
    payoff_range: tuple[float, float] = (0.0, 1.0)
    neighbours: Adjacency = Adjacency.REWARDS
    anytime: bool = True
    epsilon_max: float = math.inf
    parent: str | None = None
    parent_limit: str = ""
    parameters: tuple[Parameter, ...] = ()
    notes: tuple[str, ...] = ()
    fixed: Mapping[str, float | str] = field(default_factory=dict)
    regret_claims: tuple[str, ...] = ()
    """Ids of the paper's claims in `proofs_checks` that say whether the regret bound is true."""

    def public(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "title": self.title,
            "paper": self.paper,
            "where": self.where,
            "feedback": self.feedback,
            "payoff": self.payoff,
            "payoff_range": list(self.payoff_range),
            "neighbours": self.neighbours.value,
            "privacy": {
                "notion": self.privacy.notion.value,
                "where": self.privacy.where,
                "statement": self.privacy.statement,
            },
            "regret": self.regret,
            "anytime": self.anytime,
            "parent": self.parent,
            "parent_limit": self.parent_limit,
            "parameters": [
                {
                    "name": p.name,
                    "default": p.default,
                    "allowed": list(p.words)
                    or [None if math.isinf(b) else b for b in (p.low, p.high)],
                    "meaning": p.meaning,
                }
                for p in self.parameters
            ],
            "notes": list(self.notes),
        }
