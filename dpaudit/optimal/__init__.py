"""The least regret of any private learner, by linear programming, with an exact certificate."""
