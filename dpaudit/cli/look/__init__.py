"""Commands that look: at the catalogue, at results, at a journal."""
