"""What a contact's message tells about them (W4)."""

from __future__ import annotations

from typing import Final

from memory.domain.chats import Actor, Message
from memory.domain.facts import Observation
from memory.facts.reading import extract
from memory.policy.addressed import WISH, families_of

READING: Final = "rules/1"
"""Names the rules that facts are read by: facts read by others are to be rebuilt."""


def observations_of(message: Message) -> tuple[Observation, ...]:
    """Return what a message tells of its sender, whichever way it came in.

    Forwarded text is no statement of its sender (X6). Only who may instruct the agent may tell it
    how to behave from now on. Of anybody else, what is addressed to the machine tells nothing, not
    even what stands beside it; a wish for the answers to come spoils nothing (N10).
    """
    is_said = message.actor is Actor.CONTACT and not message.forwarded and not message.withheld
    if not is_said or not message.text.strip():
        return ()
    if not message.is_owner and families_of(message.text) - {WISH}:
        return ()
    observations = extract(
        message.text,
        source_uid=message.uid,
        stated_at=message.sent_at,
        anchor=message.anchor,
    )
    return tuple(o for o in observations if message.is_owner or o.category != "instruction")
