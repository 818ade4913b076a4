"""What the papers prove: one module per paper, one function per claim."""
