"""The picture of the price of privacy: all that it names is in it, and it accuses who is below."""

import re

import pytest

from dpaudit.cli import main
from dpaudit.report.price import Floor, draw_price, fallen
from dpaudit.results.documents import parse
from tests.report import samples

AUDITED = {"private": (0.9, 1.0), "leaky": (1.8, 2.0), "twin": (0.2, 0.5)}
FLOORS = {
    ("full-information", False): [Floor("group privacy", [0.5, 1.0, 2.0], [0.4, 0.3, 0.2], False)],
    ("bandit", True): [Floor("Azize et al.", [0.5, 1.0, 2.0], [30.0, 20.0, 10.0], True)],
}


def optima(leaky=0.5):
    """Certified are 1.0, 0.9 and 0.7; at each epsilon one learner has so much regret."""
    entries = []
    for feedback in ("full-information", "bandit"):
        for rounds in (2, 5):
            for epsilon, bound in ((0.5, 1.0), (1.0, 0.9), (2.0, 0.7)):
                names = {"private": 1.1, "twin": 1.1, "leaky": leaky, "free": 0.6}
                learners = [
                    {"name": n, "low": y, "high": y + 0.01, "runs": 9} for n, y in names.items()
                ]
                learners = learners if feedback == "bandit" else learners[:2]
                entry = {"feedback": feedback, "rounds": rounds, "epsilon": epsilon}
                worth = {"certified": bound, "value": bound, "learners": learners}
                entries.append({**samples.optimum(), **entry, **worth})
    large = {"feedback": "bandit", "epsilons": [0.5, 1.0, 2.0], "exact": False}
    many = [
        {**large, "name": "private", "low": [90, 70, 50], "high": [91, 71, 51]},
        {**large, "name": "leaky", "low": [60, 50, 40], "high": [61, 51, 41]},
        {**large, "name": "private", "low": [9, 7, 5], "high": [9, 7, 5],
         "feedback": "full-information"},
    ]  # fmt: skip
    return parse({**samples.optima(), "entries": entries, "large": many})


def drawn(tmp_path, found):
    file = tmp_path / "price.svg"
    draw_price(found, AUDITED, FLOORS, file)
    svg = file.read_text()
    return svg, " ".join(re.findall(r"<text[^>]*>(.*?)</text>", svg, re.DOTALL))


def test_every_learner_bound_and_game_is_named(tmp_path):
    svg, texts = drawn(tmp_path, optima())
    for name in ("private, twin", "leaky", "free", "group privacy", "Azize et al."):
        assert name in texts
    assert texts.count("T = 5") == 2
    assert "T = 2" not in texts
    assert texts.count("no private learner is here") == 2
    # Two bars of another colour: the refuted claim, in both games of bandits.
    assert svg.count("stroke: #d55e00; stroke-opacity: 0.85; stroke-width: 3.2") >= 2
    again, _ = drawn(tmp_path, optima())
    assert again == svg


def test_who_is_below_the_least_regret_is_named_with_its_audit(tmp_path):
    """The control: with a little more regret than the bound nobody is accused."""
    assert fallen(optima()) == [("free", 1.0), ("leaky", 1.0)]
    _, texts = drawn(tmp_path, optima())
    assert "leaky, set to epsilon = 1, has less regret" in texts
    assert "its epsilon is in [1.8, 2]" in texts
    assert "free, set" not in texts  # it claims nothing
    assert fallen(optima(leaky=0.9)) == [("free", 1.0), ("leaky", 0.5)]
    assert fallen(optima(leaky=1.0)) == [("free", 1.0)]
    _, texts = drawn(tmp_path, optima(leaky=1.0))
    assert "has less regret" not in texts


@pytest.mark.parametrize("name", ["price.svg", "price.png"])
def test_the_command_draws_the_published_optima(name, tmp_path, capsys):
    file = tmp_path / name
    assert main(["optimal", "--picture", str(file)]) == 0
    assert file.stat().st_size > 10_000
    if name.endswith(".svg"):
        svg = file.read_text()
        for text in ("rnm-ftnl-exponential", "anytime-lazy-ucb", "group privacy", "Azize et al."):
            assert text in svg
    assert capsys.readouterr().out == f"{file}\n"
