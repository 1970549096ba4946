"""Statements before questions, and the asker's own lines for a question about the asker."""

from __future__ import annotations

from dataclasses import replace

import pytest

from graph.stores import Stores
from memory.domain.chats import Message
from memory.projection.importing import import_batches
from memory.recall.recall import Scope, recall
from tests.messages import START, message

pytestmark = pytest.mark.anyio


def _said(stores: Stores, text: str, sender: str = "ana", **rest: object) -> Message:
    said = message(text, tenant=stores.settings.tenant, sender=sender, **rest)  # type: ignore[arg-type]
    return replace(said, is_group=True)


async def _texts(stores: Stores, asking: Message, lines: list[Message]) -> list[str]:
    await import_batches(stores.memory, stores.projector, [lines])
    found = await recall(stores.memory, Scope.of(asking), asking.text, START, 10)
    text_of = {line.uid: line.text for line in lines}
    return [text_of[entry.item_id] for entry in found.entries if entry.kind == "message"]


async def test_a_statement_comes_before_a_dozen_questions_for_it(stores: Stores) -> None:
    asked = [
        _said(stores, text)
        for text in (
            "What is Mira's job?",
            "what does Mira do for a living",
            "Do you know Mira's job?",
            "Where does Mira work?",
        )
        * 3
    ]
    told = _said(stores, "Mira repairs organs in old churches, she started that in May")
    others = [_said(stores, f"The bus was late again, day {n}") for n in range(10)]
    lines = [*others[:5], told, *others[5:], *asked]
    texts = await _texts(stores, _said(stores, "What is Mira's job?"), lines)
    assert texts[0] == told.text


async def test_a_question_about_the_asker_finds_the_askers_line_first(stores: Stores) -> None:
    own = _said(stores, "I live in Faro now, close to the harbour", "ana")
    other = _said(stores, "I live in Madrid now", "bo")
    fillers = [_said(stores, f"The bus was late again, day {n}", "cy") for n in range(8)]
    lines = [other, *fillers, own]
    texts = await _texts(stores, _said(stores, "Where do I live?", "ana"), lines)
    assert texts.index(own.text) < texts.index(other.text)
    texts = await _texts(stores, _said(stores, "Where do I live?", "bo"), lines)
    assert texts.index(other.text) < texts.index(own.text)


async def test_a_question_about_somebody_else_is_left_as_it_is(stores: Stores) -> None:
    other = _said(stores, "I live in Madrid now", "bo")
    texts = await _texts(
        stores,
        _said(stores, "Where does bo live?", "ana"),
        [_said(stores, "I live in Faro now, close to the harbour", "ana"), other],
    )
    assert texts[0] == other.text
