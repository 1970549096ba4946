"""What is learnt from: split by voice, varied without moving a label."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.reader.corpus import HELD_OUT, Varied, among, language_of, split_by_voice
from scripts.reader.notation import Labelled, parse

LINES = (
    "I live in [home=Porto] and have [pet=two cats]!",
    "hello there, what's up?",
    "<< where do you live? >> [home=Kraków], since may",
    "I'm [occupation=baker], not [occupation-=cook]",
)


def messages() -> list[Labelled]:
    return [parse(line, f"en{number}/voice") for number, line in enumerate(LINES, 1)]


def test_a_variation_keeps_what_is_marked_whole() -> None:
    words = {"porto", "two cats", "kraków", "baker", "cook"}
    varied = Varied(messages() * 20, seed=3)
    seen = [message for _ in range(5) for message in varied.epoch()]
    assert len(seen) == 5 * 20 * len(LINES)
    values = {m.text[mark.start : mark.end].lower() for m in seen for mark in m.marks}
    letters = {"".join(sorted(word)) for word in words}
    whole = [value for value in values if "".join(sorted(value)) in letters]
    assert words <= set(whole)
    assert all(0 <= mark.start < mark.end <= len(m.text) for m in seen for mark in m.marks)


def test_training_goes_on_with_some_writers_and_as_many_messages_of_others() -> None:
    texts = {1: "porto", 2: "hello", 3: "kraków", 4: "baker"}
    kept = [message.text.lower() for message in among(messages(), {"en2", "en4"})]
    assert [next(n for n, word in texts.items() if word in text) for text in kept] == [2, 4, 1, 3]
    assert [message.voice for message in among(messages(), {"en3"})] == ["en3/voice", "en1/voice"]


def test_the_same_seed_gives_the_same_variations() -> None:
    assert Varied(messages(), seed=1).epoch() == Varied(messages(), seed=1).epoch()
    assert Varied(messages() * 9, seed=1).epoch() != Varied(messages() * 9, seed=2).epoch()


def test_the_voices_of_the_list_are_kept_to_judge_by(tmp_path: Path) -> None:
    said = [parse("hi", f"{writer}/{voice}") for writer in ("en1", "de") for voice in "abc"]
    (tmp_path / HELD_OUT).write_text("en1/b\nde/c\n")
    seen, kept = split_by_voice(said, tmp_path)
    assert sorted(message.voice for message in kept) == ["de/c", "en1/b"]
    assert len(seen) == 4
    (tmp_path / HELD_OUT).write_text("en1/z\n")
    with pytest.raises(ValueError, match="en1/z"):
        split_by_voice(said, tmp_path)


def test_a_voice_names_its_language() -> None:
    assert [language_of(voice) for voice in ("en0/basics", "de/eltern")] == ["en", "de"]
