"""Figures show what their verdicts rest on, and can be read."""

import html
import re
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib import rc_context
from matplotlib.figure import Figure

from dpaudit.report.figures import draw_study, panels, regret, studies
from dpaudit.report.figures.series import PANEL, floors_of, lines_of, panels_of, seen
from dpaudit.report.figures.style import (
    APART,
    FLOORS,
    ON_DARK,
    ON_LIGHT,
    PALETTE,
    SHEET,
    End,
    error_bars,
    name_ends,
    size,
    spread,
)
from dpaudit.report.page.curves import reproduction_section
from dpaudit.report.page.frame import CSS
from dpaudit.report.page.pictures import LETTER, Series, plot
from dpaudit.report.page.scaling import scaling_section
from dpaudit.results import documents
from dpaudit.results.scaling import Point, Scaling
from tests.report import samples

REPORTS = Path(__file__).parents[3] / "reports"
STUDIES = documents.read(REPORTS / "scaling.json").studies
EXPERIMENTS = documents.read(REPORTS / "reproduction.json").results


def composed(compose, *given, count=1, **named):
    """A figure of so many panels, laid out."""
    with rc_context(SHEET):
        figure = Figure(figsize=size(count), layout="constrained")
        compose(figure, *given, **named)
        figure.draw_without_rendering()
        return figure


def study_figure(study, lines=None):
    parts = panels_of(lines_of(study.points) if lines is None else lines, study.axes[0])
    return composed(studies.compose, study, parts, count=len(parts))


def names_at_ends(axes):
    beside = [text for text in axes.texts if text.get_transform() == axes.transAxes]
    return [text for text in beside if text.get_position()[0] > 1.0]


def faults(figure):
    """What cannot be read."""
    for axes in figure.axes:
        boxes = sorted((t.get_window_extent() for t in names_at_ends(axes)), key=lambda b: b.y0)
        if any(low.y1 > high.y0 + 1.0 for low, high in pairwise(boxes)):
            yield "names lie on each other"
        inside = axes.get_window_extent()
        if any(box.x0 < inside.x1 for box in boxes):
            yield "names lie on curves"
        for container in axes.containers:
            for bars in container.lines[2]:
                low = min(segment[0, 1] for segment in bars.get_segments())
                if axes.get_yscale() == "log" and low <= 0.0:
                    yield "a bar goes to 0 on a logarithmic axis"
        colours = [c.lines[0].get_color() for c in axes.containers]
        if len(set(colours)) < len(colours):
            yield "two lines have one colour"
        for line in axes.get_lines():
            x = np.asarray(line.get_xdata())
            if line.get_transform() != axes.transAxes and np.any(np.diff(x) <= 0):
                yield "a line turns back"
    width, height = figure.get_size_inches() * figure.dpi
    beside = [t for a in figure.axes for t in names_at_ends(a)]
    for text in [figure._suptitle, *beside, *figure.legends]:
        box = text.get_window_extent() if text else None
        if box and (box.x1 > width + 1 or box.y1 > height + 1 or box.x0 < -1):
            yield "words run off the figure"


def boxes_of(texts):
    """Left, right, top and bottom of words, from their letters as they are reckoned with."""
    for text in texts:
        x, y = float(text.get("x")), float(text.get("y"))
        yield x, x + LETTER * len(text.text), y - 9.0, y + 3.0


def picture_faults(picture):
    """What cannot be read of a plot inside a page; the same as of a figure."""
    root = ElementTree.fromstring(picture)
    width, height = (float(v) for v in root.get("viewBox").split()[2:])
    axis = max((line for line in root.iter("line") if line.get("class") == "axis"),
               key=lambda line: float(line.get("x2")) - float(line.get("x1")))  # fmt: skip
    names = [t for t in root.iter("text") if (t.get("class") or "").startswith("name")]
    boxes = sorted(boxes_of(names), key=lambda box: box[2])
    if any(low[3] > high[2] for low, high in pairwise(boxes)):
        yield "names lie on each other"
    if any(box[0] < float(axis.get("x2")) for box in boxes):
        yield "names lie on curves"
    if any(box[1] > width or box[3] > height or box[2] < 0.0 for box in boxes):
        yield "words run off the figure"
    paths = [p for p in root.iter("path") if (p.get("class") or "").split()[-2:-1] == ["curve"]]
    measured = [p for p in paths if p.get("class").startswith("curve")]
    looks = [(p.get("class"), p.get("stroke-dasharray")) for p in measured]
    looks = [(own, dash) for own, dash in looks if dash != "1 3"]  # those are lower bounds
    if len(set(looks)) < len(looks):
        yield "two lines have one colour"
    for path in paths:
        x = [float(place.split()[0]) for place in path.get("d")[1:].replace("h", "L").split("L")]
        if len(x) > 2 and any(b <= a for a, b in pairwise(x)):
            yield "a line turns back"


