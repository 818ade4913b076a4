"""What a learner can get hold of without being handed it: chance, memory, the clock."""
