"""The zoo of the field: learners as strangers write them, broken and sound, at the horizons, arms
and rewards that people use. `python -m tests.quality.field` audits them.

The classes were written without a look at the auditor's engines: what is known here is what is
wrong with each, not how it might be caught. Each broken entry carries two neighbouring inputs and
an event of its actions with probabilities worked out by hand; each sound one says why it is sound,
and where there is a formula, carries an event whose two probabilities are known exactly.
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
