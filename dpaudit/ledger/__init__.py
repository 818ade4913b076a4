"""The claims ledger: what a check may use, and where a claim is entered.

A check builds *parts* (each shown, or it raises), and returns a finding made of them.
"""

from dpaudit.ledger.claims import (
    Finding,
    ambiguous,
    claim,
    claims_of,
    holds,
    laboratory,
    loose,
    refuted,
    typo,
    undecided,
    words,
)
from dpaudit.ledger.constants import sharp
from dpaudit.ledger.parts import at, cover, each
from dpaudit.ledger.samples import bookings, counts, proved, regret
from dpaudit.ledger.symbolic import chain, evident, identity, induction, polynomial

__all__ = [
    "Finding",
    "ambiguous",
    "at",
    "bookings",
    "chain",
    "claim",
    "claims_of",
    "counts",
    "cover",
    "each",
    "evident",
    "holds",
    "identity",
    "induction",
    "laboratory",
    "loose",
    "polynomial",
    "proved",
    "refuted",
    "regret",
    "sharp",
    "typo",
    "undecided",
    "words",
]
