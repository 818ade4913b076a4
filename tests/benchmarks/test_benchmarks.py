"""The benchmarks' bookkeeping and denominators; nothing is timed here."""

import dataclasses
import json
import math
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from dpaudit.laboratory.exact.regret import exact_regret
from tests.benchmarks import growth, peers, plain, record, rows
from tests.benchmarks.__main__ import PAGES
from tests.benchmarks.peers_worker import COUNTS, MEANS, PEERS
from tests.benchmarks.record import Peer, Row, Run, block, changes, load, markdown, parse

ROOT = Path(__file__).parents[2]
SAVED = load(ROOT / "reports" / "benchmarks.json")
MACHINE = {**record.machine(), "load": 0.1}
FAST = Row("rounds", 50.0, "M/s", 40.0, 1, 0.5, "loop", "note", (Peer("other 1.0", 0.1),))
SLOW = Row("start", 0.2, "s", 0.3, -1, peers=(Peer("gone", None, "could not be measured (no)"),))
RUN = Run(MACHINE, (FAST, SLOW), ({"panel": "runs", "name": "n", "slope": 1.0},), ("w (E)",))


def test_saved_rows_have_names_units_figures_and_were_made_once():
    names = [row.what for row in SAVED.rows]
    assert len(set(names)) == len(names) >= 25
    for row in SAVED.rows:
        assert row.what
        assert row.better in (-1, 1)
        assert math.isfinite(row.figure)
        assert row.unit or re.match("pairs|compilations", row.what), row
        assert (row.baseline is None) == (not row.baseline_is)
    assert {"python", "numpy", "numba", "scipy", "cores", "load"} <= set(SAVED.machine)


def test_every_figure_of_the_design_has_its_row():
    names = " ".join(row.what for row in SAVED.rows)
    for words in (
        "UCB rounds", "Beta Thompson", "leaps, T=10^6", "leaps, T=10^12", "two-world audit runs",
        "T=2^60, K=16", "black-box Laplace, 10^7", "noisy max, half its noise, 10^7",
        "sparse vector 4, 10^7", "sparse vector 6, 10^7", "to reject epsilon <= 1",
        "two-world bound", "--help", "second process", "HTML",
    ):  # fmt: skip
        assert words in names
    assert "make quality" in record.ELSEWHERE


def test_a_run_is_read_as_it_was_written():
    assert parse(RUN.text()) == RUN
    lost = Run(MACHINE, (dataclasses.replace(SLOW, value=math.inf),))
    assert not lost.rows[0].met
    assert parse(lost.text()) == lost
    json.loads(lost.text(), parse_constant=pytest.fail)
    with pytest.raises(ValueError, match="schema"):
        parse('{"schema": "other"}')


def test_comparison_notices_what_changed_and_only_that():
    def after(**changed):
        return Run(MACHINE, (dataclasses.replace(FAST, **changed), SLOW))

    assert changes(RUN, after()) == []
    assert changes(RUN, after(value=50.0 * 1.09)) == []
    (line,) = changes(RUN, after(value=50.0 * 1.11))
    assert line == "better: rounds: 50.0 -> 55.5 M/s (ratio 100 -> 111)"
    (line,) = changes(RUN, after(value=38.0))
    assert line.startswith("worse: rounds")
    assert line.endswith("now MISSED")
    (line,) = changes(RUN, after(figure=51.0))
    assert line.endswith("now MISSED")
    assert [line.split(":")[0] for line in changes(RUN, after(what="else"))] == ["new", "gone"]
    slower = Run(MACHINE, (FAST, dataclasses.replace(SLOW, value=0.25)))
    assert changes(RUN, slower) == ["worse: start: 0.200 -> 0.250 s"]


def test_a_surcharge_is_compared_with_what_it_is_on():
    small, twice, much = (Row("journal", v, "%", 50.0, -1) for v in (0.4, 0.8, 15.0))
    assert changes(Run(MACHINE, (small,)), Run(MACHINE, (twice,))) == []
    assert len(changes(Run(MACHINE, (small,)), Run(MACHINE, (much,)))) == 1


