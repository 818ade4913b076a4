"""The claims, in the order of the paper."""

MODULES = [
    "setting",
    "facts",
    "lazy_ucb",
    "lazy_ts",
    "lazy_ts_sums",
    "noisy_max",
    "leader_brackets",
    "leader_regret",
    "lower_bound",
]
