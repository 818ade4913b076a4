"""Results over time: what two of them differ in, and what became of each in a row of them."""
