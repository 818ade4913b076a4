"""The zoo of the field is labelled rightly: each broken learner breaks its claim before our eyes,
on two neighbouring inputs; each sound one is blind, or its law is what its formula says, as far as
there is one. The audits themselves are `python -m tests.quality.field`."""

from __future__ import annotations

import contextlib
import functools
import itertools
import math
import os
import random
import subprocess
import sys
import time
import types
import warnings
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from dpaudit.auditor.adversaries import find_adversary
from tests.quality.field import BROKEN, SOUND
from tests.quality.field import __main__ as runner
from tests.quality.field.entry import COPY, Worlds, play
from tests.quality.field.sound_generators import GlobalCoins, Response
from tests.quality.field.sound_state import RareAlarm

ALARM = 1e-6 / 400
"""Of one comparison: 1e-6 for all of this file together."""
RUNS = 200
COPIES = itertools.count()


@pytest.fixture(autouse=True)
def _seeded_system(monkeypatch):
    """What comes from the system comes from a seed here; the global generators are put back."""
    states = random.getstate(), np.random.get_state()  # noqa: NPY002
    source = random.Random(5)
    monkeypatch.setattr(os, "urandom", source.randbytes)
    monkeypatch.setattr(random, "_urandom", source.randbytes)
    monkeypatch.setattr(time, "perf_counter_ns", lambda: source.getrandbits(60))
    seed_system.source = source
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        yield
    random.setstate(states[0])
    np.random.set_state(states[1])  # noqa: NPY002


def seed_system(seed):
    """Everything that a run alone would find random, from one number."""
    seed_system.source.seed(seed)
    random.seed(seed + 1)
    np.random.seed(seed + 2)  # noqa: NPY002


@functools.cache
def compiled(path):
    return compile(Path(path).read_text(), path, "exec")


@contextlib.contextmanager
def alone(entry):
    """The class as a new process would find it."""
    if not getattr(entry, "fresh", False):
        yield entry.learner
        return
    name = f"{COPY}{next(COPIES)}"
    module = types.ModuleType(name)
    sys.modules[name] = module
    try:
        exec(compiled(sys.modules[entry.learner.__module__].__file__), module.__dict__)
        yield getattr(module, entry.learner.__name__)
    finally:
        del sys.modules[name]


def one_run(entry, worlds, world, seed):
    seed_system(seed)
    with alone(entry) as learner:
        return play(learner, worlds, world, np.random.default_rng(seed), entry.epsilon)


def counts(entry, worlds, runs):
    """How often the event happened in each world."""
    return [
        sum(bool(worlds.event(one_run(entry, worlds, w, 2 * r + w + 10_000))) for r in range(runs))
        for w in (0, 1)
    ]


def is_shown(worlds, hits, runs):
    """The first world's count is not too small for `first`, the second's not too large."""
    few = stats.binom.cdf(hits[0], runs, min(worlds.first, 1))
    many = stats.binom.sf(hits[1] - 1, runs, worlds.second)
    return bool(few >= ALARM and many >= ALARM)


def is_law(worlds, hits, runs):
    """Both counts are what the two probabilities give."""
    chances = worlds.first, worlds.second
    tests = [stats.binomtest(h, runs, p).pvalue for h, p in zip(hits, chances, strict=True)]
    return min(tests) >= ALARM


def test_the_zoo_is_large_and_varied():
    assert len(BROKEN) >= 42
    assert len(SOUND) >= 26
    assert not set(BROKEN) & set(SOUND)
    horizons = [e.rounds for e in BROKEN.values()]
    assert all(any(low <= T <= 2 * low for T in horizons) for low in (64, 512, 1024, 4096))
    assert sum(e.arms == 10 for e in BROKEN.values()) >= 3
    assert sum(e.adversary is not None for e in BROKEN.values()) >= 3
    kinds = {getattr(e.learner, "feedback", "bandit") for e in BROKEN.values()}
    assert kinds == {"bandit", "full-information"}


@pytest.mark.parametrize("entry", BROKEN.values(), ids=BROKEN)
def test_a_broken_learner_breaks_its_claim_on_two_neighbouring_inputs(entry):
    worlds = entry.show()
    assert entry.epsilon == 1.0
    assert 1.5 <= entry.truth <= worlds.log_ratio
    assert worlds.rounds <= entry.rounds
    assert len(worlds.here) == len(worlds.there) == entry.arms
    assert 1 <= worlds.changed < worlds.rounds
    runs = max(RUNS, worlds.runs)
    hits = counts(entry, worlds, runs)
    assert is_shown(worlds, hits, runs), hits
    # The control: the same claim with the worlds exchanged fails.
    assert not is_shown(worlds, hits[::-1], runs), hits


