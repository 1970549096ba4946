"""What every channel's route does with what came in: store it durably, say what became of it."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace

from channels.errors import MalformedPayload
from channels.inbound import ChatMoved, Edit, Inbound, Revoke, SystemEvent
from memory.domain.changes import Change
from memory.domain.channels import traits_of
from memory.domain.chats import ChatRef, Message, Pair, message_uid
from memory.errors import fault_of
from server.service import Service

log = logging.getLogger(__name__)

UNREADABLE = "unreadable"
MAX_TWIN_APART_S = 5.0
"""Two copies of one message carry the same time; engines round it differently."""


class Unforeseen(MalformedPayload):
    """Reading an event broke: it has a shape that nobody foresaw."""

    def __init__(self, fault: str) -> None:
        super().__init__("body", f"cannot be read ({fault})")


async def handle(service: Service, account: str, inbound: Inbound, raw: bytes) -> str:
    """Take one inbound value in and return what became of it; 2xx may be answered then.

    `new`, `known` or `echo` for messages; `applied`, `late`, `known`, `waiting` or `refused` for
    edits and revokes; `moved`; else `ignored`.

    Raises:
        StoreUnavailable: nothing was stored; the gateway sends it again.
    """
    match inbound:
        case Message():
            return await _message(service, inbound)
        case SystemEvent():
            chat = inbound.message.chat
            about = message_uid(chat, inbound.about) if inbound.about else ""
            return await _message(service, inbound.message, about)
        case Edit() | Revoke():
            return await _change(service, account, inbound, raw)
        case ChatMoved():
            await service.agent.stores.memory.moves.announce(inbound.old, inbound.new)
            service.follow_up.wake()
            return "moved"
        case _:
            return "ignored"


def guarded(read: Callable[[], Inbound]) -> Inbound:
    """Read an event; a shape that nobody foresaw is malformed like any other.

    Raises:
        MalformedPayload: it cannot be read; `Unforeseen` where reading it broke.
    """
    try:
        return read()
    except MalformedPayload:
        raise
    # The outer loop of one event: it is kept, not asked for again, and holds up no other.
    except Exception as error:
        raise Unforeseen(fault_of(error)) from error


async def keep_unreadable(
    service: Service, channel: str, account: str, why: MalformedPayload | str, raw: bytes
) -> str:
    """Keep what could not be read, for `recollect events`, and return its status.

    What nobody foresaw is logged, too, without a traceback: that would quote what was read.

    Raises:
        StoreUnavailable: it was not kept.
    """
    tenant = service.settings.tenant_of(channel, account)
    events = service.agent.stores.memory.events
    event_id = await events.keep(tenant, channel, account, str(why), raw)
    if isinstance(why, Unforeseen):
        log.error("event %s of %s/%s: %s", event_id, channel, account, why)
    return UNREADABLE


async def _message(service: Service, message: Message, about: str = "") -> str:
    # A clock ahead of ours: what is stated in the future would outdo all that is stated after it.
    # Channels count whole seconds, so the next message must not look older than this one.
    now = service.agent.stores.clock().replace(microsecond=0)
    message = replace(message, sent_at=min(message.sent_at, now))
    taken = await service.agent.take_in(message, about)
    if taken.outcome == "known":
        await _learn_from_twin(service, message)
    return taken.outcome


async def _change(service: Service, account: str, change: Edit | Revoke, raw: bytes) -> str:
    stores = service.agent.stores
    chat = change.chat
    now = stores.clock()
    at = change.edited_at if isinstance(change, Edit) else change.revoked_at
    outcome = await stores.memory.revisions.change(
        Change(
            chat=chat,
            message_id=change.message_id,
            kind="edit" if isinstance(change, Edit) else "revoke",
            action_id=change.action_id,
            text=change.text if isinstance(change, Edit) else "",
            author_ids=await _spellings(service, chat, change.sender_id),
            from_me=change.from_me,
            changed_at=at or now,
        ),
        now,
    )
    if outcome == "refused":
        kind = "an edit" if isinstance(change, Edit) else "a revoke"
        reason = f"{kind} by someone who did not write the message"
        await keep_unreadable(service, chat.channel, account, reason, raw)
    if outcome == "applied":
        service.follow_up.wake()
    return outcome


async def _spellings(service: Service, chat: ChatRef, sender_id: str) -> tuple[str, ...]:
    """Return the ids under which a sender may have been stored."""
    identities = service.agent.stores.memory.identities
    aliases = await identities.aliases(chat.tenant, chat.channel, sender_id)
    return (sender_id, *sorted(aliases))


async def _learn_from_twin(service: Service, message: Message) -> None:
    """Learn from a message that came before under another id of the same chat or sender."""
    stores = service.agent.stores
    for stored in await stores.memory.ledger.messages(message.chat.tenant, [message.uid]):
        pair = twin_pair(stored.message, message)
        if pair is not None:
            await learn(service, [pair], "twin")


async def learn(service: Service, pairs: list[Pair], how: str) -> None:
    """Remember pairs of ids; what was stored under a hidden one is joined by the follow-up."""
    if pairs and await service.agent.stores.memory.identities.learn(pairs, how):
        service.follow_up.wake()


def twin_pair(one: Message, other: Message) -> Pair | None:
    """Return the two ids that one message came under; None when they are one, or it is another.

    The id alone is the sender's choice, so that text and time have to agree as well.
    """
    apart = abs((one.sent_at - other.sent_at).total_seconds())
    if one.text != other.text or apart > MAX_TWIN_APART_S or one.is_group != other.is_group:
        return None
    if one.is_group and one.chat.chat_id != other.chat.chat_id:
        return None
    ids = (
        (one.sender_id, other.sender_id)
        if one.is_group
        else (
            one.chat.chat_id,
            other.chat.chat_id,
        )
    )
    traits = traits_of(one.chat.channel)
    hidden = next((each for each in ids if traits.is_hidden(each)), "")
    phone = next((each for each in ids if each.endswith("@c.us")), "")
    chat = one.chat
    if not hidden or not phone:
        return None
    return Pair(chat.tenant, chat.channel, chat.account, hidden, phone)
