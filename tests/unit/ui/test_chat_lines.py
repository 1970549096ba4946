"""A chat as HTML: hostile text stays text, and every state is told in words."""

from __future__ import annotations

from datetime import date

from ui.playground.views.chat_html import Line, lines_html, unsigned

HOSTILE = "<img src=x onerror=alert(1)>'\""


def test_nothing_that_was_said_is_markup() -> None:
    line = Line(HOSTILE, uid=HOSTILE, receipt=HOSTILE, note=HOSTILE, before=[HOSTILE], by=HOSTILE)
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


def test_what_was_said_before_the_lines_is_a_link_away() -> None:
    html = lines_html([Line("hello")], "web:me", "1", has_earlier=True)
    assert html.index("?contact=web%3Ame&amp;view=timeline") < html.index("hello")
    assert "view=timeline" not in lines_html([Line("hello")], "web:me", "1")


def test_an_imported_persons_chat_leads_to_their_lines_and_to_ones_own() -> None:
    html = lines_html([], "whatsapp:Marta & <b>", "0", mine="web:me")
    assert "?contact=whatsapp%3AMarta+%26+%3Cb%3E&amp;view=timeline'>Timeline</a>" in html
    assert "?contact=web%3Ame&amp;view=chat'>your own chat</a>" in html
    assert "Tell me" not in html
    elsewhere = lines_html([], "telegram:5", "0", mine="web:me")
    assert "view=timeline" in elsewhere
    assert "your own chat" not in elsewhere


def test_answers_that_stood_there_before_are_folded_and_unsigned() -> None:
    signed = "Porto.\n— offline responder, no model is set"
    html = lines_html([Line("Lisbon.", is_agent=True, before=[signed, "Leeds."])], "web:me", "1")
    assert "<summary>The 2 answers before it</summary>" in html
    assert html.index("Porto") < html.index("Leeds")
    assert "offline responder" not in html
    assert "rc-before" not in lines_html([Line("Lisbon.", is_agent=True)], "web:me", "1")
