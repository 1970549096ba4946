"""Plots as inline SVG: plain functions from figures to a string, coloured by CSS classes alone.

Every plot is well-formed XML, names itself for a screen reader and has no id, script or address.
Series are told apart by colour, dash and marker; the classes `s0`, `s1`, ... are the page's.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

from evals.reports.meanings import shown
from evals.reports.texts import printable

WIDTH = 400
"""Units across; a page shows a plot at 300 to 480 pixels, so that its letters stay legible."""

_LEFT, _RIGHT, _TOP, _BOTTOM = 38, 12, 10, 34
_HEIGHT = 250
_BAR, _BAR_GAP, _GROUP_GAP, _LABEL = 13, 2, 10, 16
_VALUE_ROOM = 52
_LABEL_CHARACTERS = 52
_HUGE = 1e100  # what is beyond is no figure, and would overflow
_SMALL = 1e-12  # what is less is drawn as nothing

_COLOURS = 8

Points = Sequence[tuple[float, float | None]]


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis from `low` to `high`, both inside; `is_log` needs a positive `low`.

    `marks`: the values that carry a label; none: round ones.
    """

    title: str
    low: float
    high: float
    is_log: bool = False
    marks: tuple[float, ...] = ()

    def place(self, value: float) -> float:
        """Return where a value stands, 0..1; what is outside stands at the end."""
        low, high, at = self.low, self.high, min(max(value, self.low), self.high)
        if self.is_log:
            low, high, at = math.log10(low), math.log10(high), math.log10(at)
        return (at - low) / (high - low) if high > low else 0.0

    def ticks(self) -> list[float]:
        """Return the values that carry a label."""
        if self.marks:
            return list(self.marks)
        if self.is_log:
            first, last = math.ceil(math.log10(self.low)), math.floor(math.log10(self.high))
            apart = max(math.ceil((last - first) / 6), 1)
            return [10.0**power for power in range(first, last + 1, apart)]
        step = _round_step((self.high - self.low) / 5)
        count = math.floor((self.high - self.low) / step + 1e-9)
        return [self.low + step * number for number in range(count + 1)]


def linear(title: str, values: Sequence[float], *, share: bool = False) -> Axis:
    """Return an axis from zero that holds all values; from 0 to 1 for shares."""
    if share:
        return Axis(title, 0.0, 1.0)
    top = max([one for one in values if _is_figure(one)], default=0.0)
    if top <= 0:
        return Axis(title, 0.0, 1.0)
    step = _round_step(top / 5)
    return Axis(title, 0.0, step * math.ceil(top / step - 1e-9))


def logarithmic(title: str, values: Sequence[float], floor: float) -> Axis:
    """Return an axis over whole powers of ten, no lower than the power at or below `floor`."""
    positive = [max(one, floor) for one in values if _is_figure(one)] or [floor]
    low = 10.0 ** math.floor(math.log10(min(positive)) + 1e-9)
    high = 10.0 ** math.ceil(math.log10(max(positive)) - 1e-9)
    return Axis(title, low, high if high > low else low * 10, is_log=True)


def line_plot(label: str, x: Axis, y: Axis, series: Mapping[str, Points], *, dots: bool) -> str:
    """Return curves over two axes; empty when no series has a point.

    Points without a finite value are left out. `dots` marks each point.
    """
    clean = {
        name: [(a, b) for a, b in points if b is not None and _is_figure(a) and _is_figure(b)]
        for name, points in series.items()
    }
    if not any(clean.values()):
        return ""
    parts = [_frame(x, y)]
    for number, (name, points) in enumerate(clean.items()):
        if not points:
            continue
        places = [(_across(x.place(a)), _down(y.place(b))) for a, b in points]
        tone = tone_of(number)
        path = " ".join(f"{_n(a)},{_n(b)}" for a, b in places)
        parts.append(f'<polyline class="curve {tone}" points="{path}"/>')
        if dots:
            parts += [
                f'<circle class="dot {tone}" cx="{_n(a)}" cy="{_n(b)}" r="3">'
                f"<title>{_text(f'{name}: {shown(value)} at {shown(at)}')}</title></circle>"
                for (a, b), (at, value) in zip(places, points, strict=True)
            ]
    return _svg(label, _HEIGHT, parts)


