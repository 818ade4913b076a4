"""Hu, Huang & Mehta (arXiv 2102.07929)."""
