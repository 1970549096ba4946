"""What holds for a while gets its end when it is learnt (T8), in five languages."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.domain.facts import Observation
from memory.domain.readings import Heard
from memory.facts.expiry import ends_in, told_for_a_while, with_ends
from memory.facts.learning import Learner
from memory.facts.predicates import PREDICATES
from tests.messages import message

WEDNESDAY = datetime(2026, 3, 4, 9, tzinfo=UTC)


def _stated(key: str, value: str, text: str) -> Observation:
    known, at = PREDICATES[key], text.index(value)
    return Observation(
        known.category,
        key,
        value,
        0.9,
        known.importance,
        "m1",
        WEDNESDAY,
        "contact:web:me",
        span=(at, at + len(value)),
    )


def _end(seen: Observation) -> str:
    return seen.until.isoformat()[:10] if seen.until else ""


@pytest.mark.parametrize(
    ("text", "until"),
    [
        ("until Friday", "2026-03-07"),
        ("till the end of March", "2026-04-01"),
        ("until 12 March", "2026-03-13"),
        ("until 2026-05-03", "2026-05-04"),
        ("until next week", "2026-03-16"),
        ("until Easter", "2026-04-06"),
        ("this week", "2026-03-09"),
        ("bis Freitag", "2026-03-07"),
        ("bis zum 9. April", "2026-04-10"),
        ("bis Ende März", "2026-04-01"),
        ("diesen Monat", "2026-04-01"),
        ("hasta el viernes", "2026-03-07"),
        ("hasta finales de marzo", "2026-04-01"),
        ("esta semana", "2026-03-09"),
        ("até sexta-feira", "2026-03-07"),
        ("até o fim de março", "2026-04-01"),
        ("до пятницы", "2026-03-07"),
        ("до конца марта", "2026-04-01"),
        ("на этой неделе", "2026-03-09"),
        ("до Пасхи", "2026-04-13"),
    ],
)
def test_an_end_is_the_day_after_the_time_that_is_named(text: str, until: str) -> None:
    assert [end.until.isoformat()[:10] for end in ends_in(text, WEDNESDAY)] == [until]


@pytest.mark.parametrize(
    "text",
    [
        "until 2019",
        "until further notice",
        "since Friday",
        "on Friday",
        "last week",
        "every Friday",
    ],
)
def test_what_names_no_end_to_come_has_none(text: str) -> None:
    assert ends_in(text, WEDNESDAY) == []


def test_a_day_ends_at_midnight_of_the_zone() -> None:
    zone = timezone(timedelta(hours=-5))
    late = datetime(2026, 3, 7, 3, tzinfo=UTC)  # still Friday there
    (end,) = ends_in("until Friday", late, zone)
    assert end.until == datetime(2026, 3, 7, 5, tzinfo=UTC)
    (end,) = ends_in("until Friday", late)
    assert end.until == datetime(2026, 3, 14, tzinfo=UTC)


@pytest.mark.parametrize(
    ("key", "value", "text", "until"),
    [
        ("home", "Lisbon", "I live in Lisbon until June.", "2026-07-01"),
        ("home", "Berlin", "Ich wohne bis Ende März in Berlin.", "2026-04-01"),
        ("avoid", "мясо", "На этой неделе я не ем мясо.", "2026-03-09"),
        ("diet", "vegan", "I'm vegan, until Easter at least.", "2026-04-06"),
        ("diet", "vegan", "I'm vegan and my brother is here until Friday.", ""),
        ("diet", "vegan", "I'm vegan. My brother is here until Friday.", ""),
        ("allergy", "nuts", "I'm allergic to nuts until Friday.", ""),
        ("pet", "Rex", "We keep Rex until Friday.", ""),
        ("home", "Lisbon", "I live in Lisbon.", ""),
    ],
)
def test_a_fact_has_the_end_that_its_own_clause_names(
    key: str, value: str, text: str, until: str
) -> None:
    (seen,) = with_ends([_stated(key, value, text)], text)
    assert (seen.value, _end(seen)) == (value, until)


def test_an_end_is_no_part_of_a_value() -> None:
    text = "I can only do after 6 until next Friday."
    (seen,) = with_ends([_stated("availability", "after 6 until next Friday", text)], text)
    assert (seen.value, _end(seen)) == ("after 6", "2026-03-07")
    assert seen.span is not None
    assert text[slice(*seen.span)] == "after 6"


def test_what_is_taken_back_has_no_end() -> None:
    text = "I'm not vegan any more until Friday"
    seen = replace(_stated("diet", "vegan", text), retracts=True)
    assert with_ends([seen], text) == (seen,)


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("I'm on antibiotics until Friday", "medical", "antibiotics"),
        ("hey, I’m away until Friday", "availability", "away"),
        ("Until Friday I'm out of the office", "availability", "out of the office"),
        ("I'm staying in Porto until Friday", "home", "Porto"),
        ("Ich nehme bis Freitag Antibiotika", "medical", "Antibiotika"),
        ("Ich bin bis Freitag im Urlaub", "availability", "im Urlaub"),
        ("Estoy tomando antibióticos hasta el viernes", "medical", "antibióticos"),
        ("Estoy de vacaciones hasta el viernes", "availability", "de vacaciones"),
        ("Estou de férias até sexta-feira", "availability", "de férias"),
        ("Não estou disponível até sexta-feira", "availability", "Não estou disponível"),
        ("Я пью антибиотики до пятницы", "medical", "антибиотики"),
        ("Я до пятницы в отпуске", "availability", "в отпуске"),
    ],
)
def test_what_can_be_told_for_a_while_alone_is_read_with_its_end(
    text: str, key: str, value: str
) -> None:
    (seen,) = told_for_a_while(text, source_uid="m1", stated_at=WEDNESDAY, anchor="a")
    assert (seen.key, seen.value, _end(seen)) == (key, value, "2026-03-07")


@pytest.mark.parametrize(
    "text",
    [
        "I'm away",
        "I'm on antibiotics",
        "My boss is away until Friday",
        "I was away until Friday",
        "Are you sure I'm away until Friday?",
        "I'm away and the shop is closed until Friday",
        "Tell Ana that the antibiotics last until Friday",
    ],
)
def test_without_an_end_of_ones_own_nothing_is_read(text: str) -> None:
    assert told_for_a_while(text, source_uid="m1", stated_at=WEDNESDAY, anchor="a") == []


@pytest.mark.anyio
async def test_the_learner_reads_ends_and_only_of_those_who_teach() -> None:
    said = replace(message("I live in Lisbon until June. I'm off this week."), sent_at=WEDNESDAY)
    heard = [Heard(said), Heard(replace(said, forwarded=True))]
    told, forwarded = await Learner().read(heard)
    assert {(seen.key, seen.value): _end(seen) for seen in told.observations} == {
        ("home", "Lisbon"): "2026-07-01",
        ("availability", "off"): "2026-03-09",
    }
    assert all(seen.read_by for seen in told.observations)
    assert forwarded.observations == ()


@given(
    st.text(max_size=300), st.sampled_from([" until Friday", " bis Ende Mai", " до конца марта"])
)
def test_any_text_can_be_read(text: str, end: str) -> None:
    told_for_a_while(text + end, source_uid="m1", stated_at=WEDNESDAY, anchor="a")
    for each in ends_in(text + end, WEDNESDAY):
        assert each.until > WEDNESDAY
