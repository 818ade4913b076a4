"""The worst gaps: bounds of boxes against their insides, brackets against grids, replays."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from dpaudit.cli import main
from dpaudit.errors import UsageError
from dpaudit.laboratory.exact.regret import exact_regret
from dpaudit.laboratory.exact.sums import Sums
from dpaudit.laboratory.exact.winning import winning
from dpaudit.laboratory.exact.worst import bounds, search
from dpaudit.laboratory.exact.worst.bounds import Bounds
from dpaudit.laboratory.exact.worst.duels import duel, duels
from dpaudit.laboratory.exact.worst.search import read, replay, worst_gaps
from dpaudit.machine.noisy_max import EXPONENTIAL, GUMBEL, LAPLACE, NOISES

ALL = [LAPLACE, EXPONENTIAL, GUMBEL]


def by_winning(noise, away, counts):
    """One epoch of 256 rounds, scale 8: gaps in scales are 32 times gaps."""
    sums = Sums(np.array([0.0, *away]) / 32.0, np.array([1.0, *counts]), 256, True, -1)
    found = winning(sums, noise, 8.0, 1e-30)
    return found.probability[1:], found.error[1:]


@pytest.mark.parametrize("noise", ALL, ids=NOISES)
def test_duels_agree_with_the_exact_engine(noise):
    """To a part in 10^8; a gap larger by 10^-6 would be seen."""
    rng = np.random.default_rng(3)
    for counts in ([1.0, 1.0], [3.0, 2.0**20], [2.0**100, 5.0]):
        top = np.log(sum(counts))
        away = np.sort(rng.uniform(0.0, 1.0, (6, 2)), axis=1) * (top + 6.0)
        won, _ = duels(noise, away, np.array(counts))
        for row, found in zip(away, won, strict=True):
            truth, error = by_winning(noise, row, counts)
            seen = truth > bounds.FAINT * np.array(counts) / sum(counts)
            assert np.all(np.abs(found - truth)[seen] <= 1e-8 * truth[seen] + error[seen])
            other, _ = duels(noise, row[None] * (1.0 + 1e-6), np.array(counts))
            changed = seen & (row * truth * (1.0 - truth) > 0.01)
            assert np.all(np.abs(other[0] - truth)[changed] > 1e-8 * truth[changed])


@pytest.mark.parametrize("noise", ALL, ids=NOISES)
def test_ties_are_how_chances_change_with_the_gaps(noise):
    counts, away, step = np.array([1.0, 40.0]), np.array([[1.3, 4.0]]), 1e-4
    _, ties = duels(noise, away, counts)
    for j, h in itertools.product(range(2), repeat=2):
        ends = []
        for side in (-step, step):
            moved = away.copy()
            moved[0, h] += side
            ends.append(duels(noise, moved, counts)[0][0, j])
        slope = (ends[1] - ends[0]) / (2.0 * step)
        expected = ties[0, j, h + 1] if j != h else -ties[0, j].sum()
        assert slope == pytest.approx(expected, rel=1e-6)
        assert slope != pytest.approx(1.001 * expected, rel=1e-6)


def test_a_duel_with_the_best_bounds_a_chance_among_many():
    for noise in ALL:
        for away in (0.0, 1.0, 9.0):
            alone, _ = by_winning(noise, [away, 32.0], [1.0, 1.0])
            assert float(duel(noise, np.array(away))) >= alone[0] - 1e-12
            if away:
                assert float(duel(noise, np.array(away + 0.5))) < alone[0]


def regret_at(bound, gaps):
    """By the exact engine, for losses and T = 300, epsilon = 0.5."""
    name, counts = bound
    asked = search.Question(name, counts, 300, 0.5)
    return search.instance_regret(asked, gaps)


@pytest.mark.parametrize("name", ["rnm-ftnl", "rnm-ftnl-exponential", "rnm-ftnl-gumbel"])
def test_no_regret_in_a_box_exceeds_its_bound(name, monkeypatch):
    """Boxes of all sizes; with tangents drawn a tenth too low it would."""
    rng = np.random.default_rng(8)
    counts = (1.0, 30.0)
    boxes = []
    for width in (0.3, 1.0, 3.0, 8.0):
        low = np.exp(rng.uniform(-6.0, -1.0, 2))
        boxes.append((tuple(low), tuple(np.minimum(low * np.exp(width), 1.0))))
    boxes.append(((0.0, 0.01), (0.05, 0.02)))

    def exceeded():
        most = Bounds(name, counts, 300, 0.5, {}).of(boxes).most
        inside = []
        for low, high in boxes:
            points = [rng.uniform(low, high) for _ in range(10)]
            points += [np.array(p) for p in itertools.product(*zip(low, high, strict=True))]
            points.append(np.sqrt(np.array(low) * np.array(high)))
            inside.append(max(regret_at((name, counts), p) for p in points))
        return np.array(inside) > most

    assert not exceeded().any()
    tangents = Bounds._tangents

    def low_tangents(self, centre, scaled):
        value, slope = tangents(self, centre, scaled)
        return 0.9 * value, slope

    monkeypatch.setattr(Bounds, "_tangents", low_tangents)
    assert exceeded().any()


@pytest.mark.parametrize("name", ["rnm-ftnl", "rnm-ftnl-exponential", "rnm-ftnl-gumbel", "ftnl"])
def test_brackets_hold_what_grids_find(name):
    """One arm, and two beside the best; half the noise has another supremum."""
    line = np.geomspace(1e-3, 1.0, 60)
    for counts, points in (((1.0,), [(g,) for g in line]), ((1.0, 3.0), None)):
        if points is None:
            points = list(itertools.product(line[::6], repeat=2))
        found = worst_gaps(name, counts, 500, epsilon=0.5, tolerance=0.03)
        asked = search.Question(name, counts, 500, 0.5)
        grid = max(search.instance_regret(asked, p) for p in points)
        assert grid <= found.most
        assert found.most <= 1.03 * found.least
        # The bracket is no looser than that: the grid comes near it.
        assert found.least <= 1.1 * grid
        assert worst_gaps(name, counts, 500, epsilon=1.0, tolerance=0.03).most < grid


def test_a_bracket_for_a_million_arms_and_for_the_last_round():
    found = worst_gaps("rnm-ftnl-laplace", [2**20], 2**60, epsilon=2.0**-6)
    assert found.most <= 1.02 * found.least
    # Proved at most 1 + 50.5 ln K/epsilon, whatever the gaps.
    assert found.most < 50.5 * 20 * np.log(2.0) * 64
    means, counts = search.instance(found.question, found.gaps)
    how = {"environment": "deterministic", "counts": counts}
    again = exact_regret("rnm-ftnl-laplace", means, 2**60, epsilon=2.0**-6, **how)
    assert again.regret[0] >= found.least


def test_replays_and_what_fails_to():
    found = worst_gaps("rnm-ftnl-laplace", [1, 1], 200, epsilon=0.7, tolerance=0.05)
    assert replay(found)
    assert read(found.json()) == found
    assert replay(read(found.json()))
    cuts = list(found.cuts)
    wrong = {
        "lower": replace(found, most=0.99 * found.most),
        "instance": replace(found, gaps=(0.5, 0.5)),
        "uncut": replace(found, cuts=(None,)),
        "cut short": replace(found, cuts=tuple(cuts[:-1])),
        "outside": replace(found, cuts=((0, 1.5), None, None)),
        "other noise": replace(found, question=replace(found.question, epsilon=0.6)),
    }
    assert [name for name, other in wrong.items() if replay(other)] == []
    with pytest.raises(UsageError, match="worst gaps: not a document"):
        read('{"schema": "dpaudit/regret/1"}')


def test_too_few_boxes_leave_a_wider_bracket_that_holds():
    wide = worst_gaps("rnm-ftnl", [1, 1], 500, epsilon=0.5, most_boxes=10)
    near = worst_gaps("rnm-ftnl", [1, 1], 500, epsilon=0.5)
    assert wide.most > near.most >= near.least >= wide.least
    assert replay(wide)


def test_what_was_done_is_kept_when_it_is_interrupted(monkeypatch):
    bounded, asked = Bounds.of, []

    def interrupted(self, boxes):
        asked.append(len(boxes))
        if len(asked) == 5:
            raise KeyboardInterrupt
        return bounded(self, boxes)

    told = []
    with monkeypatch.context() as changed:
        changed.setattr(Bounds, "of", interrupted)
        found = worst_gaps(
            "rnm-ftnl-gumbel", [1, 1], 500, epsilon=0.5, progress=lambda *how: told.append(how)
        )
    assert not found.complete
    assert found.boxes == told[-1][0] > 1
    assert replay(found)
    near = worst_gaps("rnm-ftnl-gumbel", [1, 1], 500, epsilon=0.5)
    assert near.complete
    assert found.most > near.most


def test_the_command_line_says_what_is_the_worst(tmp_path, capsys):
    path = tmp_path / "worst.json"
    words = ["regret", "rnm-ftnl-laplace", "--worst", "1", "--epsilon", "0.5"]
    assert main([*words, "--horizon", "1000", "--json", str(path)]) == 0
    out = capsys.readouterr().out
    found = read(path.read_text())
    assert f"is at most {found.most:.6g}" in out
    assert "replayed" in out
    assert "NOT" not in out


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--worst", "1,1,1,1,1"], "counts: got 5 groups, allowed are 1 to 4"),
        (["--worst", "0"], "counts: got 0.0, allowed is a number in"),
        (["--worst", "1", "--means", "0.1,0.2"], "means: got some, allowed are none"),
        (["--worst", "1", "--param", "resample=1"], "allowed are leaders by noisy sums"),
        (["--worst", "1;2"], "worst: got '1;2', allowed are numbers"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(more, message, capsys):
    words = ["regret", "rnm-ftnl-laplace", "--epsilon", "1", "--horizon", "100"]
    assert main([*words, *more]) == 2
    err = capsys.readouterr().err
    assert message in err
    assert len(err.splitlines()) == 1