def pictures_in(page):
    return re.findall(r"<svg.*?</svg>", str(page), re.DOTALL)


@pytest.mark.parametrize("study", STUDIES, ids=lambda s: f"{s.paper}-{s.study}")
def test_a_study_in_a_page_is_drawn_whole_and_can_be_read(study):
    section = scaling_section([Scaling(version="0", studies=[study])], {})
    pictures = pictures_in(section)
    assert [fault for picture in pictures for fault in picture_faults(picture)] == []
    lines = lines_of(study.points)
    marks = sum(picture.count("h0") for picture in pictures)
    assert marks == len(study.points)
    named = " ".join(" ".join(ElementTree.fromstring(p).itertext()) for p in pictures)
    assert all(name.split(", ")[-1].split()[0] in named for name in lines)
    assert any(FLOORS in p for p in pictures) == any(
        seen(floors_of(part.lines), [p.regret for line in part.lines.values() for p in line])
        for part in panels_of(lines, study.axes[0])
    )


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda e: e.experiment)
def test_an_experiment_in_a_page_is_drawn_whole_and_can_be_read(experiment):
    pictures = pictures_in(reproduction_section([experiment], {}))
    assert len(pictures) == len({c.panel for c in experiment.curves})
    assert [fault for picture in pictures for fault in picture_faults(picture)] == []


@pytest.mark.parametrize("study", STUDIES, ids=lambda s: f"{s.paper}-{s.study}")
def test_a_study_is_drawn_whole_and_can_be_read(study):
    figure = study_figure(study)
    assert list(faults(figure)) == []
    drawn = sum(len(c.lines[0].get_xdata()) for a in figure.axes for c in a.containers)
    assert drawn == len(study.points)
    bounds = sum(p.bound is not None for p in study.points)
    dashed = [line for a in figure.axes for line in a.get_lines() if line.get_ls() == "--"]
    assert sum(len(line.get_xdata()) for line in dashed) == bounds
    assert bool(bounds) == any(
        re.search("(?<!lower )bound", t.get_text()) for t in figure.legends[0].get_texts()
    )
    title = figure._suptitle.get_text().replace("\n", " ")
    assert study.verdict in title
    assert study.study not in title
    named = [t.get_text() for a in figure.axes for t in names_at_ends(a)]
    assert all(any(name.endswith(end) for end in named) for name in lines_of(study.points))
    assert {judged.curve for judged in study.judged} <= {p.series for p in study.points}


def test_a_file_has_the_names_as_text(tmp_path):
    draw_study(STUDIES[0], tmp_path / "study.svg")
    text = html.unescape((tmp_path / "study.svg").read_text())
    assert all(name.split(", ")[-1] in text for name in lines_of(STUDIES[0].points))


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda e: e.experiment)
def test_an_experiment_is_drawn_whole_and_can_be_read(experiment):
    inside = {}
    for curve in experiment.curves:
        inside.setdefault(curve.panel, []).append(curve)
    told = {"heading": experiment.where, "scales": ("linear", "linear"), "x": "rounds"}
    told["floors"] = experiment.lower_bounds
    figure = composed(panels.compose, inside, count=len(inside), **told)
    assert list(faults(figure)) == []
    named = [t.get_text() for a in figure.axes for t in names_at_ends(a)]
    least = [name for name in named if name.startswith("at least: ")]
    assert sorted(set(named) - set(least)) == sorted({c.label for c in experiment.curves})
    assert len(named) - len(least) == len(experiment.curves)
    for axes in figure.axes:
        names = [t.get_text() for t in names_at_ends(axes)]
        assert len(set(names)) == len(names)
    for curve in experiment.curves:
        floor = experiment.floor(curve)
        assert (floor is None) == (curve.quantity != "regret")
        assert floor is None or any(name.startswith(f"at least: {floor.short}") for name in least)


def test_a_regret_curve_has_its_median_and_its_band():
    figure = composed(regret.compose, documents.parse(samples.regret()))
    assert list(faults(figure)) == []
    named = {t.get_text() for t in names_at_ends(figure.axes[0])}
    assert {"mean", "median"} <= named


