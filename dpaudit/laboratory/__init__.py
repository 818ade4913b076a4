"""The regret laboratory: simulation, exact regret, scaling verdicts, the papers' experiments."""
