"""One way for a run: tasks cut into blocks, played by whoever is there, noted in a journal."""

import threading

leaving = threading.Event()
"""Set when the command line was told to stop: threads that still play are not waited for."""
