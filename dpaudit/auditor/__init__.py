"""The auditor: bounds on epsilon from below and from above."""
