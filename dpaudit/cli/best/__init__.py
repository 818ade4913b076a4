"""The command that says who is best."""
