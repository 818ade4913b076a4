"""The claims ledger: what a check may use, and where a claim is entered.

A check builds *parts* (each shown, or it raises), and returns a finding made of them.
"""

from dpaudit.ledger.claims import claim
from dpaudit.ledger.constants import largest, sharp
from dpaudit.ledger.covers import cover
from dpaudit.ledger.findings import holds, loose, refuted, typo, undecided
from dpaudit.ledger.points import at, each
from dpaudit.ledger.samples import bookings, counts, regret
from dpaudit.ledger.tails import chain, evident, identity, induction, polynomial

__all__ = [
    "at",
    "bookings",
    "chain",
    "claim",
    "counts",
    "cover",
    "each",
    "evident",
    "holds",
    "identity",
    "induction",
    "largest",
    "loose",
    "polynomial",
    "refuted",
    "regret",
    "sharp",
    "typo",
    "undecided",
]
