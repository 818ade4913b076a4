"""A second definition of each catalogue algorithm: plain numpy from the paper's words, apart from
`algorithms/` and naive where that is clever.

`f(rewards, epsilon, rng, **parameters)` returns the actions; the rows are the rounds, and losses
where the card says so. The draws are taken in the order in which `algorithms/` takes them, so that
from one seed both must choose the same. A definition is found by being in a module of this folder,
under the entry's name with _ for -.
"""

import importlib
import pkgutil


def second(name):
    """The second definition of an entry."""
    function = name.replace("-", "_")
    for module in pkgutil.iter_modules(__path__, f"{__name__}."):
        found = getattr(importlib.import_module(module.name), function, None)
        if found is not None:
            return found
    raise LookupError(
        f"{name} has no second definition: write {function} in tests/algorithms/second"
    )
