"""What is claimed, in the terms in which it is claimed: epsilon-DP, (epsilon, delta)-DP, GDP
(Dong, Roth & Su 2022), zCDP (Bun & Steinke 2016), Rényi DP (Mironov 2017)."""

from __future__ import annotations

import math
from typing import Any, Literal

import msgspec

from dpaudit.errors import check_number

Notion = Literal["pure", "approximate", "gdp", "zcdp", "rdp"]
LEVELS = {"gdp": "eta", "zcdp": "rho"}
"""The field that holds the level; of the other notions it is epsilon."""
RENYI = ("zcdp", "rdp")
"""Notions that bound Rényi divergences."""


class Guarantee(msgspec.Struct, frozen=True):
    """What is claimed: a level of a notion; (epsilon, delta)-DP has a delta, Rényi DP an order."""

    notion: Notion
    epsilon: float | None = None
    delta: float = 0.0
    eta: float | None = None
    rho: float | None = None
    order: float | None = None

    @classmethod
    def of(cls, notion: Notion, level: float, delta: float = 0.0) -> Guarantee:
        """A level that is an epsilon, an eta or a rho, as the notion has it."""
        return cls(notion, delta=delta, **{LEVELS.get(notion, "epsilon"): level})

    def __post_init__(self) -> None:
        if getattr(self, self.symbol) is None:
            raise ValueError(f"the claim has no level: {self.notion} has one, {self.symbol}")
        if self.notion == "rdp" and self.order is None:
            raise ValueError("the claim has no order, which rdp has")

    @property
    def level(self) -> float:
        found = getattr(self, self.symbol)
        return math.inf if found is None else float(found)

    @property
    def symbol(self) -> str:
        return LEVELS.get(self.notion, "epsilon")

    def public(self) -> dict[str, Any]:
        """As plain data; `Guarantee(**data)` is the guarantee again."""
        more = {name: getattr(self, name) for name in ("eta", "rho", "order")}
        given = {name: value for name, value in more.items() if value is not None}
        return {"notion": self.notion, "epsilon": self.epsilon, "delta": self.delta, **given}

    def __str__(self) -> str:
        if self.notion == "gdp":
            return f"{self.level:.4g}-GDP"
        if self.notion == "zcdp":
            return f"{self.level:.4g}-zCDP"
        if self.notion == "rdp":
            return f"({self.order:.4g}, {self.level:.4g})-RDP"
        if self.notion == "approximate":
            return f"({self.level:.4g}, {self.delta:.3g})-DP"
        return f"{self.level:.4g}-DP"


MOST_EPSILON = 700.0
"""e to a larger power is no number."""
MOST_ORDER = 1e4


def guarantee(epsilon: float, delta: float = 0.0) -> Guarantee:
    """What an epsilon and a delta promise; refuses what is none."""
    level = check_number("epsilon", epsilon, 0.0, MOST_EPSILON, low_open=True)
    if delta == 0.0:
        return Guarantee("pure", level)
    return Guarantee("approximate", level, check_number("delta", delta, 0.0, 1.0, high_open=True))


def gaussian(eta: float) -> Guarantee:
    """eta-GDP; others write mu."""
    return Guarantee.of("gdp", check_number("eta", eta, 0.0, MOST_EPSILON, low_open=True))


def concentrated(rho: float) -> Guarantee:
    """rho-zCDP: every Rényi divergence of order a is at most a rho."""
    return Guarantee.of("zcdp", check_number("rho", rho, 0.0, MOST_EPSILON, low_open=True))


def renyi(order: float, epsilon: float) -> Guarantee:
    """(order, epsilon)-RDP."""
    order = check_number("rdp", order, 1.0, MOST_ORDER, low_open=True)
    level = check_number("rdp", epsilon, 0.0, MOST_EPSILON, low_open=True)
    return Guarantee("rdp", level, order=order)
