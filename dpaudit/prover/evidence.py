"""What a proof rests on, in a file."""
from __future__ import annotations
def save(one, out): pass
def recheck(target): return 0