@pytest.mark.parametrize("entry", [e for e in BROKEN.values() if e.adversary], ids=lambda e: e.name)
def test_where_an_adversary_is_needed_it_is_the_one_that_is_named(entry):
    worlds = entry.show()
    assert find_adversary(entry.adversary) is worlds.base
    # The changed row and its complement, as an audit has it.
    assert [1 - x for x in worlds.here] == list(worlds.there)


def blind_pairs(entry, learner_sees=2):
    """Actions on two tables that differ everywhere, with the same randomness."""
    rng = np.random.default_rng(3)
    rounds, none = entry.rounds, [0.0] * entry.arms
    tables = [rng.random((rounds, entry.arms)), np.ones((rounds, entry.arms))][:learner_sees]
    for seed in range(20):
        yield [
            one_run(entry, Worlds(t, rounds, 0, none, none, bool, 1, 1), 0, seed) for t in tables
        ]


BLIND = [e for e in SOUND.values() if e.blind]
LAWS = [e for e in SOUND.values() if e.law]


def test_every_sound_entry_says_why_and_nearly_all_are_checked():
    assert all(e.why for e in SOUND.values())
    rest = {e.name for e in SOUND.values()} - {e.name for e in BLIND + LAWS}
    assert rest == {"RareAlarm", "SparseVector"}


@pytest.mark.parametrize("entry", BLIND, ids=lambda e: e.name)
def test_a_blind_learner_plays_the_same_whatever_it_sees(entry):
    assert all(a == b for a, b in blind_pairs(entry))


def test_the_check_of_blindness_can_fail():
    entry = SOUND["GlobalResponse"]
    assert not all(a == b for a, b in blind_pairs(entry))


def test_blind_coins_are_random_and_not_constant():
    runs = {tuple(a) for a, _ in blind_pairs(SOUND["GlobalCoins"])}
    assert len(runs) == 20
    assert SOUND["GlobalCoins"].learner is GlobalCoins


@pytest.mark.parametrize("entry", LAWS, ids=lambda e: e.name)
def test_a_sound_learner_has_the_law_of_its_formula(entry):
    worlds = entry.law()
    assert worlds.rounds <= entry.rounds
    assert abs(worlds.log_ratio) <= 1.0 + 1e-12
    assert abs(math.log((1 - worlds.first) / (1 - worlds.second))) <= 1.0 + 1e-12
    runs = worlds.runs
    hits = counts(entry, worlds, runs)
    assert is_law(worlds, hits, runs), hits


def test_a_wrong_law_is_seen():
    """The control: half the noise, and the worlds exchanged."""

    class Hasty(Response):
        def __init__(self, arms, epsilon, rng):
            super().__init__(arms, 2 * epsilon, rng)

    entry = SOUND["UnseededResponse"]
    worlds = entry.law()
    hits = counts(entry, worlds, 400)
    assert is_law(worlds, hits, 400)
    assert not is_law(worlds, hits[::-1], 400)
    seed_system(1)
    changed = type(entry)("Hasty", Hasty, "", 2, 12)
    assert not is_law(worlds, counts(changed, worlds, 1000), 1000)


def test_the_rare_alarm_is_exactly_tight():
    """No sample shows 1e-5; the one draw that decides is given instead."""

    class Given:
        def __init__(self, value):
            self.value = value

        def random(self):
            return self.value

    for reward, rate in ((0.0, 1e-5), (1.0, 1e-5 / math.e)):
        for value, alarm in ((rate * 0.999, 1), (rate * 1.001, 0)):
            learner = RareAlarm(arms=2, epsilon=1.0, rng=Given(value))
            learner.observe(1, 0, reward)
            assert learner.select(2) == alarm
    assert math.log((1 - 1e-5 / math.e) / (1 - 1e-5)) < 1


