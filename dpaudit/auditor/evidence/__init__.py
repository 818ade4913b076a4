"""Evidence that adds up over time: the same event, counted again and again on fresh runs."""
