"""What corrects the line before, in five languages, and what only looks like it. By rules alone."""

from __future__ import annotations

import pytest

from memory.domain.readings import Earlier, Heard
from memory.facts.learning import Learner
from memory.facts.reading.mending import may_correct, worth_reading
from tests.messages import message


async def _told(lines: list[str], before: str = "") -> list[str]:
    """Return what the last of some lines tells, `-` before what was a mistake."""
    earlier: tuple[Earlier, ...] = ()
    for at, line in enumerate(lines):
        said = message(line, minutes=at)
        asked = before if at == len(lines) - 1 else ""
        (reading,) = await Learner().read([Heard(said, asked, earlier)])
        earlier = (*earlier, Earlier(said, reading.observations))
    return [f"-{o.value}" if o.retracts and o.until else o.value for o in earlier[-1].observations]


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (["I live in Berlin.", "Sorry, I meant Bern, not Berlin."], ["-Berlin", "Bern"]),
        (["I live in Berlin.", "Not Berlin, Bern!"], ["-Berlin", "Bern"]),
        (["I live in Berlin.", "It's Bern, not Berlin."], ["-Berlin", "Bern"]),
        (["I live in Berlin.", "Nope, it's not Berlin, it's Bern"], ["-Berlin", "Bern"]),
        (["I work at Zalando.", "It's not Zalando, it's N26"], ["-Zalando", "N26"]),
        (["I live in Berlin.", "wait", "no, Bern"], ["-Berlin", "Bern"]),
        (["Ich wohne in Bonn.", "Es ist nicht Bonn, es ist Köln."], ["-Bonn", "Köln"]),
        (["Vivo en Mérida.", "No es Mérida, es Madrid."], ["-Mérida", "Madrid"]),
        (["Moro em Coimbra.", "Não é Coimbra, é Braga."], ["-Coimbra", "Braga"]),
        (["Я живу в Рязани.", "Это не Рязани, это Казани."], ["-Рязани", "Казани"]),
        (["I live in Berlin.", "no, Bern", "sorry, Basel"], ["-Bern", "Basel"]),
        (["My sister is called Anna", "my sister's name is Ana, not Anna"], ["-Anna", "Ana"]),
        (["Meine Schwester heißt Anna", "Nein, meine Schwester heißt Ana"], ["-Anna", "Ana"]),
        (["my dog is called Rex", "Actually his name is Max, not Rex."], ["-Rex", "Max"]),
        (["my sister's name is Anna", "no, my sister's name is Ana"], ["-Anna", "Ana"]),
        (["my sister's name is Anna", "no, her name is Ana"], ["-Anna", "Ana"]),
        (["my sister's name is Anna", "sorry, Ana"], ["-Anna", "Ana"]),
        (["I'm 43 years old", "sorry, 34"], ["-43", "34"]),
        (["My birthday is May 3rd", "no wait, May 13th"], ["-May 3rd", "May 13th"]),
        (["I love tea", "I meant coffee, not tea"], ["-tea", "coffee"]),
        (["I'm allergic to nuts", "oops, kiwi, not nuts"], ["-nuts", "kiwi"]),
        (["Mein Bruder heißt Jan.", "Quatsch, mein Bruder heißt Jens."], ["-Jan", "Jens"]),
        (["Ich wohne in Bonn.", "Nein, nicht in Bonn, sondern in Köln."], ["-Bonn", "Köln"]),
        (["Vivo en Mérida.", "Perdón, quise decir Madrid, no Mérida."], ["-Mérida", "Madrid"]),
        (["Moro em Coimbra.", "Não, em Braga."], ["-Coimbra", "Braga"]),
        (["Я живу в Рязани.", "Ой, нет, не в Рязани, а в Казани."], ["-Рязани", "Казани"]),
    ],
)
async def test_what_was_meant_takes_the_place_of_a_mistake(
    lines: list[str], told: list[str]
) -> None:
    assert await _told(lines) == told


@pytest.mark.anyio
@pytest.mark.parametrize(
    "lines",
    [
        ["I live in Berlin.", "No, I like it"],
        ["My sister is called Anna", "My brother's name is Ben, not Anna"],
        ["I live in Berlin.", "No, she lives there, not in Berlin"],
        ["I live in Berlin.", "Sorry, is it Bern, not Berlin?"],
        ["I live in Berlin.", "Tom is in Bern, not Berlin"],
        ["I live in Berlin.", "Bern, not Berlin, is where Tom lives"],
        ["I live in Berlin.", "Bern now, not Berlin"],
        ["I live in Berlin.", "It's not Berlin that I miss, it's Bern"],
        ["I live in Berlin.", "It's not Berlin, it's cold"],
        ["I live in Berlin.", "Sorry, Sunday"],
        ["I live in Berlin.", "no problem"],
        ["i live in berlin", "no, mate"],
        ["I live in Berlin.", "Bern"],
        ["My birthday is May 3rd", "No, the 4th"],
        ["I'm 30 years old", "Sorry, 5 minutes late"],
        ["I love tea", "Sorry, dinner"],
        ["I'm allergic to nuts", "Sorry, peanuts"],
        ["My dog is called Rex.", "No, German"],
        ["My wife is called Ana.", "Sorry, Maria"],
        ["My sister's name is Anna.", "No, his name is Max."],
        ["My sister's name is Anna.", "No, he is quiet, not loud"],
        ["We have two kids, Mia and Leo.", "Sorry, Maja"],
        ["Ich wohne in Bonn.", "Nein, Danke"],
        ["Ich wohne in Bonn.", "Nein, mein Bruder wohnt in Köln, nicht in Bonn."],
        ["Vivo en Mérida.", "No, gracias."],
        ["Moro em Coimbra.", "Não, Faro é longe."],
        ["Я живу в Рязани.", "Нет, спасибо."],
    ],
)
async def test_what_only_looks_like_a_correction_takes_nothing_back(lines: list[str]) -> None:
    assert not [value for value in await _told(lines) if value.startswith("-")]


@pytest.mark.anyio
async def test_a_no_may_answer_what_was_asked_in_between() -> None:
    lines = ["I live in Berlin.", "No, Bern"]
    assert await _told(lines, "Nice. What now?") == []
    assert await _told(lines, "Nice.") == ["-Berlin", "Bern"]


@pytest.mark.anyio
async def test_only_the_last_line_is_meant_where_nothing_is_named() -> None:
    assert await _told(["I live in Berlin.", "What a day.", "no, Bern"]) == []


def test_few_messages_are_read_with_the_lines_before_them() -> None:
    assert may_correct("no, Bern")
    assert not may_correct("I live in Bern")
    assert not may_correct("So I told them that I do not think we should go there any more at all")
    assert not may_correct("no, " + "word " * 60)
    lines = ["I live in Berlin", "What a day", "Tea?", "Yes"]
    assert worth_reading("Bern, not Berlin", lines) == [True, False, False, False]
    assert worth_reading("no, Bern", lines) == [False, False, True, True]
    told = ["I live in Berlin", "What a day", "Bern, not Berlin", "no, Basel"]
    assert worth_reading("sorry, Basle", told) == [True, True, True, True]
