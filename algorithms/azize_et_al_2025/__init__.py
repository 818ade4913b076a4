"""Azize, Wu, Honda, Orabona, Ito & Basu (arXiv 2505.05613, 2025)."""
