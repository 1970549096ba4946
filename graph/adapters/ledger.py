"""The messages of somebody else's graph and our ledger: what is new is stored, a new text an edit.

All that a human or a model said in the state is kept under its id, as the state has it now: once,
whichever node comes first, and however often it runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langchain_core.runnables import RunnableConfig

from channels.text import clean_text
from graph.stores import Stores
from memory.domain.channels import INGEST
from memory.domain.chats import Actor, ChatRef, Message, StoredMessage, contact_named, message_uid
from memory.errors import InvalidMessage
from memory.policy.rules import Policy
from memory.transcript.intake import conversation_of_one, judge, note_rules
from memory.transcript.revisions import edit_to
from nodes.threads import note_refused, refuse_others, refused_lines

ACCOUNT: Final = "graph"
"""Of the channel of conversations that other systems lead: those of a graph."""

MAX_CONTACT_CHARS: Final = 300


@dataclass(frozen=True, slots=True)
class Kept:
    """What a state's messages came to: who said the last, all that they said, what is to go."""

    said: Message
    of_contact: tuple[Message, ...]
    removed: tuple[AnyMessage, ...]


def checked_contact(given: object) -> str:
    """Return a contact's name as it was given, or its id.

    Raises:
        InvalidMessage: it is missing, blank or no text, or a channel without a name.
    """
    if given is None or (isinstance(given, str) and not given.strip()):
        raise InvalidMessage(
            "Say whose memory it is: configurable.contact of a run, contact= for all."
        )
    if not isinstance(given, str) or given.startswith(":") or given.endswith(":"):
        raise InvalidMessage('A contact is a text such as "alex" or "telegram:12345".')
    if given != given.strip() or not given.isprintable() or len(given) > MAX_CONTACT_CHARS:
        raise InvalidMessage(
            f"A contact is one line of at most {MAX_CONTACT_CHARS} characters, no blank around it."
        )
    return given


async def heard(
    stores: Stores, messages: Sequence[AnyMessage], config: RunnableConfig, contact: str | None
) -> Message:
    """Return the last human message as its contact's, in a conversation that is theirs or new.

    `contact`: whose memory it is where the run does not say.

    Raises:
        InvalidMessage: there is no human message, or a message without an id, or the run does not
            say which conversation and whose, or the conversation is another contact's.
    """
    given, now = config.get("configurable") or {}, stores.clock()
    human = next((each for each in reversed(messages) if _is_human(each)), None)
    if human is None:
        raise InvalidMessage("There is no human message to remember.")
    if any(each.id is None for each in messages if _is_kept(each)):
        raise InvalidMessage("A message has no id: keep messages by add_messages, as MessagesState")
    if not given.get("thread_id"):
        raise InvalidMessage("Say which conversation it is: configurable.thread_id.")
    chat = ChatRef(stores.settings.tenant, INGEST, ACCOUNT, str(given["thread_id"]))
    try:
        name = checked_contact(given.get("contact", contact))
    except InvalidMessage:
        # Nobody knows whose it is: it is not to become the next one's.
        if whose := await stores.memory.ledger.contact_of(chat):
            await note_refused(stores.memory, chat, whose, messages, now)
        raise
    said = replace(_line(human, chat, contact_named(name), now), sender_name=human.name or name)
    await refuse_others(stores.memory, said, messages)
    return said


async def keep(stores: Stores, messages: Sequence[AnyMessage], said: Message) -> Kept:
    """Store what of a state's messages is not stored yet, and take new texts for edits.

    `said`: as `heard` returned it.

    Raises:
        InvalidMessage: the last human message was refused, or the conversation has become another
            contact's.
    """
    memory, now = stores.memory, said.sent_at
    policy = await memory.policies.resolve(said.chat)
    lines = [
        replace(_line(each, said.chat, said.contact_id, now), sender_name=_name(each, said))
        for each in messages
        if _is_kept(each)
    ]
    # Of the others there is something only where they were refused.
    uids = [message_uid(said.chat, str(each.id)) for each in messages]
    stored = await memory.ledger.messages(said.chat.tenant, uids)
    known = {each.uid: each for each in stored}
    if _was_refused(known.get(said.uid)):
        raise InvalidMessage("The last message was refused here: send it anew, under another id.")
    judged = _judged(lines, known, policy)
    new = [line for line in judged if line.uid not in known]
    # Led by another system: it waits for no turn of ours, and is never answered.
    async with conversation_of_one(memory, said):
        await memory.ledger.record(new, history=True, arrived_at=now)
    await note_rules(memory, [line for line in new if line.actor is Actor.CONTACT], policy.never)
    for line in judged:
        if (before := known.get(line.uid)) and (edit := edit_to(before, line, now)):
            await memory.revisions.change(edit, now)
    ours = [line for line in judged if not _was_refused(known.get(line.uid))]
    return Kept(
        said=next((line for line in ours if line.uid == said.uid), said),
        of_contact=tuple(line for line in ours if line.actor is Actor.CONTACT),
        removed=tuple(refused_lines(messages, stored)),
    )


def _is_human(message: AnyMessage) -> bool:
    """Tell whether a person said it: LangChain's own summaries and notices are no person's."""
    return isinstance(message, HumanMessage) and "lc_source" not in message.additional_kwargs


def _is_kept(message: AnyMessage) -> bool:
    return _is_human(message) or (isinstance(message, AIMessage) and bool(message.text.strip()))


def _name(message: AnyMessage, said: Message) -> str:
    return (message.name or said.sender_name) if _is_human(message) else "agent"


def _line(message: AnyMessage, chat: ChatRef, contact_id: str, now: datetime) -> Message:
    is_human = isinstance(message, HumanMessage)
    return Message(
        chat=chat,
        message_id=str(message.id),
        actor=Actor.CONTACT if is_human else Actor.AGENT,
        sender_id=contact_id if is_human else "agent",
        contact_id=contact_id,
        text=clean_text(message.text),
        sent_at=now,
        from_me=not is_human,
    )


def _judged(
    lines: Sequence[Message], known: Mapping[str, StoredMessage], policy: Policy
) -> list[Message]:
    """Return the lines as the policy has them; a reply to what is kept out is kept out, too."""
    judged: list[Message] = []
    is_out = False
    for line in lines:
        before = known.get(line.uid)
        if line.actor is Actor.CONTACT:
            line = judge(line, policy)
            is_out = before.withheld if before else line.withheld
            judged.append(line)
        else:
            judged.append(replace(line, withheld=is_out, teaches=False))
    return judged


def _was_refused(before: StoredMessage | None) -> bool:
    return before is not None and before.message.actor is Actor.SYSTEM
