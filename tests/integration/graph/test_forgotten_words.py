"""What was forgotten comes back by no search, no prompt and no reply of long ago."""

from __future__ import annotations

from datetime import timedelta

import pytest

from graph.agent import Agent, Finished
from graph.bootstrap import agent_on
from graph.stores import Stores
from memory.domain.changes import Change
from memory.domain.chats import Quote, StoredMessage
from memory.facts.corrector import Corrector
from memory.facts.renewal import renew_facts
from memory.recall.recall import Scope, recall
from memory.trust.verify import verify
from tests.fakes.chat_model import ScriptedChatModel
from tests.messages import message

pytestmark = pytest.mark.anyio

ANA = "waha:ana"
TOLD = "I am 34 years old and I live in Leeds. The plumber comes on Tuesday."
LEFT = "I live in Leeds. The plumber comes on Tuesday."


@pytest.fixture
def agent(stores: Stores) -> Agent:
    return agent_on(stores)


async def _say(agent: Agent, text: str, minutes: float = 0, **rest: object) -> Finished:
    tenant = agent.stores.settings.tenant
    said = message(text, tenant=tenant, minutes=minutes, **rest)  # type: ignore[arg-type]
    last = [event async for event in agent.send(said)][-1]
    assert isinstance(last, Finished), last
    return last


async def _found(agent: Agent, query: str) -> list[str]:
    stores = agent.stores
    await stores.projector.caught_up()
    scope = Scope(stores.settings.tenant, ANA, f"contact:{ANA}", is_group=False)
    entries = (await recall(stores.memory, scope, query, stores.clock(), 9)).entries
    uids = [entry.item_id for entry in entries if entry.kind == "message"]
    stored = await stores.memory.ledger.messages(scope.tenant, uids)
    return [each.message.text for each in stored]


async def _known(agent: Agent) -> dict[str, str]:
    facts = await agent.stores.memory.facts.active(agent.stores.settings.tenant, ANA)
    return {fact.key: fact.value for fact in facts}


def _shown(model: ScriptedChatModel) -> str:
    return "\n".join(line.text for line in model.prompts[-1])


async def test_the_sentence_is_found_no_more_and_the_rest_of_its_message_is(
    agent: Agent, model: ScriptedChatModel
) -> None:
    await _say(agent, TOLD)
    done = await _say(agent, "please forget my age", 1)
    assert done.reply.startswith("Forgotten: age. ")
    assert "34" not in done.reply
    assert await _found(agent, "How old am I, 34?") == [LEFT]
    assert await _known(agent) == {"home": "Leeds"}
    await _say(agent, "When does the plumber come to Leeds?", 2)
    assert "34" not in _shown(model)
    assert "Tuesday" in _shown(model)


async def test_replies_that_told_it_are_in_no_prompt(
    agent: Agent, model: ScriptedChatModel
) -> None:
    model.script("34, noted.", "You are 34.", "It rains.")
    await _say(agent, "I am 34 years old.")
    await _say(agent, "How old am I?", 1)
    await _say(agent, "What is the weather?", 2)
    await _say(agent, "forget my age", 3)
    await _say(agent, "and?", 4)
    assert "34" not in _shown(model)
    assert "It rains." in _shown(model)


async def test_a_store_made_anew_has_what_stays_and_nothing_of_what_was_forgotten(
    agent: Agent,
) -> None:
    stores, tenant = agent.stores, agent.stores.settings.tenant
    await _say(agent, f"{TOLD} My sister Clara works at Acme.")
    await _say(agent, "forget my age", 1)
    await stores.projector.caught_up()
    assert not await renew_facts(stores.memory, tenant, ANA)
    await stores.memory.facts.forget(tenant, ANA)
    await stores.memory.backlog.owe(tenant, ["facts"], [f"contact:{ANA}"])
    await stores.projector.caught_up()
    assert (await _known(agent))["home"] == "Leeds"
    assert "age" not in await _known(agent)
    reports = [r async for r in verify(stores.memory, stores.projector.projections, [tenant], 9)]
    assert [each for each in reports if not each.is_clean] == []


async def test_said_by_hand_again_the_fact_is_back_and_the_sentence_is_not(
    agent: Agent, model: ScriptedChatModel
) -> None:
    stores = agent.stores
    await _say(agent, TOLD)
    await _say(agent, "forget my age", 1)
    corrector = Corrector(stores.memory, stores.clock, stores.ids, stores.settings.tenant)
    await corrector.set(ANA, "age", "34")
    assert await _known(agent) == {"home": "Leeds", "age": "34"}
    assert await _found(agent, "How old am I?") == [LEFT]
    await _say(agent, "I am 34 years old.", 2)
    assert "I am 34 years old." in await _found(agent, "How old am I?")


