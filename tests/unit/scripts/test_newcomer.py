"""The script of a newcomer's hour is what its page says, and what came back is counted right."""

from __future__ import annotations

from collections import Counter

import pytest

from scripts.newcomer import SCRIPT, Known, Step, read, written


def test_the_hour_has_what_its_page_promises() -> None:
    sittings = read(SCRIPT.read_text(encoding="utf-8"))
    steps = [step for sitting in sittings for step in sitting.steps]
    does = Counter(step.verb for step in steps)
    assert does == {"say": 60, "ask": 10, "ask-after": 5, "import": 1, "correct": 3, "forget": 2}
    said = {s.language for s in sittings if any(step.verb == "say" for step in s.steps)}
    assert said == {"English", "German", "Spanish", "Russian"}
    export = (SCRIPT.parent / "newcomer_whatsapp.txt").read_text(encoding="utf-8")
    assert len(export.splitlines()) == 80


def test_what_is_known_is_held_against_what_was_told() -> None:
    sittings = read(
        "sitting page English\nsay I live in Leeds\n  told home: Leeds\n  told age: 4\n"
    )
    known = {"told": [Known("home", "Leeds"), Known("like", "rain")]}
    known["last"] = [*known["told"], Known("pet", "Rex")]
    hour = written(sittings, known)
    assert "Kept 1 of 2 facts told, by their words. Beside them: like: rain." in hour
    assert "Since the import: pet: Rex." in hour


def test_an_answer_is_right_by_its_words() -> None:
    step = Step("ask", "Where?", want=("Leeds", "York"), unwanted=("Bath",))
    for reply, is_right in (("In LEEDS.", True), ("Leeds, not Bath.", False), ("", False)):
        step.reply = reply
        assert step.is_right == is_right


def test_a_word_that_the_script_does_not_have_is_refused() -> None:
    with pytest.raises(ValueError, match="shout"):
        read("sitting page English\nshout Hello")
