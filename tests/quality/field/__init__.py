"""The zoo of the field: learners as strangers write them, broken and sound, at the horizons, arms
and rewards that people use. `python -m tests.quality.field` audits them.

The classes were written without a look at the auditor's engines: what is known here is what is wrong
with each, not how it might be caught. Each broken entry carries two neighbouring inputs and an event
of its actions with probabilities worked out by hand; each sound one the reason why it is.
"""

from tests.quality.field import adaptive, late, noise, odd, wide
from tests.quality.field.entry import BROKEN, SOUND

__all__ = ["BROKEN", "SOUND", "adaptive", "late", "noise", "odd", "wide"]
