"""What outputs of many numbers are scored by, and what scores show of the whole trade-off."""
