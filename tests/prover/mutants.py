"""Algorithms from files that are written for a test."""

import importlib.util
import itertools
import sys

NUMBERS = itertools.count()


def load(path):
    """The module in a file, under a name of its own."""
    name = f"written_{next(NUMBERS)}_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
