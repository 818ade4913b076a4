"""Checking a constant: is x / (1 + x)**2 <= 1/2 as good as it can be, for x from 0 to 100?

A check builds parts, each of which shows a statement or raises, and returns a finding. `sharp`
looks for the best constant and has it shown from both sides: a proof that it is not exceeded, and a
point that comes within four digits of it.

Run it: python tests/examples/constant.py
"""

from dpaudit.ledger import cover, sharp
from dpaudit.ledger.claims import Claim


def bump(c="1/2"):
    return sharp(
        "x / (1 + x)**2",
        c,
        lambda statement: cover(statement, x=(0, 100)),  # interval arithmetic, box by box
        "x / (1 + x)**2 on [0, 100]",
        x=(0, 100),
    )


lemma = Claim("none", "bump", "this file", "x / (1 + x)**2 <= 1/2 on [0, 100]", bump)

found = lemma.find()  # the constant as printed
print(f"c = 1/2:   {found.verdict}, by {found.method}; the tight constant is {found.tight}")

better = lemma.find(c=found.tight)  # what it could be replaced by
print(f"c = {found.tight}: {better.verdict}")

wrong = lemma.find(c="0.2499")  # a constant that is too good to be true
print(f"c = 0.2499: {wrong.verdict}; counterexample {wrong.counterexample}")
