"""Hypothesis strategies: WAHA's events, spoiled in every way that JSON allows."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.spoiled import spoiled
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


@st.composite
def mutated_events(draw: st.DrawFn) -> Any:
    event: Any = draw(spoiled(EVERY_KIND, JSON))
    if draw(st.integers(0, 3)) == 0 and isinstance(event, dict):
        event["event"] = draw(st.sampled_from(EVENT_NAMES))
    return event
