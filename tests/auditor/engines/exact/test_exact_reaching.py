"""Steps that draw, remember or look at the clock by other means than what they are handed.

The learner gives its first reward away in one run of a thousand, or never, by a coin. Derived along
one run, in which the coin did not fall so, its law would be that of a learner that gives nothing.
"""

import dataclasses
import importlib
import itertools

import pytest

from dpaudit.auditor.engines.exact.engine import exact_lower, refusal
from dpaudit.play.catalogue import find
from dpaudit.play.tables import configured

NUMBERS = itertools.count()
STEPS = """
import functools, math, operator, os, random, secrets, time, uuid
import random as chance
import numpy as np
import numpy as plain
import another_NUMBER
from another_NUMBER import TABLE, coin, coin_of_its_own
from math import sqrt
from numpy import zeros as nought
from numpy.random import default_rng
from random import random as uniform
from time import perf_counter
from typing import NamedTuple

GENERATOR = np.random.default_rng()
KEPT = (1.0, GENERATOR)
LISTED = [0.0]
HALF = (0.25, 0.75)
WEIGHTS = np.array([0.5, 0.5])
COUNT = 0
THIRD = np.float64(1.0) / 3.0
NOTHING = None


def drawn(*_):
    return random.random()


class Number(float):
    __mul__ = drawn


class Numbers(tuple):
    __getitem__ = drawn


class Cells(np.ndarray):
    __getitem__ = drawn


class Named(NamedTuple):
    half: float

    @property
    def coin(self):
        return random.random()


class Plain(NamedTuple):
    half: float


SCALE, PAIR, CELLS = Number(1.0), Numbers((1.0, 1.0)), np.zeros(1).view(Cells)
NAMED, PLAIN = Named(0.5), Plain(0.5)
elementwise = np.frompyfunc(drawn, 1, 1)


def caught():
    def within():
        try:
            return math.sqrt(-1.0)
        except:
            return 0.5
    return within()


def checked(u):
    if u < -1.0:
        raise ValueError("below")
    return u


class Holder:
    rng = np.random.default_rng()


def helper(u):
    return math.log1p(u) * HALF[0] + WEIGHTS[0] * sqrt(u)


def passing(u):
    mine = helper
    mine.seen = u


def attributed(u):
    return u


attributed.rng = GENERATOR
cached = functools.cache(helper)
partial = functools.partial(operator.mul, 1.0)


def select(arms, own, t, rng):
    return own.playing


def observe(arms, own, arm, pulls, reward, there, rngDEFAULT):
    own.played += 1
    if own.played == 1:
        BEFORE
        if COIN < 0.001:
            own.playing = 1 if reward[0] > 0.5 else 0
"""
ANOTHER = """
import random
import numpy as np

TABLE = np.zeros(1)
HERS = np.random.default_rng()


def coin():
    return random.random()


def coin_of_its_own():
    return HERS.random()
"""
COINS = {
    "made in the step": ("np.random.default_rng().random()", "np.random"),
    "made, under a name of its own": ("default_rng().random()", "default_rng"),
    "numpy's own": ("np.random.random()", "np.random"),
    "numpy, under another name": ("plain.random.random()", "plain.random"),
    "Python's": ("random.random()", "random.random"),
    "Python's, under another name": ("chance.random()", "chance.random"),
    "Python's function": ("uniform()", "uniform"),
    "secrets": ("secrets.randbelow(1000) / 1000", "secrets.randbelow"),
    "the system's": ("os.urandom(1)[0] / 256", "os.urandom"),
    "the clock": ("time.time() % 1.0", "time.time"),
    "the clock's function": ("perf_counter() % 1.0", "perf_counter"),
    "a number of its own": ("uuid.uuid4().int % 1000 / 1000", "uuid.uuid4"),
    "where a thing is kept": ("id(arms) // 16 % 1000 / 1000", "id"),
    "memory as it was": ("np.empty(1)[0]", "np.empty"),
    "a module's generator": ("GENERATOR.random()", "GENERATOR.random"),
    "in a tuple": ("KEPT[1].random()", "KEPT"),
    "a class's attribute": ("Holder.rng.random()", "Holder.rng"),
    "a function's attribute": ("attributed.rng.random()", "attributed.rng"),
    "a list that may change": ("LISTED[0]", "LISTED"),
    "remembered answers": ("cached(0.5)", "cached"),
    "a function that is no plain one": ("partial(0.5)", "partial"),
    "a helper elsewhere": ("another_NUMBER.coin()", "another_"),
    "a helper elsewhere, by its name": ("coin()", "random.random"),
    "its generator elsewhere": ("coin_of_its_own()", "HERS.random"),
    "in a comprehension": ("sum([random.random() for _ in range(1)])", "random.random"),
    "in a function within": ("(lambda: uniform())()", "uniform"),
    "imported in the step": ("own.played * __import__('random').random()", "__import__"),
    "asked for by its class": ("reward.__class__(1)[0]", "__class__"),
    "a ufunc of its own": ("elementwise(0.5)", "elementwise"),
    "a number's own product": ("SCALE * 0.5", "SCALE"),
    "a tuple's own items": ("PAIR[0]", "PAIR"),
    "a named tuple's property": ("NAMED.coin", "NAMED.coin"),
    "an array's own items": ("CELLS[0]", "CELLS"),
    "what a ufunc leaves out": ("np.log(np.ones(2), where=np.zeros(2) > 0.0)[0]", "where="),
    "where an array is kept": ("np.ones(1).ctypes.data % 1000 / 1000", "ctypes"),
    "in a frame": ("(_ for _ in ()).gi_frame.f_builtins['id'](own) / 1e9", "gi_frame"),
    "the order of words": ("float([w for w in {'x', 'y', 'z'}][0] == 'x')", "a set"),
    "the order of words that are kept": ("float(max({'x', 'y'}, key=len) == 'x')", "a set"),
    "the order of a constant": ("sum([w == 'x' for w in {'x', 'y', 'z'}][:1])", "a set"),
    "a function's text": ("int(f'{helper}'[-8:-2], 16) % 1000 / 1000", "helper"),
    "evaluated": ("eval('random.random()')", "eval"),
}
HANDED = {
    "the handed generator": "rng.random()",
    "with a helper, numbers, arrays": "rng.random() + 0.0 * helper(0.5) + 0.0 * TABLE[0]",
    "with a named tuple": "rng.random() * 2.0 * PLAIN.half",
    "with a number of numpy's": "rng.random() * 3.0 * THIRD",
    "with a function of numpy's by a name of its own": "rng.random() + nought(1)[0]",
    "with a generator's items": "rng.random() * sum(share for share in HALF)",
    "with nothing": "rng.random() if NOTHING is None else 0.0",
    "with an error that is not raised": "checked(rng.random())",
    "with one of some constants": "rng.random() if own.played in {1, 2} else 0.0",
    "with arrays that are made": "rng.random() + np.zeros_like(WEIGHTS)[0] * np.diff(WEIGHTS)[0]",
}


