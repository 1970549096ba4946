"""One Telegram update to one value of the domain. Pure: no clock, no network, no stores.

Message ids are unique within a chat only; every event that is no message itself is named after its
update, which a redelivery repeats.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from channels.actor import decide_actor
from channels.errors import MalformedPayload
from channels.inbound import ChatMoved, Edit, Ignored, Inbound, SystemEvent
from channels.telegram.content import (
    BotIdentity,
    is_forwarded,
    mentions,
    service_kind,
    text_of,
)
from channels.telegram.payload import (
    Chat,
    Content,
    MemberChange,
    Reaction,
    Update,
    WireMessage,
)
from channels.text import clean_name, clean_text, safe_word
from channels.wire import read
from memory.domain.chats import Actor, ChatRef, Message, Quote

CHANNEL = "telegram"
ANONYMOUS_ADMIN = 1087968824
"""User id of @GroupAnonymousBot, the stand-in for an admin who posts in the group's name.

Source: Telegram Bot API, object Message, field `from`, and every such message seen.
"""


@dataclass(frozen=True, slots=True)
class _Known:
    """What is known before the event is read."""

    tenant: str
    account: str
    bot: BotIdentity
    owner_ids: frozenset[str]
    known_bots: frozenset[str]
    update_id: int

    @property
    def event_id(self) -> str:
        """A message id for what is no message; Telegram's own are numbers."""
        return f"update-{self.update_id}"

    def chat(self, chat_id: int, topic: str = "") -> ChatRef:
        return ChatRef(self.tenant, CHANNEL, self.account, str(chat_id), topic)


@dataclass(frozen=True, slots=True)
class _Author:
    """Who posted a message, behind the stand-ins that `from` can hold."""

    sender_id: str
    name: str
    actor: Actor
    from_me: bool


def normalize(
    update: object,
    *,
    tenant: str,
    account: str,
    bot: BotIdentity,
    owner_ids: frozenset[str],
    known_bots: frozenset[str],
) -> Inbound:
    """Turn one parsed update into a domain value.

    A listed owner is a contact who may command (`is_owner`). What our own bot posted is
    automation with `from_me`, which the outbox upgrades to the agent; neither is ever answered.

    Args:
        update: The update's JSON, from a webhook's body or from `getUpdates`.
        tenant: Tenant that owns the bot.
        account: The bot's id as text; part of every chat's key.
        bot: Who we are, for mentions and replies.
        owner_ids: Telegram user ids of the owner.
        known_bots: User or chat ids known to be machines. They win over `owner_ids`.

    Raises:
        MalformedPayload: The update lacks what its kind must have, or a field has a wrong type.
    """
    if not isinstance(update, dict):
        raise MalformedPayload("body", "is no object")
    head = read(Update, update, "")
    known = _Known(tenant, account, bot, owner_ids, known_bots, head.update_id)
    kind = next((str(key) for key in update if key != "update_id"), "")
    for name in ("message", "edited_message", "channel_post", "edited_channel_post"):
        if name in update:
            message = read(WireMessage, update[name], name)
            return _posted(known, message, name)
    if "message_reaction" in update:
        return _reaction(known, read(Reaction, update["message_reaction"], "message_reaction"))
    for name in ("my_chat_member", "chat_member"):
        if name in update:
            return _membership(known, name, read(MemberChange, update[name], name))
    return Ignored(f"update not read: {safe_word(kind)}")


def _posted(known: _Known, message: WireMessage, name: str) -> Inbound:
    if message.migrate_to_chat_id is not None:
        new = known.chat(message.migrate_to_chat_id)
        return ChatMoved(known.chat(message.chat.id), new)
    if message.migrate_from_chat_id is not None:
        old = known.chat(message.migrate_from_chat_id)
        return ChatMoved(old, known.chat(message.chat.id))
    if name.startswith("edited_"):
        return _edit(known, message)
    if kind := service_kind(message):
        at = _time(message.date)
        text = f"[{kind.replace('_', ' ')}]"
        return _system(known, kind, message.chat, str(message.message_id), text, at, message)
    if name == "channel_post" or message.chat.type == "channel":
        at, post_id = _time(message.date), str(message.message_id)
        return _system(known, name, message.chat, post_id, text_of(message), at, message)
    return _message(known, message)


def _message(known: _Known, message: WireMessage) -> Message:
    author = _author(known, message)
    is_group = message.chat.type != "private"
    quote, replies_to_agent = _quote(known, message)
    return Message(
        chat=known.chat(message.chat.id, _topic(message)),
        message_id=str(message.message_id),
        actor=author.actor,
        sender_id=author.sender_id,
        contact_id=_contact(message.chat, author),
        text=text_of(message),
        sent_at=_time(message.date),
        sender_name=author.name,
        is_group=is_group,
        from_me=author.from_me,
        mentions_agent=mentions(message, known.bot),
        replies_to_agent=replies_to_agent,
        forwarded=is_forwarded(message),
        is_owner=author.actor is Actor.CONTACT and author.sender_id in known.owner_ids,
        quote=quote,
    )


