"""The scaling studies, in the order in which they are shown."""

MODULES = ["dp_ts_ucb", "quoted"]
