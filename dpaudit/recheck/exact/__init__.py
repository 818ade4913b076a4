"""Exact arithmetic on formulas: normal forms, and what is decided by them."""
