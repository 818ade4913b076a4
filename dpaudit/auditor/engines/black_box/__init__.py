"""Lower bounds on learners and mechanisms of which only outputs are seen."""
