"""Tossou & Dimitrakakis (AAAI 2016)."""
