"""Turns that tests answer by hand, with receipts that say what the answer used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from graph.stores import Stores
from memory.domain.chats import Actor, Message
from memory.domain.recalls import Receipt, Use, Used


async def answered(stores: Stores, asked: Message, used: Sequence[str], turn: str = "") -> str:
    """Answer a message with an answer that used these messages; return the turn."""
    ledger, tenant, turn = stores.memory.ledger, asked.chat.tenant, turn or stores.ids()
    await ledger.record([asked])
    await ledger.claim(turn, asked)
    reply = replace(asked, actor=Actor.AGENT, message_id=turn, text="As you said.", from_me=True)
    use = Use(tuple(Used("message", uid) for uid in used), is_exact=True)
    receipt = Receipt(turn, reply.uid, asked.text, (), (), "none", asked.sent_at, use=use)
    await ledger.finish(tenant, turn, [reply], receipt)
    return turn
