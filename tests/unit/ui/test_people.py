"""The list of people: each an address of its own, every name escaped."""

from __future__ import annotations

from datetime import UTC, date, datetime
from html import unescape

from memory.domain.imports import ImportState
from ui.playground.people import Person, day_text, name_of, people_html, whose_html

HOSTILE = "<script>alert(1)</script> \"'&"


TODAY = date(2026, 11, 23)


def test_each_is_an_address_and_who_is_chosen_is_marked() -> None:
    listed = [Person("web:me"), Person("waha:49@c.us", HOSTILE, date(2026, 11, 2))]
    html = people_html(listed, "web:me", "chat", TODAY)
    assert "<script" not in html
    assert unescape(html).count(HOSTILE) == 1
    assert "href='?contact=waha%3A49%40c.us&amp;view=chat'" in html
    assert html.count("aria-current") == 1
    assert html.index("aria-current") < html.index("waha:49")
    assert "<small>WhatsApp · 2 Nov</small>" in html
    assert "+ New person" in html


def test_what_is_due_is_told_where_something_is() -> None:
    html = people_html([Person("web:me", due=2), Person("web:Ana")], "web:me", "chat", TODAY)
    assert html.count("rc-due") == 1
    assert "<small>here <b class='rc-due'>2 due</b></small>" in html


def test_nobody_is_said_and_a_name_is_made_of_an_id() -> None:
    assert "Nobody" in people_html([], "web:me", "chat", TODAY)
    ids = ("web:Anna", "waha:49@c.us", "waha:77@lid", "telegram:12")
    assert [*map(name_of, ids)] == ["Anna", "+49", "WhatsApp 77", "Telegram 12"]


def test_days_are_told_as_short_as_they_can_be() -> None:
    days = (TODAY, date(2026, 1, 2), date(2019, 5, 6), None)
    assert [day_text(day, TODAY) for day in days] == ["today", "2 Jan", "May 2019", ""]


def test_who_is_not_known_yet_and_whose_page_it_is_are_plain() -> None:
    html = people_html([Person("web:" + HOSTILE, is_new=True)], "web:me", "chat", TODAY)
    assert f"+ New person “{HOSTILE}”" in unescape(html)
    assert "<script" not in html + whose_html(Person("web:" + HOSTILE))


def test_imports_are_listed_as_such() -> None:
    state = ImportState(
        1, "whatsapp", HOSTILE, "", "web:me", "", (), 10, 10, 1234, 0, datetime.now(UTC), None
    )
    html = people_html([Person("web:me", "Ana")], "web:me", "chat", TODAY, [state])
    assert "<script" not in html
    assert "Imports</h2>" in html
    assert "1,234 messages, for Ana" in html
    assert "for me" in people_html([], "web:me", "chat", TODAY, [state])
