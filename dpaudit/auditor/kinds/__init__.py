"""What is asked about a learner beside the usual question."""
