"""The gateway's echoes are such that the product reads them as its own account's words."""

import hashlib
import hmac

import pytest

from channels.waha.client import sent_message_id
from channels.waha.normalize import normalize
from evals.loops import waha_wire
from evals.loops.cases import Me
from evals.loops.placeholders import Sent
from memory.domain.chats import Message

ME = Me(id="491555000100@c.us", lid="200100000000000@lid")


@pytest.mark.parametrize("engine", ["GOWS", "NOWEB", "WEBJS"])
@pytest.mark.parametrize("chat", ["491555000101@c.us", "120363000000001001@g.us"])
def test_an_echo_names_chat_and_id_of_what_was_sent(engine: str, chat: str) -> None:
    sent = Sent("atelier", chat, "3EB0AA", waha_wire.full_id(chat, "3EB0AA", ME), "Hi", 1_789_000)
    event = waha_wire.echo(sent, "atelier", ME, engine, event_id="evt_1", has_source=True)
    read = normalize(
        event,
        tenant="t",
        account="atelier",
        owner_ids=frozenset(),
        known_bots=frozenset(),
        lids={},
    )
    assert isinstance(read, Message)
    assert (read.chat.chat_id, read.message_id, read.text) == (chat, "3EB0AA", "Hi")
    assert read.from_me
    assert sent_message_id(waha_wire.answer(sent, engine)) == "3EB0AA"
    silent = waha_wire.echo(sent, "atelier", ME, engine, event_id="evt_1", has_source=False)
    assert "source" not in silent["payload"]


def test_webhooks_are_signed_as_the_documentation_says() -> None:
    body = b'{"event":"message","session":"default","engine":"WEBJS"}'
    headers = waha_wire.signed(body, "my-secret-key", 5)
    expected = hmac.new(b"my-secret-key", body, hashlib.sha512).hexdigest()
    assert headers["X-Webhook-Hmac"] == expected
    assert expected.startswith("208f8a55")
