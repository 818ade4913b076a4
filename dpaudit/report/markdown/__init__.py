"""Pages in Markdown that the commands write beside their results."""
