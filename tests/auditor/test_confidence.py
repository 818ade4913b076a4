"""An answer's error probability can be split and not spent twice, and whoever tries is stopped."""

import ast
import contextlib
import copy
import importlib
import inspect
import pickle
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dpaudit
from dpaudit.auditor.engines.black_box.gate import gate
from dpaudit.auditor.statistics import Alpha, Overspent, log_ratio_lower, proportion_lower
from dpaudit.errors import UsageError
from dpaudit.results.audit import Guarantee
from dpaudit.run import plain
from tests.auditor import learners


def test_a_part_is_gone_when_it_was_used():
    alpha = Alpha.of(0.95)
    assert alpha.value == 1.0 - 0.95
    assert alpha.spend() == alpha.value
    for again in (alpha.spend, alpha.rest, lambda: alpha.take(1e-12), lambda: alpha.split(0.5)):
        with pytest.raises(Overspent):
            again()
    whole = Alpha(0.05)
    first, second = whole.split(0.9, 0.1)
    assert (first.value, second.value) == (0.05 * 0.9, 0.05 * 0.1)
    with pytest.raises(Overspent):
        whole.spend()
    first.spend()
    with pytest.raises(Overspent):
        proportion_lower(1, 10, first)
    assert proportion_lower(1, 10, second) > 0.0


@given(st.lists(st.floats(0.001, 1.0), min_size=1, max_size=20), st.floats(1e-9, 0.5))
@settings(max_examples=200, deadline=None, derandomize=True)
def test_parts_never_add_up_to_more_than_the_whole(parts, value):
    alpha, taken = Alpha(value), []
    for part in parts:
        try:
            taken.append(alpha.take(part * value, "a part").value)
        except Overspent:
            assert sum(taken) + part * value > value
    assert sum(taken) <= value * (1.0 + 2e-9)
    assert [part for _, part in alpha.entries] == taken


def test_what_is_less_than_rounding_cannot_be_taken_again_and_again():
    alpha, taken = Alpha(0.05), 0
    alpha.split(0.9, 0.1)
    for _ in range(100):
        with contextlib.suppress(Overspent):
            taken += alpha.take(1e-11 * 0.05).value > 0.0
    assert taken <= 1


def test_shares_of_more_than_the_whole_and_parts_of_nothing_are_refused():
    for shares in ((1.0, 0.1), (0.5, 0.5, 0.5), (2.0,), (0.0, 1.0), (-0.5,), (float("nan"),)):
        with pytest.raises(Overspent):
            Alpha(0.05).split(*shares)
    with pytest.raises(Overspent, match="overdrawn on the event"):
        Alpha(0.05).take(0.06, "the event")


def test_it_cannot_be_copied():
    for made_again in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(Overspent):
            made_again(Alpha(0.05))


@pytest.mark.parametrize("confidence", [0, 1, 1.5, -0.1, "much", float("nan")])
def test_it_is_made_from_a_confidence_at_the_door(confidence):
    with pytest.raises(UsageError, match="confidence: got"):
        Alpha.of(confidence)


def test_nobody_else_makes_one():
    """At the doors; for the forecast of a bound; and where a claim of the ledger is shown."""
    made = Counter()
    root = Path(dpaudit.__file__).parent
    for path in root.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call):
                name = ast.unparse(node.func)
                if name.split(".")[0] == "Alpha":
                    made[str(path.relative_to(root)), name] += 1
    assert made == {
        ("auditor/statistics.py", "Alpha"): 1,
        ("auditor/auditing.py", "Alpha.of"): 1,
        ("auditor/engines/black_box/mechanism.py", "Alpha.of"): 1,
        ("auditor/engines/black_box/scoring/power.py", "Alpha.imagined"): 2,
        ("ledger/samples.py", "Alpha"): 1,
    }


def spent(result):
    """The report's entries add up to what the confidence leaves."""
    assert sum(each.alpha for each in result.spent) == pytest.approx(1.0 - result.confidence)


SMALL = {"epsilon": 1.0, "workers": 1, "seed": 1}


def a_ratio():
    assert log_ratio_lower(60, 100, 20, 100, Alpha(0.05), 0.7) > 0.0


def worlds_of_gdp():
    claim = Guarantee("gdp", eta=1.0)
    spent(dpaudit.audit("ftnl", claim=claim, rounds=4, runs=20_000, **SMALL))


def worlds_with_a_witness():
    result = dpaudit.audit("rnm-ftnl", engine="two-world", rounds=4, runs=400_000, **SMALL)
    assert result.witness.shrunk
    spent(result)


def worlds_by_steps():
    result = dpaudit.audit("dp-ucb", rounds=4, runs=40_000, **SMALL)
    assert [each.on for each in result.spent] == [
        "the chosen event",
        "the per-step event",
        "cross-check",
    ]
    spent(result)


