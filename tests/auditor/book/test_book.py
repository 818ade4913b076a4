"""No book is believed that was not checked, and the check finds every way of being wrong."""

import dataclasses
import math
import re
import types

import pytest

import dpaudit
from dpaudit.algorithm.contract import each_arm_once
from dpaudit.auditor.book import cross_check
from dpaudit.auditor.book.check import checked
from dpaudit.auditor.book.recorders import Broken, Recorder, Transcript
from dpaudit.auditor.whole_catalogue import MORE
from dpaudit.errors import UsageError
from dpaudit.machine.releases import laplace
from dpaudit.play.catalogue import catalogue
from dpaudit.play.tables import configured
from dpaudit.results.audit import Guarantee
from dpaudit.results.found import Event, Lower, Upper
from tests.auditor.book import faulty_books
from tests.auditor.book.faulty_books import FAULTS

FAST = {"epsilon": 1.0, "rounds": 8, "runs": 40_000, "workers": 1}
CONTROLS = {fault.control.card.name: fault.control for fault in FAULTS.values()}


def book(algorithm, rounds=8, arms=2, **parameters):
    who = configured(algorithm, arms=arms, rounds=rounds, epsilon=1.0, parameters=parameters)
    return checked(who, rounds)


@pytest.mark.parametrize("name", FAULTS)
def test_each_faulty_book_is_complained_about(name):
    fault = FAULTS[name]
    complaint = book(fault.algorithm).complaint
    assert complaint is not None
    assert re.search(fault.seen, complaint), complaint
    assert re.search(r"round \d", complaint)
    assert "\n" not in complaint


@pytest.mark.parametrize("name", CONTROLS)
def test_honest_books_that_look_alike_are_not(name):
    for rounds, arms in ((8, 2), (12, 3)):
        found = book(CONTROLS[name], rounds, arms)
        assert found.complaint is None
        assert found.releases > 0


@pytest.mark.parametrize("name", FAULTS)
def test_auto_gives_no_upper_end_on_a_faulty_book(name):
    fault = FAULTS[name]
    result = dpaudit.audit(fault.algorithm, **FAST)
    assert result.engine == "black-box"
    assert result.upper is None
    assert result.upper_bound is None
    assert "is not to be believed" in result.why
    # What is true is not exceeded, and where it is far above the claim the actions show it.
    assert result.lower_bound <= fault.truth
    if name not in ("gaussian-set", "reaches-two", "scale-by-sum", "one-value"):
        assert (result.verdict == "violated") == (fault.truth > 2.0)
    assert result.verdict != "consistent"


@pytest.mark.parametrize("engine", ["two-world", "exact"])
def test_engines_that_read_the_book_refuse_a_faulty_one(engine):
    with pytest.raises(UsageError, match="is not to be believed: round") as caught:
        dpaudit.audit(FAULTS["set-back"].algorithm, engine=engine, **FAST)
    assert "\n" not in str(caught.value)


READINGS = [(name, {}) for name in catalogue()]
READINGS += [(reading.name, reading.parameters) for reading in MORE if reading.parameters]


@pytest.mark.parametrize(("name", "parameters"), READINGS)
def test_the_catalogue_passes(name, parameters):
    found = book(name, 12, **parameters)
    assert found.complaint is None
    assert found.rounds >= 12
    assert found.releases > 0 or name == "dp-se"


def run(recorder, shared, own, releases, arm=0):
    recorder.begin(shared, own, "on a table")
    recorder.round = 1
    for value in releases:
        recorder.laplace(own, value, value, 1.0, None)
    recorder.played(arm)
    recorder.end(1)


def test_every_run_makes_the_releases_of_the_first_one_no_fewer_and_no_more():
    recorder, shared = Recorder(), Transcript.drawn(0)
    own = types.SimpleNamespace(loss=0.0, pure=0.0, gdp=0.0)
    run(recorder, shared, own, [1.0, 2.0])
    run(recorder, shared, own, [3.0, 4.0])
    with pytest.raises(Broken, match=r"round 1, release 2 .laplace.: made"):
        run(recorder, shared, own, [3.0])
    with pytest.raises(Broken, match=r"round 1: a laplace release .* none"):
        run(recorder, shared, own, [3.0, 4.0, 5.0])


