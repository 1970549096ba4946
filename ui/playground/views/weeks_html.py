"""How much somebody wrote week by week, and in what mood, as a strip. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from html import escape

from memory.domain.contacts import MOODS, NEUTRAL
from memory.ports.timelines import Week
from ui.playground.views.timeline_html import day_address

SHOWN_WEEKS = 78
"""A year and a half: more would be thinner than a finger's or an eye's grasp."""

# Sizes in SVG units; the strip is as wide as the page, and so is each week.
_WEEK = 10
_BARS = 44
_MOODS = 28
_WEIGHTS = {"excited": 1.0, "confused": -0.5, "frustrated": -1.0, "sad": -1.0, "anxious": -1.0}


def every_week(weeks: Sequence[Week]) -> list[Week]:
    """Return the weeks up to the last one with those between, in which nothing was said."""
    if not weeks:
        return []
    told = {week.monday: week for week in weeks}
    last = weeks[-1].monday
    first = max(weeks[0].monday, last - timedelta(weeks=SHOWN_WEEKS - 1))
    mondays = [first + timedelta(weeks=n) for n in range((last - first).days // 7 + 1)]
    return [told.get(monday) or Week(monday, 0) for monday in mondays]


def weeks_html(contact_id: str, weeks: Sequence[Week]) -> str:
    """Return the strip, each week a link to its days; nothing where too little is known."""
    shown = every_week(weeks)
    if len(shown) < 2:
        return ""
    most = max(week.messages for week in shown)
    bars = "".join(_bar(contact_id, week, n, most, len(shown)) for n, week in enumerate(shown))
    middle = _BARS + _MOODS / 2
    points = " ".join(f"{(n + 0.5) * _WEEK},{_height(w):.1f}" for n, w in enumerate(shown))
    width, height = len(shown) * _WEEK, _BARS + _MOODS
    return (
        f"<figure class='rc-weeks'><svg viewBox='0 0 {width} {height}' role='group'"
        " preserveAspectRatio='none' aria-label='Messages and mood, week by week;"
        f" arrow keys move'><line class='rc-zero' x1='0' x2='{width}' y1='{middle}' y2='{middle}'/>"
        f"<polyline class='rc-course' points='{points}'/>{bars}</svg>"
        f"<figcaption><span>{shown[0].monday:%b %Y}</span><span>{_moods_told(shown)}</span>"
        f"<span>{shown[-1].monday:%b %Y}</span></figcaption></figure>"
    )


def _bar(contact_id: str, week: Week, number: int, most: int, count: int) -> str:
    tall = _BARS * week.messages / most
    sunday = (week.monday + timedelta(days=6)).isoformat()
    told = f"Week of {week.monday:%-d %B %Y}: {week.messages} messages"
    moods = _counted(Counter(week.moods))
    label = escape(f"{told}; {moods}" if moods else told)
    left = number * _WEEK
    return (
        f"<a href='{escape(day_address(contact_id, sunday))}' data-day='{sunday}'"
        f" tabindex='{0 if number == count - 1 else -1}' aria-label='{label}'>"
        f"<title>{label}</title><rect class='rc-hit' x='{left}' y='0' width='{_WEEK}'"
        f" height='{_BARS + _MOODS}'/><rect class='rc-time' x='{left + 1.5}'"
        f" y='{_BARS - tall:.1f}' width='{_WEEK - 3}' height='{tall:.1f}'/></a>"
    )


def _height(week: Week) -> float:
    """Return where the course of the mood is in a week: above the middle in good spirits."""
    felt = sum(_WEIGHTS.get(mood, 0.0) * n for mood, n in week.moods.items())
    share = felt / max(1, sum(week.moods.values()))
    return _BARS + _MOODS / 2 * (1 - 0.9 * share)


def _moods_told(weeks: Sequence[Week]) -> str:
    every: Counter[str] = Counter()
    for week in weeks:
        every.update(week.moods)
    told = _counted(every) or "no strong moods"
    return f"bars: messages a week · line: mood, up is good ({told})"


def _counted(moods: Counter[str]) -> str:
    felt = [(name, moods[name]) for name in MOODS if name != NEUTRAL and moods[name]]
    return ", ".join(f"{n} {name}" for name, n in sorted(felt, key=lambda each: -each[1]))
