"""The claims, in the order of the paper."""

MODULES = [
    "setting",
    "thompson",
    "privacy",
    "exploration",
    "optimism",
    "saturation",
    "regret",
    "experiments",
]
