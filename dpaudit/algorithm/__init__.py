"""What an algorithm is: its card, its contract, and the cites that tie its code to the card."""
