"""Episodes that are over are found by what they are about, where they may be heard (L4, W3, X2)."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from graph.agent import Agent, Finished
from graph.bootstrap import agent_on
from graph.stores import Stores
from memory.domain.changes import Change
from memory.domain.chats import Message
from memory.domain.episodes import Episode
from memory.ports.episodes import Place
from memory.projection.episode_vectors import HEAD_CHARS
from memory.projection.importing import import_batches
from memory.recall.recall import MOST_EPISODES, Scope, recall
from memory.recall.receipts import read_receipts
from nodes.prompts import read_memory
from tests.fakes.chat_model import ScriptedChatModel
from tests.messages import message

pytestmark = pytest.mark.anyio

NOW = datetime.now(UTC).replace(hour=9, minute=0, second=0, microsecond=0)
ASKED = "What did we discuss about databases?"
TALKS = (
    (
        "The two databases are slow.",
        "Postgres is the faster of the databases.",
        "So Postgres it is.",
    ),
    ("The flat in Graz has a balcony.", "The rent of the flat is 900.", "We take the flat."),
    ("My bicycle has a flat tyre.", "The bicycle is repaired.", "I ride the bicycle to work."),
    ("The soup needs more salt.", "The soup was a success.", "Anna wants the soup again."),
)


@pytest.fixture
def agent(stores: Stores) -> Agent:
    return agent_on(stores)


def _said(agent: Agent, text: str, days: float, sender: str = "ana") -> Message:
    made = message(text, chat=sender, sender=sender, tenant=agent.stores.settings.tenant)
    return replace(made, sent_at=NOW + timedelta(days=days))


async def _talked(agent: Agent, sender: str = "ana") -> list[list[Message]]:
    """Have talks four days apart, then more small talk than a window holds; memory follows."""
    talks = [
        [_said(agent, text, 4 * n - 30 + line / 1_000, sender) for line, text in enumerate(talk)]
        for n, talk in enumerate(TALKS)
    ]
    match = [_said(agent, f"Match {n} was a draw.", -1 + n / 1_000, sender) for n in range(21)]
    memory, projector = agent.stores.memory, agent.stores.projector
    await import_batches(memory, projector, [*talks, match])
    await projector.caught_up()
    return talks


async def _found(agent: Agent, sender: str = "ana") -> list[str]:
    scope = Scope.of(_said(agent, ASKED, 0, sender))
    found = await recall(agent.stores.memory, scope, ASKED, NOW, 5)
    return [entry.item_id for entry in found.entries if entry.kind == "episode"]


async def test_an_old_talk_is_in_the_prompt_and_its_receipt(
    agent: Agent, model: ScriptedChatModel
) -> None:
    databases = (await _talked(agent))[0]
    asking = _said(agent, ASKED, 0)
    assert isinstance([event async for event in agent.send(asking)][-1], Finished)
    block = read_memory(str(model.prompts[-1][0].content))
    began = databases[0].sent_at
    assert [line[:12] for line in block.episodes if "Postgres" in line] == [f"{began:%Y-%m-%d}: "]
    assert not set(block.episodes) & set(block.so_far)
    (receipt,) = await agent.receipts(asking.chat, 1)
    shown = [entry for entry in receipt.recalled if entry.kind == "episode" and entry.is_shown]
    assert databases[0].uid in {entry.item_id for entry in shown}
    assert len(shown) == len(block.episodes) <= MOST_EPISODES
    (read,) = await read_receipts(
        agent.stores.memory, asking.chat.tenant, asking.contact_id, [receipt]
    )
    assert [each.text for each in read if each.kind == "episode" and "Postgres" in each.text]


async def test_a_recap_of_a_named_time_finds_what_was_talked_about_then(agent: Agent) -> None:
    databases, flat, *_ = await _talked(agent)
    scope, recall_of = Scope.of(databases[0]), agent.stores.memory

    async def found(day: datetime) -> list[str]:
        asked = f"What did we talk about on {day.day} {day:%B %Y}?"
        told = await recall(recall_of, scope, asked, NOW, 5)
        return [entry.item_id for entry in told.entries if entry.kind == "episode"]

    assert await found(databases[0].sent_at) == [databases[0].uid]
    assert await found(flat[0].sent_at) == [flat[0].uid]
    assert await found(databases[0].sent_at + timedelta(days=1)) == []
    assert await found(NOW - timedelta(days=400)) == []


async def test_nobody_finds_what_another_talked_about(agent: Agent) -> None:
    await _talked(agent)
    await _talked(agent, "bo")
    ours, theirs = await _found(agent), await _found(agent, "bo")
    assert ours
    assert theirs
    assert not set(ours) & set(theirs)
    assert await _found(agent, "stranger") == []


async def test_what_is_taken_back_is_found_no_more(agent: Agent) -> None:
    databases = (await _talked(agent))[0]
    memory, projector = agent.stores.memory, agent.stores.projector
    assert databases[0].uid in await _found(agent)
    for said in databases:
        gone = Change(
            said.chat,
            said.message_id,
            "revoke",
            f"r{said.message_id}",
            "",
            (said.sender_id,),
            False,
            NOW,
        )
        assert await memory.revisions.change(gone, NOW) == "applied"
    assert databases[0].uid not in {
        each.first_uid for each in await memory.episodes.over(said.chat.tenant, await _found(agent))
    }
    await projector.caught_up()
    assert databases[0].uid not in await _found(agent)
    assert await memory.vectors.count(said.chat.tenant, "episode") == len(TALKS)


async def test_one_that_goes_on_is_found_as_messages_alone(agent: Agent) -> None:
    talks = await _talked(agent)
    memory = agent.stores.memory
    last = await memory.episodes.of_chat(talks[0][0].chat.tenant, talks[0][0].chat.thread_id, 9)
    over = {each.first_uid for each in last if not each.is_open}
    assert {talk[0].uid for talk in talks} < over
    # By the clock of now, or it may have fallen silent since this morning.
    fresh = replace(_said(agent, "The databases are slow again.", 0), sent_at=datetime.now(UTC))
    await import_batches(memory, agent.stores.projector, [[fresh]])
    await agent.stores.projector.caught_up()
    assert fresh.uid not in await _found(agent)


async def _streets(agent: Agent) -> Episode:
    """Have a talk whose summary is longer than what of one is embedded; return it, over."""
    streets = ("Oak", "Elm", "Mill", "Dean", "Park", "Hill", "York", "Kent", "Rose", "Pond")
    talk = [
        _said(
            agent, f"The flat in {street} Street costs {700 + 13 * n} euros a month.", -9 + n / 99
        )
        for n, street in enumerate(streets)
    ]
    memory = agent.stores.memory
    await import_batches(memory, agent.stores.projector, [talk, [_said(agent, "Hello.", -1)]])
    (over,) = await memory.episodes.over(agent.stores.settings.tenant, [talk[0].uid])
    chunks = await memory.vectors.items(over.tenant, "episode", over.anchor)
    assert list(chunks) == [f"{talk[0].uid}#0"]
    return over


async def _likeness(agent: Agent, over: Episode, vector: tuple[float, ...]) -> float:
    (hit,) = await agent.stores.memory.vectors.search(
        over.tenant, "episode", [over.anchor], vector, 1
    )
    return hit.score


async def test_the_vector_of_a_talk_is_the_mean_of_its_messages(agent: Agent) -> None:
    memory, over = agent.stores.memory, await _streets(agent)
    said = await memory.episodes.said(
        over.tenant, over.thread_id, None, Place(over.ended_at, 1 << 40), 99
    )
    vectors = await memory.embedder.embed([one.message.text for one in said])
    mean = np.mean(np.asarray(vectors), axis=0)
    mean /= np.linalg.norm(mean)
    assert len(said) == over.turns == 10
    assert await _likeness(agent, over, tuple(mean.tolist())) == pytest.approx(1.0, abs=1e-5)


async def test_without_a_sum_the_first_words_are_embedded(agent: Agent) -> None:
    memory, over = agent.stores.memory, await _streets(agent)
    assert over.summary
    text = " ".join(over.summary.text.split())
    assert len(text) > HEAD_CHARS
    async with agent.stores.pool.connection() as connection:
        await connection.execute("update episodes set vector_sum = null")
    await agent.stores.projector.caught_up()
    (vector,) = await memory.embedder.embed([text[:HEAD_CHARS].rpartition(" ")[0]])
    assert await _likeness(agent, over, vector) == pytest.approx(1.0, abs=1e-3)
