"""What the papers say: one algorithm, one file, readable beside its pseudo-code; a folder a paper.

Each module defines `ENTRIES`, a list of `dpaudit.algorithm.contract.Algorithm`, and is found
by being there. A comment `# l. 4` stands at the code that does line 4 of the pseudo-code on
the card, which quotes that code; `s. 4` is a step where the paper numbers no lines.
"""

PAPERS = [
    "hu_huang_mehta_2021",
    "hu_hegde_2022",
    "tossou_dimitrakakis_2016",
    "wu_wang_2025",
    "hu_et_al_2025",
    "baselines",
]
"""The five papers by file name, and `baselines`: what they compare with, recalled from the
literature until checked against the text."""
