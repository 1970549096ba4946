"""What a message tells once more that is never to be recalled: its sentences go as well."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from memory.domain.chats import Message
from memory.domain.facts import Mark, Observation
from memory.facts.slots import is_same
from memory.facts.unsaying import Stated, left_of
from memory.ports.bundle import Memory


class Telling(NamedTuple):
    """A message with all that it says, what it shows as yet, and the facts that it tells."""

    message: Message
    shown: str
    observations: Sequence[Observation]


async def hush_withheld(memory: Memory, tenant: str, told: Sequence[Telling]) -> None:
    """Keep what messages tell of withheld facts out of prompts and searches; the rest stays."""
    contacts = {each.message.contact_id for each in told if each.observations}
    marks = await memory.marks.of(tenant, contacts) if contacts else {}
    for each in told if marks else ():
        of_contact = marks.get(each.message.contact_id, ())
        acts = {act for seen in each.observations if (act := _act_on(seen, of_contact))}
        gone = [stated(seen) for seen in each.observations if _act_on(seen, of_contact)]
        staying = [stated(seen) for seen in each.observations if not _act_on(seen, of_contact)]
        left = left_of(each.message.text, each.shown, gone, staying) if gone else ""
        for act in sorted(acts):
            await memory.corrections.unsay(tenant, {each.message.uid: left}, (), act)


def stated(seen: Observation) -> Stated:
    """Return what an observation says of its message's words."""
    return Stated(seen.key, seen.value, seen.span)


def _act_on(seen: Observation, marks: Sequence[Mark]) -> str:
    return next(
        (
            mark.act
            for mark in marks
            if mark.kind == "withheld"
            and mark.key == seen.key
            and is_same(seen.key, mark.value, seen.value)
        ),
        "",
    )
