"""What a stretch of a chat comes down to without a model."""

from datetime import UTC, datetime, timedelta

import pytest

from memory.domain.episodes import Point, Spoken, Summary
from memory.episodes.summaries import MAX_WORDS, summarize
from memory.episodes.summaries.clauses import clauses_of, sentences_of, word_count

MONDAY = datetime(2026, 3, 2, 18, tzinfo=UTC)


def said(*lines: tuple[str, str]) -> list[Spoken]:
    return [
        Spoken(f"m{at}", who, text, MONDAY + timedelta(minutes=at), who == "assistant")
        for at, (who, text) in enumerate(lines)
    ]


def summary(*lines: tuple[str, str]) -> Summary:
    return summarize(said(*lines))


def test_what_matters_is_kept_and_chatter_is_left_out() -> None:
    text = summary(
        ("Anna", "hey!! 😄"),
        ("Ben", "haha what's up"),
        ("Anna", "I moved to Graz, the flat costs 840 € a month"),
        ("Ben", "wow nice"),
    ).text
    assert "Graz" in text and "840" in text
    assert "haha" not in text and "nice" not in text


def test_a_first_person_becomes_the_speakers_name_in_english() -> None:
    text = summary(("Anna", "I moved to Graz with my cat and I need 2 chairs")).text
    assert text == "Anna moved to Graz with their cat and they need 2 chairs."


def test_what_is_not_safely_turned_is_quoted() -> None:
    assert summary(("Anna", "Ich ziehe im Juni nach Graz")).text == (
        "Anna: „Ich ziehe im Juni nach Graz.“"
    )
    assert summary(("Anna", "I owe you 30 euros, Ben")).text == "Anna: “I owe you 30 euros, Ben.”"
    assert summary(("me", "My name is Anna")).text == "me: “My name is Anna.”"


@pytest.mark.parametrize(
    ("line", "dated"),
    [
        ("The surgery is tomorrow at 8", "tomorrow (3 March)"),
        ("Der Umzug ist übermorgen um 9", "übermorgen (4. März)"),
        ("La boda es el sábado a las 5", "el sábado (7 de marzo)"),
        ("A prova é amanhã às 9", "amanhã (3 de março)"),
        ("Переезд завтра в 9 утра", "завтра (3 марта)"),
        ("We meet on Friday at 6", "on Friday (6 March)"),
    ],
)
def test_relative_days_have_their_dates(line: str, dated: str) -> None:
    assert dated in summary(("Ana", line)).text


@pytest.mark.parametrize(
    "line",
    ["We went there on Friday for 20 euros", "We meet on Friday 13th at 6", "Immer am Morgen um 7"],
)
def test_a_day_that_may_be_another_stays_as_it_is(line: str) -> None:
    assert "(" not in summary(("Ana", line)).text


def test_a_date_stands_behind_the_part_of_the_day_and_ends_a_sentence() -> None:
    text = summary(("Jo", "Ich rufe heute Abend um 8 den Vermieter an, dann morgen früh")).text
    assert "heute Abend (2. März) um 8" in text and text.endswith("morgen früh (3. März).“")


def test_a_dot_behind_an_ordinal_or_a_title_ends_no_sentence() -> None:
    text = summary(("Jo", "Wir fahren vom 11. bis 14. Mai zu Dr. Amin, 285 pro Person.")).text
    assert "11. bis 14. Mai zu Dr. Amin" in text


def test_a_question_in_the_form_of_a_statement_is_open_and_kept() -> None:
    found = summary(
        ("Ana", "I moved to Graz in June"),
        ("assistant", "How nice"),
        ("Ana", "I don't know whether the insurance covers the bike"),
    )
    assert [point.uids for point in found.questions] == [("m2",)]
    assert "insurance" in found.text


def test_what_is_so_on_a_condition_stays_beside_it() -> None:
    text = summary(
        (
            "Ana",
            "If the bank in Graz agrees by the 3rd of May, I take the flat on Elm Street 5 then",
        )
    ).text
    assert "If the bank" in text and "May, I take the flat" in text


def test_a_sentence_ends_before_the_mark_that_closes_a_quotation() -> None:
    assert [*sentences_of("„Krass.“ Jule: „Ja.“ «Да.» Ок")] == [
        "„Krass.“",
        "Jule: „Ja.“",
        "«Да.»",
        "Ок",
    ]


def test_only_the_last_state_of_what_is_put_right_is_told() -> None:
    text = summary(
        ("Anna", "the party starts at 7 in the park"),
        ("Ben", "nice"),
        ("Anna", "no wait, the party starts at 9 in the park"),
    ).text
    assert "at 9" in text and "at 7" not in text