def _author(known: _Known, message: WireMessage) -> _Author:
    """Tell who posted a message.

    Who posts in the name of a chat comes with a stand-in in `from`. In the group's own name that
    is one of its admins, a person; in any other name it is a channel, which nobody answers.
    """
    sender, named = message.sender, message.sender_chat
    is_bot = sender is not None and sender.is_bot
    if named is not None:
        is_admin = named.id == message.chat.id and not message.is_automatic_forward
        if sender is not None and sender.id != ANONYMOUS_ADMIN:
            is_admin = is_admin and not is_bot
        author_id, name, is_machine = str(named.id), named.title or "", not is_admin
    elif sender is not None:
        author_id = str(sender.id)
        name = f"{sender.first_name} {sender.last_name or ''}".strip() or sender.username or ""
        is_machine = is_bot or message.is_automatic_forward
    else:
        author_id, name, is_machine = "", "", False
    from_me = sender is not None and sender.id == known.bot.bot_id
    actor = decide_actor(
        from_me=from_me,
        sender_id=author_id,
        is_echo_of_outbox=False,
        source=None,
        known_bots={*known.known_bots, author_id} if is_machine else known.known_bots,
        own_ids={str(known.bot.bot_id)},
    )
    return _Author(author_id, clean_name(name), actor, from_me)


def _contact(chat: Chat, author: _Author) -> str:
    """Return who the chat is with: the other side of a private chat, the speaker in a group."""
    if chat.type == "private":
        return f"{CHANNEL}:{chat.id}"
    return f"{CHANNEL}:{author.sender_id}" if author.actor is Actor.CONTACT else ""


def _topic(message: WireMessage) -> str:
    """Return the forum topic. Elsewhere the thread id only names a chain of replies."""
    if not message.is_topic_message or message.message_thread_id is None:
        return ""
    return str(message.message_thread_id)


def _quote(known: _Known, message: WireMessage) -> tuple[Quote | None, bool]:
    """Return what is replied to and whether it is ours.

    In a topic every message that replies to nothing else "replies" to the topic's first one.
    """
    part = clean_text(message.quote.text) if message.quote else ""
    replied = message.reply_to_message
    if replied is None:
        return (Quote("", part), False) if part and message.external_reply else (None, False)
    is_root = str(replied.message_id) == _topic(message) or replied.has("forum_topic_created")
    if is_root:
        return None, False
    sender_id = _speaker(replied)
    quote = Quote(str(replied.message_id), part or text_of(replied), sender_id)
    return quote, sender_id == str(known.bot.bot_id)


def _speaker(message: Content) -> str:
    if message.sender_chat is not None:
        return str(message.sender_chat.id)
    return str(message.sender.id) if message.sender is not None else ""


def _edit(known: _Known, message: WireMessage) -> Edit | Ignored:
    if message.has("location"):
        return Ignored("live location moved")
    edited_at = message.edit_date if message.edit_date is not None else message.date
    return Edit(
        chat=known.chat(message.chat.id, _topic(message)),
        message_id=str(message.message_id),
        action_id=known.event_id,
        text=text_of(message),
        sender_id=_speaker(message),
        from_me=message.sender is not None and message.sender.id == known.bot.bot_id,
        edited_at=_time(edited_at),
    )


def _reaction(known: _Known, event: Reaction) -> Inbound:
    symbols = "".join(clean_name(item.emoji or "*")[:16] for item in event.new_reaction[:3])
    text = f"[reaction {symbols}]" if symbols else "[reaction removed]"
    name, at = "message_reaction", _time(event.date)
    return _system(known, name, event.chat, known.event_id, text, at)


def _membership(known: _Known, name: str, event: MemberChange) -> Inbound:
    who = "bot" if name == "my_chat_member" else "member"
    text = f"[{who} is now {safe_word(event.new_chat_member.status)}]"
    return _system(known, name, event.chat, known.event_id, text, _time(event.date))


def _system(
    known: _Known,
    event: str,
    chat: Chat,
    message_id: str,
    text: str,
    at: datetime,
    message: WireMessage | None = None,
) -> SystemEvent:
    line = Message(
        chat=known.chat(chat.id, _topic(message) if message else ""),
        message_id=message_id,
        actor=Actor.SYSTEM,
        sender_id=_speaker(message) if message else "",
        contact_id=f"{CHANNEL}:{chat.id}" if chat.type == "private" else "",
        text=text,
        sent_at=at,
        is_group=chat.type != "private",
    )
    return SystemEvent(event, line)


def _time(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
