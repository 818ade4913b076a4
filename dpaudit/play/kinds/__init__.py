"""What learners are that see more than rewards, and give more than arms."""