def test_a_question_without_an_answer_is_open_and_an_answered_one_is_not() -> None:
    found = summary(
        ("Ben", "How much is the rent for the flat?"),
        ("Anna", "The rent is 840 €"),
        ("Ben", "Does the landlord allow dogs in the flat?"),
        ("Anna", "no idea, I'll ask him"),
    )
    assert [point.uids for point in found.questions] == [("m2",)]


def test_points_name_their_messages_by_kind() -> None:
    found = summary(
        ("Anna", "We decided to take the flat in Graz for 840 €"),
        ("Ben", "I have to call the bank by Friday about the loan"),
        ("Anna", "My sister Lena lives in Graz since 2019"),
    )
    assert [point.uids for point in found.decisions] == [("m0",)]
    assert [point.uids for point in found.todos] == [("m1",)]
    assert [point.uids for point in found.facts] == [("m2",)]
    assert found.people == ("Anna", "Ben")
    assert "Graz" in found.topic or "flat" in found.topic


@pytest.mark.parametrize(
    ("lines", "topic"),
    [
        (("I love the Old Mill", "the Old Mill is dear", "how was school?"), "Mill"),
        (("Wir nehmen den Speicher", "Ja, der Speicher ist gut", "Hallo"), "Speicher"),
        (("Мы едем в Казань", "в Казани дорого", "ну да"), "Казан"),
        (("Actually, the garden", "my garden, actually", "ok"), "garden"),
    ],
)
def test_the_topic_is_a_few_words_that_many_messages_share(
    lines: tuple[str, ...], topic: str
) -> None:
    found = summary(*((("Ana", "Ben")[at % 2], line) for at, line in enumerate(lines))).topic
    assert topic in found
    assert "ctually" not in found
    assert len(found.split()) <= 5


def test_what_the_agent_said_is_no_point_and_stands_as_its_own() -> None:
    found = summary(("assistant", "The Graz office opens at 9 on Mondays and costs 20 €"))
    assert found.text.startswith("assistant: “The Graz office")
    assert not (found.facts or found.decisions or found.todos or found.questions or found.people)


def test_a_long_answer_of_the_agent_does_not_crowd_out_the_person() -> None:
    answer = " ".join(
        f"Store number {n} in Graz opens at {n % 12} and costs {n} €." for n in range(90)
    )
    text = summary(
        ("Anna", "I am allergic to nuts, and my budget is 300 €."), ("assistant", answer)
    ).text
    assert "allergic to nuts" in text and "300" in text


def test_links_and_media_are_artifacts_with_their_messages() -> None:
    found = summary(("Anna", "[Photo] the flat https://example.org/a1."), ("Ben", "[Photo] mine"))
    assert found.artifacts == (
        Point("https://example.org/a1", ("m0",)),
        Point("[Photo]", ("m0", "m1")),
    )


def test_facts_that_were_read_are_among_the_points() -> None:
    lines = said(("Anna", "I live in Graz now, in Elm Street 5"))
    fact = Point("Anna lives in Graz", ("m0",))
    assert summarize(lines, facts=[fact]).facts == (fact,)


def test_a_long_stretch_has_a_summary_as_short_as_any() -> None:
    lines = [("Ana", f"I paid {n} € to Ben{n} for item{n} in May") for n in range(5_000)]
    found = summary(*lines)
    assert word_count(found.text) <= MAX_WORDS
    assert found.text.count("\n\n") == 1
    assert found == summary(*lines)


@pytest.mark.parametrize("text", ["", "ok", "😄😄", "?", "x" * 60_000, "a " * 30_000, ")" * 500])
def test_odd_messages_are_summarized_in_few_words(text: str) -> None:
    assert word_count(summary(("Ana", text)).text) <= MAX_WORDS


def test_nothing_said_is_an_empty_summary() -> None:
    assert summarize([]).text == ""


def test_what_an_agent_only_quotes_is_summed_up_once() -> None:
    at = datetime(2026, 6, 21, tzinfo=UTC)
    quoting = "On 21 June 2026 Anna wrote: “We moved to Lyon! Address is 12 rue des Lilas”"
    said = [
        Spoken("1", "Anna", "We moved to Lyon! Address is 12 rue des Lilas", at),
        Spoken("2", "me", "Where does Anna live?", at),
        Spoken("3", "agent", quoting, at, is_agent=True),
    ]
    assert [clause.message for clause in clauses_of(said)] == [0, 0, 1]
