"""A chat as HTML: hostile text stays text, and every state is told in words."""

from __future__ import annotations

from datetime import date

from ui.playground.views.chat_html import Line, lines_html, unsigned

HOSTILE = "<img src=x onerror=alert(1)>'\""


def test_nothing_that_was_said_is_markup() -> None:
    line = Line(HOSTILE, uid=HOSTILE, receipt=HOSTILE, note=HOSTILE, by=HOSTILE)
    html = lines_html([line], HOSTILE, HOSTILE, notice=HOSTILE)
    assert "<img" not in html
    assert "='<" not in html
    assert HOSTILE not in html


def test_a_day_is_named_once() -> None:
    days = [date(2026, 11, 1), date(2026, 11, 1), date(2026, 11, 3)]
    html = lines_html([Line("hello", day=day) for day in days], "web:me", "1")
    assert html.count("rc-day") == 2
    assert "Sunday, 1 November 2026" in html


def test_the_signature_of_the_offline_responder_is_dropped_as_it_is_written() -> None:
    signed = "You live in Lisbon.\n— offline responder, no model is set"
    assert unsigned(signed) == "You live in Lisbon."
    assert unsigned(signed[:25]) == "You live in Lisbon."
    assert unsigned("You live in Lisbon.\nAnd in Porto.") == "You live in Lisbon.\nAnd in Porto."
    assert unsigned("— offline") == "— offline"


def test_an_empty_chat_says_what_to_do() -> None:
    assert "Tell me something about you" in lines_html([], "web:me", "0")
