"""Who is best: algorithms on the same instances, with what is certain about their order."""

from dpaudit.laboratory.comparing.comparison import compare

__all__ = ["compare"]