async def test_a_later_edit_says_it_anew_and_the_transcript_has_both(agent: Agent) -> None:
    memory = agent.stores.memory
    said = message(TOLD, tenant=agent.stores.settings.tenant)
    _ = [event async for event in agent.send(said)]
    await _say(agent, "forget my age", 1)
    (stored,) = await memory.ledger.messages(said.chat.tenant, [said.uid])
    assert stored.in_full.text == TOLD
    at = said.sent_at + timedelta(minutes=2)
    change = Change(said.chat, said.message_id, "edit", "a", "I am 35.", ("ana",), False, at)
    assert await memory.revisions.change(change, at) == "applied"
    (before,) = await memory.revisions.history(said.chat.tenant, said.uid)
    assert before.text_before == TOLD
    assert await _found(agent, "How old am I?") == ["I am 35."]


@pytest.mark.parametrize(
    ("told", "wish", "reply"),
    [
        ("Ich bin 34 Jahre alt.", "Bitte vergiss mein Alter.", "Vergessen: Alter. "),
        ("Tengo 34 años.", "Por favor, olvida mi edad.", "Olvidado: edad. "),
        ("Tenho 34 anos.", "Por favor, esquece a minha idade.", "Esquecido: idade. "),
        ("Мне 34 года.", "Забудь, пожалуйста, мой возраст.", "Забыто: возраст. "),
    ],
)
async def test_it_is_said_in_the_language_of_the_wish(
    agent: Agent, told: str, wish: str, reply: str
) -> None:
    await _say(agent, told)
    done = await _say(agent, wish, 1)
    assert done.reply.startswith(reply)
    assert "34" not in done.reply
    assert await _known(agent) == {}
    assert await _found(agent, told) == []


async def test_a_forgetting_undone_gives_back_sentence_reply_and_quote_for_good(
    agent: Agent, model: ScriptedChatModel
) -> None:
    stores, tenant = agent.stores, agent.stores.settings.tenant
    memory = stores.memory
    said = message(TOLD, tenant=tenant)
    model.script("34, noted.", "Hm.")
    _ = [event async for event in agent.send(said)]
    await _say(agent, "This one.", 1, quote=Quote(said.message_id, TOLD))
    before = [_as_shown(each) for each in await memory.ledger.page(tenant, ANA, None, 9)]
    corrector = Corrector(memory, stores.clock, stores.ids, tenant)
    for _ in range(2):
        taken = await corrector.forget(ANA, "age")
        assert taken.shortened == (said.uid,)
        assert TOLD not in await _found(agent, "How old am I, 34?")
        await corrector.undo(ANA, taken.facts[0].source_uid)
        assert TOLD in await _found(agent, "How old am I, 34?")
        after = await memory.ledger.page(tenant, ANA, None, 20)
        assert [_as_shown(each) for each in after][: len(before)] == before
    reports = [r async for r in verify(memory, stores.projector.projections, [tenant], 9)]
    assert [each for each in reports if not each.is_clean] == []
    await memory.facts.forget(tenant, ANA)
    await memory.backlog.owe(tenant, ["facts"], [f"contact:{ANA}"])
    await stores.projector.caught_up()
    assert not await renew_facts(memory, tenant, ANA)
    assert await _known(agent) == {"home": "Leeds", "age": "34"}


async def test_words_come_back_when_the_last_forgetting_of_them_is_undone(agent: Agent) -> None:
    stores, tenant = agent.stores, agent.stores.settings.tenant
    corrections = stores.memory.corrections
    said = message(TOLD, tenant=tenant)
    _ = [event async for event in agent.send(said)]

    async def shown() -> tuple[str, bool]:
        (stored,) = await stores.memory.ledger.messages(tenant, [said.uid])
        return stored.message.text, stored.withheld

    left = "The plumber comes on Tuesday."
    await corrections.unsay(tenant, {said.uid: left}, (), "words")
    await corrections.unsay(tenant, {said.uid: None}, (), "all")
    await corrections.resay(tenant, "words")
    assert await shown() == (TOLD, True)
    await corrections.resay(tenant, "all")
    assert await shown() == (TOLD, False)
    await corrections.unsay(tenant, {said.uid: left}, (), "words")
    await corrections.unsay(tenant, {said.uid: ""}, (), "more words")
    await corrections.resay(tenant, "words")
    assert await shown() == ("", False)
    await corrections.resay(tenant, "more words")
    assert await shown() == (TOLD, False)


def _as_shown(stored: StoredMessage) -> tuple[str, bool, str | None, Quote | None]:
    return stored.message.text, stored.withheld, stored.said, stored.message.quote
