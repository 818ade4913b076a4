"""Exact expected regret: `regret` answers, by `winning` over `sums` and `quadrature`."""
