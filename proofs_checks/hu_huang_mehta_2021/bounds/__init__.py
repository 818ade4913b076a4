"""The scaling studies, in the order in which they are shown."""

MODULES = ["leader", "bandits", "gap_free", "worst_cases", "full_information"]
