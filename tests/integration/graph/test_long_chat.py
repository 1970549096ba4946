"""A hundred turns end with the facts and episodes that they told of (L5)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from graph.settings import Settings
from tests.benchmarks.long_chat import play
from tests.benchmarks.long_chat_plan import EXPECTED
from tests.benchmarks.long_chat_plots import wrong_of

pytestmark = [pytest.mark.anyio, pytest.mark.slow, pytest.mark.timeout(600)]

MOST_TOKENS = 3_300
"""Of a prompt: `RECOLLECT_MEMORY_TOKENS`, the window of short lines, and the instructions."""


async def test_a_hundred_turns_end_with_their_facts_and_episodes(
    settings: Settings, tmp_path: Path
) -> None:
    file = tmp_path / "played.jsonl"
    await play(settings, 100, 100, file)
    told = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    turns, known = [each for each in told if "turn" in each], told[-1]
    assert wrong_of(known["facts"], EXPECTED) == []
    due = {each["at"] for each in turns if each["begins"]}
    assert len(due) == 6
    assert due <= set(known["begun"])
    assert len(known["begun"]) <= 2 * len(due)
    assert max(each["prompt_tokens"] for each in turns) < MOST_TOKENS
