"""Labelled messages as they are written down."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.reader.notation import BadLabel, parse, read_folder


def test_spans_stand_where_they_do_in_the_text() -> None:
    found = parse("left [home-=Leeds], now in [home=York] with [pet=Rex]", "en/x")
    assert found.text == "left Leeds, now in York with Rex"
    assert [(found.text[m.start : m.end], m.key, m.status) for m in found.marks] == [
        ("Leeds", "home", "ended"),
        ("York", "home", "stated"),
        ("Rex", "pet", "stated"),
    ]


def test_what_is_not_the_speakers_says_whose_it_is_or_that_it_is_nobodys() -> None:
    found = parse("my wife is from [origin@wife=Bonn], I'd love [home?=Rome], not [age~=40]", "x")
    assert [(m.status, m.holder, m.is_vague) for m in found.marks] == [
        ("other", "wife", False),
        ("nobody", "", False),
        ("nobody", "", True),
    ]


def test_the_turn_before_is_apart_and_lines_break() -> None:
    found = parse("<< any allergies? >> [allergy=latex]\\nthanks", "x")
    assert (found.before, found.text) == ("any allergies?", "latex\nthanks")


def test_the_noun_of_a_favourite_is_found_beside_it() -> None:
    found = parse("my favorite Colour is [favorite:colour=red]", "x")
    assert [(m.key, found.text[m.start : m.end]) for m in found.marks] == [
        ("favorite.noun", "Colour"),
        ("favorite", "red"),
    ]
    assert len(parse("[favorite:colour=red], always", "x").marks) == 1


@pytest.mark.parametrize("line", ["[town=Leeds]", "[home=]", "a [b", "see [1]"])
def test_what_is_not_in_the_notation_is_refused_with_its_place(line: str, tmp_path: Path) -> None:
    with pytest.raises(BadLabel):
        parse(line, "x")
    folder = tmp_path / "en"
    folder.mkdir()
    (folder / "voice-01.txt").write_text(f"# voice: anybody\n\n{line}\n")
    with pytest.raises(BadLabel, match=r"voice-01\.txt:3"):
        list(read_folder(tmp_path))


def test_every_message_that_is_learnt_from_is_in_the_notation() -> None:
    folder = Path(__file__).parents[4] / "datasets/facts/reader"
    messages = list(read_folder(folder))
    assert len(messages) > 20_000
    assert len({(m.before, m.text) for m in messages}) > 0.99 * len(messages)
    assert all(m.text[mark.start : mark.end].strip() for m in messages for mark in m.marks)