def test_the_table_says_what_is_missed_and_what_could_not_be_measured():
    assert (
        "| rounds | 50.0 M/s, note | ≥ 40 | loop: 0.500 (100x) | other 1.0: 0.100 (500x) |"
        in markdown(RUN)
    )
    assert "could not be measured (no)" in markdown(RUN)
    assert "| w (E) | could not be measured |" in markdown(RUN)
    assert "MISSED" not in markdown(RUN)
    assert "MISSED" in markdown(Run(MACHINE, (dataclasses.replace(FAST, value=1.0),)))


def test_a_lower_bound_is_never_rounded_up():
    bound = dataclasses.replace(FAST, value=1.99996, unit=record.BOUND)
    assert record.shown(bound) == "1.9999"
    assert record.shown(dataclasses.replace(bound, unit="M/s")) == "2.00 M/s"


def test_a_group_of_rows_that_fails_costs_no_other_and_is_named(monkeypatch):
    def group(*_):
        yield FAST

    def fails():
        raise ZeroDivisionError

    for name in (
        "rates",
        "leaps",
        "exact",
        "tight",
        "counts",
        "black_box",
        "many_numbers",
        "start_up",
        "pages",
    ):
        monkeypatch.setattr(rows, name, group)
    monkeypatch.setattr(rows, "tight", fails)
    monkeypatch.setattr(rows.running, "workers", group)
    monkeypatch.setattr(rows.running, "memory", group)
    lost = []
    assert len(list(rows.all_rows({}, lost))) == 10
    assert lost == ["fails (ZeroDivisionError)"]


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_readme_and_guide_show_the_saved_run(page):
    text, only = page.read_text(), PAGES[page]
    assert {row.what for row in SAVED.rows} >= set(only)
    assert markdown(SAVED, only) in text
    assert block(SAVED, text, only) == text
    assert block(RUN, text, only) != text
    with pytest.raises(ValueError, match="bench"):
        block(RUN, "# nothing")


def test_the_peers_do_the_same_work_and_all_their_packages_are_pinned():
    assert MEANS == rows.MEANS
    assert COUNTS == rows.COUNTS
    assert set(PEERS) == set(peers.MEASURES) <= set(peers.pins())


def test_a_peer_that_cannot_be_had_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(peers, "FOLDER", tmp_path / "none")
    found = peers.measured()
    assert {peer.name for peer in found["ucb1"]} == {"SMPyBandits", "mabwiser"}
    for beside in found.values():
        assert all(p.value is None and "not installed" in p.note for p in beside)


def test_plain_quadrature_computes_what_the_exact_engine_does():
    means = [0.5, 0.8, 0.3]
    assert plain.noisy_max_regret(means, 0.3, 63) == pytest.approx(
        exact_regret("rnm-ftnl", means, 63, epsilon=0.3).regret[0], abs=1e-6
    )
    other = exact_regret("rnm-ftnl", means, 63, epsilon=0.31).regret[0]
    assert abs(plain.noisy_max_regret(means, 0.3, 63) - other) > 1e-3


def test_slopes_are_exponents_of_the_upper_half_and_pictures_repeat(tmp_path):
    sizes = (1.0, 2.0, 4.0, 8.0)
    linear = growth.Growth("runs", "one", sizes, (9.0, 9.0, 4.0, 8.0))
    square = growth.Growth("claims", "two", sizes, (1.0, 4.0, 16.0, 64.0))
    assert (linear.slope, square.slope) == (pytest.approx(1.0), pytest.approx(2.0))
    for name in ("a.svg", "b.svg"):
        growth.draw([linear, square], tmp_path / name)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    ElementTree.fromstring((tmp_path / "a.svg").read_text())


def test_growth_was_measured_against_everything_asked(tmp_path):
    assert {curve["panel"] for curve in SAVED.growth} == set(growth.PANELS)
    for curve in SAVED.growth:
        assert 4 <= len(curve["sizes"]) == len(curve["seconds"]) <= 6
    curves = [{k: v for k, v in curve.items() if k != "slope"} for curve in SAVED.growth]
    growth.draw([growth.Growth(**curve) for curve in curves], tmp_path / "growth.svg")
    assert (tmp_path / "growth.svg").exists()
