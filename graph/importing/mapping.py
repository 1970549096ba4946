"""What the entries of an export become: messages of a chat that its person was in. Pure.

An imported chat is stored like a group, also where two people talked: it has one anchor for the
whole conversation, every speaker is a contact, and the one whose memory it becomes is the local
contact of the terminal and the page. So facts about that person are theirs, and nobody else's
direct chat holds a word of it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from channels.exports.export import Entry, Export, ExportedChat, ExportKind
from memory.domain.chats import Actor, ChatRef, Message, Quote, local_contact
from memory.errors import RecollectError

ACCOUNT = "import"
NAMES_LISTED = 12


class UnknownSpeaker(RecollectError):
    """Nobody of that name speaks in the export."""


@dataclass(frozen=True, slots=True)
class Owner:
    """Whose memory an import becomes: a local contact, and how that person is called in the file.

    `speaker` is empty for somebody who only read along.
    """

    tenant: str
    contact: str
    speaker: str

    @property
    def contact_id(self) -> str:
        """The contact as the ledger names it."""
        return local_contact(self.contact)


@dataclass(frozen=True, slots=True)
class Speaker:
    """Somebody who speaks in an export, and how many messages are theirs."""

    name: str
    messages: int


def speakers(export: Export) -> list[Speaker]:
    """Return who speaks, first whoever speaks in most of the chats, then the most talkative."""
    messages: Counter[str] = Counter()
    chats: Counter[str] = Counter()
    for chat in export.chats:
        messages.update(chat.people)
        chats.update(chat.people.keys())
    names = sorted(messages, key=lambda name: (-chats[name], -messages[name]))
    return [Speaker(name, messages[name]) for name in names]


def find_speaker(export: Export, name: str) -> str:
    """Return the speaker of that name as the export writes it; case counts only among namesakes.

    Raises:
        UnknownSpeaker: there is none; the line lists who speaks.
    """
    known = speakers(export)
    wanted = name.strip()
    alike = [each.name for each in known if each.name.casefold() == wanted.casefold()]
    if not alike:
        raise UnknownSpeaker(f"--me {wanted}: nobody of that name writes here. {listed(known)}")
    return wanted if wanted in alike else alike[0]


def listed(known: list[Speaker]) -> str:
    """Return who speaks, in one line for an error."""
    if not known:
        return "Nobody writes anything in it."
    names = ", ".join(f"“{each.name}” ({each.messages:,})" for each in known[:NAMES_LISTED])
    more = len(known) - NAMES_LISTED
    return f"Those who write: {names}" + (f" and {more:,} more." if more > 0 else ".")


def chat_of(tenant: str, kind: ExportKind, chat: ExportedChat) -> tuple[ChatRef, str]:
    """Return the ledger's chat and its anchor for a chat of an export."""
    ref = ChatRef(tenant, kind, ACCOUNT, chat.key)
    return ref, ref.group_anchor


def chat_of_anchor(tenant: str, anchor: str) -> ChatRef:
    """Return the chat that an anchor of `chat_of` belongs to."""
    _, kind, account, key = anchor.split(":", 3)
    return ChatRef(tenant, kind, account, key)


def to_message(entry: Entry, chat: ChatRef, owner: Owner) -> Message:
    """Return an entry as a message of its chat. A deleted one has no text."""
    if entry.is_system:
        actor, contact_id = Actor.SYSTEM, ""
    else:
        actor = Actor.CONTACT
        is_owner = bool(owner.speaker) and entry.sender == owner.speaker
        contact_id = owner.contact_id if is_owner else f"{chat.channel}:{entry.sender_id}"
    return Message(
        chat=chat,
        message_id=entry.message_id,
        actor=actor,
        sender_id=entry.sender_id,
        sender_name=entry.sender,
        contact_id=contact_id,
        text="" if entry.is_deleted else entry.text,
        sent_at=entry.sent_at,
        is_group=True,
        forwarded=entry.forwarded,
        quote=Quote(entry.reply_to) if entry.reply_to else None,
    )
