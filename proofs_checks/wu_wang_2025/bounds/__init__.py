"""The scaling studies, in the order in which they are shown."""

MODULES = ["rounds", "arms", "beyond"]