def learner(folder, monkeypatch, coin, before="pass", default=""):
    """Two files that are loaded, and the learner in the first."""
    number = str(next(NUMBERS))
    words = {"NUMBER": number, "DEFAULT": default, "BEFORE": before}
    for name, text in (("another", ANOTHER), ("drawing", STEPS.replace("COIN", coin))):
        for word, meant in words.items():
            text = text.replace(word, meant)
        (folder / f"{name}_{number}.py").write_text(text)
    monkeypatch.syspath_prepend(folder)
    module = importlib.import_module(f"drawing_{number}")
    entry = dataclasses.replace(
        find("ftnl"),
        arm={"total": float},
        own={"played": int, "playing": int},
        observe=module.observe,
        select=module.select,
    )
    return configured(entry, arms=2, rounds=2, epsilon=1.0, parameters={})


@pytest.mark.parametrize("how", COINS)
def test_chance_from_elsewhere_is_refused_and_named(how, tmp_path, monkeypatch):
    coin, named = COINS[how]
    said = refusal(learner(tmp_path, monkeypatch, coin))
    assert f" uses {named}" in said
    assert "draw by other means than the generator it is given" in said
    assert "\n" not in said


@pytest.mark.parametrize("how", HANDED)
def test_chance_that_is_handed_in_is_followed(how, tmp_path, monkeypatch):
    """The control: what one run in a thousand gives away is found."""
    who = learner(tmp_path, monkeypatch, HANDED[how])
    assert refusal(who) is None
    assert exact_lower(who)[0].bound == 700.0


BEFORE = {
    "import random": "an import of random",
    "global COUNT; COUNT += 1": "the global COUNT that it sets",
    "class Inner: pass": "a class of its own",
    "TABLE[0] += 1.0": "read-only",
    "TABLE.flags.writeable = True": "cannot set WRITEABLE",
    "mine = TABLE; mine.setflags(write=True)": "cannot set WRITEABLE",
    "mine = helper; mine.seen = reward[0]": "uses helper",
    "helper.seen = reward[0]": "uses helper",
    "passing(reward[0])": "passing uses helper",
    "caught()": "caught catches errors",
}


@pytest.mark.parametrize("before", BEFORE)
def test_what_is_kept_outside_the_state_is_refused(before, tmp_path, monkeypatch):
    said = refusal(learner(tmp_path, monkeypatch, "rng.random()", before))
    assert BEFORE[before] in said


def test_a_default_that_is_no_number_is_refused(tmp_path, monkeypatch):
    who = learner(tmp_path, monkeypatch, "own_rng.random()", default=", own_rng=GENERATOR")
    assert "observe uses an argument's default" in refusal(who)
    plain = learner(tmp_path, monkeypatch, "rng.random() * share", default=", share=1.0")
    assert refusal(plain) is None


def test_what_the_start_draws_is_refused(tmp_path, monkeypatch):
    plain = learner(tmp_path, monkeypatch, "rng.random()").algorithm
    module = importlib.import_module(plain.observe.__module__)
    entry = dataclasses.replace(plain, start=module.coin)
    who = configured(entry, arms=2, rounds=2, epsilon=1.0, parameters={})
    assert "coin uses random.random" in refusal(who)
