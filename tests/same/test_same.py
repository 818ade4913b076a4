"""No number changes: requests and committed results, in pieces that run side by side, and that the
comparison would see it if one did."""

import copy

import pytest

from tests.same import again
from tests.same.__main__ import before, committed, compare, missing, pieces, probed, probes
from tests.same.documents import KINDS, canonical, difference, digest, entries, of_commit
from tests.same.requests import learner_requests, requests

REQUESTS = requests()


def test_every_request_was_asked_before():
    assert set(probes()) == {*REQUESTS, *learner_requests()}


@pytest.mark.parametrize("names", pieces(REQUESTS), ids=lambda names: names[0].replace(" ", "-"))
def test_requests_are_answered_as_before(names):
    assert list(probed(REQUESTS, names)) == []


def test_committed_results_are_those_of_before():
    now, was = committed(), before()
    kinds = tuple({kind for kind, _ in now})
    assert {"audit", "claim", "scaling", "reproduction"} <= set(kinds) <= set(KINDS)
    assert [*compare(now, was, of_commit()), *missing(now, was, kinds)] == []


@pytest.mark.parametrize("command", again.FEW, ids=lambda command: "-".join(command.split()[:5]))
def test_a_few_committed_results_come_out_again(command):
    made = again.make(command)
    assert made
    assert list(compare(made, before(), of_commit())) == []


def changed(value, path, by):
    """A copy with one thing in it changed."""
    other = copy.deepcopy(value)
    inner = other
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = by(inner[path[-1]])
    return other


def test_one_bit_of_one_number_is_noticed_and_named():
    was = {"a": [{"b": 0.1}, {"b": 0.3}]}
    now = changed(was, ("a", 1, "b"), lambda x: x * (1 + 2**-52))
    assert difference(was, now).startswith("/a/1/b: 0.3 before, 0.30000000000000004 now")
    assert difference(was, was) is None
    assert canonical(0.0) != canonical(-0.0)
    assert canonical(1) != canonical(1.0)


def test_what_is_gone_or_new_is_noticed():
    assert difference({"a": 1}, {}) == "/a: gone"
    assert difference({}, {"a": 1}) == "/a: new"
    assert difference([1, 2], [1]) == ": 2 items before, 1 now"


def test_a_changed_answer_of_a_request_is_noticed():
    now = changed(probes()["dp-ts audit auto"], ("lower_bound",), lambda x: x + 1e-15)
    found = list(probed({"dp-ts audit auto": lambda: now}))
    assert len(found) == 1
    assert "/lower_bound: " in found[0]


def test_a_changed_or_missing_result_is_noticed_and_a_new_one_is_none_of_them():
    now, was = committed(), before()
    key = next(key for key in now if key[0] == "audit")
    wrong = now | {key: changed(now[key], ("lower_bound",), lambda x: x + 1e-15)}
    assert [line.split(" ")[0] for line in compare(wrong, was)] == ["/".join(key).split(" ")[0]]
    fewer = {k: v for k, v in now.items() if k != key}
    assert list(missing(fewer, was, ("audit",))) == ["/".join(key) + ": is gone"]
    assert list(compare({("audit", "a new one"): {}}, was)) == []


def test_only_timings_seals_and_labels_stand_aside():
    def digests(**more):
        given = {"id": "x", "paper": "p", "where": "", "statement": "", "verdict": "holds"} | more
        return [digest(entry) for _, entry in entries({"claims": [given]})]

    assert digests(seconds=1.0, code="a", seal="b") == digests()
    assert digests(detail="y") != digests()
    assert len(digests(parts=[], broken={}, goals=[], derivation=[])) == 2
