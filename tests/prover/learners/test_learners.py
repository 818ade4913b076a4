"""Proofs of classes: bounds are those worked out by hand, what is broken gets none that is too
small, and what is private is not called a leak."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from dpaudit.errors import UsageError
from dpaudit.prover.prove import prove
from tests.prover.learners import broken, strange
from tests.quality import field, zoo

README = Path(__file__).parents[3] / "README.md"


def of_readme(folder: Path, scale: str) -> str:
    """The README's leaky learner, with this scale of its noise."""
    (code,) = re.findall(r"```python\n(# leaky\.py\n.*?)```", README.read_text(), re.DOTALL)
    assert "1 / self.epsilon" in code
    file = folder / "leaky.py"
    file.write_text(code.replace("1 / self.epsilon", scale))
    return f"{file}:Leaky"


@pytest.mark.parametrize(("scale", "right"), [("1 / self.epsilon", 2.0), ("2 / self.epsilon", 1.0)])
def test_the_learner_of_the_readme_is_proved_for_every_horizon(
    tmp_path: Path, scale: str, right: float
) -> None:
    result = prove(of_readme(tmp_path, scale))
    assert (result.bound, result.rounds, result.arms) == (right, "every", [2, 3, 4])
    assert result.verdict == "proved for every T"


@pytest.mark.parametrize("learner", broken.BOUNDS, ids=lambda c: c.__name__)
def test_the_bound_is_the_right_one(learner: type) -> None:
    result = prove(learner, arms=2)
    assert (result.bound, result.arms) == (broken.BOUNDS[learner], 2)


@pytest.mark.parametrize("learner", broken.WITHOUT, ids=lambda c: c.__name__)
def test_there_is_no_bound_and_it_says_why(learner: type) -> None:
    result = prove(learner, arms=2)
    said = {w for w in ("leak", "growth", "undecided") if getattr(result, w) is not None}
    assert (result.bound, said) == (None, {broken.WITHOUT[learner]})
    if result.leak is not None:
        assert result.leak.line > 0
    assert "\n" not in f"{result.undecided or result.growth}"


@pytest.mark.parametrize("learner", strange.TRUTH, ids=lambda c: c.__name__)
def test_no_bound_of_a_stranger_is_below_the_truth(learner: type) -> None:
    result = prove(learner, arms=2)
    assert result.bound is None or result.bound >= strange.TRUTH[learner]
    assert result.leak or result.growth or result.undecided or result.bound is not None


def test_some_of_them_have_the_bound_that_is_right() -> None:
    found = {
        learner: prove(learner, arms=2).bound for learner in (strange.Weighted, strange.OfReals)
    }
    assert found == {strange.Weighted: 3.0, strange.OfReals: 1.0}


def once(book: Any) -> list[type]:
    return list(dict.fromkeys(entry.learner for entry in book.values()))


@pytest.mark.parametrize("learner", [*zoo.CAUGHT, *once(field.BROKEN)], ids=lambda c: c.__name__)
def test_nothing_broken_gets_a_bound_that_keeps_its_claim(learner: type) -> None:
    result = prove(learner, arms=2)
    assert result.bound is None or result.bound > 1


PROVED = {zoo.NoisyLeader, zoo.ExponentialLeader, zoo.GumbelLeader, zoo.LazyUcb, zoo.LazyThompson}


@pytest.mark.parametrize("learner", [*zoo.SOUND, *once(field.SOUND)], ids=lambda c: c.__name__)
def test_nothing_sound_is_called_a_leak_and_some_are_proved(learner: type) -> None:
    """Else what is said of broken ones would hold of a prover that decides nothing."""
    result = prove(learner, arms=2)
    assert (result.leak, result.growth) == (None, None)
    assert learner not in PROVED or result.bound == 1


def test_a_class_takes_no_parameters_and_few_arms() -> None:
    with pytest.raises(UsageError, match="parameters: got level"):
        prove(broken.Greedy, level=3)
    with pytest.raises(UsageError, match="arms: got 9, allowed for a class is 2 to 8"):
        prove(broken.Greedy, arms=9)
