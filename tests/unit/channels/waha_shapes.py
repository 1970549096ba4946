"""Hypothesis strategies: WAHA's events, spoiled in every way that JSON allows."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import strategies as st

from tests.unit.channels.waha_events import EVERY_KIND

EVENT_NAMES = (
    "message",
    "message.any",
    "message.ack",
    "message.ack.group",
    "message.reaction",
    "message.edited",
    "message.revoked",
    "message.waiting",
    "group.v2.join",
    "group.v2.leave",
    "group.v2.participants",
    "group.v2.update",
    "group.join",
    "call.received",
    "call.accepted",
    "call.rejected",
    "poll.vote",
    "poll.vote.failed",
    "presence.update",
    "label.upsert",
    "label.chat.added",
    "chat.archive",
    "session.status",
    "state.change",
    "engine.event",
    "event.response",
)
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
def mutated_events(draw: st.DrawFn) -> Any:
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
    if draw(st.integers(0, 3)) == 0 and isinstance(event, dict):
        event["event"] = draw(st.sampled_from(EVENT_NAMES))
    return event
