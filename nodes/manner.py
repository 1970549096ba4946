"""How to answer whoever wrote: in what tone, and with how much memory that nothing calls for."""

from __future__ import annotations

from datetime import UTC
from typing import Final

from memory.contacts.course import advance
from memory.contacts.marks import mark_of
from memory.contacts.mood.reading import MoodReader, load_reader
from memory.contacts.state import mood_of, stage_of
from memory.contacts.tone import advice_for, unasked_tokens
from memory.domain.chats import Message
from memory.domain.contacts import Marked, Stage
from memory.ports.recall import Embedder
from memory.recall.certainty import is_uncertain
from memory.recall.query import query_chunks
from memory.recall.questions import asks_or_requests
from memory.recall.recall import Findings
from memory.text.zones import zone_of
from nodes.context import Context
from nodes.state import Manner

_OPEN: Final[Stage] = "building"
"""The stage that calls for nothing: of whom nothing is kept yet, nothing is presumed."""


async def manner_for(
    message: Message, query: str, found: Findings, context: Context, *, quotes: bool
) -> Manner | None:
    """Return how to answer a message; None where the prompt says nothing of it.

    The mood is that of what they wrote, this message included, which is read by the vector that it
    was searched with; the stage is that in which they wrote it. A message calls for memory where it
    asks or `quotes`, or something was found that it fits. In a group nobody is told of anybody.
    """
    if context.options.tone == "off" or message.is_group:
        return None
    asker, now = found.asker, context.clock()
    course = asker.course if asker else None
    zone = (zone_of(asker.zone) if asker else None) or UTC
    stage = stage_of(course, now, zone) if course else _OPEN
    if query.strip() and (course is None or course.last_at < message.sent_at):
        reader = load_reader()
        vector = None if quotes else await _vector(query, found, context.memory.embedder, reader)
        mark = mark_of(query, reader, vector)
        course = advance(course, Marked(message.sent_at, 0, mark), zone)
    is_told = found.certainty is not None and is_uncertain(found.certainty)
    is_called_for = quotes or not is_told or asks_or_requests(query)
    return {
        "advice": advice_for(*mood_of(course, now), stage),
        "unasked": None if is_called_for or asker is None else unasked_tokens(stage),
    }


async def _vector(
    query: str, found: Findings, embedder: Embedder, reader: MoodReader
) -> tuple[float, ...] | None:
    """Return the vector of what a query begins with, where the search made it a moment ago."""
    was_embedded = found.looked_at is not None and "embedder" not in found.missing
    if not was_embedded or embedder.fingerprint != reader.embedder:
        return None
    (vector,) = await embedder.embed(query_chunks(query)[:1])
    return vector
