"""Judging: which share of the evidence is among ten lines, by each way of ranking."""

from __future__ import annotations

import numpy as np
import pytest

from scripts.embedder.batches import Floats, Ints
from scripts.embedder.judging import Read, arranged, found, judge, rankings, read
from scripts.embedder.pages import END, START, Page, Question, Tokenized

RARITY = np.ones(1000, np.float32)


def embed(ids: Ints) -> tuple[Floats, Floats, Floats]:
    """Embed each piece as the direction of its number, in eight dimensions."""
    tokens = np.eye(8, dtype=np.float32)[ids % 8]
    own = (ids != 0)[..., None]
    return (tokens * own).sum(1), tokens, np.ones(ids.shape, np.float32)


def test_only_the_first_ten_lines_count() -> None:
    scores = np.arange(20, dtype=np.float32)
    assert found(scores, [19, 10]) == 1.0
    assert found(scores, [19, 9]) == 0.5
    assert found(scores, [0]) == 0.0


def test_a_text_has_the_vectors_of_its_own_pieces_whatever_is_read_beside_it() -> None:
    texts = [[START, 3, END], [START, *[4] * 20, END], [START, 5, 6, END]]
    one, long, two = read(embed, texts)
    assert one.tokens.tolist() == [np.eye(8)[3].tolist()]
    assert (len(long.tokens), len(two.tokens), len(two.salience)) == (20, 2, 2)


def test_a_neighbour_lends_what_a_line_lacks() -> None:
    def of(*directions: int) -> Read:
        return Read(np.ones(8, np.float32), np.eye(8, dtype=np.float32)[[*directions]], RARITY[:1])

    weights = np.array([0.5, 0.5], np.float32)
    scores = dict(rankings(of(1, 2), weights, arranged([of(1), of(2), of(), of(1, 2)])))
    assert scores["late"].tolist() == [0.5, 0.5, 0.0, 1.0]
    assert scores["window"] == pytest.approx([0.95, 0.95, 0.9, 1.0])


def chat(said: tuple[bool, ...], *asked: Question, language: str = "en") -> Tokenized:
    """Return a chat whose first line alone is like its questions."""
    lines = [[START, 3 if not n else 4, END] for n in range(len(said))]
    page = Page("c", language, ("",) * len(said), asked, said)
    return Tokenized(page, lines, [[START, 3, END] for _ in asked])


def test_figures_are_by_language_and_leave_out_what_nothing_answers() -> None:
    asked = (Question("", (0,)), Question("", ()), Question("", (15,), "agent"))
    english = chat((True,) * 20, *asked)
    german = chat((True,) * 20, Question("", (0, 19)), language="de")
    figures = judge(embed, [english, german], RARITY)
    assert figures["en"] == {"dense": 1.0, "late": 1.0, "window": 1.0}
    assert figures["other"]["late"] == 0.5


def test_what_an_agent_said_is_not_searched() -> None:
    figures = judge(embed, [chat((False, *[True] * 19), Question("", (0,)))], RARITY)
    assert figures["en"]["late"] == 0.0
