"""The claims, in the order of the paper."""

MODULES = [
    "setting",
    "algorithm",
    "privacy",
    "monotone",
    "tails",
    "rates",
    "lower_bound",
    "softmax",
    "deterministic",
]
