"""Checks the certificate of an optimum, in whole numbers: it is a lower bound for every private
learner. Shares no code with what found it.

The certificate is a number z >= 0 for each pair of whole histories that differ in one letter. If a
learner is private, x[here] - ratio x[there] is at most 0 (with delta, these are together at most
delta for each pair of letter sequences), so that its regret, averaged over the instances, is at
least regret + sum z (x[here] - ratio x[there]) - delta (sum of the largest z). The least of that
over *all* learners, private or not, is found backwards: the last action is the cheapest for what
was seen, and so on. No multiplier can make the bound wrong, only low.

What is taken for granted: the worst case is no less than the average; with full information a first
action shows nothing, and a round in which all losses are 1 is as good as one in which all are 0
(`dpaudit.optimal.question`).
"""

from __future__ import annotations

import base64
import itertools
import json
import lzma
from dataclasses import dataclass
from fractions import Fraction
from math import factorial
from pathlib import Path
from typing import Any

import numpy as np

from dpaudit.recheck.numbers import Refused as Refused
from dpaudit.recheck.numbers import need

SCHEMA = "dpaudit/optimum-certificate/2"
PLAIN = "dpaudit/optimum-certificate/1"
"""Older ones: the same numbers, whole and not in planes of bytes, and codes, not their steps."""
MOST_BYTES, MOST_EPSILON = 2**30, 700
Numbers = Any
"""An array of Python's whole numbers, which do not overflow."""


@dataclass(frozen=True)
class Game:
    """Who plays what: the numbers of the certificate."""

    rounds: int
    arms: int
    epsilon: Fraction
    delta: Fraction
    gap: Fraction
    full: bool

    @property
    def actions(self) -> int:
        return self.rounds - 1 if self.full else self.rounds

    def seen(self, actions: int) -> int:
        return actions if self.full else actions - 1


def load(file: Path) -> dict[str, Any]:
    try:
        data = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise Refused(f"{file.name}: cannot be read ({type(error).__name__})") from None
    if not isinstance(data, dict) or data.get("schema") not in (SCHEMA, PLAIN):
        raise Refused(f"{file.name}: no certificate of an optimum")
    return data


def check(file: Path) -> tuple[dict[str, Any], Fraction]:
    """The certificate and the bound that it proves; or Refused, also where it states a larger
    one."""
    data = load(file)
    try:
        bound = proved(data)
        need(Fraction(data["certified"]) <= bound, f"it states {data['certified']} and proves less")
    except (LookupError, TypeError, ValueError, ArithmeticError, lzma.LZMAError) as error:
        raise Refused(f"{file.name}: malformed ({type(error).__name__} {error})") from None
    except Refused as refused:
        raise Refused(f"{file.name}: {refused}") from None
    return data, bound


def proved(data: dict[str, Any]) -> Fraction:
    """The lower bound on the regret of every private learner that the multipliers prove."""
    feedback, whole = data["feedback"], [data[name] for name in ("rounds", "arms", "scale")]
    need(all(type(number) is int for number in whole), "a whole number that is none")
    need(feedback in ("bandit", "full-information"), "feedback of another kind")
    epsilon, delta, gap = (Fraction(data[name]) for name in ("epsilon", "delta", "gap"))
    full = feedback == "full-information"
    game = Game(data["rounds"], data["arms"], epsilon, delta, gap, full)
    need(2 <= game.rounds <= 64 and 2 <= game.arms <= 8, "rounds or arms out of range")
    need(
        0 < game.gap <= 1 and 0 <= game.epsilon <= MOST_EPSILON and 0 <= game.delta <= 1,
        "numbers out of range",
    )
    need(game.full or game.delta == 0, "delta with bandit feedback")
    ratio = Fraction(data["ratio"])
    need(ratio >= _above_exponential(game.epsilon), "the ratio is below e^epsilon")
    letters, moved = _letters(game)
    size = game.arms**game.actions * len(letters) ** game.seen(game.actions)
    need(size * game.seen(game.actions) * len(letters) <= 2**27, "too large to be checked")
    charge, unit, lost = _charged(game, data, len(letters), moved, ratio)
    first = game.gap * (game.arms - 1) / game.arms if game.full else Fraction(0)
    return first + _least(game, letters, charge, unit) - lost


def _above_exponential(epsilon: Fraction) -> Fraction:
    """Not less than e^epsilon: Taylor's sum, and twice the first term that is left out, since from
    there on each term is at most half of the one before."""
    total = term = Fraction(1)
    k = 1
    while k <= 2 * epsilon or term > Fraction(1, 2**120):
        term = term * epsilon / k
        total += term
        k += 1
    return total + 2 * term * epsilon / k


def _letters(game: Game) -> tuple[list[list[list[Fraction]]], list[list[int]]]:
    """By letter, instance and arm that was pulled: the letter's probability; and for each renaming
    of the arms (in the order of `permutations`) what becomes of the letters."""
    low, high = (1 - game.gap) / 2, (1 + game.gap) / 2
    arms = range(game.arms)
    if not game.full:
        mean = [[low if i == a else high for a in arms] for i in arms]
        chance = [[[m if loss else 1 - m for m in row] for row in mean] for loss in (0, 1)]
        return chance, [[0, 1] for _ in itertools.permutations(arms)]
    vectors = list(itertools.product((0, 1), repeat=game.arms))

    def of(vector: tuple[int, ...], instance: int) -> Fraction:
        result = Fraction(1)
        for k, loss in enumerate(vector):
            mean = low if k == instance else high
            result *= mean if loss else 1 - mean
        return result

    merged = [[of(v, i) for i in arms] for v in vectors[:-1]]
    merged[0] = [p + of(vectors[-1], i) for i, p in enumerate(merged[0])]
    moved = []
    for renaming in itertools.permutations(arms):
        back = [renaming.index(k) for k in arms]
        moved.append([vectors.index(tuple(v[b] for b in back)) for v in vectors[:-1]])
    return [[[p] * game.arms for p in row] for row in merged], moved


