"""Who is speaking, case by case."""

from __future__ import annotations

from itertools import product

import pytest

from channels.actor import decide_actor
from memory.domain import Actor

ME, OWNER, BOT, FRIEND = "me@c.us", "boss@c.us", "bot@c.us", "friend@c.us"


def _decide(from_me: bool, sender: str, echo: bool, source: str | None) -> Actor:
    return decide_actor(
        from_me=from_me,
        sender_id=sender,
        is_echo_of_outbox=echo,
        source=source,
        owner_ids={OWNER},
        known_bots={BOT},
        own_ids={ME},
    )


@pytest.mark.parametrize(
    ("from_me", "sender", "echo", "source", "expected"),
    [
        (False, FRIEND, False, "app", Actor.CONTACT),
        (False, FRIEND, False, None, Actor.CONTACT),
        (False, FRIEND, False, "api", Actor.CONTACT),
        (True, ME, True, "api", Actor.AGENT),
        (True, ME, True, "app", Actor.AGENT),
        (True, ME, False, "app", Actor.OWNER),
        (True, ME, False, "api", Actor.AUTOMATION),
        (True, ME, False, None, Actor.AUTOMATION),
        (True, ME, False, "something new", Actor.AUTOMATION),
        (False, ME, False, "app", Actor.OWNER),
        (False, ME, True, "api", Actor.AGENT),
        (False, OWNER, False, "app", Actor.OWNER),
        (False, BOT, False, "app", Actor.AUTOMATION),
        (False, "", False, None, Actor.SYSTEM),
    ],
)
def test_actor_of(
    from_me: bool, sender: str, echo: bool, source: str | None, expected: Actor
) -> None:
    assert _decide(from_me, sender, echo, source) is expected


def test_nothing_from_our_own_account_is_ever_a_contact() -> None:
    for sender, echo, source in product(
        (ME, FRIEND, BOT, OWNER, ""), (True, False), ("app", "api", None)
    ):
        assert _decide(True, sender, echo, source) is not Actor.CONTACT


def test_a_bot_listed_as_the_owner_by_mistake_stays_a_bot() -> None:
    actor = decide_actor(
        from_me=False,
        sender_id=BOT,
        is_echo_of_outbox=False,
        source="app",
        owner_ids={BOT},
        known_bots={BOT},
        own_ids=set(),
    )
    assert actor is Actor.AUTOMATION
