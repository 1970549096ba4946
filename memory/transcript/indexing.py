"""What a contact said becomes vectors (W3, W4). Idempotent by message."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from memory.domain.chats import READ_CHARS, Actor, Message
from memory.domain.recalls import VectorItem
from memory.ports.bundle import Memory
from memory.text.apart import read_apart
from memory.text.chunks import chunk_id, split_for_embedding


async def index_messages(memory: Memory, messages: Sequence[Message]) -> None:
    """Put the vectors of what contacts said into the index; a long message has several.

    In a group a vector covers who speaks, too: questions there name people.
    """
    size = sum(len(message.text) for message in messages)
    pieces = await read_apart(lambda: _pieces(messages), size)
    if not pieces:
        return
    vectors = await memory.embedder.embed([piece for _, _, piece in pieces])
    items: defaultdict[str, list[VectorItem]] = defaultdict(list)
    for (message, number, _), vector in zip(pieces, vectors, strict=True):
        item_id = chunk_id(message.uid, number)
        metadata: dict[str, str | int | float | bool] = {
            "chat": message.chat.chat_id,
            "actor": message.sender_id,
            "timestamp": message.sent_at.timestamp(),
            "message_id": message.message_id,
            "is_group": message.is_group,
        }
        items[message.chat.tenant].append(VectorItem(item_id, message.anchor, vector, metadata))
    for tenant, batch in items.items():
        await memory.vectors.upsert(tenant, "message", batch)


def _pieces(messages: Sequence[Message]) -> list[tuple[Message, int, str]]:
    return [
        (message, number, piece)
        for message in messages
        if message.actor is Actor.CONTACT and not message.withheld and message.text.strip()
        for number, piece in enumerate(split_for_embedding(_embedded_text(message)))
    ]


def _embedded_text(message: Message) -> str:
    is_named = message.is_group and message.sender_name
    text = f"{message.sender_name}: {message.text}" if is_named else message.text
    return text[:READ_CHARS]
