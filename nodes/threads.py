"""A thread is one contact's: whoever else writes in it is refused, and their words do not stay.

LangGraph puts a run's input into the thread before any node runs. What was refused is therefore
noted under its ids, without a word of it, and taken out of the window by the next run.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import dropwhile

from langchain_core.messages import AIMessage, AnyMessage, ToolMessage

from memory.domain.chats import Actor, ChatRef, Message, StoredMessage, message_uid
from memory.ports.bundle import Memory
from memory.transcript.intake import anothers
from nodes.window import removals


async def refuse_others(
    memory: Memory, said: Message, window: Sequence[AnyMessage], before: Message | None = None
) -> None:
    """Refuse a message in a thread that is another contact's, or of another tenant.

    `window`: the thread's messages. `before`: that of its last turn, where the state has it: it
    tells whose the thread is in every tenant, the ledger also where the checkpoints are gone.

    Raises:
        InvalidMessage: the thread is another contact's.
    """
    whose = await memory.ledger.contact_of(said.chat)
    owners = [(before.chat, before.contact_id)] if before else []
    for chat, contact_id in (*owners, (said.chat, whose or said.contact_id)):
        if (chat, contact_id) != (said.chat, said.contact_id):
            await note_refused(memory, chat, contact_id, window, said.sent_at)
            raise anothers(said.chat)


async def note_refused(
    memory: Memory, chat: ChatRef, contact_id: str, window: Sequence[AnyMessage], now: datetime
) -> None:
    """Note that what came after a contact's last message is none of theirs; of its ids alone."""
    lines = [line for line in window if line.id]
    uids = [message_uid(chat, str(line.id)) for line in lines]
    known = {each.uid for each in await memory.ledger.messages(chat.tenant, uids)}
    last = max((n for n, uid in enumerate(uids) if uid in known), default=-1)
    # An answer that could not be stored yet is theirs.
    refused = dropwhile(lambda line: isinstance(line, (AIMessage, ToolMessage)), lines[last + 1 :])
    await memory.ledger.record(
        [
            Message(
                chat=chat,
                message_id=str(line.id),
                actor=Actor.SYSTEM,
                sender_id="",
                contact_id=contact_id,
                text="",
                sent_at=now,
                withheld=True,
            )
            for line in refused
        ],
        history=True,
        arrived_at=now,
    )


def refused_lines(
    window: Sequence[AnyMessage], stored: Sequence[StoredMessage]
) -> list[AnyMessage]:
    """Return the removals of what was refused from a window, of which `stored` is in the ledger."""
    refused = {e.message.message_id for e in stored if e.message.actor is Actor.SYSTEM}
    return removals(window, refused)
