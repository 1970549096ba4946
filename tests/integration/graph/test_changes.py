"""Edits and revokes on real stores: the current text everywhere, the old one in no prompt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from langchain_core.messages import BaseMessage

from graph.agent import Agent, Finished
from graph.bootstrap import agent_on
from graph.stores import Stores
from memory.domain.changes import Change, ChangeKind
from memory.domain.chats import Message, Quote
from memory.domain.recalls import Hit
from memory.ports.changes import Changed
from server.work.upkeep import BODY_S, ROW_S, keep_up
from tests.fakes.chat_model import ScriptedChatModel
from tests.messages import START, message

pytestmark = pytest.mark.anyio

NOW = datetime(2026, 6, 1, tzinfo=UTC)


@pytest.fixture
def agent(stores: Stores) -> Agent:
    return agent_on(stores)


def _said(agent: Agent, text: str, **rest: object) -> Message:
    return message(text, tenant=agent.stores.settings.tenant, **rest)  # type: ignore[arg-type]


async def _turn(agent: Agent, said: Message) -> Finished:
    last = [event async for event in agent.send(said)][-1]
    assert isinstance(last, Finished), last
    return last


async def _change(
    agent: Agent,
    target: Message,
    text: str = "",
    *,
    kind: ChangeKind = "edit",
    action: str = "",
    at: float = 1,
    author: str = "",
    from_me: bool = False,
    message_id: str = "",
) -> Changed:
    change = Change(
        chat=target.chat,
        message_id=message_id or target.message_id,
        kind=kind,
        action_id=action or f"{kind}-{text}",
        text=text,
        author_ids=(author or target.sender_id,),
        from_me=from_me,
        changed_at=START + timedelta(minutes=at),
    )
    return await agent.stores.memory.revisions.change(change, NOW)


async def _text(agent: Agent, target: Message) -> str:
    (stored,) = await agent.stores.memory.ledger.messages(target.chat.tenant, [target.uid])
    return stored.message.text


def _whole(prompt: Sequence[BaseMessage]) -> str:
    return "\n".join(part.text for part in prompt)


async def test_an_edit_counts_once_however_often_it_is_delivered(agent: Agent) -> None:
    said = _said(agent, "I live in Leeds.")
    await _turn(agent, said)
    assert await _change(agent, said, "I live in Bristol.") == "applied"
    assert await _change(agent, said, "I live in Bristol.") == "known"
    (stored,) = await agent.stores.memory.ledger.messages(said.chat.tenant, [said.uid])
    assert (stored.message.text, stored.changes) == ("I live in Bristol.", 1)
    assert stored.edited_at == START + timedelta(minutes=1)
    (revision,) = await agent.stores.memory.revisions.history(said.chat.tenant, said.uid)
    assert (revision.number, revision.kind, revision.text_before) == (1, "edit", "I live in Leeds.")
    assert await agent.stores.memory.ledger.pending(said.chat) == []


async def test_an_older_edit_that_comes_later_does_not_win(agent: Agent) -> None:
    said = _said(agent, "one")
    await agent.stores.memory.ledger.record([said])
    assert await _change(agent, said, "three", at=3) == "applied"
    assert await _change(agent, said, "two", at=2) == "late"
    assert await _change(agent, said, "four", at=3) == "applied"  # same second: arrival decides
    assert await _text(agent, said) == "four"
    revisions = await agent.stores.memory.revisions.history(said.chat.tenant, said.uid)
    assert [r.text_before for r in revisions] == ["one", "two", "three"]


async def test_a_clock_that_is_ahead_does_not_lock_later_edits_out(agent: Agent) -> None:
    said = _said(agent, "one")
    await agent.stores.memory.ledger.record([said])
    assert await _change(agent, said, "two", at=60 * 24 * 365 * 5) == "applied"
    later = NOW + timedelta(minutes=1)
    edit = Change(
        said.chat, said.message_id, "edit", "e3", "three", (said.sender_id,), False, later
    )
    assert await agent.stores.memory.revisions.change(edit, later) == "applied"


async def test_a_revoke_is_final(agent: Agent) -> None:
    said = _said(agent, "secret")
    await agent.stores.memory.ledger.record([said])
    assert await _change(agent, said, kind="revoke", at=2) == "applied"
    assert await _change(agent, said, kind="revoke", at=2) == "known"
    assert await _change(agent, said, "secret again", at=9) == "late"
    assert await _text(agent, said) == ""


async def test_a_change_before_its_message_waits_for_it(
    agent: Agent, model: ScriptedChatModel
) -> None:
    edited, revoked = _said(agent, "old words"), _said(agent, "gone words", chat="bo", sender="bo")
    assert await _change(agent, edited, "new words") == "waiting"
    assert await _change(agent, edited, "new words") == "known"
    assert await _change(agent, edited, "forged", action="f", author="eve") == "waiting"
    assert await _change(agent, revoked, kind="revoke") == "waiting"
    assert (await _turn(agent, edited)).decision == "respond"
    assert (await _turn(agent, revoked)).decision == "observe"
    (prompt,) = model.prompts
    assert "new words" in _whole(prompt)
    assert "old words" not in _whole(prompt)
    assert [await _text(agent, each) for each in (edited, revoked)] == ["new words", ""]


async def test_a_waiting_message_is_answered_by_its_new_text(
    agent: Agent, model: ScriptedChatModel
) -> None:
    said, gone = _said(agent, "Wht is 2+2?"), _said(agent, "Never mind")
    await agent.stores.memory.ledger.record([said, gone])
    await _change(agent, said, "What is 2+2?")
    await _change(agent, gone, kind="revoke")
    assert (await _turn(agent, gone)).decision == "respond"
    (prompt,) = model.prompts
    assert "What is 2+2?" in _whole(prompt)
    assert "Wht" not in _whole(prompt)
    assert "Never mind" not in _whole(prompt)


async def test_only_the_author_edits_and_only_author_or_account_revoke(agent: Agent) -> None:
    said = _said(agent, "mine", chat="g@g.us", is_group=True)
    await agent.stores.memory.ledger.record([said])
    assert await _change(agent, said, "yours", author="eve") == "refused"
    assert await _change(agent, said, "ours", from_me=True) == "refused"
    assert await _change(agent, said, kind="revoke", author="eve") == "refused"
    assert await _text(agent, said) == "mine"
    assert await _change(agent, said, kind="revoke", action="by us", from_me=True) == "applied"
    assert await _text(agent, said) == ""


async def test_our_reply_is_revoked_by_the_id_it_was_sent_under(agent: Agent) -> None:
    said = _said(agent, "hello")
    await _turn(agent, said)
    (delivery,) = await agent.stores.memory.outbox.take([said.chat.tenant], ["waha"], "me")
    await agent.stores.memory.outbox.settle(delivery, "sent", "SENT1")
    ours = {"kind": "revoke", "message_id": "SENT1"}
    assert await _change(agent, said, author=said.sender_id, **ours) == "refused"  # type: ignore[arg-type]
    assert await _change(agent, said, from_me=True, **ours) == "applied"  # type: ignore[arg-type]
    rows = await agent.stores.memory.ledger.since(said.chat, 0, 10)
    assert [row.message.text for row in rows] == ["hello", ""]


async def test_of_a_reply_in_parts_only_the_revoked_part_goes(agent: Agent) -> None:
    said = _said(agent, "hello")
    await _turn(agent, said)
    tenant = said.chat.tenant
    (_, reply) = await agent.stores.memory.ledger.since(said.chat, 0, 10)
    async with agent.stores.pool.connection() as connection:
        await connection.execute(
            "insert into outbox (turn_id, part, session_id, tenant, channel, reply_uid, body,"
            " fingerprint, status, sent_message_id) select turn_id, 1, session_id, tenant, channel,"
            " reply_uid, 'second half', '', 'sent', 'SENT2' from outbox where tenant = %s",
            [tenant],
        )
        await connection.execute(
            "update outbox set sent_message_id = 'SENT1' where tenant = %s and part = 0", [tenant]
        )
    revoke = {"kind": "revoke", "from_me": True}
    assert await _change(agent, said, "x", from_me=True, message_id="SENT1") == "refused"
    assert await _change(agent, said, message_id="SENT1", action="1", **revoke) == "applied"  # type: ignore[arg-type]
    assert await _text(agent, reply.message) == "second half"
    assert await _change(agent, said, message_id="SENT2", action="2", **revoke) == "applied"  # type: ignore[arg-type]
    (gone,) = await agent.stores.memory.ledger.messages(tenant, [reply.uid])
    assert (gone.message.text, gone.revoked_at is not None) == ("", True)


async def _answered_in_parts(
    agent: Agent, model: ScriptedChatModel, *words: str
) -> tuple[Message, Message]:
    """Have a message answered with a part about each word, sent as SENT0 and so on.

    Returned are the message and its reply.
    """
    said, outbox = _said(agent, "hello"), agent.stores.memory.outbox
    model.script("\n\n".join(f"{word} " * 600 for word in words))
    await _turn(agent, said)
    for number in range(len(words)):
        (delivery,) = await outbox.take([said.chat.tenant], ["waha"], "me")
        await outbox.settle(delivery, "sent", f"SENT{number}")
    assert await outbox.listing(said.chat.tenant, "queued") == []
    (_, reply) = await agent.stores.memory.ledger.since(said.chat, 0, 10)
    return said, reply.message


async def _keep_up(agent: Agent, seconds: float) -> None:
    later = datetime.now(UTC) + timedelta(seconds=seconds)
    await keep_up(replace(agent.stores, clock=lambda: later), agent.stores.settings.tenant)


async def _kept_parts(agent: Agent) -> list[str]:
    """Return the words that the outbox still has of each part, none where it has no text."""
    async with agent.stores.pool.connection() as connection:
        cursor = await connection.execute(
            "select body from outbox where tenant = %s order by part",
            [agent.stores.settings.tenant],
        )
        return [" ".join(sorted(_words(row["body"]))) for row in await cursor.fetchall()]


def _words(text: str) -> set[str]:
    return set(text.split()) & {"red", "green", "blue"}


async def test_what_is_left_of_a_reply_in_parts_outlasts_a_part_deleted_later(
    agent: Agent, model: ScriptedChatModel
) -> None:
    said, reply = await _answered_in_parts(agent, model, "red", "green", "blue")
    await _keep_up(agent, BODY_S + 6 * 3600)
    assert await _change(agent, said, kind="revoke", from_me=True, message_id="SENT1") == "applied"
    assert _words(await _text(agent, reply)) == {"red", "blue"}
    # What was deleted is kept for no later change.
    assert await _kept_parts(agent) == ["red", "", "blue"]
    ours = {"kind": "revoke", "from_me": True, "message_id": "SENT0", "action": "2"}
    assert await _change(agent, said, **ours) == "applied"  # type: ignore[arg-type]
    assert _words(await _text(agent, reply)) == {"blue"}
    await _keep_up(agent, ROW_S + 60)
    assert await _kept_parts(agent) == []


FACTS, ANSWER = "I know no facts about you yet.", "ok 1"


async def _answered_beside_a_command(agent: Agent) -> Message:
    """Have a turn reply to a command and to a text; each is sent under an id that names it."""
    said = [replace(_said(agent, text), is_owner=True) for text in ("/facts", "hello")]
    for each in said:
        await agent.take_in(each)
    await _turn(agent, said[1])
    outbox, tenant, texts = agent.stores.memory.outbox, said[0].chat.tenant, []
    while taken := await outbox.take([tenant], ["waha"], "me"):
        for delivery in taken:
            await outbox.settle(delivery, "sent", f"SENT {delivery.text}")
            texts.append(delivery.text)
    assert texts == [FACTS, ANSWER]
    return said[0]


@pytest.mark.parametrize("gone", [FACTS, ANSWER])
async def test_of_two_replies_of_a_turn_only_the_deleted_one_goes(agent: Agent, gone: str) -> None:
    said = await _answered_beside_a_command(agent)
    rows = {
        row.uid: row.message.text
        for row in await agent.stores.memory.ledger.since(said.chat, 0, 10)
    }
    ours = {"kind": "revoke", "from_me": True, "message_id": f"SENT {gone}"}
    assert await _change(agent, said, **ours) == "applied"  # type: ignore[arg-type]
    after = await agent.stores.memory.ledger.since(said.chat, 0, 10)
    assert {row.uid: row.message.text for row in after} == {
        uid: "" if text == gone else text for uid, text in rows.items()
    }
    assert [rows[row.uid] for row in after if row.revoked_at] == [gone]


async def test_each_of_two_replies_of_a_turn_can_be_quoted(agent: Agent) -> None:
    said = await _answered_beside_a_command(agent)
    for text, is_kept_out in ((FACTS, True), (ANSWER, False)):
        (row,) = await agent.stores.memory.ledger.quoted(said.chat, f"SENT {text}", 0)
        assert (row.message.text, row.withheld) == (text, is_kept_out)


async def test_the_parts_of_a_reply_leave_the_outbox_together(
    agent: Agent, model: ScriptedChatModel
) -> None:
    said, reply = await _answered_in_parts(agent, model, "red", "green")
    async with agent.stores.pool.connection() as connection:
        await connection.execute(
            "update outbox set settled_at = settled_at + interval '2 hours'"
            " where tenant = %s and part = 1",
            [said.chat.tenant],
        )
    await _keep_up(agent, ROW_S + 3600)
    assert await _change(agent, said, kind="revoke", from_me=True, message_id="SENT1") == "applied"
    assert _words(await _text(agent, reply)) == {"red"}
    await _keep_up(agent, ROW_S + 3 * 3600)
    assert await _kept_parts(agent) == []


async def test_where_no_text_of_the_other_parts_is_kept_the_reply_counts_as_deleted(
    agent: Agent, model: ScriptedChatModel
) -> None:
    said, reply = await _answered_in_parts(agent, model, "red", "green")
    async with agent.stores.pool.connection() as connection:
        # As an earlier version did after a day.
        await connection.execute(
            "update outbox set body = '' where tenant = %s", [said.chat.tenant]
        )
    assert await _change(agent, said, kind="revoke", from_me=True, message_id="SENT1") == "applied"
    (gone,) = await agent.stores.memory.ledger.messages(said.chat.tenant, [reply.uid])
    assert (gone.message.text, gone.revoked_at is not None) == ("", True)


async def test_vectors_facts_and_words_follow_an_edit(agent: Agent) -> None:
    stores = agent.stores
    said = _said(agent, "I live in Leeds and my dog is called Rex.")
    await _turn(agent, said)
    before = await stores.memory.facts.active(said.chat.tenant, said.contact_id)
    assert {fact.value for fact in before} >= {"Leeds"}
    await _change(agent, said, "I live in Bristol and my dog is called Rex.")
    await stores.projector.caught_up()
    tenant = said.chat.tenant
    facts = await stores.memory.facts.active(tenant, said.contact_id)
    assert {f.value for f in facts} == {f.value for f in before} - {"Leeds"} | {"Bristol"}
    assert await stores.memory.vectors.count(tenant, "message") == 1
    assert await stores.memory.vectors.count(tenant, "knowledge") == len(facts)
    old = await stores.memory.lexical.search(tenant, [said.anchor], "Leeds", 5)
    new = await stores.memory.lexical.search(tenant, [said.anchor], "Bristol", 5)
    assert (len(old.hits), len(new.hits)) == (0, 1)


@pytest.mark.parametrize("gone_by", ["revoke", "withholding"])
async def test_what_kinds_of_thing_a_message_tells_of_follow_an_edit_and_go_with_the_text(
    agent: Agent, gone_by: str
) -> None:
    stores = agent.stores
    said, other = _said(agent, "I live in Leeds."), _said(agent, "My dog is called Rex.")
    for each in (said, other):
        await _turn(agent, each)

    async def told() -> dict[str, set[str]]:
        await stores.projector.caught_up()
        kinds = await stores.memory.claims.kinds_of(said.chat.tenant, said.contact_id)
        return {uid: set(each) for uid, each in kinds.items()}

    assert await told() == {said.uid: {"home"}, other.uid: {"pet"}}
    assert await _change(agent, said, "I'm allergic to nuts.") == "applied"
    assert await told() == {said.uid: {"allergy"}, other.uid: {"pet"}}
    if gone_by == "revoke":
        assert await _change(agent, said, kind="revoke", at=2) == "applied"
    else:
        await stores.memory.ledger.withhold(said.chat.tenant, [said.uid])
    assert await told() == {other.uid: {"pet"}}


async def _tokens(agent: Agent) -> dict[str, tuple[str, int, bytes]]:
    """Return the token vectors of the tenant by uid, each with its space and `changes`."""
    async with agent.stores.pool.connection() as connection:
        cursor = await connection.execute(
            "select uid, space, changes, vectors from token_vectors where tenant = %s",
            [agent.stores.settings.tenant],
        )
        rows = await cursor.fetchall()
    return {str(r["uid"]): (r["space"], r["changes"], bytes(r["vectors"])) for r in rows}


async def _made_of(agent: Agent, text: str) -> bytes:
    (read,) = await agent.stores.memory.embedder.read([text])
    assert read.tokens is not None
    return read.tokens.vectors


@pytest.mark.parametrize("gone_by", ["revoke", "withholding"])
async def test_token_vectors_follow_an_edit_and_go_with_the_text(
    agent: Agent, gone_by: str
) -> None:
    stores, old, new = agent.stores, "I live in Leeds.", "I live in Bristol, by the river."
    space = stores.memory.embedder.token_space
    said, other = _said(agent, old), _said(agent, "My dog is called Rex.")
    for each in (said, other):
        await _turn(agent, each)
    await stores.projector.caught_up()
    kept = (space, 0, await _made_of(agent, other.text))
    # What the agent answered has none.
    assert await _tokens(agent) == {
        said.uid: (space, 0, await _made_of(agent, old)),
        other.uid: kept,
    }
    assert await _change(agent, said, new) == "applied"
    await stores.projector.caught_up()
    assert await _made_of(agent, new) != await _made_of(agent, old)
    assert await _tokens(agent) == {
        said.uid: (space, 1, await _made_of(agent, new)),
        other.uid: kept,
    }
    if gone_by == "revoke":
        assert await _change(agent, said, kind="revoke", at=2) == "applied"
    else:
        await stores.memory.ledger.withhold(said.chat.tenant, [said.uid])
    await stores.projector.caught_up()
    assert await _tokens(agent) == {other.uid: kept}


@pytest.mark.parametrize("turns_since", [6, 12])
async def test_a_revoked_text_is_in_no_prompt(
    agent: Agent, model: ScriptedChatModel, turns_since: int
) -> None:
    secret = _said(agent, "My name is Zebulon and I live in Xanadu.")
    await _turn(agent, secret)
    quoting = _said(agent, "See?", quote=Quote(secret.message_id, secret.text, secret.sender_id))
    await _turn(agent, quoting)
    for number in range(turns_since):
        await _turn(agent, _said(agent, f"Filler number {number} about Xanadu trains."))
    assert "Zebulon" in _whole(model.prompts[-1])
    await _change(agent, secret, kind="revoke")
    again = Quote(secret.message_id, secret.text, secret.sender_id)
    for question in (
        _said(agent, "Where do I live, and what is my name?"),
        _said(agent, "And this?", quote=again),
    ):
        await _turn(agent, question)
        for word in ("Zebulon", "I live in Xanadu"):
            assert word not in _whole(model.prompts[-1])
    # Within the window its place is marked; a longer past has left the window.
    assert ("[deleted message]" in _whole(model.prompts[-1])) == (turns_since == 6)
    await agent.stores.projector.caught_up()
    tenant = secret.chat.tenant
    assert await agent.stores.memory.facts.active(tenant, secret.contact_id) == []
    found = await agent.stores.memory.lexical.search(tenant, [secret.anchor], "Zebulon", 5)
    assert found.hits == ()
    uids = [hit.item_id for hit in await _nearest(agent, secret)]
    assert secret.uid not in uids
    assert len(uids) > 5


async def _nearest(agent: Agent, said: Message) -> list[Hit]:
    stores = agent.stores
    (vector,) = await stores.memory.embedder.embed([said.text])
    return await stores.memory.vectors.search(
        said.chat.tenant, "message", [said.anchor], vector, 50
    )


async def test_the_window_shows_the_edited_text(agent: Agent, model: ScriptedChatModel) -> None:
    said = _said(agent, "The code is 1111.", chat="g@g.us", is_group=True, mentions_agent=True)
    await _turn(agent, said)
    await _change(agent, said, "The code is 2222.")
    await _turn(agent, _said(agent, "Ok?", chat="g@g.us", is_group=True, mentions_agent=True))
    prompt = _whole(model.prompts[-1])
    assert "ana: The code is 2222." in prompt
    assert "1111" not in prompt


async def test_an_unknown_quoted_message_is_shown_as_it_was_quoted(
    agent: Agent, model: ScriptedChatModel
) -> None:
    quote = Quote("LONG AGO", "The pin is under the blue pot.", "bo")
    await _turn(agent, _said(agent, "Is that still right?", quote=quote))
    assert "The pin is under the blue pot." in _whole(model.prompts[-1])
