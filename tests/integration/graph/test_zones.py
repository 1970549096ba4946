"""Days and times are those of whoever asks: what is searched for, and what a prompt shows."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from graph.bootstrap import Overrides, agent_on, open_stores
from graph.settings import Settings
from graph.stores import Stores
from memory.domain.chats import Message
from memory.recall import recall as recalling
from memory.recall.block import MemoryBlock
from memory.recall.ranking.features import Question
from nodes.prompts import read_memory
from tests.fakes.chat_model import ScriptedChatModel
from tests.messages import message
from tests.projecting import known
from ui.playground.retold import prompt_again

pytestmark = pytest.mark.anyio

LOS_ANGELES = ZoneInfo("America/Los_Angeles")
# Thursday evening there, Friday morning in UTC.
NOW = datetime(2026, 3, 5, 19, 0, tzinfo=LOS_ANGELES).astimezone(UTC)
TOLD_AT = datetime(2026, 3, 5, 18, 0, tzinfo=LOS_ANGELES).astimezone(UTC)
ZONE = "My time zone is America/Los_Angeles."
PARKED = "I parked the car at level 7 of the garage."


def _said(settings: Settings, text: str, at: datetime = NOW, **rest: object) -> Message:
    said = message(text, tenant=settings.tenant, **rest)  # type: ignore[arg-type]
    return replace(said, sent_at=at)


def _asked_elsewhere(settings: Settings, text: str) -> Message:
    """Return a question in another account's chat, whose window shows nothing of the first."""
    asks = _said(settings, text)
    return replace(asks, chat=replace(asks.chat, account="second"))


async def _answered(stores: Stores, asks: Message, model: ScriptedChatModel) -> MemoryBlock:
    async for _ in agent_on(stores).send(asks):
        pass
    return read_memory(model.prompts[-1][0].text)


def _at_seven(settings: Settings, model: ScriptedChatModel) -> tuple[Settings, Overrides]:
    return settings, Overrides(model=model, clock=lambda: NOW)


async def test_a_prompt_tells_its_times_by_the_clock_of_who_asks(
    settings: Settings, model: ScriptedChatModel
) -> None:
    async with open_stores(*_at_seven(settings, model)) as stores:
        told = [_said(settings, text, TOLD_AT) for text in (PARKED, "My wife Priya works at Acme.")]
        await known(stores, _said(settings, ZONE, datetime(2026, 3, 1, tzinfo=UTC)), *told)
        question = "Where did I park the car today, and where does Priya work?"
        asks = _asked_elsewhere(settings, question)
        block = await _answered(stores, asks, model)
        agent = agent_on(stores)
        (receipt,) = await agent.receipts(asks.chat)
        history = await stores.memory.ledger.messages(settings.tenant, [asks.uid])
        again = await prompt_again(agent, receipt, history[0], history)
        kept = (await stores.memory.ledger.messages(settings.tenant, [told[0].uid]))[0].message
    assert block.now == "Thursday 2026-03-05 19:00 (America/Los_Angeles)"
    assert [line.when for line in block.passages if line.text == PARKED] == ["2026-03-05 18:00"]
    employer = [fact.value for fact in block.facts if fact.key == "Priya (wife): employer"]
    assert employer == ["Acme, as you told me on 5 March 2026"]
    assert '"when": "2026-03-05 18:00"' in "".join(part.text for part in again)
    assert "2026-03-06" not in "".join(part.text for part in again)
    assert kept.sent_at == TOLD_AT


async def test_today_is_searched_for_where_who_asks_lives(
    settings: Settings, model: ScriptedChatModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Question] = []
    ranked = recalling.ranked  # type: ignore[attr-defined]

    def spied(question: Question, *rest: object, **more: object) -> object:
        asked.append(question)
        return ranked(question, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(recalling, "ranked", spied)
    async with open_stores(*_at_seven(settings, model)) as stores:
        await known(stores, _said(settings, ZONE, TOLD_AT), _said(settings, PARKED, TOLD_AT))
        await _answered(stores, _asked_elsewhere(settings, "Where did I park today?"), model)
    assert [f"{each.now:%Y-%m-%d %H:%M}" for each in asked] == ["2026-03-05 19:00"]


@pytest.mark.parametrize("group", [True, False])
async def test_where_nobody_knows_it_the_zone_is_that_of_the_settings(
    settings: Settings, model: ScriptedChatModel, group: bool
) -> None:
    chosen = settings.model_copy(update={"timezone": "Asia/Tokyo"})
    async with open_stores(*_at_seven(chosen, model)) as stores:
        if group:  # where nobody is told where somebody lives
            await known(stores, _said(chosen, ZONE, TOLD_AT))
        place: Any = {"chat": "club", "is_group": True, "mentions_agent": True} if group else {}
        block = await _answered(stores, _said(chosen, "What day is it?", **place), model)
    assert block.now == "Friday 2026-03-06 12:00 (Asia/Tokyo)"