def bar_plot(
    label: str, groups: Mapping[str, Mapping[str, float | None]], *, share: bool = False
) -> str:
    """Return horizontal bars, a block a group and in it a bar a series; empty without a value.

    The order of first appearance gives a series its colour. Negative values stand at zero.
    """
    order = list(dict.fromkeys(name for bars in groups.values() for name in bars))
    values = [
        value
        for bars in groups.values()
        for value in bars.values()
        if value is not None and _is_figure(value)
    ]
    if not values:
        return ""
    axis = linear("", values, share=share)
    room = WIDTH - _VALUE_ROOM
    parts: list[str] = []
    down = 0.0
    for title, bars in groups.items():
        if title:
            parts.append(f'<text class="name" x="0" y="{_n(down + 11)}">{_cut(title)}</text>')
            down += _LABEL
        for name, value in bars.items():
            tone = tone_of(order.index(name))
            known = value is not None and _is_figure(value)
            long = axis.place(value) * room if known and value is not None else 0.0
            said = _brief(value) if known and value is not None else "–"
            parts.append(
                f'<rect class="track" x="0" y="{_n(down)}" width="{room}" height="{_BAR}" rx="2"/>'
                f'<rect class="bar {tone}" x="0" y="{_n(down)}" width="{_n(long)}"'
                f' height="{_BAR}" rx="2"><title>{_text(f"{name}: {said}")}</title></rect>'
                f'<text class="value" x="{WIDTH}" y="{_n(down + 10.5)}">{_text(said)}</text>'
            )
            down += _BAR + _BAR_GAP
        down += _GROUP_GAP
    return _svg(label, round(down - _GROUP_GAP) + 2, parts)


def tone_of(number: int) -> str:
    """Return the class of a series' colour; the first is the accent, and nobody else has it."""
    return f"s{1 + (number - 1) % (_COLOURS - 1)}" if number else "s0"


def score_bar(label: str, share: float) -> str:
    """Return one small bar, filled to `share` (0..1, clipped)."""
    filled = min(max(share, 0.0), 1.0) * 100 if math.isfinite(share) else 0.0
    return (
        f'<svg class="meter" viewBox="0 0 100 6" preserveAspectRatio="none" role="img"'
        f" aria-label={_attribute(label)}>"
        f'<rect class="track" width="100" height="6" rx="2"/>'
        f'<rect class="bar s0" width="{_n(filled)}" height="6" rx="2"/></svg>'
    )


def _frame(x: Axis, y: Axis) -> str:
    right, bottom = WIDTH - _RIGHT, _HEIGHT - _BOTTOM
    parts = []
    for value in y.ticks():
        down = _down(y.place(value))
        parts.append(
            f'<line class="grid" x1="{_LEFT}" x2="{right}" y1="{_n(down)}" y2="{_n(down)}"/>'
            f'<text class="tick end" x="{_LEFT - 6}" y="{_n(down + 3.5)}">{_tick(value)}</text>'
        )
    for value in x.ticks():
        across = _n(_across(x.place(value)))
        parts.append(
            f'<text class="tick middle" x="{across}" y="{bottom + 14}">{_tick(value)}</text>'
        )
    parts.append(
        f'<line class="axis" x1="{_LEFT}" x2="{right}" y1="{bottom}" y2="{bottom}"/>'
        f'<text class="tick middle" x="{(right + _LEFT) // 2}" y="{_HEIGHT - 4}">'
        f"{_text(x.title)}</text>"
    )
    return "".join(parts)


def _svg(label: str, height: int, parts: Sequence[str]) -> str:
    return (
        f'<svg class="plot" viewBox="0 0 {WIDTH} {height}" role="img"'
        f" aria-label={_attribute(label)}>{''.join(parts)}</svg>"
    )


def _across(place: float) -> float:
    return _LEFT + place * (WIDTH - _LEFT - _RIGHT)


def _down(place: float) -> float:
    return _HEIGHT - _BOTTOM - place * (_HEIGHT - _BOTTOM - _TOP)


def _is_figure(value: float) -> bool:
    return math.isfinite(value) and abs(value) < _HUGE


def _round_step(rough: float) -> float:
    """Return the next of 1, 2, 2.5, 5, 10 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(max(rough, _SMALL)))
    return next(power * one for one in (1, 2, 2.5, 5, 10) if power * one >= rough * (1 - 1e-9))


def _tick(value: float) -> str:
    if value >= 1_000_000:
        return f"{value / 1_000_000:g}M"
    return f"{value / 1_000:g}k" if value >= 10_000 else f"{value:.4g}"


def _brief(value: float) -> str:
    """Return a figure that fits beside a bar."""
    for size, name in ((1e9, "G"), (1e6, "M")):
        if value >= size:
            return f"{value / size:.4g}{name}"
    return shown(value)


def _cut(text: str) -> str:
    """Return a label of bounded length."""
    kept = text if len(text) <= _LABEL_CHARACTERS else text[: _LABEL_CHARACTERS - 1] + "…"
    return _text(kept)


def _text(text: str) -> str:
    return escape(printable(text))


def _attribute(text: str) -> str:
    return quoteattr(printable(text))


def _n(number: float) -> str:
    return f"{number:.1f}".rstrip("0").rstrip(".")
