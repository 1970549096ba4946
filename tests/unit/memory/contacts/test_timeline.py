"""Days of a contact: pages that end between days, and what came to be on which day."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from memory.contacts.timeline import Page, days_of, page_of
from memory.domain.chats import StoredMessage
from memory.domain.episodes import Episode
from memory.domain.facts import Fact, FactStatus
from memory.domain.open_loops import Loop
from memory.facts.asof import moment_of
from tests.messages import START, message

BERLIN = ZoneInfo("Europe/Berlin")


def said(*minutes: float) -> list[StoredMessage]:
    """Return what was said so many minutes after the start, in order."""
    lines = [message(f"m{n}", minutes=m) for n, m in enumerate(minutes)]
    return [StoredMessage(m, n, n, m.sent_at) for n, m in enumerate(lines, 1)]


def fact(since: datetime, until: datetime | None = None) -> Fact:
    """Return a fact that began, and perhaps ended."""
    status: FactStatus = "closed" if until else "active"
    nobody = "contact:waha:ana"
    identity: tuple[str, str, str] = ("f", "t", "waha:ana")
    return Fact(
        *identity, "identity", "home", "Leeds", 1, 1, "u", nobody, status, since, until, since, None
    )


@given(st.lists(st.integers(0, 6_000), max_size=40).map(sorted), st.integers(1, 12))
def test_pages_lead_to_every_line_once(minutes: list[int], limit: int) -> None:
    every = said(*(n * 5 for n in minutes))
    # As many of one moment as a page holds cannot be told apart by their moment.
    most = max((minutes.count(n) for n in minutes), default=0)
    limit = max(limit, most)
    seen: list[StoredMessage] = []
    before = START + timedelta(days=365)
    while True:
        found = [each for each in every if each.message.sent_at < before][-(limit + 1) :]
        page = page_of(found, BERLIN, limit)
        assert len(page.said) <= limit
        seen = [*page.said, *seen]
        if not page.earlier:
            break
        before = moment_of(page.earlier, BERLIN)
    assert seen == every


def test_a_page_ends_between_days_and_within_one_that_is_longer() -> None:
    page = page_of(said(0, 1, 1440, 1441), UTC, 3)
    assert [each.message.text for each in page.said] == ["m2", "m3"]
    assert page.earlier == "2026-03-01"
    long = page_of(said(0, 1, 1, 2), UTC, 3)
    assert [each.message.text for each in long.said] == ["m3"]
    assert long.earlier == "2026-03-01T09:02:00+00:00"


def test_what_began_ended_and_was_left_open_stands_on_its_day() -> None:
    day = timedelta(days=1)
    held = fact(START, START + day)
    ends_later = fact(START, START + 9 * day)
    episode = Episode("e", "t", "c", "a", 1, "u", "v", START, START + day, 3, is_open=False)
    loop = Loop("u", "promise", "c", "a", "waha:ana", "ana", "ana", "I will call", START, None, 0.9)
    days = days_of(Page(said(0, 1440)), START + 2 * day, UTC, [ends_later, held], [episode], [loop])
    assert [each.day for each in days] == [date(2026, 3, 2), date(2026, 3, 1)]
    assert days[1].began == [ends_later, held]
    assert days[0].ended == [held]
    assert (days[1].episodes, days[1].opened, days[0].episodes) == ([episode], [loop], [])


def test_a_day_without_a_word_is_told_for_its_fact_but_not_twice() -> None:
    lone = fact(START - timedelta(days=3))
    assert [each.began for each in days_of(Page([]), START, UTC, [lone])] == [[lone]]
    page = Page(said(0), START - timedelta(days=1), "2026-02-27")
    assert [len(each.began) for each in days_of(page, START + timedelta(1), UTC, [lone])] == [0]


def test_a_day_is_that_of_the_contact() -> None:
    late = replace(said(14.5 * 60)[0])
    (day,) = days_of(Page([late]), START + timedelta(2), BERLIN)
    assert day.day == date(2026, 3, 2)
