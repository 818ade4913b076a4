"""Learners that keep Laplace noise: linear forms of it, and the probabilities of inequalities."""
