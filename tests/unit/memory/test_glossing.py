"""Words of other languages put into English, each where it stands."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.text.glossing import FOLDER, LANGUAGES, Glosses, Swap, shipped_glosses

SAID = "Ich wohne seit 2019 in München."


@pytest.fixture(scope="module")
def glosses() -> Glosses:
    return shipped_glosses()


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (SAID, "de"),
        ("soy vegana y tengo dos perros", "es"),
        ("tenho dois cachorros e moro em Recife", "pt"),
        ("меня зовут Марина", "ru"),
        ("me llamo Juan", "es"),
        ("I live in Paris and my dog is called Pan", "en"),
        ("no", "en"),
        ("vegan", "en"),
        ("Je suis végétarienne depuis toujours", "en"),
        ("", "en"),
        ("+49 30 1234 👋", "en"),
    ],
)
def test_a_message_is_of_the_language_that_has_most_of_its_words(
    glosses: Glosses, text: str, language: str
) -> None:
    assert glosses.language_of(text) == language


def test_words_are_read_in_english_and_stand_where_they_stood(glosses: Glosses) -> None:
    found = glosses.render(SAID, "de")
    assert found.text == "i live since 2019 in munich."
    munich = found.text.index("munich")
    assert SAID[slice(*found.source(munich, munich + 3))] == "München"
    year = found.text.index("2019")
    assert SAID[slice(*found.source(year, year + 4))] == "2019"
    assert SAID[slice(*found.source(len(found.text) - 1, len(found.text)))] == "."
    assert found.swaps[0] == Swap(0, 1, (0, 3))


def test_other_forms_of_a_word_share_its_gloss(glosses: Glosses) -> None:
    # None of these forms stands in a list.
    assert glosses.render("медсестричкой", "ru").text == "nurse"
    assert glosses.render("cabeleireiras", "pt").text == "hairdresser"
    assert glosses.render("трабзонцем", "ru").text == "trabzontsem"


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("Frau Albers kommt", "mrs albers comes"),
        ("meine Frau Ute kommt", "my wife ute comes"),
        ("eine Frau kommt", "a wife comes"),
    ],
)
def test_a_title_is_no_wife(glosses: Glosses, text: str, read: str) -> None:
    assert glosses.render(text, "de").text == read


def test_accents_may_be_missing_and_may_matter(glosses: Glosses) -> None:
    assert glosses.render("alergia al mani", "es").text.endswith("peanut")
    assert glosses.render("esta está", "es").text == "this is"


def test_accents_may_stand_apart(glosses: Glosses) -> None:
    text = unicodedata.normalize("NFD", "él está en München")
    assert glosses.language_of(text) == "es"
    found = glosses.render(text, "es")
    assert found.text.startswith("he is in ")
    assert found.swaps[1].source == (4, 9)


def test_english_is_left_as_it_is(glosses: Glosses) -> None:
    found = glosses.render("die war", "en")
    assert found.text == "die war" and found.source(4, 7) == (4, 7)


@given(st.text(max_size=60), st.sampled_from(LANGUAGES))
def test_every_place_comes_from_the_message_in_its_order(text: str, language: str) -> None:
    found = shipped_glosses().render(text, language)
    places = [found.source(at, at + 1) for at in range(len(found.text))]
    assert all(0 <= start < end <= len(text) for start, end in places)
    assert places == sorted(places)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_lists_are_sorted_and_of_one_form(language: str) -> None:
    lines = (FOLDER / f"{language}.tsv").read_text("utf-8").splitlines()
    words = [line.partition("\t")[0] for line in lines]
    assert words == sorted(set(words))
    odd = [line for line in lines if not re.fullmatch(r"[^\W\d_]+\t(-|[^\W_][\w' -]*)", line)]
    assert odd == []
