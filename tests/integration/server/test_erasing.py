"""A person is erased over HTTP: whatever the gateway sends again leaves nothing behind."""

from __future__ import annotations

from typing import Any

import pytest

from graph.bootstrap import Overrides
from tests.fakes.chat_model import ScriptedChatModel
from tests.integration.server.conftest import Start
from tests.integration.server.running import Running, eventually

pytestmark = pytest.mark.anyio

LID, PHONE = "770000000001@lid", "4915770001@c.us"
GROUP = "120363000000000009@g.us"
OTHER = "447700900123@c.us"
TABLES = (
    "sessions",
    "messages",
    "identities",
    "waiting_changes",
    "revisions",
    "pauses",
    "outbox",
    "turns",
    "receipts",
    "events",
    "procrastinate_jobs",
    "checkpoints",
    "contact_states",
)


async def _status(app: Running, event: dict[str, Any]) -> str:
    answer = await app.post(*app.gateway.signed(event))
    assert answer.status_code == 200, answer.text
    return str(answer.json()["status"])


async def _counts(app: Running) -> dict[str, int]:
    return {table: await app.count(table) for table in TABLES}


def _about(app: Running, name: str, **payload: Any) -> dict[str, Any]:
    event = app.gateway.event("", PHONE, name=name)
    return event | {"payload": {"timestamp": 1_700_000_000, "fromMe": False} | payload}


async def test_what_is_delivered_again_leaves_no_row_and_no_answer(start: Start) -> None:
    async with start(Overrides(model=ScriptedChatModel())) as app:
        named = {"Info": {"Chat": LID, "Sender": LID, "SenderAlt": PHONE}}
        first = app.gateway.event("I live in Whitby.", LID, message_id="3A01", _data=named)
        typed = app.gateway.event("Let me take this.", PHONE, message_id="3A02", from_me=True)
        assert await _status(app, first) == "new"
        assert await eventually(lambda: len(app.gateway.sent) == 1)
        assert await _status(app, typed) == "new"

        async def is_settled() -> bool:
            rows = await app.rows("select 1 from outbox where status <> 'sent'")
            return not rows and await app.count("procrastinate_jobs") == 0

        assert await eventually(is_settled)
        (reply,) = await app.rows("select sent_message_id as id, body from outbox")
        answer = await app.http.delete(f"/contacts/waha:{PHONE}")
        receipt = answer.json()
        assert (answer.status_code, receipt["done"]) == (200, True), receipt
        assert receipt["counts"]["ids"] == 1
        before = await _counts(app)
        assert before == dict.fromkeys(TABLES, 0)
        edited, reacted = f"false_{PHONE}_3A01", {"text": "x", "messageId": f"false_{PHONE}_3A01"}
        revoked = {"after": {"id": f"false_{PHONE}_3A05"}, "revokedMessageId": "3A01"}
        echo = app.gateway.event(
            reply["body"], PHONE, message_id=reply["id"], from_me=True, source="api"
        )
        again = {
            "known": [first, typed, echo],
            "edited": [
                _about(
                    app,
                    "message.edited",
                    id=f"false_{PHONE}_3A04",
                    body="In Hull.",
                    editedMessageId=edited,
                )
            ],
            "revoked": [_about(app, "message.revoked", **revoked)],
            "reaction": [
                _about(app, "message.reaction", id=f"false_{PHONE}_3A06", reaction=reacted)
            ],
            "ignored": [
                _about(app, "message.ack", id=f"true_{PHONE}_{reply['id']}", ack=3, ackName="READ")
            ],
        }
        told = {
            kind: [await _status(app, each) for each in events] for kind, events in again.items()
        }
        assert told == {
            "known": ["known", "known", "echo"],
            "edited": ["known"],
            "revoked": ["known"],
            "reaction": ["known"],
            "ignored": ["ignored"],
        }
        assert await _counts(app) == before
        assert len(app.gateway.sent) == 1
        assert await _status(app, app.gateway.event("Hello, who is this?", PHONE)) == "new"
        assert await eventually(lambda: len(app.gateway.sent) == 2)


async def test_a_contact_is_erased_whatever_their_id_is_like(start: Start) -> None:
    ids = ["42", "margaret", "customer-00042", "+15550100", "crm:", ":7", "crm:7"]
    async with start() as app:
        other = {"contact_id": "4", "role": "user", "conversation_id": "other"}
        told = "I am 42 years old, margaret is my sister, and I work as a crm: customer."
        await app.http.post("/ingest", json=other | {"message": told})
        for number, name in enumerate(ids):
            said = other | {"contact_id": name, "conversation_id": f"p{number}"}
            text = "I live in Leeds. I am allergic to peanuts."
            answer = await app.http.post("/ingest", json=said | {"message": text})
            assert answer.status_code == 202, answer.text

        async def are_learned() -> bool:
            found = [
                (await app.http.get(f"/contacts/{name}/facts")).json()["facts"] for name in ids
            ]
            return all(len(each) == 2 for each in found)

        assert await eventually(are_learned)
        for name in ids:
            receipt = (await app.http.delete(f"/contacts/{name}")).json()
            assert receipt.get("done"), (name, receipt)
            assert (receipt["counts"]["messages"], receipt["left"]) == (1, {})
            for part, key in (("facts", "facts"), ("messages", "messages")):
                assert (await app.http.get(f"/contacts/{name}/{part}")).json()[key] == []
            assert (await app.http.get(f"/contacts/{name}/export")).status_code == 404
        (kept,) = await app.rows("select contact_id, content from messages")
        assert kept == {"contact_id": "4", "content": told}
