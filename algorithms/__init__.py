"""What the papers say: one algorithm, one file, readable beside its pseudo-code.

A folder a paper. Each module defines `ENTRIES`, a list of `dpaudit.algorithm.contract.Algorithm`. A
comment `# l. 4` marks the code of line 4 of the pseudo-code on the card.
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
