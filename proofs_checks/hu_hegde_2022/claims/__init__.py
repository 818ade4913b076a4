"""The claims, in the order of the paper."""

MODULES = [
    "setting",
    "mechanism",
    "privacy",
    "dp_ts",
    "concentration",
    "reduction",
    "lazy",
    "experiments",
]