def test_a_late_first_release_is_reached_where_that_is_affordable():
    assert book("dp-se", 4000).releases > 0
    found = book("dp-se", 12)
    assert found.releases == 0
    assert "no release reached" in found.looked


def late(arms, own, arm, pulls, reward, there, rng):
    """The raw reward decides after the 89th pull, and not after the 88th."""
    pulled = arms[arm]
    pulled.pulls += 1
    pulled.total += reward
    pulled.total_in_neighbour += there
    if pulled.pulls == 89:
        pulled.noisy = pulled.total
    elif pulled.pulls == 2:
        pulled.noisy = laplace(own, pulled.total, pulled.total_in_neighbour, 2.0, rng)


def test_a_late_fault_is_found_at_its_horizon_and_not_before():
    algorithm = faulty_books.made("late", late)
    assert book(algorithm, 64).complaint is None
    assert "is chosen" in book(algorithm, 512).complaint


def test_a_lazy_algorithm_is_followed_by_leaps_to_the_horizon():
    found = book("anytime-lazy-ucb", 10**6)
    assert found.complaint is None
    assert found.rounds == 10**6


def test_many_arms_and_rounds_are_looked_at_in_part_and_this_is_said():
    found = book("dp-ts", 10**6, arms=64)
    assert found.complaint is None
    assert found.rounds < 10**6
    assert f"up to {found.rounds} rounds" in found.looked


def test_the_opening_of_a_catalogue_algorithm_may_not_be_longer_than_it_is():
    entry = catalogue()["rnm-ftnl-gumbel"]  # its first arm is drawn
    wrong = dataclasses.replace(entry, opening=each_arm_once)
    assert book(entry).complaint is None
    assert "of the opening" in book(wrong).complaint


CLAIM = Guarantee("pure", 1.0)


@pytest.mark.parametrize(
    ("seen", "lower", "upper", "engine", "kept"),
    [
        (4.0, 0.5, Upper(1.0, "forced", True), "black-box", False),  # the book says less
        (0.9, 0.3, Upper(0.5, "forced", True), "black-box", False),  # and within the claim
        (1.5, 0.5, Upper(2.0, "forced", True), "black-box", True),  # the other engine missed it
        (0.8, 0.5, Upper(1.0, "forced", True), "two-world", True),
        (1.5, 1.7, Upper(2.0, "forced", True), "two-world", True),
        (1.5, 1.7, Upper(math.inf, "none", False), "two-world", True),
        (0.4, 0.5, None, "two-world", False),
    ],
)
def test_a_second_look_goes_before_the_book(monkeypatch, seen, lower, upper, engine, kept):
    def box(request, alpha):
        return Lower(seen, None, Event("seen"), request.runs, seen, 1.2)

    @dataclasses.dataclass(frozen=True)
    class Part:
        claim: Guarantee = CLAIM
        rounds: int = 8
        runs: int | None = 1000

    monkeypatch.setattr(cross_check, "black_box", box)
    main = Lower(lower, None, Event("main"), 1000, lower, 1.1, budget=900)
    found, end, by, note = cross_check.weighed(Part(), main, upper, "two-world", None)
    assert by == engine
    assert (end is not None) == kept
    assert found.bound == (seen if engine == "black-box" else lower)
    assert ("disagree" in note) == (upper is not None and not kept)
    assert found.budget == 1000


def test_a_book_that_passed_and_is_wrong_all_the_same_is_contradicted(monkeypatch):
    """Were the check blind, the actions would still speak against the book."""
    from dpaudit.auditor import auditing, upper
    from dpaudit.auditor.book.check import Book

    def blind(who, rounds):
        return Book(None, rounds, 1, "nothing")

    def believed(who, claim, rounds):
        return Upper(1.0, "proved for every T: were it so", proof=True)

    for module in (auditing, upper):
        monkeypatch.setattr(module, "checked", blind)
    monkeypatch.setattr(auditing, "proved", believed)
    result = dpaudit.audit(FAULTS["set-back"].algorithm, **FAST)
    assert result.verdict == "violated"
    assert result.engine == "black-box"
    assert result.upper is None
    assert any("book and behaviour disagree" in note for note in result.notes)
