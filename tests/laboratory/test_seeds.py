"""A sentence over several seeds: one verdict, counted once, with the chance that it is confirmed.

Draws are of fixed seeds. An interval of Clopper and Pearson at 0.99 misses the true chance with
probability 0.01 at most: that of 400 such intervals 18 or more do has probability < 1e-6.
"""

import dataclasses
import json

import msgspec
import numpy as np
import pytest

from dpaudit.errors import UsageError
from dpaudit.laboratory.experiments.judging import judge
from dpaudit.laboratory.experiments.terms import Curve, Measured, Sentence
from dpaudit.laboratory.reproduction import reproduce
from dpaudit.report.markdown.reproduction import counts
from dpaudit.report.page.curves import reproduction_section, reproduction_sentence
from dpaudit.results.documents import parse, read
from dpaudit.results.made import committed, lines
from dpaudit.results.reproduction import common, judged, plain
from tests.laboratory.test_reproduction import SMALL

COIN, COMPUTED = Curve("coin", "ucb1"), Curve("eta", "dp-ts-ucb", quantity="gdp")
HEADS = Sentence("heads", lambda curves: (bool(curves["", "coin"].samples[0, 0]), "a toss"))


def tosses(chance, seeds, rng):
    """Experiments of one run, in which the sentence is true with this chance."""
    return [
        {("", "coin"): Measured(COIN, np.ones(1), np.full((2, 1), rng.random() < chance))}
        for _ in range(seeds)
    ]


def sentence(text, verdict, reading="", **more):
    return {"text": text, "reading": reading, "verdict": verdict, "numbers": "1", **more}


def document(*sentences):
    data = plain(reproduce(SMALL, runs=2, seeds=1).result)
    return parse({**data, "sentences": list(sentences)})


def test_what_holds_with_most_seeds_is_open_and_has_its_chance():
    rng = np.random.default_rng(0)
    found = judge(HEADS, tosses(0.6, 20, rng))
    assert found.verdict == "open"
    hits = found.answers.count("confirmed")
    assert 0 < hits < 20
    assert found.chance[0] < hits / 20 < found.chance[1]
    assert found.seeds.startswith(f"{hits} of 20, {20 - hits} against: probability 0.")
    always, never = (judge(HEADS, tosses(p, 5, rng)) for p in (1.0, 0.0))
    assert (always.verdict, never.verdict) == ("confirmed", "not confirmed")
    # (alpha / 2)^(1 / n), in closed form where all agree.
    assert always.chance == [pytest.approx(0.005 ** (1 / 5), abs=1e-4), 1.0]
    assert never.chance == [0.0, pytest.approx(1 - 0.005 ** (1 / 5), abs=1e-4)]


def test_the_interval_covers_the_chance_and_a_narrower_one_would_not():
    rng = np.random.default_rng(1)
    found = [judge(HEADS, tosses(0.6, 20, rng)) for _ in range(400)]
    assert sum(not low <= 0.6 <= high for low, high in (f.chance for f in found)) < 18
    # 0.6^20 is 4e-5: three of 400 have probability 5e-7. Of one seed it would be 240.
    assert sum(f.verdict == "confirmed" for f in found) < 3
    halves = [(np.mean(f.chance), np.ptp(f.chance) / 4) for f in found]
    assert sum(abs(middle - 0.6) > half for middle, half in halves) >= 18


def test_one_seed_would_have_confirmed_it():
    """What was done before: the negative control of the whole."""
    rng = np.random.default_rng(2)
    alone = [judge(HEADS, tosses(0.6, 1, rng)) for _ in range(50)]
    assert {each.verdict for each in alone} == {"confirmed", "not confirmed"}
    assert all(each.chance == [] for each in alone)  # and nothing is said of its probability


def test_an_experiment_in_which_the_seed_decides_is_open():
    def quick(curves):
        return bool(curves["", "ucb"].samples[0, -1] < 21), "the first run's"

    told = dataclasses.replace(SMALL, sentences=(*SMALL.sentences, Sentence("quick", quick)))
    sure, against, seed = reproduce(told, runs=40, seeds=12).result.sentences
    assert (sure.verdict, against.verdict, seed.verdict) == ("confirmed", "not confirmed", "open")
    assert set(seed.answers) == {"confirmed", "not confirmed"}


def test_seeds_are_of_one_tree_and_the_first_is_the_seed_itself():
    one, three = (reproduce(SMALL, runs=6, seeds=n) for n in (1, 3))
    for a, b in zip(one.curves, three.curves, strict=True):
        assert np.array_equal(a.samples, b.samples)
    seen = []

    def spy(curves):
        seen.append(curves["", "ucb"].samples[:, -1])
        return True, "1"

    reproduce(dataclasses.replace(SMALL, sentences=(Sentence("spy", spy),)), runs=6, seeds=3)
    assert len(seen) == 3
    assert len({tuple(values) for values in seen}) == 3
    assert three.result.parameters["seeds"] == 3
    assert three.result.command.endswith("--seeds 3 --runs 6")


