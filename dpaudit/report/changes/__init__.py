"""Differences and histories, as Markdown for a pull request and as a page."""
