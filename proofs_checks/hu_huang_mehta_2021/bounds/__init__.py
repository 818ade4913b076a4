"""The scaling studies, in the order in which they are shown."""

MODULES = ["leader", "bandits", "worst_cases"]
