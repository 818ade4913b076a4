"""Cesari & Colomboni, "Optimal gap-dependent regret for private stochastic decision-theoretic
online learning" (arXiv 2605.29148, 2026). Its text is not at hand, so no claims are checked but the
bound of its abstract, by experiment.
"""
