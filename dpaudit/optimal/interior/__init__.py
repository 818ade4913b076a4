"""The program solved by an interior-point method that knows its shape: much faster than a general
one, which cannot see that the privacy constraints of different actions have nothing in common."""