def two_curves(**more):
    lines = [Series("one", [1.0, 2.0], [1.0, 2.0]), Series("two", [1.0, 2.0], [1.0, 2.1], **more)]
    return str(plot(lines, title="t", x="x", y="y", log=(False, False), ident="i"))


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (lambda: two_curves(place=0), "two lines have one colour"),
        (
            lambda: re.sub(r'(x="[\d.]+" y=")[\d.]+(" class="name)', r"\g<1>50\2", two_curves()),
            "names lie on each other",
        ),
        (
            lambda: re.sub(r'x="[\d.]+"( y="[\d.]+" class="name)', r'x="470"\1', two_curves()),
            "words run off the figure",
        ),
        (
            lambda: re.sub(r'x="[\d.]+"( y="[\d.]+" class="name)', r'x="100"\1', two_curves()),
            "names lie on curves",
        ),
        (
            lambda: str(plot([Series("one", [1.0, 2.0, 1.5], [1.0, 2.0, 9.0])], title="t", x="x",
                             y="y", log=(False, False), ident="i")),
            "a line turns back",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_read_of_a_plot_in_a_page_is_seen(broken, said):
    assert list(picture_faults(two_curves())) == []
    assert said in list(picture_faults(broken()))


def test_a_page_has_the_hues_of_the_figures():
    rules = re.findall(r":root\{([^}]*)\}", CSS)
    for rule, wanted in zip(rules, (ON_LIGHT, ON_DARK), strict=True):
        found = dict(re.findall(r"--s(\d):(#[0-9a-f]{6})", rule))
        assert tuple(found[str(i)] for i in range(len(PALETTE))) == wanted


def point(series, x, regret=1.0, epsilon=None, error=0.0):
    return Point(series=series, x=x, target="t", regret=regret, epsilon=epsilon, error=error)


def test_a_series_of_several_epsilons_is_several_lines():
    points = [point("s", x, epsilon=e) for e in (1.0, 0.1) for x in (4.0, 2.0)]
    lines = lines_of(points)
    assert list(lines) == ["s, epsilon 1", "s, epsilon 0.1"]
    assert all([p.x for p in line] == [2.0, 4.0] for line in lines.values())


def test_more_lines_than_a_panel_holds_are_more_panels():
    parts = panels_of(
        lines_of([point(f"s{i}", x) for i in range(2 * PANEL + 1) for x in (1.0, 2.0)])
    )
    assert [len(lines) for lines in (p.lines for p in parts)] == [PANEL, PANEL, 1]
    assert len(set(PALETTE)) == PANEL


def test_heights_are_apart_and_near():
    heights = [0.1, 0.11, 0.12, 0.9]
    placed = spread(heights)
    assert all(b - a >= APART - 1e-12 for a, b in pairwise(placed))
    assert np.mean(placed[:3]) == pytest.approx(0.11)
    assert placed[3] == 0.9


def test_names_at_the_edge_are_not_pushed_onto_others():
    """Seven that fill the panel: those at the top are moved down, and the rest before them."""
    wanted = [-0.02, 0.14, 0.2, 0.9, 0.97, 0.98, 0.99]
    placed = spread(wanted, 1.0 / len(wanted))
    assert placed == sorted(placed)
    assert all(b - a >= (1 - 1e-6) / 7.0 for a, b in pairwise(placed))
    assert 0.0 <= placed[0] <= placed[-1] <= 1.0
    rng = np.random.default_rng(0)
    for _ in range(300):
        heights = rng.beta(0.3, 0.3, rng.integers(1, 20)).tolist()
        ordered = sorted(spread(heights))
        least = min(APART, 1.0 / len(heights))
        assert all(b - a >= least * (1 - 1e-6) for a, b in pairwise(ordered))
        assert -1e-9 <= ordered[0] <= ordered[-1] <= 1.0 + 1e-9


def test_bars_do_not_reach_down_to_a_logarithmic_axis():
    assert error_bars([1.0, 2.0], [1.5, 0.5], True) == [[0.0, 0.5], [1.5, 0.5]]
    assert error_bars([1.0], [1.5], False) == [[1.5], [1.5]]


def crowded(axes):
    axes.plot([1, 2], [1, 2])
    for height in (0.5, 0.51):
        axes.text(1.03, height, "a name", transform=axes.transAxes)


def crossing(axes):
    axes.plot([1, 2], [1, 2])
    name_ends(axes, [End("a name", 1.0, 1.0, "black")])
    axes.texts[0].set(x=1.001, ha="right")


def turning(axes):
    axes.plot([1, 2, 1], [1, 2, 3])


def to_zero(axes):
    axes.set_yscale("log")
    axes.errorbar([1, 2], [1.0, 2.0], [1.0, 0.1])


def alike(axes):
    for shift in (0, 1):
        axes.errorbar([1, 2], [1 + shift, 2 + shift], [0.1, 0.1], color="red")


def outside(axes):
    axes.text(3.0, 0.5, "far away", transform=axes.transAxes).set_in_layout(False)


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (crowded, "names lie on each other"),
        (crossing, "names lie on curves"),
        (turning, "a line turns back"),
        (to_zero, "a bar goes to 0 on a logarithmic axis"),
        (alike, "two lines have one colour"),
        (outside, "words run off the figure"),
    ],
)
def test_what_cannot_be_read_is_seen(broken, said):
    figure = composed(lambda figure: broken(figure.subplots()))
    assert said in list(faults(figure))
