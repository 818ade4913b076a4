"""Proofs of a stranger's class: a learner in plain Python whose own methods are run on symbols, for
a few numbers of arms.

What depends on rewards is a linear form over the rewards and the private state. A draw of noise
that is added to it makes a noisy value, and whatever uses that is a release of what the noise was
added to, provided that the draw is used once. Anything that cannot be run so is `undecided`."""
