"""A turn's prompt follows the mood and stage of its contact, where nobody else reads it (C3)."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from graph.agent import Finished
from graph.bootstrap import agent_on
from graph.stores import Stores
from memory.contacts.tone import ADVICE, BUDGET, LEAST_UNASKED, OF_STAGE
from memory.domain.chats import Message
from memory.projection.importing import import_batches
from memory.recall.budget import cost_of
from memory.recall.recall import Scope, recall
from memory.recall.receipts import manner_line
from memory.recall.underway import SHARE
from memory.text.chunks import estimate_tokens
from nodes.prompts import FENCE_OPEN, read_memory
from tests.fakes.chat_model import ScriptedChatModel
from tests.messages import START, message

pytestmark = pytest.mark.anyio

ANGRY = "This is so annoying, I am really angry!!!"
GOSSIP = [
    f"{who} {did} {what} before we all went down to the market together, number {who[0]}{n}."
    for n in range(3)
    for who in ("Nora", "Otis", "The plumber", "Our neighbour Sam", "Grandma", "Mr Okafor")
    for did, what in (("forgot", "the ladder in the yard"), ("mended", "a jar and the old film"))
]


async def test_a_recall_tells_what_is_kept_of_who_asks_but_in_a_group(stores: Stores) -> None:
    said = message(ANGRY, tenant=stores.settings.tenant)
    await stores.memory.ledger.record([said], history=True)
    await stores.projector.caught_up()
    kept = await stores.memory.contact_states.of(said.chat.tenant, [said.contact_id])
    for scope, asker in (
        (Scope.of(said), kept[said.contact_id]),
        (Scope(said.chat.tenant, "waha:bo", "contact:waha:bo", is_group=False), None),
        (Scope(said.chat.tenant, said.contact_id, "chat:g", is_group=True), None),
    ):
        for query in ("", "what was annoying"):
            found = await recall(stores.memory, scope, query, START, 5)
            assert found.asker == asker


def _told(stores: Stores, texts: list[str], days: float, group: str = "") -> list[Message]:
    """Return messages of a chat, the last of them now, the first so many days ago."""
    now = datetime.now(UTC)
    apart = timedelta(days=days) / max(len(texts) - 1, 1)
    tenant = stores.settings.tenant
    said = [
        message(text, tenant=tenant, chat=group or "ana", is_group=bool(group), mentions_agent=True)
        for text in texts
    ]
    return [
        replace(each, sent_at=now - apart * (len(said) - 1 - number))
        for number, each in enumerate(said)
    ]


async def _prompt(stores: Stores, model: ScriptedChatModel, said: list[Message]) -> str:
    """Answer the last of some messages, the others being known by then; return its prompt."""
    await import_batches(stores.memory, stores.projector, [said[:-1]])
    await stores.projector.caught_up()
    last = [event async for event in agent_on(stores).send(said[-1])][-1]
    assert isinstance(last, Finished), last
    return str(model.prompts[-1][0].content)


async def test_a_turns_prompt_says_how_to_speak_to_its_contact(
    stores: Stores, model: ScriptedChatModel
) -> None:
    said = _told(stores, ["Good morning.", ANGRY, "It broke again."], 0)
    prompt = await _prompt(stores, model, said)
    assert prompt.count(ADVICE["frustrated"]) == 1
    assert OF_STAGE["new"] in prompt
    (receipt,) = await agent_on(stores).receipts(said[-1].chat, 1)
    assert receipt.use is not None
    assert receipt.use.advice == f"{ADVICE['frustrated']} {OF_STAGE['new']}"
    assert receipt.use.bound in (None, LEAST_UNASKED)
    assert ADVICE["frustrated"] in manner_line(receipt)


async def test_the_mood_of_the_message_itself_counts_and_the_stage_in_which_it_came(
    stores: Stores, model: ScriptedChatModel
) -> None:
    prompt = await _prompt(stores, model, _told(stores, [ANGRY], 0))
    assert ADVICE["frustrated"] in prompt
    assert OF_STAGE["new"] not in prompt
    back = [
        replace(each, contact_id="waha:bo", sender_id="bo")
        for each in _told(stores, [ANGRY, "I am so sad, I miss her..."], 400)
    ]
    prompt = await _prompt(stores, model, back)
    assert ADVICE["sad"] in prompt
    assert OF_STAGE["dormant"] in prompt


async def test_without_tone_a_prompt_has_no_advice_and_all_its_memory(
    stores: Stores, model: ScriptedChatModel
) -> None:
    settings = stores.settings.model_copy(update={"tone": "off"})
    said = _told(stores, [*GOSSIP, ANGRY, "My tyre is flat."], 0)
    prompt = await _prompt(replace(stores, settings=settings), model, said)
    assert ADVICE["frustrated"] not in prompt
    assert OF_STAGE["new"] not in prompt
    assert estimate_tokens(prompt[prompt.index(FENCE_OPEN) :]) > 2 * LEAST_UNASKED


async def test_a_group_is_not_told_what_somebody_is_like(
    stores: Stores, model: ScriptedChatModel
) -> None:
    alone = _told(stores, [ANGRY, ANGRY], 0)
    await import_batches(stores.memory, stores.projector, [alone])
    group = _told(stores, ["Good morning.", "@bot hello"], 0, group="g@g.us")
    prompt = await _prompt(stores, model, group)
    assert "How to speak" not in prompt


@pytest.mark.parametrize(
    ("days", "last", "most"),
    [
        (0, "My tyre is flat.", LEAST_UNASKED),
        (3, "My tyre is flat.", BUDGET["building"]),
        (0, "Who forgot the ladder?", 0),
    ],
)
async def test_what_no_message_calls_for_is_held_to_its_stages_room(
    stores: Stores, model: ScriptedChatModel, days: int, last: str, most: int
) -> None:
    told = ["I am allergic to walnuts.", "I am allergic to figs.", *GOSSIP, last]
    prompt = await _prompt(stores, model, _told(stores, told, days))
    block = read_memory(prompt)
    harm = block.facts[:2]
    assert {fact.value for fact in harm} == {"figs", "walnuts"}
    beside = sum(estimate_tokens(line) + 1 for line in (*block.so_far, *block.open))
    assert beside <= stores.settings.memory_tokens // SHARE
    size = estimate_tokens(prompt[prompt.index(FENCE_OPEN) :])
    if most:
        assert size - sum(map(cost_of, harm)) - beside <= most
    else:
        assert size > 2 * BUDGET["building"]
