"""Whether an exported chat is one that was imported before, under another name. Partly pure.

WhatsApp names no chat in its export: the file's name does, and people change it. Of two exports of
one chat the one that begins later begins inside the other; so its first lines stand there, all but
the few that were edited or deleted in between.

To join two chats by mistake mixes them for good, to miss one doubles it. So a few lines that two
chats have in common, as what somebody sent to many, do not make them one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import islice

from channels.exports.export import Entry, Export
from graph.importing.mapping import Owner, chat_of_anchor
from graph.stores import Stores
from memory.domain.chats import message_uid
from memory.domain.imports import KnownChat, Line

LINES = 64
"""First lines of a chat that are looked for in another."""
AT_LEAST = 2
"""Lines in common, one of them of somebody else: one's own may have gone to many chats at once."""
_LATE = timedelta(days=2)
"""How far a message may stand behind its time: clocks are set back, and zones were told wrong."""


async def known_anchor(stores: Stores, export: Export, owner: Owner) -> str:
    """Return the anchor of the chat that a WhatsApp export goes on with; empty for a new one."""
    known = await stores.memory.imports.known_chats(owner.tenant, export.kind, LINES)
    if not known:
        return ""
    head = await asyncio.to_thread(lambda: list(islice(_lines(export.entries()), LINES)))
    alike: list[tuple[int, KnownChat]] = []
    for chat in known:
        ref = chat_of_anchor(owner.tenant, chat.anchor)
        uids = [message_uid(ref, line.message_id) for line in head]
        said = [each.message for each in await stores.memory.ledger.messages(owner.tenant, uids)]
        there = {message.message_id: message.sent_at for message in said}
        alike.append((common(head, there, chat.last, owner.speaker), chat))
    best = max(alike, key=lambda each: each[0])
    if not best[0]:
        there, last = await asyncio.to_thread(_looked_for, export, known)
        alike = [(common(c.head, there, last, owner.speaker), c) for c in known]
        best = max(alike, key=lambda each: each[0])
    return best[1].anchor if best[0] else ""


def common(
    head: Sequence[Line], there: Mapping[str, datetime], last: datetime, speaker: str
) -> int:
    """Return how many of a chat's first lines another one holds; 0 where they are two chats.

    Args:
        head: The lines, in order.
        there: When those that the other one holds were sent, as it has it; by their ids.
        last: When the other one ends.
        speaker: Whose lines prove nothing alone; empty for nobody.
    """
    both = [line for line in head if line.message_id in there]
    if len(both) < AT_LEAST or all(line.sender == speaker for line in both):
        return 0
    # The same wall clock may have been read in another time zone.
    shift = both[0].sent_at - there[both[0].message_id]
    within = [line for line in head if line.sent_at <= last + shift]
    return len(both) if 2 * len(both) > len(within) else 0


def _lines(entries: Iterator[Entry]) -> Iterator[Line]:
    for entry in entries:
        if not entry.is_system and entry.text and not entry.is_deleted:
            yield Line(entry.message_id, entry.sender, entry.sent_at)


def _looked_for(export: Export, known: Sequence[KnownChat]) -> tuple[dict[str, datetime], datetime]:
    """Return which first lines of known chats a file holds, with its times, and its end.

    Read as far as they may stand there.
    """
    wanted = {line.message_id for chat in known for line in chat.head}
    until = max(line.sent_at for chat in known for line in chat.head) + _LATE
    there: dict[str, datetime] = {}
    last = datetime.min.replace(tzinfo=until.tzinfo)
    for line in _lines(export.entries()):
        last = max(last, line.sent_at)
        if line.message_id in wanted:
            there.setdefault(line.message_id, line.sent_at)
        if line.sent_at > until:
            break
    return there, last
