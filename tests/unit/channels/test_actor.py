"""Who is speaking, and who may command, case by case."""

from __future__ import annotations

from itertools import product

import pytest

from channels.actor import decide_actor, may_command
from memory.domain.chats import Actor

ME, MY_LID = "me@c.us", "me@lid"
OWNER, OWNER_LID = "boss@c.us", "boss@lid"
BOT, OTHER_ACCOUNT, BOT_AND_OWNER = "bot@c.us", "shop@c.us", "both@c.us"
FRIEND = "friend@c.us"


def _actor(from_me: bool, sender: str, echo: bool, source: str | None) -> Actor:
    return decide_actor(
        from_me=from_me,
        sender_id=sender,
        is_echo_of_outbox=echo,
        source=source,
        known_bots={BOT, OTHER_ACCOUNT, BOT_AND_OWNER},
        own_ids={ME, MY_LID},
    )


CONTACT, AGENT, HAND = Actor.CONTACT, Actor.AGENT, Actor.OWNER
TOOL, SYSTEM = Actor.AUTOMATION, Actor.SYSTEM

# (from me, sender, known to the outbox, source, actor, may command)
EXAMPLES = [
    # People.
    (False, FRIEND, False, "app", CONTACT, False),
    (False, FRIEND, False, None, CONTACT, False),
    (False, FRIEND, False, "api", CONTACT, False),
    (False, FRIEND, False, "", CONTACT, False),
    # The owner, writing from another number: a contact who may command.
    (False, OWNER, False, "app", CONTACT, True),
    (False, OWNER, False, None, CONTACT, True),
    (False, OWNER, False, "api", CONTACT, True),
    (False, OWNER_LID, False, "app", CONTACT, True),
    # Echoes of replies of ours, however they come back.
    (True, ME, True, "api", AGENT, False),
    (True, ME, True, "app", AGENT, False),
    (True, ME, True, None, AGENT, False),
    (True, MY_LID, True, "api", AGENT, False),
    (True, "", True, "api", AGENT, False),
    (False, ME, True, "api", AGENT, False),
    (False, MY_LID, True, "app", AGENT, False),
    # Typed on the phone.
    (True, ME, False, "app", HAND, True),
    (True, MY_LID, False, "app", HAND, True),
    (True, "", False, "app", HAND, True),
    (False, ME, False, "app", HAND, True),
    (False, MY_LID, False, "app", HAND, True),  # in groups: from-me false, our hidden id
    # Another tool on our account, or nobody knows what.
    (True, ME, False, "api", TOOL, False),
    (True, ME, False, None, TOOL, False),
    (True, ME, False, "", TOOL, False),
    (True, ME, False, "something new", TOOL, False),
    (True, FRIEND, False, "api", TOOL, False),
    (False, MY_LID, False, "api", TOOL, False),
    (False, MY_LID, False, None, TOOL, False),
    # Machines.
    (False, BOT, False, "app", TOOL, False),
    (False, BOT, False, None, TOOL, False),
    (False, OTHER_ACCOUNT, False, "app", TOOL, False),  # our other account of the same server
    (False, BOT_AND_OWNER, False, "app", TOOL, False),  # listed as the owner by mistake
    # The channel itself.
    (False, "", False, None, SYSTEM, False),
    (False, "", False, "app", SYSTEM, False),
]


@pytest.mark.parametrize(("from_me", "sender", "echo", "source", "actor", "commands"), EXAMPLES)
def test_actor_of(
    from_me: bool, sender: str, echo: bool, source: str | None, actor: Actor, commands: bool
) -> None:
    assert _actor(from_me, sender, echo, source) is actor
    assert may_command(actor, sender, {OWNER, OWNER_LID, BOT_AND_OWNER}) is commands


def test_nothing_from_our_own_account_is_ever_a_contact() -> None:
    for sender, echo, source in product(
        (ME, MY_LID, FRIEND, BOT, OWNER, ""), (True, False), ("app", "api", None)
    ):
        assert _actor(True, sender, echo, source) is not Actor.CONTACT
        if sender in (ME, MY_LID):
            assert _actor(False, sender, echo, source) is not Actor.CONTACT
