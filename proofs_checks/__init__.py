"""What the papers claim: one room a paper, KEY/{claims/, bounds, figures}, found by being there.

A check in `claims` builds the parts of a certificate with what `dpaudit.ledger` offers and returns
a finding; its name is the claim's id. `bounds` holds STUDIES for `dpaudit scaling`, `figures` holds
EXPERIMENTS for `dpaudit reproduce`.
"""
