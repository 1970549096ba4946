"""From a signed webhook to `sendText`, over real HTTP and real stores (W2, W6, W7, N1)."""

from __future__ import annotations

import contextlib
import itertools
import select
import socket
import time
from collections.abc import Callable
from typing import Any, get_args

import httpx
import pytest

from tests.drivers.serving import Serving
from tests.fakes.waha_gateway import EchoMode, Sent, WahaGateway

QUIET_S = 0.8
"""How long nothing more may happen before a test believes that nothing will."""
_numbers = itertools.count(1)


@pytest.fixture
def chat() -> str:
    return f"4915550{next(_numbers):04d}@c.us"


def eventually(condition: Callable[[], bool], patience_s: float = 20.0) -> bool:
    deadline = time.monotonic() + patience_s
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def sent_to(gateway: WahaGateway, chat: str) -> list[Sent]:
    return [sent for sent in gateway.sent if sent.chat_id == chat]


def messages_of(server: Serving, chat: str) -> list[dict[str, Any]]:
    return server.rows(
        "select author, role, content, anchor, from_me"
        " from messages join sessions using (session_id) where chat_id = %s order by position",
        chat,
    )


def authors(server: Serving, chat: str) -> list[str]:
    return [row["author"] for row in messages_of(server, chat)]


def settle(gateway: WahaGateway, server: Serving, chat: str, answers: int) -> None:
    assert eventually(lambda: len(sent_to(gateway, chat)) >= answers)
    time.sleep(QUIET_S)
    assert len(sent_to(gateway, chat)) == answers
    assert server.health()["pending_messages"] == 0


def test_a_signed_message_is_answered_once_and_remembered(
    gateway: WahaGateway, server: Serving, chat: str
) -> None:
    assert gateway.deliver("My name is Alex and I live in Lisbon.", chat).status == 200
    settle(gateway, server, chat, 1)
    assert gateway.deliver("What's my name?", chat).status == 200
    settle(gateway, server, chat, 2)
    assert ("startTyping", {"session": "default", "chatId": chat}) in gateway.calls
    assert "Alex" in sent_to(gateway, chat)[1].text


def test_the_ledger_names_the_author_of_every_row(
    gateway: WahaGateway, server: Serving, chat: str
) -> None:
    gateway.deliver("Hello there", chat)
    settle(gateway, server, chat, 1)
    asked, answered = messages_of(server, chat)
    assert (asked["author"], asked["role"]) == ("contact", "user")
    assert (answered["author"], answered["role"]) == ("agent", "assistant")
    assert asked["content"] == "Hello there"
    assert asked["anchor"] == f"contact:waha:{chat}"
    assert answered["content"] == sent_to(gateway, chat)[0].text
    assert answered["from_me"]
    (delivery,) = server.rows(
        "select status, sent_message_id from outbox join sessions using (session_id)"
        " where chat_id = %s",
        chat,
    )
    assert delivery == {
        "status": "sent",
        "sent_message_id": sent_to(gateway, chat)[0].message_id,
    }


@pytest.mark.parametrize("mode", get_args(EchoMode))
def test_an_echo_adds_no_row_and_no_answer(
    gateway: WahaGateway, server: Serving, chat: str, mode: EchoMode
) -> None:
    gateway.mode = mode
    gateway.deliver("Hello there", chat)
    settle(gateway, server, chat, 1)
    assert authors(server, chat) == ["contact", "agent"]


def test_the_same_payload_three_times_is_answered_once(
    gateway: WahaGateway, server: Serving, chat: str
) -> None:
    event = gateway.event("Hello there", chat)
    assert [gateway.post(event).status for _ in range(3)] == [200, 200, 200]
    settle(gateway, server, chat, 1)
    gateway.post(event | {"event": "message.any"})
    settle(gateway, server, chat, 1)
    assert authors(server, chat) == ["contact", "agent"]


@pytest.mark.parametrize(("source", "author"), [("app", "owner"), ("api", "automation")])
def test_what_our_own_account_sent_is_stored_and_never_answered(
    gateway: WahaGateway, server: Serving, chat: str, source: str, author: str
) -> None:
    event = gateway.event("I'll call you", chat, name="message.any", from_me=True, source=source)
    assert gateway.post(event).status == 200
    settle(gateway, server, chat, 0)
    assert authors(server, chat) == [author]


