"""What a prompt remembers, on real stores: within its budget, and the same wherever it is shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest
from langchain_core.messages import BaseMessage

from graph.agent import Agent, Finished
from graph.bootstrap import agent_on
from graph.models.offline import OfflineResponder, responder
from graph.models.offline.answers import Answer
from graph.models.offline.responder import respond
from graph.stores import Stores
from memory.domain.chats import Message, Quote
from memory.projection.importing import import_batches
from memory.recall.block import FactLine, MemoryBlock, moment_of
from memory.recall.budget import FRAME_TOKENS
from memory.recall.explain import explain, explanation_to_json
from memory.text.chunks import estimate_tokens
from nodes.prompts import FENCE_OPEN, read_memory, render_memory
from tests.fakes.chat_model import ScriptedChatModel
from tests.messages import message
from tests.projecting import known
from ui.cli.receipts import receipt_text

pytestmark = pytest.mark.anyio

TOLD = "My name is Alex. I live in Lisbon. I am allergic to walnuts. I love jazz. My dog is Bruno."


@pytest.fixture
def agent(stores: Stores) -> Agent:
    return agent_on(stores)


def _said(agent: Agent, text: str, **rest: object) -> Message:
    return message(text, tenant=agent.stores.settings.tenant, **rest)  # type: ignore[arg-type]


async def _turn(agent: Agent, said: Message) -> None:
    last = [event async for event in agent.send(said)][-1]
    assert isinstance(last, Finished), last


def _memory(model: ScriptedChatModel) -> str:
    text = model.prompts[-1][0].text
    return text[text.index(FENCE_OPEN) :]


async def test_facts_of_a_long_message_do_not_fill_the_prompt(
    agent: Agent, model: ScriptedChatModel
) -> None:
    filler = "We walked along the river for a while. " * 1500
    told = _said(agent, f"{TOLD} {filler}")
    await import_batches(agent.stores.memory, agent.stores.projector, [[told]])
    await _turn(agent, _said(agent, "what do I like?", chat="elsewhere"))
    shown = _memory(model)
    assert estimate_tokens(shown) <= agent.stores.settings.memory_tokens
    facts = {fact.value: fact.said for fact in read_memory(shown).facts}
    assert {"Alex", "Lisbon", "walnuts", "jazz"} <= set(facts)
    assert facts["walnuts"] == "I am allergic to walnuts."


async def test_an_allergy_is_shown_where_there_is_room_for_little_else(
    stores: Stores, model: ScriptedChatModel
) -> None:
    settings = stores.settings.model_copy(update={"memory_tokens": 200})
    agent = agent_on(replace(stores, settings=settings))
    lines = [_said(agent, f"I like place number {n}. {TOLD}") for n in range(30)]
    await import_batches(stores.memory, stores.projector, [lines])
    await _turn(agent, _said(agent, "what do I like?", chat="elsewhere"))
    shown = _memory(model)
    assert estimate_tokens(shown) <= 200
    assert read_memory(shown).facts[0].value == "walnuts"
    (receipt,) = await agent.receipts(_said(agent, "", chat="elsewhere").chat, 1)
    left_out = [entry for entry in receipt.recalled if not entry.is_shown]
    assert left_out
    assert all(entry.parts.get("importance") != 1.0 for entry in left_out)


async def test_a_person_with_three_hundred_facts_keeps_a_small_prompt(
    agent: Agent, model: ScriptedChatModel
) -> None:
    told = [
        *(f"I like place number {n}." for n in range(220)),
        *(f"My dog is called Rex{n}." for n in range(75)),
        "I like oysters.",
        TOLD,
    ]
    lines = [_said(agent, text, minutes=n) for n, text in enumerate(told)]
    await import_batches(agent.stores.memory, agent.stores.projector, [lines])
    facts = await agent.stores.memory.facts.active(lines[0].chat.tenant, lines[0].contact_id)
    assert len(facts) >= 300
    shown, more = {}, {}
    for asked in ("What time is it in Tokyo?", "What do I like?", "Do I like oysters?"):
        await _turn(agent, _said(agent, asked, chat="elsewhere", minutes=999))
        block = read_memory(_memory(model))
        shown[asked] = [fact.value for fact in block.facts]
        more[asked] = dict(block.more)
        assert {"walnuts", "Alex", "Lisbon"} <= set(shown[asked])
        room = agent.stores.settings.memory_tokens * 3 // 10
        lean = MemoryBlock(tuple(FactLine("like", value) for value in shown[asked]))
        assert estimate_tokens(render_memory(lean)) <= room + FRAME_TOKENS
    nothing, tastes, oysters = shown.values()
    assert not any(value.startswith("place") for value in nothing)
    assert sum(value.startswith("place") for value in tastes) > 10
    assert "oysters" in oysters[:12]
    assert more["What time is it in Tokyo?"] == {}
    likes = sum(fact.key == "like" for fact in facts)
    shown_likes = sum(fact.value in tastes for fact in facts if fact.key == "like")
    assert more["What do I like?"]["like"] == likes - shown_likes > 100
    receipts = await agent.receipts(_said(agent, "", chat="elsewhere").chat, 3)
    assert [receipt.left_out > 100 for receipt in receipts] == [True, True, False]


async def test_a_taste_is_shown_where_it_is_close_to_what_is_asked(
    agent: Agent, model: ScriptedChatModel
) -> None:
    lines = [_said(agent, "I love Italian food."), _said(agent, "I love horror films.", minutes=1)]
    for each in lines:
        await known(agent.stores, each)
    shown = []
    for asked in ("Where should we eat tonight?", "any good movies on", "My tyre is flat again."):
        await _turn(agent, _said(agent, asked, chat="elsewhere", minutes=9))
        shown.append([fact.value for fact in read_memory(_memory(model)).facts])
    assert shown == [["Italian food"], ["horror films"], []]
    (_, movies, _) = await agent.receipts(_said(agent, "", chat="elsewhere").chat, 3)
    (fact,) = [entry for entry in movies.recalled if entry.kind == "fact"]
    assert fact.parts["dense"] > 0.3


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("What do I like?", "jazz"),
        ("what dont i like", "olives"),
        ("What is my favourite colour?", "green"),
        ("Which bike do I have?", "red bike"),
        ("quick quiz: what do I pedal around on?", "red bike"),
        ("womit fahre ich eigentlich immer", "red bike"),
        ("what can I not stand on a pizza?", "olives"),
        ("¿qué cosas me encantan?", "jazz"),
    ],
)
async def test_without_a_model_tastes_and_things_are_told_when_asked_for(
    stores: Stores, asked: str, answer: str
) -> None:
    agent = agent_on(replace(stores, model=OfflineResponder()))
    told = "I love jazz. I hate olives. My favourite color is green. I own a red bike."
    await known(stores, _said(agent, told))
    question = _said(agent, asked, chat="elsewhere", minutes=9)
    last = [event async for event in agent.send(question)][-1]
    assert isinstance(last, Finished)
    assert answer in last.reply


async def test_the_responder_alone_is_told_how_likely_each_line_answers(
    stores: Stores, model: ScriptedChatModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[str] = []

    def seen(messages: Sequence[BaseMessage]) -> Answer:
        given.append(messages[0].text)
        return respond(messages)

    monkeypatch.setattr(responder, "respond", seen)
    agent, other = agent_on(replace(stores, model=OfflineResponder())), agent_on(stores)
    told = ("The ferry to Brac leaves at nine.", "Mind the cat.", "It rains.")
    await known(stores, *(_said(agent, text) for text in told))
    await _turn(agent, _said(agent, "When does the ferry leave?", chat="elsewhere", minutes=9))
    block = read_memory(given[-1][given[-1].index(FENCE_OPEN) :])
    likeliest = max(block.passages, key=lambda line: line.chance)
    assert likeliest.text == told[0]
    assert 0.5 < likeliest.chance <= 1
    await _turn(other, _said(other, "When does the ferry leave?", chat="elsewhere", minutes=19))
    lines = read_memory(_memory(model)).passages
    assert lines
    assert not any(line.chance for line in lines)


async def test_the_archived_quote_and_the_lines_before_it_are_searched_with(
    agent: Agent, model: ScriptedChatModel
) -> None:
    fed = _said(agent, "Ida gives herring to the walrus.", chat="g", is_group=True)
    quoted = [
        _said(agent, text, chat="g", is_group=True, message_id=f"m{n}")
        for n, text in enumerate(["Here we are.", "Sunny!", "Look, the walrus.", "A moustache!"])
    ]
    later = [_said(agent, f"tram {n} is late", chat="g", is_group=True) for n in range(30)]
    lines = [fed, *later[:10], *quoted, *later[10:]]
    await import_batches(agent.stores.memory, agent.stores.projector, [lines])
    # The channel sends no text of the quote, and the question does not say what it is about.
    asked = _said(agent, "Who?", chat="g", is_group=True, mentions_agent=True, quote=Quote("m3"))
    await _turn(agent, asked)
    (receipt,) = await agent.receipts(asked.chat, 1)
    (found,) = [entry for entry in receipt.recalled if entry.item_id == fed.uid]
    assert found.parts["lexical"] > 0


async def test_every_quote_of_a_burst_is_shown(agent: Agent, model: ScriptedChatModel) -> None:
    old = [_said(agent, f"archived line {n}", message_id=f"m{n}") for n in range(40)]
    await agent.stores.memory.ledger.record(old, history=True)
    burst = [
        _said(agent, "is this right?", quote=Quote("m10")),
        _said(agent, "and this?", quote=Quote("LONG AGO", "The pin is under the pot.", "bo")),
        _said(agent, "or neither?"),
    ]
    await agent.stores.memory.ledger.record(burst)
    await _turn(agent, burst[-1])
    quoted = [line.text for line in read_memory(_memory(model)).quoted]
    archived = [f"archived line {n}" for n in (7, 8, 9, 10)]
    assert quoted == [*archived, "The pin is under the pot."]


async def test_withheld_lines_stand_beside_no_hit_and_in_no_quote(
    agent: Agent, model: ScriptedChatModel
) -> None:
    hidden = _said(agent, "the badger sleeps in the cellar", message_id="m1")
    found = _said(agent, "The heron is called Otto", message_id="m2")
    ledger = agent.stores.memory.ledger
    await import_batches(agent.stores.memory, agent.stores.projector, [[hidden, found]])
    await ledger.withhold(found.chat.tenant, [hidden.uid])
    filler = [_said(agent, f"tram {n} is late") for n in range(30)]
    await ledger.record(filler, history=True)
    quote = Quote("m1", hidden.text)
    await _turn(agent, _said(agent, "What is the heron called?", quote=quote))
    shown = _memory(model)
    assert "Otto" in shown
    assert "badger" not in shown


async def test_a_receipt_says_which_line_stands_for_which(
    agent: Agent, model: ScriptedChatModel
) -> None:
    texts = [
        "my heron is called Otto",
        *(f"line {n}" for n in range(9)),
        "My heron is called Otto!",
    ]
    lines = [_said(agent, text, minutes=600 * n) for n, text in enumerate(texts)]
    memory, tenant = agent.stores.memory, agent.stores.settings.tenant
    await import_batches(memory, agent.stores.projector, [lines])
    await _turn(agent, _said(agent, "what is my heron called?", chat="elsewhere"))
    shown = read_memory(_memory(model)).passages
    assert [(p.text, p.also) for p in shown if "heron" in p.text] == [(texts[-1], "2026-03-01")]
    (told,) = await explain(memory, [tenant], 1)
    assert told.filed.receipt.repeats == {lines[0].uid: lines[-1].uid}
    assert explanation_to_json(told)["repeats"] == {lines[0].uid: lines[-1].uid}
    assert f"also said in {lines[0].uid}" in receipt_text(told)
    assert "1 more says the same" in receipt_text(told)


async def test_the_prompt_says_when_it_is_where_the_writer_lives(
    agent: Agent, model: ScriptedChatModel
) -> None:
    await _turn(agent, _said(agent, "My time zone is Asia/Tokyo."))
    assert read_memory(_memory(model)).now.endswith(" (UTC)")
    await agent.stores.projector.caught_up()
    await _turn(agent, _said(agent, "What day is it?"))
    tokyo = agent.stores.clock().astimezone(ZoneInfo("Asia/Tokyo"))
    assert read_memory(_memory(model)).now in {
        moment_of(tokyo - timedelta(minutes=ago), "Asia/Tokyo") for ago in range(3)
    }


async def test_of_a_long_message_the_part_is_shown_that_answers(
    agent: Agent, model: ScriptedChatModel
) -> None:
    filler = "We walked along the river for a while. " * 200
    long = _said(agent, f"{filler}The boiler is a Vaillant from 2019. {filler}")
    later = [_said(agent, f"It rains, day {n}.", minutes=5 + n) for n in range(25)]
    await import_batches(agent.stores.memory, agent.stores.projector, [[long], later])
    await _turn(agent, _said(agent, "Which brand is the boiler?", minutes=90))
    (shown,) = (p for p in read_memory(_memory(model)).passages if "river" in p.text)
    assert "The boiler is a Vaillant from 2019." in shown.text
    assert len(shown.text) < 2_100
