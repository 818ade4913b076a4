"""What the papers compare with, as recalled from the literature."""
