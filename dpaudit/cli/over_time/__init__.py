"""Commands about what became of results: between two of them, over many, and since which commit."""
