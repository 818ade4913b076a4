"""Drivers that tell more than the regret."""
