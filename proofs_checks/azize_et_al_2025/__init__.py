"""Azize, Wu, Honda, Orabona, Ito & Basu, "Optimal regret of Bernoulli bandits under global
differential privacy" (arXiv 2505.05613, 2025). Its text is not at hand, so no claims are checked.
"""
