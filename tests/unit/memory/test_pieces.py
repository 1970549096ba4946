"""Messages as the reader's network takes them."""

from __future__ import annotations

import pytest
from tokenizers import Tokenizer

from memory.domain.readings import Excerpt
from memory.minilm.pieces import (
    BEFORE_PIECES,
    DIGITS,
    LOWER,
    MAX_PIECES,
    OPENING,
    TITLE,
    UPPER,
    Pieces,
    pieces_of,
)
from memory.minilm.weights import find_model_folder
from memory.text.glossing import shipped_glosses


def cut(tokenizer: Tokenizer, excerpt: Excerpt) -> Pieces:
    return pieces_of(tokenizer, excerpt, shipped_glosses())


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    found: Tokenizer = Tokenizer.from_file(str(find_model_folder() / "tokenizer.json"))
    found.no_truncation()
    found.no_padding()
    return found


def test_words_stand_where_they_do_in_the_message(tokenizer: Tokenizer) -> None:
    text = "Ich heiße Zoë-Marie, wohne in Kraków 👋"
    found = cut(tokenizer, Excerpt(text))
    words = [text[start:end] for start, end in found.words]
    assert words[:7] == ["Ich", "heiße", "Zoë", "-", "Marie", ",", "wohne"]
    assert "Kraków" in words
    assert len(found.ids) == len(found.kinds) == len(found.cases)
    assert len(found.firsts) == len(found.words)


def test_a_word_is_one_word_however_many_its_gloss_has(tokenizer: Tokenizer) -> None:
    text = "Tengo dos gatos"
    found = cut(tokenizer, Excerpt(text))
    assert [text[start:end] for start, end in found.words] == ["Tengo", "dos", "gatos"]
    said = tokenizer.decode([found.ids[at] for at in range(1, len(found.ids) - 1)])
    assert said == "i have two cats"
    asked = cut(tokenizer, Excerpt("dos", "¿Cuántos gatos tienes?"))
    assert tokenizer.token_to_id("cats") in asked.ids


def test_how_a_word_is_written_is_told_beside_it(tokenizer: Tokenizer) -> None:
    found = cut(tokenizer, Excerpt("Meet Ana from ACME. Born 1990"))
    cases = [found.cases[first] for first in found.firsts if found.cases[first]]
    assert cases == [OPENING, TITLE, LOWER, UPPER, OPENING, DIGITS]


def test_the_turn_before_follows_and_holds_no_word_of_the_message(tokenizer: Tokenizer) -> None:
    alone = cut(tokenizer, Excerpt("Leeds"))
    asked = cut(tokenizer, Excerpt("Leeds", "Where do you live now?"))
    assert asked.ids[: len(alone.ids)] == alone.ids
    assert asked.words == alone.words
    assert set(asked.kinds[len(alone.ids) :]) == {1}


def test_both_are_bounded(tokenizer: Tokenizer) -> None:
    found = cut(tokenizer, Excerpt("word " * 5_000, "before " * 5_000))
    assert len(found.ids) == MAX_PIECES + BEFORE_PIECES + 3 <= 512


@pytest.mark.parametrize("text", ["", " ", "\n\n", "👋👋", "สวัสดี", "你好"])
def test_any_text_can_be_cut(tokenizer: Tokenizer, text: str) -> None:
    found = cut(tokenizer, Excerpt(text))
    assert all(0 <= start < end <= len(text) for start, end in found.words)
