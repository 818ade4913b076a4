"""Engines: each bounds the privacy parameter from below. What both sampling engines tell other
processes is entered here."""

from typing import Any

from dpaudit.auditor.adversaries import ADVERSARIES, AdaptivePair
from dpaudit.results.audit import Guarantee
from dpaudit.results.found import Pair
from dpaudit.run.plain import travels

_things: tuple[Any, ...] = (Guarantee, Pair, AdaptivePair, *ADVERSARIES.values())
for _thing in _things:
    travels(_thing, __name__)
