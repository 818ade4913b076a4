"""The claims, in the order of the paper."""

MODULES = [
    "setting",
    "noise",
    "privacy",
    "bound",
    "equal",
    "releases",
    "intervals",
    "regret",
    "experiments",
]
