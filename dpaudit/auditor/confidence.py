"""The error probability of an answer: it is made from a confidence at the door, and can only be
split. A part that was handed to a bound, or divided, is used up; whoever uses it again, or takes
more than there is, is stopped.
"""

from __future__ import annotations

from dpaudit.errors import UsageError, check_number

ROUNDING = 1e-9
"""So much more than the whole, relative to it, is the rounding of its parts."""


class Overspent(AssertionError):
    """An error probability was used twice, or more of it than there is: a bug, never bad input."""


class Alpha:
    """A part of an answer's error probability."""

    def __init__(self, value: float) -> None:
        self.value = value
        """How much it was at first: for forecasts of a bound, which need none of it."""
        self.left = value
        self.entries: list[tuple[str, float]] = []
        """What was taken for a named purpose, for the report."""

    @classmethod
    def of(cls, confidence: float) -> Alpha:
        """Of an answer that is to hold with this confidence, in (0, 1)."""
        number = check_number("confidence", confidence, 0.0, 1.0, low_open=True)
        if number >= 1.0:
            raise UsageError(f"confidence: got {confidence!r}, allowed is a number in (0, 1)")
        return cls(1.0 - number)

    def take(self, part: float, what: str = "") -> Alpha:
        """A part of what is left."""
        if not 0.0 < part <= self.left + ROUNDING * self.value:
            raise Overspent(f"confidence overdrawn on {what or 'a part'}")
        self.left = max(0.0, self.left - part)
        if what:
            self.entries.append((what, part))
        return Alpha(part)

    def rest(self, what: str = "") -> Alpha:
        """All that is left."""
        return self.take(self.left, what)

    def split(self, *shares: float) -> tuple[Alpha, ...]:
        """These shares of the whole, at once."""
        return tuple(self.take(self.value * share) for share in shares)

    def spend(self) -> float:
        """The whole, as a number for the formula of one bound."""
        return self.take(self.value).value
