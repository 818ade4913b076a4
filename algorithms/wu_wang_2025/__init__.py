"""Wu & Wang (ALT 2025)."""
