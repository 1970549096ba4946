"""Half a year of a contact as an SVG: stage, streak, churn risk and mood, a lane each. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Final, TypeVar
from xml.sax.saxutils import escape

from memory.domain.contacts import MOODS, MoodName, Stage
from scripts.contact_half_year import Day, Phase

_Value = TypeVar("_Value")

LEFT: Final = 110
STEP: Final = 4.6
"""Points a day."""
LANES: Final = {"stage": (50, 120), "streak": (190, 70), "churn": (280, 70), "mood": (370, 96)}
"""Top and height of each."""
HEIGHT: Final = 500
STAGE_LANES: Final[tuple[Stage, ...]] = (
    "deep",
    "established",
    "building",
    "new",
    "fading",
    "dormant",
)
MOOD_COLOURS: Final[dict[MoodName, str]] = {
    "frustrated": "#c0392b",
    "sad": "#2e6da4",
    "anxious": "#8e5ea2",
    "excited": "#d98a00",
    "confused": "#00838f",
    "neutral": "#9aa0a6",
}


def drawn(days: Sequence[Day], phases: Sequence[Phase]) -> str:
    """Return the picture of consecutive days, with what is told of their phases above it."""
    width = round(LEFT + STEP * len(days) + 20)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {HEIGHT}"'
        ' font-family="system-ui, sans-serif" font-size="11" fill="#3c4043">',
        "<title>Stage, streak, churn risk and mood of a contact over half a year</title>",
        f'<rect width="{width}" height="{HEIGHT}" fill="#ffffff"/>',
        *_phases(days[0].day, phases),
        *_months(days),
        *_stages(days),
        *_line(days, "streak", [float(each.state.streak) for each in days], "days"),
        *_line(days, "churn", [each.state.churn_risk for each in days], "risk", most=1.0),
        *_moods(days),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _x(number: float) -> float:
    return round(LEFT + STEP * number, 1)


def _text(x: float, y: float, text: str, anchor: str = "start") -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}">{escape(text)}</text>'


def _phases(first: date, phases: Sequence[Phase]) -> Iterator[str]:
    for number, phase in enumerate(phases):
        begins, ends = (phase.begins - first).days, (phase.ends - first).days + 1
        yield (
            f'<rect x="{_x(begins):g}" y="38" width="{STEP * (ends - begins):g}" height="436"'
            f' fill="{"#f1f3f4" if number % 2 else "#e8f0fe"}"/>'
        )
        yield _text(_x(begins), 11 + 11 * (number % 3), phase.name)


def _months(days: Sequence[Day]) -> Iterator[str]:
    for number, each in enumerate(days):
        if each.day.day == 1:
            yield _text(_x(number), HEIGHT - 8, f"{each.day:%b %Y}")
            yield f'<path d="M{_x(number):g} 38V474" stroke="#ccc" stroke-width=".5"/>'


def _stages(days: Sequence[Day]) -> Iterator[str]:
    top, height = LANES["stage"]
    row = height / len(STAGE_LANES)
    for place, stage in enumerate(STAGE_LANES):
        yield _text(LEFT - 8, top + row * (place + 0.65), stage, "end")
    for begins, ends, stage in _runs([each.state.stage for each in days]):
        y = top + row * STAGE_LANES.index(stage) + 2
        yield _bar(begins, ends, y, row - 4, "#188038")


def _moods(days: Sequence[Day]) -> Iterator[str]:
    top, height = LANES["mood"]
    row = height / len(MOODS)
    for place, mood in enumerate(MOODS):
        yield _text(LEFT - 8, top + row * (place + 0.7), mood, "end")
    for begins, ends, mood in _runs([each.state.mood for each in days]):
        y = top + row * MOODS.index(mood) + 2
        yield _bar(begins, ends, y, row - 4, MOOD_COLOURS[mood])


def _line(
    days: Sequence[Day], lane: str, values: Sequence[float], unit: str, most: float = 0.0
) -> Iterator[str]:
    top, height = LANES[lane]
    most = most or max(values)
    yield _text(LEFT - 8, top + 10, f"{lane} {most:g}", "end")
    yield _text(LEFT - 8, top + height, f"{unit} 0", "end")
    points = " ".join(
        f"{_x(number + 0.5):g},{top + height * (1 - value / most):.1f}"
        for number, value in enumerate(values)
    )
    yield f'<path d="M{LEFT} {top + height}H{_x(len(days)):g}" stroke="#ccc" stroke-width=".5"/>'
    yield f'<polyline points="{points}" fill="none" stroke="#1a73e8" stroke-width="1.5"/>'


def _bar(begins: int, ends: int, y: float, height: float, colour: str) -> str:
    return (
        f'<rect x="{_x(begins):g}" y="{y:g}" width="{STEP * (ends - begins):g}"'
        f' height="{height:g}" fill="{colour}"/>'
    )


def _runs(values: Sequence[_Value]) -> Iterator[tuple[int, int, _Value]]:
    """Yield runs of equal values: from which number, before which, and the value."""
    begins = 0
    for number in range(1, len(values) + 1):
        if number == len(values) or values[number] != values[begins]:
            yield begins, number, values[begins]
            begins = number
