"""Who is best: comparisons as a section of a page, and their frontier as a picture."""
