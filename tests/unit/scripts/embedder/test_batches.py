"""Batches: no evidence counts against a question, and one without an answer has none."""

from __future__ import annotations

from collections.abc import Container, Sequence
from itertools import zip_longest

import numpy as np
import pytest

from scripts.embedder.batches import (
    LETTERS,
    LINES,
    QUESTION_PIECES,
    QUESTIONS,
    SHORT_PIECES,
    Batch,
    Batches,
    is_word,
    padded,
)
from scripts.embedder.pages import END, START, Page, Pieces, Question, Tokenized

COUNT = 70
RARITY = np.linspace(0, 1, 2000).astype(np.float32)


def framed(*pieces: int) -> Pieces:
    return [START, *pieces, END]


def page(
    evidence: Sequence[tuple[int, ...]],
    long: Container[int] = (),
    stale: Sequence[tuple[int, ...]] = (),
    said: tuple[bool, ...] = (),
) -> Tokenized:
    """Return a page whose line N has the piece 1000 + N, and whose question N has 200 + N."""
    lines = [framed(*[1000 + n] * (30 if n in long else 3)) for n in range(COUNT)]
    asked = tuple(
        Question("", each, stale=once) for each, once in zip_longest(evidence, stale, fillvalue=())
    )
    questions = [framed(200 + n) for n in range(len(evidence))]
    return Tokenized(Page("p", "en", ("",) * COUNT, asked, said), lines, questions)


def pairs_of(batch: Batch) -> list[tuple[int, set[int], set[int]]]:
    """Return each question's number, its evidence in the batch, and the other lines of it."""
    first = np.concatenate([batch.short[:, 1], batch.long[:, 1]])
    lines = [int(piece) - 1000 for piece in first]
    return [
        (
            int(question[1]) - 200,
            {line for line, is_one in zip(lines, row, strict=True) if is_one},
            {line for line, is_one in zip(lines, row, strict=True) if not is_one and line >= 0},
        )
        for question, row in zip(batch.questions, batch.is_evidence, strict=True)
    ]


def test_all_evidence_that_is_in_a_batch_counts_as_such() -> None:
    evidence = [(n, (n + 1) % COUNT, *range(60, 67)) for n in range(QUESTIONS)]
    for batch in Batches([page(evidence)], RARITY, 0).epoch():
        for number, found, others in pairs_of(batch):
            assert found
            assert found <= set(evidence[number])
            assert not others & set(evidence[number])


def test_a_question_that_nothing_answers_has_lines_and_no_evidence() -> None:
    evidence = [() if n % 2 else (n,) for n in range(QUESTIONS)]
    (batch,) = Batches([page(evidence)], RARITY, 0).epoch()
    assert {number for number, _, _ in pairs_of(batch)} == set(range(QUESTIONS))
    for (number, found, others), answered in zip(pairs_of(batch), batch.has_answer, strict=True):
        assert answered == (number % 2 == 0)
        assert found == set(evidence[number])
        assert len(others) >= LINES.short - 1


def test_what_answered_once_is_no_wrong_answer() -> None:
    evidence, stale = [(n,) for n in range(QUESTIONS)], [(n + 30,) for n in range(QUESTIONS)]
    (batch,) = Batches([page(evidence, stale=stale)], RARITY, 0).epoch()
    for number, found, _ in pairs_of(batch):
        assert found == {number, number + 30}


def test_what_an_agent_said_is_no_wrong_answer_but_may_be_the_right_one() -> None:
    evidence = [(n,) for n in range(QUESTIONS)]
    said = (False,) + (True,) * 39 + (False,) * 30
    (batch,) = Batches([page(evidence, said=said)], RARITY, 0).epoch()
    lines = set().union(*(found | others for _, found, others in pairs_of(batch)))
    assert lines == set(range(40))


def test_a_page_of_letters_has_room_for_them() -> None:
    evidence = [(n,) for n in range(QUESTIONS)]
    (batch,) = Batches([page(evidence, long=range(5, COUNT))], RARITY, 0).epoch()
    assert batch.short.shape == (LETTERS.short, SHORT_PIECES)
    assert batch.long.shape == (LETTERS.long, LETTERS.pieces)
    assert {number for number, _, _ in pairs_of(batch)} == set(range(QUESTIONS))


@pytest.mark.parametrize(("long", "count"), [({0, 1}, LINES.short + 2), (range(40, 70), 48)])
def test_a_row_that_only_fills_up_is_nobodys_evidence(long: Container[int], count: int) -> None:
    evidence = [(n,) for n in range(QUESTIONS)]
    (batch,) = Batches([page(evidence, long)], RARITY, 0).epoch()
    assert batch.short.shape == (LINES.short, SHORT_PIECES)
    assert batch.long.shape == (LINES.long, LINES.pieces)
    is_line = np.concatenate([batch.short[:, 0], batch.long[:, 0]]) != 0
    assert is_line.sum() == count
    assert not batch.is_evidence[:, ~is_line].any()


def test_a_question_whose_evidence_finds_no_room_is_replaced() -> None:
    evidence = [(n,) for n in range(QUESTIONS)]
    (batch,) = Batches([page(evidence, long=set(range(20)))], RARITY, 0).epoch()
    assert batch.has_answer.all()
    assert batch.is_evidence.any(1).all()
    assert len({number for number, _, _ in pairs_of(batch)}) == QUESTIONS - (20 - LINES.long)


def test_an_epoch_asks_every_question_and_counts_its_batches() -> None:
    evidence = [(n,) for n in range(QUESTIONS + 5)]
    batches = Batches([page(evidence), page(evidence[:5])], RARITY, 0)
    some = list(batches.epoch())
    assert len(some) == len(batches) == 2
    assert {number for each in some for number, _, _ in pairs_of(each)} == set(range(29))


def test_the_same_seed_gives_the_same_batches() -> None:
    evidence = [(n,) for n in range(QUESTIONS)]
    one, same, other = (next(Batches([page(evidence)], RARITY, n).epoch()) for n in (0, 0, 1))
    assert np.array_equal(one.short, same.short)
    assert not np.array_equal(one.short, other.short)


def test_what_frames_and_fills_a_question_weighs_nothing() -> None:
    (batch,) = Batches([page([(n,) for n in range(QUESTIONS)])], RARITY, 0).epoch()
    assert batch.weights.shape == (QUESTIONS, QUESTION_PIECES)
    own = is_word(batch.questions)
    assert own.sum() == QUESTIONS
    assert np.array_equal(batch.weights[own], RARITY[batch.questions[own]])
    assert not batch.weights[~own].any()


@pytest.mark.parametrize("length", [SHORT_PIECES - 1, SHORT_PIECES, SHORT_PIECES + 1])
def test_a_text_is_cut_so_that_it_still_ends(length: int) -> None:
    pieces = padded(framed(*[7] * (length - 2)), SHORT_PIECES)
    assert len(pieces) == SHORT_PIECES
    assert [piece for piece in pieces if piece][-1] == END
