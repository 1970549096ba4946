"""What a chat is about and what is open in it, cut to the room of a prompt."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from memory.domain.recalls import Recalled
from memory.ports.chat_states import ChatState, Retold
from memory.recall.block import MemoryBlock, block_text, read_block
from memory.recall.underway import Underway, underway
from memory.text.chunks import estimate_tokens

TOLD = Underway(so_far=("2026-03-01: the flat", "2026-03-04: the <move>"), open=("promise: keys",))


def test_what_is_open_comes_first_then_the_newest_stretch() -> None:
    assert TOLD.within(1_000) == TOLD
    room = estimate_tokens(TOLD.open[0]) + 1
    assert TOLD.within(room) == Underway((), TOLD.open)
    room += estimate_tokens(TOLD.so_far[1]) + 1
    assert TOLD.within(room) == Underway(TOLD.so_far[1:], TOLD.open)
    assert TOLD.within(-3) == Underway()


def test_what_is_near_to_the_question_comes_before_what_was_last() -> None:
    entries = (Recalled("episode", "e1", 0.7), Recalled("episode", "e2", 0.6))
    lines = ("2025-05-03: databases", "2025-06-01: indexes")
    told = replace(TOLD, episodes=lines, recalled=entries)
    assert told.within(1_000) == told
    room = sum(estimate_tokens(line) + 1 for line in (*TOLD.open, lines[0]))
    cut = told.within(room)
    assert (cut.so_far, cut.open, cut.episodes) == ((), TOLD.open, lines[:1])
    assert [entry.is_shown for entry in cut.recalled] == [True, False]


def test_a_block_shows_it_within_its_fence_and_is_read_again() -> None:
    block = MemoryBlock(so_far=TOLD.so_far, open=TOLD.open, episodes=("2025-05-03: <tables>",))
    assert "<" not in block_text(block)
    assert read_block(block_text(block)) == block


def test_the_day_of_a_stretch_is_that_of_who_asks() -> None:
    began = Retold("e1", datetime(2026, 3, 6, 2, tzinfo=UTC), "the flat")
    told = underway(ChatState(episodes=(began,)), (), (), ZoneInfo("America/Los_Angeles"))
    assert told.so_far == ("2026-03-05: the flat",)
