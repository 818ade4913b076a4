"""One way for a run: tasks cut into blocks, played by whoever is there, noted in a journal."""
