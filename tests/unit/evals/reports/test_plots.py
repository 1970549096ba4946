"""Plots: well-formed, without a number that is none, empty without data."""

from __future__ import annotations

import math
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals.reports.plots import bar_plot, line_plot, linear, logarithmic, score_bar

FIGURE = st.none() | st.floats(allow_nan=True, allow_infinity=True)
NAME = st.text(max_size=80)


def parse(svg: str) -> ElementTree.Element:
    """Parse an SVG; every coordinate in it is a finite number."""
    root = ElementTree.fromstring(svg)
    for element in root.iter():
        for name in ("x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "width", "height"):
            if name in element.attrib:
                assert math.isfinite(float(element.attrib[name])), svg
        for pair in element.attrib.get("points", "").split():
            assert all(math.isfinite(float(one)) for one in pair.split(","))
    return root


@given(st.dictionaries(NAME, st.dictionaries(NAME, FIGURE, max_size=4), max_size=4), NAME)
def test_bars_of_any_figures_and_names_are_well_formed(
    groups: dict[str, dict[str, float | None]], label: str
) -> None:
    svg = bar_plot(label, groups)
    if svg:
        root = parse(svg)
        assert all(float(bar.attrib["width"]) <= 400 for bar in root.iter("rect"))


@given(
    st.dictionaries(
        NAME, st.lists(st.tuples(st.floats(1, 1e6), FIGURE), max_size=5), min_size=1, max_size=3
    )
)
def test_curves_of_any_values_stay_inside_the_frame(
    series: dict[str, list[tuple[float, float | None]]],
) -> None:
    values = [b for points in series.values() for _, b in points if b is not None]
    y = linear("y", [one for one in values if math.isfinite(one)])
    svg = line_plot("a plot", logarithmic("x", [1, 1e6], 1), y, series, dots=True)
    if svg:
        for dot in parse(svg).iter("circle"):
            assert 0 <= float(dot.attrib["cx"]) <= 400
            assert 0 <= float(dot.attrib["cy"]) <= 250


def test_without_data_there_is_no_plot() -> None:
    x, y = linear("x", []), linear("y", [])
    assert line_plot("none", x, y, {}, dots=True) == ""
    assert line_plot("none", x, y, {"a": [(1.0, None)]}, dots=True) == ""
    assert bar_plot("none", {}) == bar_plot("none", {"a": {"b": None}}) == ""


def test_a_curve_rises_where_its_values_do() -> None:
    svg = line_plot(
        "two points", linear("x", [10]), linear("y", [1]), {"a": [(0, 0.0), (10, 1.0)]}, dots=True
    )
    first, last = parse(svg).iter("circle")
    assert float(first.attrib["cx"]) < float(last.attrib["cx"])
    assert float(first.attrib["cy"]) > float(last.attrib["cy"])


def test_a_bar_is_as_long_as_its_share() -> None:
    root = parse(bar_plot("halves", {"g": {"a": 0.5, "b": 1.0}}, share=True))
    widths = [
        float(bar.attrib["width"]) for bar in root.iter("rect") if "bar" in bar.attrib["class"]
    ]
    assert widths == [174.0, 348.0]


@pytest.mark.parametrize("value", [0.0, 1.0, 7.3, 1e-9, 12_345.0, 1e12])
def test_axes_hold_their_values_and_have_few_labels(value: float) -> None:
    for axis in (linear("", [value]), logarithmic("", [value, 1.0], 1e-6)):
        assert 0.0 <= axis.place(value) <= 1.0
        assert 1 <= len(axis.ticks()) <= 12


def test_a_score_bar_clips() -> None:
    for share, width in ((-1.0, "0"), (0.5, "50"), (7.0, "100"), (math.nan, "0")):
        bar = list(parse(score_bar('a "score"', share)).iter("rect"))[1]
        assert bar.attrib["width"] == width