def test_an_ack_is_taken_and_changes_nothing(
    gateway: WahaGateway, server: Serving, chat: str
) -> None:
    gateway.deliver("Hello there", chat)
    settle(gateway, server, chat, 1)
    event = gateway.event("", chat, name="message.ack", from_me=True)
    event["payload"] = {"id": f"true_{chat}_{sent_to(gateway, chat)[0].message_id}", "ack": 3}
    assert gateway.post(event).status == 200
    settle(gateway, server, chat, 1)
    assert authors(server, chat) == ["contact", "agent"]


def test_a_group_message_is_answered_only_when_the_agent_is_mentioned(
    gateway: WahaGateway, server: Serving
) -> None:
    group = f"1203630{next(_numbers):04d}@g.us"
    gateway.deliver("Lunch, anyone?", group, sender="4911@c.us")
    settle(gateway, server, group, 0)
    mention = {"mentionedJID": [gateway.me], "pushName": "Sam"}
    event = gateway.event("@bot what do you say?", group, sender="4912@c.us", _data=mention)
    gateway.post(event)
    settle(gateway, server, group, 1)
    assert event["payload"]["id"].split("_")[2] in sent_to(gateway, group)[0].reply_to
    assert authors(server, group) == ["contact", "contact", "agent"]


def test_a_reaction_is_stored_as_a_system_line(
    gateway: WahaGateway, server: Serving, chat: str
) -> None:
    event = gateway.event("", chat, name="message.reaction")
    event["payload"] |= {"reaction": {"text": "👍", "messageId": f"true_{chat}_3EB0"}}
    assert gateway.post(event).status == 200
    settle(gateway, server, chat, 0)
    assert authors(server, chat) == ["system"]


@pytest.mark.parametrize(
    "text",
    ["", "🎉🎉", "\u202eمرحبا، كيف حالك؟", "with\x00 NUL", "word " * 60_000],
    ids=["empty", "emoji", "rtl", "nul", "300kB"],
)
def test_unusual_texts_are_stored_and_answered_unless_empty(
    gateway: WahaGateway, server: Serving, chat: str, text: str
) -> None:
    assert gateway.deliver(text, chat).status == 200
    settle(gateway, server, chat, 1 if text else 0)
    assert messages_of(server, chat)[0]["content"] == text.replace("\x00", "\ufffd")


def test_a_chunked_body_without_end_is_cut_off(server: Serving) -> None:
    with socket.create_connection(("127.0.0.1", server.port), 10) as connection:
        connection.sendall(
            b"POST /webhooks/waha/default HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        answer = b""
        sent = 0
        with contextlib.suppress(ConnectionError):
            while sent < 64 * 1024 * 1024 and not answer:
                connection.sendall(b"10000\r\n" + b"x" * 65536 + b"\r\n")
                sent += 65536
                if select.select([connection], [], [], 0)[0]:
                    answer = connection.recv(4096)
        assert answer.startswith(b"HTTP/1.1 413 ")
        assert sent < 16 * 1024 * 1024


def test_context_returns_facts_and_messages_with_scores(
    gateway: WahaGateway, server: Serving, chat: str
) -> None:
    gateway.deliver("I'm allergic to peanuts.", chat)
    settle(gateway, server, chat, 1)
    url = f"{server.url}/contacts/waha:{chat}/context"
    # Facts are learned when the reply has left.
    assert eventually(lambda: bool(httpx.get(url, params={"query": "peanuts"}).json()["facts"]))
    found = httpx.get(url, params={"query": "peanuts"}).json()
    assert [(fact["key"], fact["value"]) for fact in found["facts"]] == [("allergy", "peanuts")]
    assert found["messages"][0]["text"] == "I'm allergic to peanuts."
    assert found["messages"][0]["score"] > 0
    assert "peanuts" in found["context"]
    assert httpx.get(url, params={"query": "x" * 5000}).status_code == 422
    assert httpx.get(url, params={"limit": 0}).status_code == 422
    nobody = httpx.get(f"{server.url}/contacts/waha:nobody@c.us/context").json()
    assert (nobody["facts"], nobody["messages"], nobody["context"]) == ([], [], "")