def test_the_sparse_vector_is_private_by_quadrature():
    """Failures 38, 39, 40 against 38, 38, 39: the probability of stopping at each query."""

    def stop(queries, at):
        z = np.linspace(-80, 80, 40_001)
        limit, mass = 40 + z, np.exp(-np.abs(z) / 2) / 4 * (z[1] - z[0])
        passes = [stats.laplace.sf(limit - q, scale=4) for q in queries]
        earlier = math.prod((1 - p for p in passes[:at]), start=np.ones_like(z))
        return float((mass * earlier * (passes[at] if at < len(passes) else 1)).sum())

    here, there = [38, 39, 40], [38, 38, 39]
    ratios = [math.log(stop(here, i) / stop(there, i)) for i in range(4)]
    assert max(map(abs, ratios)) <= 1
    seen = [0, 0]
    for world, queries in enumerate((here, there)):
        for seed in range(300):
            learner = SOUND["SparseVector"].learner(
                arms=2, epsilon=1.0, rng=np.random.default_rng([seed, world])
            )
            learner.failures = queries[0] - 1
            rewards = [0, *(1 - (b - a) for a, b in itertools.pairwise(queries))]
            for t, reward in enumerate(rewards, 1):
                learner.observe(t, 0, reward) if learner.select(t) == 0 else None
            seen[world] += learner.select(9)
        chance = 1 - stop(queries, 3)
        assert stats.binomtest(seen[world], 300, chance).pvalue >= ALARM


class Answer:
    def __init__(self, verdict):
        self.verdict, self.lower_bound = verdict, 0.5


@pytest.mark.parametrize(
    ("name", "verdict", "code"),
    [
        ("Leaky64", "violated", 0),
        ("Leaky64", "inconclusive", 0),
        ("Leaky64", "consistent", 1),
        ("GlobalCoins", "violated", 1),
        ("GlobalCoins", "consistent", 0),
        ("GlobalCoins", "inconclusive", 0),
    ],
)
def test_the_runner_fails_on_wrong_answers_only(name, verdict, code, monkeypatch, capsys):
    monkeypatch.setattr(runner.dpaudit, "audit", lambda *_, **__: Answer(verdict))
    assert runner.main(["--only", name]) == code
    out = capsys.readouterr().out
    assert f"1 {'broken' if name == 'Leaky64' else 'sound'} {verdict}" in out
    assert ("FAILED" in out) == bool(code)


def test_the_runner_fails_on_an_exception_and_on_a_late_answer(monkeypatch, capsys):
    def overflow(*_, **__):
        raise OverflowError("too large")

    monkeypatch.setattr(runner.dpaudit, "audit", overflow)
    assert runner.main(["--only", "Leaky512"]) == 1
    assert "FAILED Leaky512: OverflowError: too large" in capsys.readouterr().out
    monkeypatch.setattr(runner.dpaudit, "audit", lambda *_, **__: Answer("violated"))
    monkeypatch.setattr(runner, "allowed", lambda _: 0.0)
    assert runner.main(["--only", "Leaky512", "--seconds", "5"]) == 1
    assert "allowed are" in capsys.readouterr().out


def test_the_runner_gives_up_on_an_audit_without_end(monkeypatch, capsys):
    monkeypatch.setattr(runner, "PATIENCE", 0.01)
    monkeypatch.setattr(runner.dpaudit, "audit", lambda *_, **__: time.sleep(60))
    assert runner.main(["--only", "Leaky512", "--seconds", "1"]) == 1
    assert "FAILED Leaky512: GivenUp: interrupted after 0 s" in capsys.readouterr().out


def test_what_learners_print_is_not_among_the_answers():
    """In a process of its own: what is redirected is what all of a process writes."""
    lines = [
        "import os",
        "from tests.quality.field.__main__ import quietly",
        "with quietly():",
        "    print('a line a run')",
        "    os.write(1, b'of a child')",
        "    os.write(2, b'a warning')",
        "print('an answer')",
    ]
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, check=True
    )
    assert (done.stdout, done.stderr) == ("an answer\n", "")


def test_the_runner_chooses_by_side():
    assert {e.name for e in runner.chosen(runner.parsed(["--sound"]))} == set(SOUND)
    assert {e.name for e in runner.chosen(runner.parsed(["--broken"]))} == set(BROKEN)
    assert len(runner.chosen(runner.parsed([]))) == len(SOUND) + len(BROKEN)


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--only", "Leeky64"], "--only: got 'Leeky64', allowed are names of entries: Leaky64"),
        (["--seconds", "0"], "--seconds: got 0, allowed is more than 0"),
        (["--sound", "--broken"], "not allowed with argument"),
    ],
)
def test_the_runner_refuses_in_a_line(words, line, capsys):
    with pytest.raises(SystemExit) as stop:
        runner.main(words)
    assert stop.value.code == 2
    assert line in capsys.readouterr().err
