"""A learner is not taken for another that has captured other values: not by a journal, nor by
evidence; and where values cannot be told apart, neither is kept."""

import functools
import subprocess
import sys
import threading
from collections import defaultdict

import numpy as np
import pytest

import dpaudit
from dpaudit.adapters import from_methods
from dpaudit.auditor.evidence import store
from dpaudit.errors import UsageError
from dpaudit.play.catalogue import resolve_target
from dpaudit.run.code import held
from dpaudit.run.plain import Parcel, pack
from dpaudit.run.runner import Runner
from tests.adapters import strangers
from tests.kinds import learners


def closure(value):
    return lambda arms, epsilon, rng: learners.Means(arms, epsilon, rng, share=value)


def made(value):
    class Made(learners.Means):
        def outputs(self):
            return value

    return Made


def nested(value):
    inner = closure(value)
    return lambda **given: inner(**given)


class Holder:
    def __init__(self, value):
        self.value = value

    def __call__(self, arms, epsilon, rng):
        return learners.Means(arms, epsilon, rng, self.value)


def by_default(value):
    def make(arms, epsilon, rng, share=value):
        return learners.Means(arms, epsilon, rng, share)

    return make


WAYS = {
    "closure": closure,
    "class": made,
    "nested": nested,
    "partial": lambda value: functools.partial(learners.Means, share=value),
    "object": Holder,
    "method": lambda value: Holder(value).__call__,
    "default": by_default,
    "adapter": lambda value: from_methods(strangers.Solver, select="run_one_step", scale=value),
}
VALUES = {
    "numbers": (1.0, 2.0),
    "number and word": (1, "1"),
    "lists": ([1, [2, 3]], [1, [2, 4]]),
    "sets": ({"a", "b", "c"}, {"a", "b", "d"}),
    "dictionaries": ({"a": 1}, {"a": 2}),
    "arrays": (np.zeros(3), np.zeros(3, np.float32)),
    "objects": (Holder(1), Holder(2)),
    "types": (int, float),
    "functions": (np.sum, np.mean),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", VALUES)
def test_captured_values_tell_learners_apart(way, kind):
    make = WAYS[way]
    one, other = VALUES[kind]
    assert held(make(one)) == held(make(one))
    assert held(make(one))[0] != held(make(other))[0]
    assert held(make(one))[1] == ""


def private(value):
    class Private(learners.Means):
        _share = value

    return Private


def private_property(value):
    class Private(learners.Means):
        _share = property(lambda _: value)

    return Private


def of_a_metaclass(value):
    class Meta(type):
        def share(cls):
            return value

    class Made(learners.Means, metaclass=Meta):
        pass

    return Made


class Slotted:
    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value


class Half(Slotted):
    """Has slots of its base, and a dictionary."""


class Own(dict):
    """Holds something besides its items."""


def own(value):
    found = Own()
    found.value = value
    return found


def with_attribute(value):
    def make(arms, epsilon, rng):
        return learners.Means(arms, epsilon, rng, make.share)

    make.share = value
    return make


HIDING = {
    "private": private,
    "private property": private_property,
    "metaclass": of_a_metaclass,
    "bound method of a table": lambda value: closure({0: value}.get),
    "bound method of a list": lambda value: closure([value].__getitem__),
    "slots": lambda value: closure(Half(value)),
    "a dictionary's own": lambda value: closure(own(value)),
    "default": lambda value: closure(defaultdict(lambda: value)),
    "attribute of a function": with_attribute,
}


@pytest.mark.parametrize("way", HIDING)
def test_values_in_less_usual_places_tell_learners_apart(way):
    one, again, other = (held(HIDING[way](value)) for value in (0.1, 0.1, 1.0))
    assert one == again
    assert one[0] != other[0]
    assert one[1] == ""


def test_parameters_by_another_name_are_another_function():
    """A learner is offered what its parameters name."""
    known = {"__name__": "nowhere"}
    exec("one = lambda epsilon: epsilon\nother = lambda delta: delta", known)
    assert held(known["one"])[0] != held(known["other"])[0]


class Keeping(threading.local):
    """What it holds is no attribute that all threads see."""


@pytest.mark.parametrize("thing", [threading.Lock(), threading.local(), Keeping()])
def test_what_c_code_keeps_is_not_taken_for_nothing(thing):
    assert "value of type " in held(closure(thing))[1]


def test_code_tells_learners_apart_where_there_is_no_file():
    def defined(text):
        known = {"__name__": "nowhere"}
        exec(text, known)
        return known["L"]

    text = "N = {n}\nclass L:\n def select(self, t): return {x} + N\n def observe(self, *_): pass\n"
    first, again, other, read = (
        defined(text.format(n=n, x=x)) for n, x in ((0, 0), (0, 0), (0, 1), (1, 0))
    )
    assert held(first) == held(again)
    assert held(first) != held(other)
    assert held(first) != held(read)


def test_the_digest_is_the_same_in_another_process():
    """Whatever order sets have there."""
    ask = (
        "from tests.run.test_held import *\n"
        "print([held(make(value)) for make in WAYS.values() for pair in VALUES.values()"
        " for value in pair])"
    )
    for hashing in ("1", "2"):
        command = [sys.executable, "-c", ask]
        env = {"PYTHONHASHSEED": hashing}
        out = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
        expected = [
            held(make(v)) for make in WAYS.values() for pair in VALUES.values() for v in pair
        ]
        assert out.stdout.strip() == str(expected)


ASKED = {"epsilon": 1.0, "arms": 1, "rounds": 2, "runs": 200, "workers": 1}


def test_a_journal_of_one_closure_is_not_another_s(tmp_path):
    def bound(factory):
        with Runner(1, journal=tmp_path / "a.journal") as runner:
            runner.bind("audit it", {"target": resolve_target(factory)})

    bound(closure(0.1))
    bound(closure(0.1))
    with pytest.raises(UsageError, match=r"^journal: "):
        bound(closure(1.0))


def test_what_cannot_be_told_is_kept_in_no_journal(tmp_path):
    factory = made(threading.Lock())
    assert held(factory)[1] == "value of type _thread.lock"
    with (
        Runner(1, journal=tmp_path / "a.journal"),
        pytest.raises(
            UsageError, match=r"^journal: .*Made holds value of type _thread.lock, which"
        ),
    ):
        dpaudit.audit(factory, **ASKED)
    sees = "actions+outputs"
    assert dpaudit.audit(closure(1.0), sees=sees, **ASKED).verdict != "violated"


FILE = """
import os, threading
from tests.kinds import learners


def make(share):
    return lambda arms, epsilon, rng: learners.Means(arms, epsilon, rng, share)


Plain = learners.Means
Made = make(float(os.environ["SHARE"]))
Locked = make(threading.Lock())
"""


def test_evidence_of_one_closure_is_not_another_s(tmp_path, monkeypatch):
    """The file is the same; what its learner captured is not."""
    (tmp_path / "made.py").write_text(FILE)
    digests = []
    for share in ("1.0", "0.1", "1.0"):
        monkeypatch.setenv("SHARE", share)
        target = resolve_target(f"{tmp_path / 'made.py'}:Made")
        digests.append(store.code_digest(pack(target, Parcel())))
    assert digests[0] == digests[2] != digests[1]
    with pytest.raises(UsageError, match=r"^evidence: .*Locked holds share of type _thread.lock"):
        dpaudit.audit(f"{tmp_path / 'made.py'}:Locked", evidence=tmp_path / "kept", **ASKED)
    assert not (tmp_path / "kept").exists()
    plain = pack(resolve_target(f"{tmp_path / 'made.py'}:Plain"), Parcel())
    assert "holds" not in str(plain)
