"""Where a learner's leak is looked for: lengths of play, pairs, and walks between tables."""
