"""Whatever comes over the wire, normalising gives a value or MalformedPayload, nothing else."""

from __future__ import annotations

import copy
import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from channels.errors import MalformedPayload
from channels.inbound import Edit, Revoke
from channels.waha.accounts import lid_pairs, own_ids
from channels.waha.normalize import normalize
from memory.domain import Message
from tests.unit.channels.waha_events import EVERY_KIND

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(codec=None), max_size=12)
    | st.sampled_from(["true_1@c.us_A", "_@_", "@", "1@lid", "9" * 4000, "_serialized", "NaN"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["id", "_serialized", "user", "server", "participant", "body"]), inner
        )
    ),
    max_leaves=6,
)


def _paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    children: list[tuple[Any, Any]] = list(value.items()) if isinstance(value, dict) else []
    if isinstance(value, list):
        children = list(enumerate(value))
    return [path, *(found for key, child in children for found in _paths(child, (*path, key)))]


@st.composite
def _mutated(draw: st.DrawFn) -> Any:
    event: Any = copy.deepcopy(draw(st.sampled_from(EVERY_KIND)))
    for _ in range(draw(st.integers(1, 3))):
        *parents, last = draw(st.sampled_from(_paths(event)[1:] or [("event",)]))
        target = event
        for key in parents:
            target = target[key]
        if isinstance(target, dict) and draw(st.booleans()) and last in target:
            del target[last]
        else:
            target[last] = draw(JSON)
    return event


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
@given(_mutated())
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
