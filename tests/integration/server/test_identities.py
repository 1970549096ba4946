"""One person under two ids: what was stored under the hidden one is theirs once that is known."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Any

import pytest

from graph.bootstrap import Overrides
from graph.settings import Settings
from memory.domain.chats import Actor, Pair
from memory.postgres.identities import PostgresIdentities
from server.sending.gateway import Gateway
from tests.fakes.chat_model import ScriptedChatModel
from tests.fakes.waha_gateway import WahaGateway
from tests.integration.server.conftest import Start
from tests.integration.server.running import Running, eventually

pytestmark = pytest.mark.anyio

LID, PHONE = "770000000001@lid", "4915770001@c.us"
GROUP = "120363000000000009@g.us"
MENTION = {
    "message": {"extendedTextMessage": {"contextInfo": {"mentionedJid": ["4900000000@c.us"]}}}
}


@pytest.fixture
def model() -> ScriptedChatModel:
    return ScriptedChatModel()


@pytest.fixture
async def app(start: Start, model: ScriptedChatModel) -> AsyncIterator[Running]:
    async with start(Overrides(model=model)) as started:
        yield started


async def deliver(app: Running, text: str, chat: str, **rest: Any) -> str:
    answer = await app.post(*app.gateway.signed(app.gateway.event(text, chat, **rest)))
    assert answer.status_code == 200, answer.text
    return str(answer.json()["status"])


async def idle(app: Running, replies: int) -> None:
    stores = app.service.agent.stores
    assert await eventually(lambda: len(app.gateway.sent) >= replies)

    async def is_idle() -> bool:
        running = await app.rows("select 1 from turns where state <> 'done'")
        threads = await stores.saver.unfinished_threads([stores.settings.tenant], ["waha"])
        return not running and not threads

    assert await eventually(is_idle)


async def one_chat(app: Running) -> bool:
    return await app.count("sessions") == 1 and not await app.rows(
        "select 1 from messages where contact_id like '%%@lid'"
    )


async def joined(app: Running) -> None:
    """Wait until facts and vectors have followed the rows: vectors are the last."""
    stores, tenant = app.service.agent.stores, app.service.settings.tenant
    anchor = f"contact:waha:{LID}"

    async def is_done() -> bool:
        left = await stores.memory.vectors.search(
            tenant, "knowledge", [anchor], await _vector(app, "x"), 1
        )
        return not left and not await stores.memory.facts.history(tenant, f"waha:{LID}")

    assert await eventually(is_done)
    await stores.projector.caught_up()


def prompt(model: ScriptedChatModel) -> str:
    return "\n".join(part.text for part in model.prompts[-1])


async def test_what_was_said_under_a_hidden_id_is_known_under_the_phone_s(
    app: Running, model: ScriptedChatModel
) -> None:
    stores, tenant = app.service.agent.stores, app.service.settings.tenant
    assert await deliver(app, "I live in Leeds and my name is Mira.", LID) == "new"
    await idle(app, 1)
    assert await deliver(app, "The boat is painted ultramarine.", LID) == "new"
    await idle(app, 2)
    assert [sent.chat_id for sent in app.gateway.sent] == [LID, LID]
    # The engine reveals the pair with a message that comes under the phone's id.
    told = {"key": {"remoteJid": LID, "remoteJidAlt": PHONE.replace("c.us", "s.whatsapp.net")}}
    assert await deliver(app, "Hello again", PHONE, _data=told) == "new"
    await idle(app, 3)
    assert await eventually(lambda: one_chat(app))
    rows = await app.rows("select position, author, message_id from messages order by position")
    assert [row["position"] for row in rows] == [1, 2, 3, 4, 5, 6]
    assert [row["author"] for row in rows] == ["contact", "agent"] * 3
    await joined(app)
    facts = await stores.memory.facts.active(tenant, f"waha:{PHONE}")
    assert {fact.value for fact in facts} >= {"Leeds", "Mira"}
    assert {fact.anchor for fact in facts} == {f"contact:waha:{PHONE}"}
    assert await stores.memory.facts.history(tenant, f"waha:{LID}") == []
    assert await deliver(app, "What colour is the boat, and where do I live?", PHONE) == "new"
    await idle(app, 4)
    assert app.gateway.sent[-1].chat_id == PHONE
    assert "ultramarine" in prompt(model)
    assert '"value": "Leeds"' in prompt(model)
    await stores.projector.caught_up()
    found = await stores.memory.vectors.search(
        tenant, "message", [f"contact:waha:{PHONE}"], await _vector(app, "The boat"), 10
    )
    assert len(found) == 4
    assert not await stores.memory.vectors.search(
        tenant, "message", [f"contact:waha:{LID}"], await _vector(app, "The boat"), 10
    )
    # From now on the hidden id is the phone's at once.
    assert await deliver(app, "And now?", LID) == "new"
    await idle(app, 5)
    assert app.gateway.sent[-1].chat_id == PHONE
    assert await one_chat(app)


async def _vector(app: Running, text: str) -> tuple[float, ...]:
    (vector,) = await app.service.agent.stores.memory.embedder.embed([text])
    return vector


async def test_in_a_group_the_hidden_speaker_becomes_the_known_one(
    app: Running, model: ScriptedChatModel
) -> None:
    await deliver(app, "I live in Leeds.", GROUP, sender=LID, _data=MENTION)
    await idle(app, 1)
    app.service.gateway._asked_at.clear()
    app.gateway.lids[LID] = PHONE
    await deliver(app, "Where do I live?", GROUP, sender=LID, _data=MENTION)
    await idle(app, 2)

    async def is_joined() -> bool:
        return not await app.rows("select 1 from messages where contact_id like '%%@lid'")

    assert await eventually(is_joined)
    await joined(app)
    rows = await app.rows(
        "select distinct actor_id, contact_id, anchor from messages where author = 'contact'"
    )
    assert [tuple(row.values()) for row in rows] == [
        (PHONE, f"waha:{PHONE}", f"group:waha:default:{GROUP}")
    ]
    stores, tenant = app.service.agent.stores, app.service.settings.tenant
    (fact,) = await stores.memory.facts.active(tenant, f"waha:{PHONE}")
    assert (fact.value, fact.anchor) == ("Leeds", f"group:waha:default:{GROUP}")
    await deliver(app, "Where do I live now?", GROUP, sender=PHONE, _data=MENTION)
    await idle(app, 3)
    assert '"value": "Leeds"' in prompt(model)


async def test_a_twin_reveals_the_pair_and_is_no_second_message(app: Running) -> None:
    event = app.gateway.event("Hi there", LID, message_id="3A05EE")
    twin = app.gateway.event("Hi there", PHONE, message_id="3A05EE")
    twin["payload"]["timestamp"] = event["payload"]["timestamp"]
    assert (await app.post(*app.gateway.signed(event))).json() == {"status": "new"}
    assert (await app.post(*app.gateway.signed(twin))).json() == {"status": "known"}
    await idle(app, 1)
    assert await eventually(lambda: one_chat(app))
    await joined(app)
    assert len(app.gateway.sent) == 1
    pairs = await app.rows("select alias, canonical, how from identities")
    assert pairs == [{"alias": LID, "canonical": PHONE, "how": "twin"}]


async def test_an_id_alone_makes_no_twin(app: Running) -> None:
    await deliver(app, "Hi there", LID, message_id="3A05EE")
    await deliver(app, "I am somebody else", PHONE, message_id="3A05EE")
    await deliver(app, "Hi there", PHONE, message_id="3A05EE", timestamp=1_700_000_000)
    assert await app.count("identities") == 0


async def test_a_known_pair_is_never_overruled_and_every_process_hears_of_it(
    app: Running,
) -> None:
    stores, tenant = app.service.agent.stores, app.service.settings.tenant
    other_process = PostgresIdentities(stores.pool)
    assert await other_process.resolve(tenant, "waha", [LID]) == {}
    pair = Pair(tenant, "waha", "default", LID, PHONE)
    assert await stores.memory.identities.learn([pair], "test") == [pair]
    assert await stores.memory.identities.learn([pair], "test") == []
    assert await stores.memory.identities.learn([replace(pair, canonical="1@c.us")], "test") == []
    other_process._unknown_until.clear()
    assert await other_process.resolve(tenant, "waha", [LID, "x@lid"]) == {LID: PHONE}
    assert await other_process.resolve("another tenant", "waha", [LID]) == {}
    assert await stores.memory.identities.aliases(tenant, "waha", PHONE) == {LID}


async def test_our_own_ids_are_no_pair_of_a_contact(app: Running) -> None:
    told = {"Info": {"Chat": LID, "Sender": "990000000000@lid", "SenderAlt": PHONE}}
    await deliver(app, "Hi", LID, _data=told)
    assert await app.count("identities") == 0


async def test_another_account_of_ours_is_a_machine(app: Running) -> None:
    stores = app.service.agent.stores
    await stores.memory.identities.remember_own("waha", "second", ["4922@c.us", "4900000000@c.us"])
    assert await deliver(app, "Hello, I am your other agent", "4922@c.us") == "new"
    rows = await app.rows("select author, pending from messages")
    assert rows == [{"author": "automation", "pending": False}]
    # An id that both sessions have is ours, not another's.
    assert await stores.memory.identities.other_own("waha", "default") == {"4922@c.us"}


async def test_edits_and_revokes_come_through_the_webhook(
    app: Running, gateway: WahaGateway
) -> None:
    assert await deliver(app, "My name is Alx.", PHONE, message_id="AA1") == "new"
    await idle(app, 1)
    base = gateway.event("", PHONE)
    edit = base | {
        "event": "message.edited",
        "payload": {
            "id": f"false_{PHONE}_ED1",
            "editedMessageId": "AA1",
            "body": "My name is Alex.",
        },
    }
    assert (await app.post(*gateway.signed(edit))).json() == {"status": "applied"}
    assert (await app.post(*gateway.signed(edit))).json() == {"status": "known"}
    forged = edit | {"payload": edit["payload"] | {"id": "false_4999@c.us_ED2"}}
    assert (await app.post(*gateway.signed(forged))).json() == {"status": "refused"}
    stores, tenant = app.service.agent.stores, app.service.settings.tenant
    (event,) = await stores.memory.events.kept([tenant], 5)
    assert event.reason == "an edit by someone who did not write the message"

    async def learned() -> bool:
        return {f.value for f in await stores.memory.facts.active(tenant, f"waha:{PHONE}")} == {
            "Alex"
        }

    assert await eventually(learned)
    revoke = base | {
        "event": "message.revoked",
        "payload": {
            "after": {"id": f"false_{PHONE}_RV1"},
            "revokedMessageId": "AA1",
            "before": None,
        },
    }
    assert (await app.post(*gateway.signed(revoke))).json() == {"status": "applied"}

    async def forgotten() -> bool:
        return not await stores.memory.facts.active(tenant, f"waha:{PHONE}")

    assert await eventually(forgotten)
    assert len(app.gateway.sent) == 1
    authors = await app.rows("select author, content from messages order by seq")
    assert [row["author"] for row in authors] == [Actor.CONTACT, Actor.AGENT]
    assert authors[0]["content"] == ""


async def test_an_edit_is_its_author_s_under_either_id(app: Running, gateway: WahaGateway) -> None:
    await deliver(app, "one", LID, message_id="AA1")
    await idle(app, 1)
    app.gateway.lids[LID] = PHONE
    app.service.gateway._asked_at.clear()
    edit = gateway.event("", LID) | {
        "event": "message.edited",
        "payload": {"id": f"false_{LID}_ED1", "editedMessageId": "AA1", "body": "two"},
    }
    assert (await app.post(*gateway.signed(edit))).json() == {"status": "applied"}
    assert await eventually(lambda: one_chat(app))
    (row, *_) = await app.rows("select content from messages order by seq")
    assert row["content"] == "two"


async def test_what_one_session_does_not_know_another_is_asked_for(
    settings: Callable[..., Settings], app: Running
) -> None:
    identities = app.service.agent.stores.memory.identities
    with WahaGateway(session="second", lids={LID: PHONE}) as second:
        async with Gateway(settings(RECOLLECT_WAHA_URL=second.url), identities) as gateway:
            assert await gateway.resolve("t", "first", [LID]) == {}
            assert await gateway.resolve("t", "second", [LID]) == {LID: PHONE}