def _charged(
    game: Game, data: dict[str, Any], alphabet: int, moved: list[list[int]], ratio: Fraction
) -> tuple[Numbers, int, Fraction]:
    """What each whole history (a row an action sequence, a column a letter sequence) is charged, in
    units of 1 / unit; and what delta takes away."""
    entries = _unpacked(data)
    seen = game.seen(game.actions)
    columns = alphabet**seen
    history, rest = np.divmod(entries[0], seen * alphabet)
    place, letter = np.divmod(rest, alphabet)
    whole = game.arms**game.actions * columns
    need(
        bool(np.all((history >= 0) & (history < whole) & (entries[1] >= 0))), "entries out of range"
    )
    played, shown = np.divmod(history, columns)
    charge = np.zeros((game.arms**game.actions, columns), object)
    # The average over the renamings of the arms: each of them has as good a claim.
    unit = int(data["scale"]) * ratio.denominator * factorial(game.arms)
    need(int(data["scale"]) > 0, "a scale that is not positive")
    lost, most = 0, np.zeros((columns, seen * alphabet), object)
    together: dict[tuple[int, int, int], int] = {}
    amounts = [int(v) for v in entries[1]]
    for renaming, letters in zip(itertools.permutations(range(game.arms)), moved, strict=True):
        a = _renamed(played, list(renaming), game.actions)
        o = _renamed(shown, letters, seen)
        new = np.array(letters, np.int64)[letter]
        step = alphabet ** (seen - 1 - place)
        other = o + (new - o // step % alphabet) * step
        values = np.array([*amounts, None], object)[:-1]
        np.add.at(charge, (a, o), values * ratio.denominator)
        np.add.at(charge, (a, other), -values * ratio.numerator)
        if game.delta:
            keys = zip(a.tolist(), o.tolist(), (place * alphabet + new).tolist(), strict=True)
            for key, value in zip(keys, amounts, strict=True):
                together[key] = together.get(key, 0) + value
    for (_, o_, other_), total in together.items():
        most[o_, other_] = max(most[o_, other_], total)
    lost = int(most.sum()) * ratio.denominator
    return charge, unit, game.delta * Fraction(lost, unit)


def _unpacked(data: dict[str, Any]) -> Any:
    """Two rows: the pairs' codes and the multipliers."""
    unpack = lzma.LZMADecompressor(memlimit=MOST_BYTES)
    raw = unpack.decompress(base64.b64decode(data["multipliers"], validate=True), MOST_BYTES)
    if data["schema"] == PLAIN:
        return np.frombuffer(raw, "<i8").reshape(2, -1)
    planes = np.frombuffer(raw, np.uint8).reshape(2, 8, -1)
    entries = planes.transpose(0, 2, 1).copy().view("<i8")[:, :, 0]
    return np.stack([entries[0].cumsum(), entries[1]])


def _renamed(codes: Any, image: list[int], digits: int) -> Any:
    """Numbers with every digit, to base len(image), replaced."""
    base, result = len(image), np.zeros_like(codes)
    for place in range(digits):
        power = base**place
        result = result + np.array(image, np.int64)[codes // power % base] * power
    return result


def _least(game: Game, letters: list[list[list[Fraction]]], charge: Numbers, unit: int) -> Fraction:
    """The least of regret and charges over all learners, backwards from the last action."""
    arms, base = game.arms, 1
    for row in letters:
        for chances in row:
            for p in chances:
                base = max(base, p.denominator)
    # Probabilities are powers of the same denominator.
    need(all(base % p.denominator == 0 for r in letters for c in r for p in c), "no common unit")
    seen = game.seen(game.actions)
    price = game.gap / arms
    scale = base**seen * price.denominator
    value = charge * scale
    for actions in range(game.actions, 0, -1):
        known = game.seen(actions)
        last = np.arange(arms**actions) % arms
        for instance in range(arms):
            weight = _weights(game, letters, instance, actions, known, base)
            factor = base ** (seen - known) * price.numerator * unit
            value = value + weight * factor * (last != instance)[:, None].astype(object)
        best = value.reshape(arms ** (actions - 1), arms, -1).min(axis=1)
        before = game.seen(actions - 1) if actions > 1 else 0
        value = best.reshape(len(best), len(letters) ** before, -1).sum(axis=2)
    return Fraction(int(value[0, 0]), unit * scale)


def _weights(
    game: Game,
    letters: list[list[list[Fraction]]],
    instance: int,
    actions: int,
    known: int,
    base: int,
) -> Numbers:
    """base^known times the probability of what is known, for each action sequence."""
    table = np.array(
        [[int(row[instance][a] * base) for row in letters] for a in range(game.arms)], object
    )
    if game.full:
        line = np.ones(1, object)
        for _ in range(known):
            line = np.multiply.outer(line, table[0]).ravel()
        return np.broadcast_to(line, (game.arms**actions, len(line)))
    grid = np.ones((1, 1), object)
    for _ in range(known):
        grid = np.einsum("ao,bp->abop", grid, table).reshape(len(grid) * game.arms, -1)
    return np.repeat(grid, game.arms, axis=0)
