"""Which of our messages in a chat is the delivery whose outcome nobody told us."""

from __future__ import annotations

from datetime import timedelta

import pytest

from memory.domain.chats import ChatRef
from memory.domain.work import Delivery, Sighting
from server.sending.carriers import ours_among, sightings
from tests.messages import START

CHAT = ChatRef("t", "waha", "phone", "4911@c.us")


def open_one(attempted: float = 0) -> Delivery:
    """Return a delivery whose attempt began so many seconds after START."""
    at = START + timedelta(seconds=attempted)
    return Delivery("7", CHAT, "uid", "Yes.", "sending", 1, START, attempted_at=at)


def seen(**times: float) -> list[Sighting]:
    return [Sighting(name, START + timedelta(seconds=at)) for name, at in times.items()]


@pytest.mark.parametrize(
    ("shown", "taken", "elsewhere", "expected"),
    [
        ({}, [], [], ""),
        ({"a": 1}, [], [], "a"),
        # The gateway's clock is half a minute behind.
        ({"a": -30}, [], [], "a"),
        # An old message with the same words is none of ours.
        ({"a": -300}, [], [], ""),
        ({"a": -20, "b": 1}, [], [], "b"),
        ({"a": 1}, ["a"], [], ""),
        # An earlier reply with the same words stands in the chat under an id that we do not know.
        ({"a": -20}, [], [-20], ""),
        ({"a": -20, "b": 1}, [], [-20], "b"),
        ({"a": -20, "b": 1}, ["b"], [-20], ""),
    ],
)
def test_an_open_attempt_is_found_or_not(
    shown: dict[str, float], taken: list[str], elsewhere: list[float], expected: str
) -> None:
    times = [START + timedelta(seconds=at) for at in elsewhere]
    assert ours_among(open_one(), seen(**shown), taken, times) == expected


def test_only_our_own_messages_with_the_same_words_are_seen() -> None:
    common = {"timestamp": 1_700_000_000, "fromMe": True}
    listed = [
        {**common, "id": "true_4911@c.us_A1", "body": " Yes. "},
        {**common, "id": "true_4911@c.us_A2", "body": "No."},
        {**common, "id": "false_4911@c.us_A3", "body": "Yes.", "fromMe": False},
        {**common, "id": "no id", "body": "Yes."},
        {**common, "id": "true_4911@c.us_A4", "body": "Yes.", "timestamp": 1e300},
        {"id": "true_4911@c.us_A5", "body": "Yes.", "fromMe": True},
    ]
    assert [each.message_id for each in sightings(open_one(), listed)] == ["A1"]
