"""Other people's learners as learner classes, one line for each."""

from dpaudit.adapters.agents import from_agent, from_sklearn
from dpaudit.adapters.commands import from_cli
from dpaudit.adapters.libraries import from_mabwiser, from_obp, from_river, from_smpybandits
from dpaudit.adapters.loops import from_loop
from dpaudit.adapters.methods import from_methods

__all__ = [
    "from_agent",
    "from_cli",
    "from_loop",
    "from_mabwiser",
    "from_methods",
    "from_obp",
    "from_river",
    "from_sklearn",
    "from_smpybandits",
]
