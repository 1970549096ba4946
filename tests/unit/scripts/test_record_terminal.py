"""The picture of a terminal: every line in it, wrapped, escaped, and nothing fetched."""

from __future__ import annotations

from xml.etree import ElementTree

from scripts.record_terminal import COLUMNS, drawn


def test_every_word_is_in_the_picture_and_no_line_is_too_long() -> None:
    said = "> <b> & " + "words that go on " * 12
    picture = ElementTree.fromstring(drawn([("shell", "$ recollect chat"), ("said", said)]))
    lines = [text.text or "" for text in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert lines[0] == "$ recollect chat"
    assert all(len(line) <= COLUMNS for line in lines)
    assert " ".join(" ".join(lines[1:]).split()) == " ".join(said.split())


def test_nothing_is_fetched() -> None:
    svg = drawn([("reply", "Nice to meet you.")])
    assert svg.replace('xmlns="http://www.w3.org/2000/svg"', "").count("http") == 0
