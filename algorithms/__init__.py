"""What the papers say: one algorithm, one file, readable beside its pseudo-code; a folder a paper.

Each module defines `ENTRIES`, a list of `dpaudit.algorithm.contract.Algorithm`, and is found
by being there. A comment `# l. 4` stands at the code that does line 4 of the pseudo-code on
the card, which quotes that code; `s. 4` is a step where the paper numbers no lines.
"""
