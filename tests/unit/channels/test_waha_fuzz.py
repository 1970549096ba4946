"""Whatever comes over the wire, normalising gives a value or MalformedPayload, nothing else."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings

from channels.errors import MalformedPayload
from channels.inbound import Edit, Revoke
from channels.waha.accounts import lid_pairs, own_ids
from channels.waha.normalize import normalize
from memory.domain.chats import Message
from tests.unit.channels.waha_events import EVERY_KIND
from tests.unit.channels.waha_shapes import JSON, mutated_events


def _check(event: Any) -> None:
    lid_pairs(event)
    own_ids(event)
    try:
        got = normalize(
            event, tenant="t", account="a", owner_ids=frozenset(), known_bots=frozenset()
        )
    except MalformedPayload as exc:
        assert str(exc).count("\n") == 0
        return
    if isinstance(got, Edit | Revoke):
        assert got.message_id and got.action_id
        got.message_id.encode()
    if isinstance(got, Message):
        assert got.uid
        for text in (got.text, got.sender_name, got.message_id, got.contact_id, got.sender_id):
            assert "\x00" not in text
            text.encode()


@settings(max_examples=400, deadline=None)
@given(mutated_events())
def test_mutated_webhooks(event: Any) -> None:
    _check(event)


@settings(max_examples=100, deadline=None)
@given(JSON)
def test_arbitrary_json(event: Any) -> None:
    _check(event)
    _check({"event": "message", "payload": event})


def test_deep_nesting_is_no_way_in() -> None:
    deep = json.loads("[" * 500 + "]" * 500)
    for event in EVERY_KIND:
        _check(event | {"payload": event["payload"] | {"_data": {"message": deep}}})
        _check(event | {"me": deep})