def test_what_is_computed_is_judged_once_and_has_no_chance():
    flat = Measured(COMPUTED, np.ones(1), np.ones((1, 1)))
    known = [{**each, ("", "eta"): flat} for each in tosses(0.5, 5, np.random.default_rng(3))]
    exact = Sentence("exact", lambda curves: (curves["", "eta"].exact, "1"))
    found = judge(exact, known)
    assert (found.verdict, found.answers, found.chance, found.seeds) == ("confirmed", [], [], "")
    both = Sentence("both", lambda curves: (HEADS.check(curves)[0] and exact.check(curves)[0], "1"))
    assert len(judge(both, known).answers) == 5


def test_readings_are_not_counted_and_make_one_verdict():
    readings = [("a", "confirmed"), ("b", "confirmed"), ("c", "not confirmed")]
    many = [sentence("one", verdict, reading) for reading, verdict in readings]
    agreed = [sentence("two", "confirmed", reading) for reading in "ab"]
    found = document(*many, *agreed, sentence("three", "open"))
    assert [(j.text, j.verdict) for j in judged(found.sentences)] == [
        ("one", "open"),
        ("two", "confirmed"),
        ("three", "open"),
    ]
    assert counts([found]) == "of 3 sentences 1 confirmed, 0 not confirmed, 2 open"
    assert "of 3 sentences about their figures, 2 open, 1 confirmed" in reproduction_sentence(
        [found]
    )
    rows = [row for j in judged(found.sentences) for row in j.rows()]
    assert [row[:3] for row in rows[:5]] == [
        ("one", "all 3", "open"),
        ("", "a", "confirmed"),
        ("", "b", "confirmed"),
        ("", "c", "not confirmed"),
        ("two", "all 2", "confirmed"),
    ]
    assert rows[-1][:3] == ("three", "", "open")


def test_a_page_says_with_how_many_seeds():
    said = {"answers": ["confirmed", "open", "not confirmed"], "chance": [0.1, 0.9]}
    told = str(reproduction_section([document({**sentence("x", "open"), **said})], {}))
    assert "1 of 3, 1 against: probability 0.10 to 0.90" in told
    assert "Seeds: " in told
    assert "Seeds: " not in str(reproduction_section([document(sentence("x", "open"))], {}))


def test_only_agreement_is_a_verdict():
    assert common(["confirmed", "confirmed"]) == "confirmed"
    assert common(["not confirmed"] * 3) == "not confirmed"
    for one in ("not confirmed", "open"):
        assert common(["confirmed", one, "confirmed"]) == "open"
    assert common(["not confirmed", "open"]) == "open"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"verdict": "confirmed"}, "not that of its seeds"),
        ({"chance": [0.7, 0.9]}, "not around its share"),
        ({"chance": []}, "not around its share"),
    ],
)
def test_a_verdict_against_its_seeds_is_refused(changes, message):
    said = {"answers": ["confirmed", "not confirmed"], "chance": [0.1, 0.9], **changes}
    with pytest.raises(UsageError, match=message):
        document({**sentence("x", "open"), **said})


def test_files_of_one_seed_are_read():
    path = next(each for each in committed() if each.stem == "reproduction")
    for result in read(path).results:
        assert all(
            len(said.answers) in (0, result.parameters.get("seeds", 1)) for said in result.sentences
        )
    old = document(sentence("x", "confirmed"))
    assert old.sentences[0].seeds == ""
    written = json.loads(lines(plain(reproduce(SMALL, runs=2, seeds=2).result)))
    assert plain(parse(written)) == written


def test_no_seeds_are_refused():
    with pytest.raises(UsageError, match="seeds: got 0,"):
        reproduce(SMALL, seeds=0)


def test_a_curve_says_how_far_it_is_from_the_best_possible():
    result = reproduce(SMALL, runs=6, seeds=1).result
    by_name = {curve.label: curve for curve in result.curves}
    private, plain = (result.floor(by_name[name]) for name in ("lazy", "ucb"))
    assert (private.name, plain.name) == ("Azize et al.", "Lai-Robbins")
    # Two arms: the rate is gap / kl, times ln T.
    rate = 0.6 / (0.2 * np.log(0.2 / 0.8) + 0.8 * np.log(0.8 / 0.2))
    assert plain.values[-1] == pytest.approx(rate * np.log(2000), rel=5e-4)
    assert private.values[-1] > plain.values[-1]
    assert result.times(by_name["ucb"]) == by_name["ucb"].mean[-1] / plain.values[-1]
    # Of each study of a sweep at its own horizon, and of what is no regret there is none.
    assert len(result.floor(by_name["told"]).values) == 2
    assert result.floor(by_name["eta"]) is None
    assert msgspec.to_builtins(parse(plain_of(result)).lower_bounds[0].name) == "Lai-Robbins"


def plain_of(result):
    return json.loads(lines(plain(result)))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"least": 9}, "no such lower bound"),
        ({"least": -1}, "no such lower bound"),
        ({"least": 2}, "its lower bound has other points"),
    ],
)
def test_a_curve_with_a_foreign_lower_bound_is_refused(change, message):
    data = plain_of(reproduce(SMALL, runs=2, seeds=1).result)
    data["curves"][0] |= change
    with pytest.raises(UsageError, match=message):
        parse(data)
