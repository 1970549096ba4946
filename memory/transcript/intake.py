"""How every message enters: an echo confirms its delivery, anything else is stored once.

What it is to us is decided here, once, and stored with it: whether it is a command, whether it is
withheld from prompts, searches and lessons, and whether it teaches facts.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final, Literal

from memory.domain.chats import Actor, ChatRef, Message
from memory.errors import InvalidMessage
from memory.policy.commands import is_command
from memory.policy.forgetting import is_forgetting
from memory.policy.keeping import Rule, kept_out_by
from memory.policy.rules import EVERYONE, Policy, scopes_of
from memory.ports.bundle import Memory

Outcome = Literal["echo", "new", "known"]

AHEAD: Final = timedelta(days=1)
"""So far a sender's clock may run ahead of ours, or count in another zone's hours."""

_OWN = frozenset({Actor.OWNER, Actor.AUTOMATION, Actor.AGENT})


@dataclass(frozen=True, slots=True)
class Intake:
    """What became of a message: the outcome, and the message as it was judged."""

    outcome: Outcome
    message: Message


async def take_in(
    memory: Memory,
    message: Message,
    arrived_at: datetime,
    policy: Policy | None = None,
    *,
    for_worker: bool = False,
    about: str = "",
) -> Intake:
    """Store a message unless it is an echo of a reply of ours, which has its row already (W6).

    What the owner typed by hand in somebody's chat pauses the agent there, for a time from when it
    was sent: what comes after that time pauses nothing. Durable when it
    returns: a webhook may answer 2xx then. A crash in between is made good by the redelivery.
    What is dated further ahead than any clock runs is of when it arrived: it would stay the newest
    of its chat for good. `policy`: what holds in the chat, where the caller knows it. `for_worker`:
    a worker looks at the chat when the sender has been quiet, at the owner's order at once.
    `about`: the uid of what it is about; nothing is stored of what was erased, nor about that.
    """
    if message.actor in _OWN and await memory.outbox.match_echo(message):
        return Intake("echo", message)
    if policy is None:
        policy = await memory.policies.resolve(message.chat)
    if message.sent_at > arrived_at + AHEAD:
        message = replace(message, sent_at=arrived_at)
    judged = judge(message, policy)
    ends_at = min(judged.sent_at, arrived_at) + timedelta(seconds=policy.takeover_s)
    if is_takeover(judged) and ends_at > arrived_at:
        # Before the row: a row without its pause would never get it, a pause is kept by message.
        await memory.pauses.begin(
            judged.chat.tenant,
            scopes_of(judged.chat)[-1],
            judged.uid,
            "takeover",
            arrived_at,
            ends_at,
        )
    look_in_s = _quiet_s(judged, policy) if for_worker and judged.awaits_turn else None
    (recorded,) = await memory.ledger.record(
        [judged], arrived_at=arrived_at, look_in_s=look_in_s, about=about
    )
    await note_rules(memory, [judged], policy.never)
    return Intake("new" if recorded.is_new else "known", judged)


@asynccontextmanager
async def conversation_of_one(memory: Memory, message: Message) -> AsyncIterator[None]:
    """Let a message in which another system names conversation and contact be stored meanwhile.

    A conversation is one contact's, whoever's message came first: two people in one would be shown
    what the other said.

    Raises:
        InvalidMessage: the conversation is another contact's.
    """
    async with AsyncExitStack() as first:
        whose = await memory.ledger.contact_of(message.chat)
        if not whose:
            await first.enter_async_context(memory.locks.hold(f"first/{message.chat.thread_id}"))
            whose = await memory.ledger.contact_of(message.chat)
        if whose not in ("", message.contact_id):
            raise anothers(message.chat)
        yield


def anothers(chat: ChatRef) -> InvalidMessage:
    """Return the refusal of a conversation that is another contact's."""
    return InvalidMessage(
        f"Conversation {chat.chat_id!r} is another contact's: name one of this contact's own."
    )


def judge(message: Message, policy: Policy) -> Message:
    """Return a message with what the policy makes of it: a command, withheld, no lesson.

    A wish to have something forgotten is a command of whoever it is about. What a rule keeps out by
    its words is answered, and kept in the transcript alone.
    """
    message = withheld_by(message, policy.never)
    is_order = is_command(message, policy) or is_forgetting(message, policy)
    is_blocked = message.actor is Actor.CONTACT and policy.blocks(message)
    teaches = message.may_instruct or policy.learns_from == EVERYONE
    withheld = is_order or is_blocked or message.withheld
    return replace(message, is_command=is_order, withheld=withheld, teaches=teaches)


def withheld_by(message: Message, rules: Sequence[Rule]) -> Message:
    """Return a message, withheld where a rule keeps it out."""
    return replace(message, withheld=True) if kept_out_by(message, rules) else message


async def note_rules(memory: Memory, messages: Sequence[Message], rules: Sequence[Rule]) -> None:
    """Note which rules keep recorded messages out; nothing is written where none does."""
    kept_out = {each.uid: rule for each in messages if (rule := kept_out_by(each, rules))}
    if kept_out:
        noted = {uid: [rule.rule_id] for uid, rule in kept_out.items()}
        await memory.rules.note(messages[0].chat.tenant, noted)


def _quiet_s(message: Message, policy: Policy) -> float:
    is_order = message.may_instruct and message.is_command
    return 0.0 if is_order else min(policy.debounce_ms, policy.debounce_max_ms) / 1000


def is_takeover(message: Message) -> bool:
    """Tell whether a message of the owner's takes a chat over: no command, no note to self."""
    return (
        message.actor is Actor.OWNER
        and not message.is_command
        and message.chat.chat_id != message.sender_id
    )
