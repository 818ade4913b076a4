"""What all adapted learners share: who they are made of, for the audit to look at."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dpaudit.errors import UsageError

FEEDBACK = ("bandit", "full-information")


class Made:
    """A learner made of somebody's code. `made_of` is that code: the generators and the state that
    an audit sets, or looks at, are those of its module and of its classes."""

    made_of: Any = None
    feedback = "bandit"


def learner_class(adapted: type[Made], made_of: Callable[..., Any], feedback: str) -> type[Made]:
    """The class under the name of what it is made of."""
    if feedback not in FEEDBACK:
        raise UsageError(f"feedback: got {feedback!r}, allowed is {' or '.join(FEEDBACK)}")
    name = str(getattr(made_of, "__qualname__", type(made_of).__qualname__))
    adapted.__qualname__ = adapted.__name__ = name.rpartition(".")[2].strip("<>")
    adapted.made_of = staticmethod(made_of)
    adapted.feedback = feedback
    return adapted
