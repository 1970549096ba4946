"""What other wordings bring up, by words and by vectors, beside the question's own."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import cast

import pytest

from memory.domain.recalls import Embedded, Lexical, Line, TokenMatrix, VectorItem
from memory.ports.bundle import Memory
from memory.ports.querying import Spoken
from memory.recall.gathering import embedded, gather
from memory.recall.ranking.features import Pool, Question, features
from memory.recall.recall import Findings, Scope, recall
from tests.fakes.world import World
from tests.messages import START, message

pytestmark = pytest.mark.anyio
SCOPE = Scope("t", "waha:ana", "contact:waha:ana", is_group=False)


@dataclass
class Scripted:
    """Says these queries."""

    queries: list[str]
    asked: list[str] = field(default_factory=list)

    async def rewrite(self, question: str, before: Sequence[Spoken]) -> list[str]:
        del before
        self.asked.append(question)
        return self.queries


async def searched(world: World, query: str, *queries: str) -> Findings:
    parts = vars(world.memory) | {"rewriter": Scripted(list(queries))}
    return await recall(cast("Memory", SimpleNamespace(**parts)), SCOPE, query, START, 5)


def ids(found: Findings) -> set[str]:
    return {entry.item_id for entry in found.entries}


@pytest.fixture
async def world() -> World:
    """A chat in which lines stand far from each other."""
    world = World()
    lines = ["red coat", *"abcd", "the bicycle", *"efgh", "garment"]
    await world.ledger.record([message(text) for text in lines], history=True)
    return world


def uid_of(world: World, text: str) -> str:
    return next(uid for uid, row in world.ledger.rows.items() if row.message.text == text)


async def test_words_of_another_wording_are_searched_for_beside_the_questions(world: World) -> None:
    coat, bicycle = uid_of(world, "red coat"), uid_of(world, "the bicycle")
    assert bicycle not in ids(await searched(world, "coat"))
    assert {coat, bicycle} <= ids(await searched(world, "coat", "which bicycle"))


async def test_another_wording_is_embedded_beside_the_question(world: World) -> None:
    coat, garment = uid_of(world, "red coat"), uid_of(world, "garment")
    (vector,) = await world.memory.embedder.embed(["jumper"])
    item = VectorItem(f"{garment}#0", SCOPE.anchor, vector)
    await world.vectors.upsert("t", "message", [item])
    assert garment not in ids(await searched(world, "coat"))
    assert {coat, garment} <= ids(await searched(world, "coat", "jumper"))


class OnePiece:
    """Gives each text one piece."""

    fingerprint = "one-piece"

    token_space = "one"

    async def read(self, texts: Sequence[str]) -> list[Embedded]:
        return [Embedded((1.0, 0.0), TokenMatrix(bytes([127, 0]), 2, (1.0,))) for _ in texts]


async def test_other_wordings_together_count_no_more_than_the_question(world: World) -> None:
    memory = cast("Memory", SimpleNamespace(**vars(world.memory) | {"embedder": OnePiece()}))
    embedding = asyncio.create_task(embedded(memory, "coat"))
    found = await gather(memory, "t", [SCOPE.anchor], [], "coat", embedding, ("jumper", "garment"))
    assert found.asking is not None
    assert found.asking.weights.tolist() == [0.5, 0.25, 0.25]


def test_another_wording_names_speakers_and_asks_for_nothing_the_agent_said() -> None:
    lines = [
        Line("u1", "chat", 1, START, "Anna", text="I said so."),
        Line("u2", "chat", 2, START, "agent", text="I told you.", is_agent=True),
    ]
    asked = Question("and she?", START, rewritten=("What did Anna say? What did you tell me?",))
    table = features(asked, Pool(lines, Lexical(), {}))
    assert [each.uid for each in table.lines] == ["u1"]
    assert table.columns["speaker_named"].tolist() == [1.0]
