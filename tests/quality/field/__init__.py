"""The zoo of the field: learners as strangers write them, broken and sound, at the horizons, arms
and rewards that people use. `python -m tests.quality.field` audits them.

The classes were written without a look at the auditor's engines: what is known here is what is
wrong with each, not how it might be caught.

Broken. An entry carries two inputs that differ in one round and an event of its actions with both
probabilities worked out by hand; epsilon is at least the logarithm of their quotient. Infinite
means that the event happens under one input and, but for rounding, not under the other. The event
need not be the easiest one to find. Most of `late`, `noise` and `odd` are blind, or noised enough,
until the round that the event ends with: a shorter horizon shows nothing. Exceptions are
`Leaky...`, which leaks from round 4 on whatever the horizon, `Annealed` and `RestartHalves`, which
leak more and more from round 255 on. Those of `wide` and `adaptive` wait for an arm, a value or an
adversary rather than for a round; where an adversary is named, fixed tables show the leak with
probability 3e-6 at most.

Sound. Epsilon-private as a law of the actions of one run in a process of its own, with ideal
generators, for all tables in [0, 1]. What several runs of one process show together is another
matter: they may repeat, follow one another or share a coin, and that must not be taken for a leak.
Where the randomness is the system's or the clock's, no seed makes a run again.

An entry is a class with `@broken` or `@sound` on top (`entry.py` has the fields) in one of the
modules below; `tests/quality/test_field.py` sees whether it stands on the right side.
"""

from tests.quality.field import (  # noqa: F401  (they enter themselves)
    adaptive,
    late,
    noise,
    odd,
    sound_generators,
    sound_state,
    wide,
)
from tests.quality.field.entry import BROKEN, SOUND

__all__ = ["BROKEN", "SOUND"]
