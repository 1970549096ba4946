"""Making one of what was kept apart: two ids of one person, two ids of one chat (W1, N2).

Every step can be repeated, and is: an interruption half-way is mended by running the whole again.
The transcript moves; what is derived of it follows by the backlog.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace

from memory.domain.chats import ChatRef, Pair
from memory.ports.bundle import Memory

DropThread = Callable[[str], Awaitable[None]]


async def join_contact(memory: Memory, pair: Pair, drop_thread: DropThread) -> bool:
    """Give everything known of a person's hidden id to the one that stands for both.

    Direct chats are merged, what was said in groups gets its right speaker. Facts and vectors
    follow the ledger: facts as if all had been told by one person, vectors under the other anchor.

    Returns False, with nothing changed, while a turn of the hidden chat has not ended.
    """
    tenant, channel = pair.tenant, pair.channel
    chats = await memory.moves.chats(tenant, channel, pair.alias)
    moves = [(chat, replace(chat, chat_id=pair.canonical)) for chat in chats]
    async with _held(memory, moves):
        if await _any_busy(memory, moves):
            return False
        await _move(memory, moves, drop_thread)
        await memory.moves.rename_contact(tenant, channel, pair.alias, pair.canonical)
    return True


async def move_chat(memory: Memory, old: ChatRef, new: ChatRef, drop_thread: DropThread) -> bool:
    """Give everything of a chat to the same chat under its new id, topic by topic.

    Returns False, with nothing changed, while a turn of the old chat has not ended.
    """
    chats = await memory.moves.chats(old.tenant, old.channel, old.chat_id, old.account)
    moves = [(chat, replace(chat, chat_id=new.chat_id)) for chat in chats]
    async with _held(memory, moves):
        if await _any_busy(memory, moves):
            return False
        await _move(memory, moves, drop_thread)
        before, after = old.group_anchor, new.group_anchor
        await memory.moves.rename_anchor(old.tenant, before, after)
    return True


@asynccontextmanager
async def _held(memory: Memory, moves: Sequence[tuple[ChatRef, ChatRef]]) -> AsyncIterator[None]:
    """Hold the locks of all chats, in one order for everybody."""
    async with AsyncExitStack() as stack:
        for thread_id in sorted({chat.thread_id for move in moves for chat in move}):
            await stack.enter_async_context(memory.locks.hold(thread_id))
        yield


async def _any_busy(memory: Memory, moves: Sequence[tuple[ChatRef, ChatRef]]) -> bool:
    for old, _ in moves:
        if await memory.moves.is_busy(old):
            return True
    return False


async def _move(
    memory: Memory, moves: Sequence[tuple[ChatRef, ChatRef]], drop_thread: DropThread
) -> None:
    for old, new in moves:
        # First: once its rows have moved nobody would find the thread again. A window that is
        # gone is filled from the ledger.
        await drop_thread(old.thread_id)
        await memory.moves.move(old, new)
