"""Learners that are more than rewards in, arms out."""
