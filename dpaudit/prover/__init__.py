"""Proofs about the releases of an algorithm, from its own source run on symbols."""
