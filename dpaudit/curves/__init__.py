"""Exact privacy of whole learners of two arms: trade-off curve, delta(epsilon) and the tight mu."""
