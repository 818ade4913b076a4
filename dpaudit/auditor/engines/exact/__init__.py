"""Lower bounds computed from an algorithm's law, certified in ball arithmetic."""
