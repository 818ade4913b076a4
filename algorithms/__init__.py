"""What the papers say: one algorithm, one file, readable beside its pseudo-code.

A folder a paper. Each module defines `ENTRIES`, a list of `dpaudit.algorithm.contract.Algorithm`. A
comment `# l. 4` marks the code of line 4 of the pseudo-code on the card.
"""