def outputs_with_a_witness():
    result = dpaudit.audit(learners.Leaky, rounds=7, runs=20_000, **SMALL)
    assert result.verdict == "violated"
    spent(result)


def outputs_of_a_mechanism():
    def gaussian(x, n, rng):
        return x + rng.standard_normal(n)

    claim = Guarantee("gdp", eta=1.0)
    for whole in (False, True):
        found = dpaudit.audit_mechanism(
            gaussian, 0.0, 1.0, claim=claim, runs=20_000, tradeoff=whole
        )
        spent(found)


def gates():
    def draw(stage, number, n):
        seeds = ([stage, number, world] for world in (0, 1))
        return tuple(np.random.default_rng(seed).normal(size=(n, 1)) for seed in seeds)

    opened = gate(draw, Guarantee("pure", 1.0), Alpha(0.05), 60_000)
    assert not opened.refuted
    assert len(opened.spent) >= 3


ENGINES = "dpaudit.auditor.engines."
MUTANTS = [
    (
        "dpaudit.auditor.statistics log_ratio_lower",
        "base_runs, second)",
        "base_runs, first)",
        a_ratio,
    ),
    (
        "dpaudit.auditor.statistics log_ratio_lower",
        "split(1.0 - share, share)",
        "split(1.0, share)",
        a_ratio,
    ),
    (
        "dpaudit.auditor.auditing Request.two_world",
        "(1.0 - PER_STEP_SHARE) if",
        "1.0 if",
        worlds_by_steps,
    ),
    (
        ENGINES + "two_world.steps per_step",
        "alpha.split(0.5, 0.5)",
        "(alpha, alpha)",
        worlds_by_steps,
    ),
    (
        ENGINES + "two_world.steps per_step",
        "alpha.split(0.5, 0.5)",
        "alpha.split(0.8, 0.5)",
        worlds_by_steps,
    ),
    (
        ENGINES + "two_world.events bound",
        "sample.runs, other_half)",
        "sample.runs, half)",
        worlds_of_gdp,
    ),
    (
        ENGINES + "two_world.engine TwoWorlds.lower",
        "split(1.0 - SHRUNK_SHARE, ",
        "split(1.0, ",
        worlds_with_a_witness,
    ),
    (
        ENGINES + "two_world.engine TwoWorlds.lower",
        "runs // 4, rest)",
        "runs // 4, main)",
        worlds_with_a_witness,
    ),
    (
        ENGINES + "black_box.engine BlackBox.bounded",
        "kept, alpha.rest(), late)",
        "kept, main, late)",
        outputs_with_a_witness,
    ),
    (
        ENGINES + "black_box.engine BlackBox.bounded",
        "* (1.0 - SHRUNK_SHARE)",
        "* (1.0 + SHRUNK_SHARE)",
        outputs_with_a_witness,
    ),
    (
        ENGINES + "black_box.events bound_counts",
        "runs, other_half)",
        "runs, half)",
        outputs_of_a_mechanism,
    ),
    (ENGINES + "black_box.gate gate", "2.0**level", "2.0", gates),
]


def edit(monkeypatch, where, old, new):
    """The function runs with this text replaced; every reference to it is meant. What the edited
    module enters among the things that travel does not stay there."""
    monkeypatch.setattr(plain, "_known", dict(plain._known))
    monkeypatch.setattr(plain, "_names", dict(plain._names))
    module, _, name = where.partition(" ")
    known = importlib.import_module(module)
    owner, edited = known, dict(vars(known))
    function = inspect.getsource(getattr_path(known, name))
    assert function.count(old) == 1, f"{where}: {old}"
    text = inspect.getsource(known).replace(function, function.replace(old, new))
    exec(compile(text, known.__file__, "exec"), edited)
    first, _, rest = name.partition(".")
    code = getattr_path(edited[first], rest).__code__ if rest else edited[first].__code__
    monkeypatch.setattr(getattr_path(owner, name), "__code__", code)


def getattr_path(owner, names):
    for name in names.split("."):
        owner = getattr(owner, name)
    return owner


@pytest.mark.parametrize(("where", "old", "new", "answer"), MUTANTS)
def test_code_that_spends_a_part_twice_or_more_than_the_whole_is_stopped(
    where, old, new, answer, monkeypatch
):
    edit(monkeypatch, where, old, new)
    with pytest.raises(Overspent):
        answer()


@pytest.mark.parametrize(
    "answer", dict.fromkeys(mutant[-1] for mutant in MUTANTS), ids=lambda f: f.__name__
)
def test_the_code_as_it_is_spends_all_and_no_more(answer):
    answer()
