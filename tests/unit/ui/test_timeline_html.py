"""The timeline's HTML: every text escaped, every day and week an address."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from html import unescape

from memory.contacts.timeline import Day, Timeline
from memory.domain.chats import Actor, StoredMessage
from memory.domain.episodes import Episode, Summary
from memory.domain.open_loops import Loop
from memory.ports.timelines import Week
from tests.messages import START, message
from tests.unit.ui.test_render import HOSTILE, fact
from ui.playground.views.timeline_html import SHOWN_CHARS, timeline_html
from ui.playground.views.weeks_html import SHOWN_WEEKS, every_week, weeks_html

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
TODAY = NOW.date()


def line(text: str, **more: object) -> StoredMessage:
    said = replace(message(text, is_group=True, chat=HOSTILE), **more)  # type: ignore[arg-type]
    return StoredMessage(said, 1, 1, said.sent_at)


def loop(due: date | None) -> Loop:
    return Loop("u", "promise", "c", "a", "x", HOSTILE, HOSTILE, HOSTILE, START, due, 0.9)


def timeline(*days: Day, earlier: str = "", **more: object) -> Timeline:
    return Timeline(HOSTILE, UTC, days, earlier, **{"open": (), "places": {}, **more})  # type: ignore[arg-type]


def full_day() -> Day:
    summary = Summary(HOSTILE, HOSTILE)
    episode = Episode(
        "e", "t", "c", "a", 1, "u", "v", START, START, 3, is_open=True, summary=summary
    )
    said = [
        line(HOSTILE, sender_name=HOSTILE),
        line("", actor=Actor.AGENT),
        line("x" * 2 * SHOWN_CHARS),
    ]
    return Day(START.date(), said, [fact("home", HOSTILE)], [fact("home", HOSTILE)], [episode])


def test_hostile_text_is_text_wherever_it_stands() -> None:
    html = timeline_html(timeline(full_day(), open=[loop(TODAY)]), NOW, HOSTILE)
    html += weeks_html(HOSTILE, [Week(TODAY, 3), Week(TODAY + timedelta(7), 2)])
    assert "<script" not in html
    assert not re.search(r"<img|onerror=[^&]", html)
    # Two facts, a topic, a summary, a message with its author and group, a loop with its actor.
    assert unescape(html).count("<script>alert(1)</script>") >= 8


def test_a_day_tells_what_began_ended_was_said_and_left_open() -> None:
    day = replace(full_day(), opened=[replace(loop(None), uid=full_day().said[0].uid)])
    html = timeline_html(timeline(day, places={day.said[0].message.anchor: "Club"}), NOW)
    assert html.index("rc-began") < html.index("rc-ended") < html.index("rc-episode")
    assert html.count("in Club") == 3
    assert "3 messages, still open" in html
    assert "<em>deleted</em>" in html
    assert "x…" in html
    assert "data-day='2026-03-01'" in html


def test_what_is_open_says_when_it_is_due() -> None:
    due = [loop(TODAY - timedelta(1)), loop(TODAY), loop(TODAY + timedelta(1)), loop(None)]
    html = timeline_html(timeline(full_day(), open=due), NOW)
    for told in ("overdue since 1 Mar", "due today, 2 Mar", "due 3 Mar", "since 1 Mar 2026"):
        assert told in html


def test_ways_lead_to_earlier_days_and_back() -> None:
    html = timeline_html(timeline(full_day(), earlier="2026-02-27"), NOW, "2026-03-01")
    assert "&amp;view=timeline&amp;day=2026-02-27'" in html
    assert "Latest" in html
    last = timeline_html(timeline(full_day()), NOW)
    assert "It begins here." in last
    assert "Latest" not in last
    assert "will stand here" in timeline_html(timeline(), NOW)
    assert "up to this day" in timeline_html(timeline(), NOW, "1999-01-01")


def test_weeks_without_a_word_are_shown_and_long_ago_is_left_out() -> None:
    monday = date(2026, 3, 2)
    weeks = [Week(monday, 4, {"excited": 2, "neutral": 2}), Week(monday + timedelta(21), 2)]
    assert [week.messages for week in every_week(weeks)] == [4, 0, 0, 2]
    html = weeks_html("web:me", weeks)
    assert "Week of 2 March 2026: 4 messages; 2 excited" in html
    assert html.count("tabindex='0'") == 1
    first, *_ = re.findall(r"points='([^']*)'", html)
    heights = [float(point.split(",")[1]) for point in first.split()]
    assert heights[0] < heights[1] == heights[3]
    old = [Week(monday - timedelta(weeks=500), 9), *weeks]
    assert len(every_week(old)) == SHOWN_WEEKS
    assert weeks_html("web:me", weeks[:1]) == weeks_html("web:me", []) == ""
