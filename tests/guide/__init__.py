"""The guide, and the reference that is made of the docstrings."""
