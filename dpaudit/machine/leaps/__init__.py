"""Leaps in law: many rounds drawn at once, other draws than round by round but the same law."""
