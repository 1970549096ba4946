"""What a turn does with the messages it claimed, by policy (N5, N6). Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from memory.domain.channels import traits_of
from memory.domain.chats import Actor, Message, StoredMessage
from memory.policy.rules import Pause, Policy, is_paused
from nodes.state import Decision, Reason

MAX_CHATTER = 200
"""Messages of other senders that one turn takes along."""


class Verdict(NamedTuple):
    """What a turn does, and why."""

    decision: Decision
    reason: Reason


def decide(messages: Sequence[Message], policy: Policy, *, is_paused: bool = False) -> Verdict:
    """Decide for the messages of one sender, oldest first.

    - `record`: stored, and nothing more. What our own account sent, and blocked senders: they are
      never answered and nothing is learned from them.
    - `command`: there are commands alone; whoever may not give them is refused.
    - `respond`: a contact is answered by the model. An empty text is not (N2).
    - `observe`: stored and learned from, not answered: the policy says so, the sender is not among
      the allowed ones, or the agent keeps out of the chat.

    Where several reasons keep an answer back, the first of them is told: a pause, the channel, the
    list of allowed senders, the rule of the chat, an empty text.
    """
    if all(message.actor is Actor.OWNER for message in messages):
        messages = [message for message in messages if message.is_command]
    elif any(message.actor is not Actor.CONTACT for message in messages):
        return Verdict("record", "own_account")
    if not messages:
        return Verdict("record", "own_account")
    if policy.blocks(messages[-1]):
        return Verdict("record", "blocked")
    texts = [message for message in messages if not message.is_command]
    if not texts:
        return Verdict("command", "command")
    if is_paused:
        return Verdict("observe", "paused")
    return _by_policy(texts, policy)


def _by_policy(texts: Sequence[Message], policy: Policy) -> Verdict:
    """Decide for what a contact said, commands left out, while the agent keeps in."""
    if traits_of(texts[-1].chat.channel).is_silent:
        return Verdict("observe", "silent_channel")
    if not policy.admits(texts[-1]):
        return Verdict("observe", "not_allowed")
    rule = policy.reply(is_group=texts[-1].is_group)
    is_addressed = any(m.mentions_agent or m.replies_to_agent for m in texts)
    if rule == "off":
        return Verdict("observe", "replies_off")
    if rule == "mention_only" and not is_addressed:
        return Verdict("observe", "not_addressed")
    if not any(m.text.strip() for m in texts):
        return Verdict("observe", "empty_text")
    return Verdict("respond", "addressed" if is_addressed else "every_message")


def decide_stored(
    said: Sequence[StoredMessage], policy: Policy, pauses: Sequence[Pause], now: datetime
) -> tuple[Verdict, list[Message]]:
    """Decide with the chat's pauses; return the verdict and the texts that it is about.

    What came in while the agent kept out stays unanswered afterwards, beside what came later.
    """
    live = [
        each.message
        for each in said
        if (each.message.may_instruct and each.message.is_command)
        or not is_paused(pauses, each.arrived_at)
    ]
    chosen = live or [each.message for each in said]
    held = not live or is_paused(pauses, now)
    texts = [message for message in chosen if not message.is_command]
    return decide(chosen, policy, is_paused=held), texts


def chatter(
    pending: Sequence[StoredMessage],
    policy: Policy,
    pauses: Sequence[Pause],
    now: datetime,
) -> list[str]:
    """Return the uids of waiting messages that need no answer and whose senders are done.

    A sender's messages are looked at together: who mentions the agent in the second of two
    messages is answered for both. At most `MAX_CHATTER`, in order of arrival.
    """
    by_sender: defaultdict[str, list[StoredMessage]] = defaultdict(list)
    for stored in pending:
        by_sender[stored.message.sender_id].append(stored)
    quiet = timedelta(milliseconds=policy.debounce_ms)
    taken = [
        stored
        for said in by_sender.values()
        if said[-1].arrived_at + quiet <= now
        and not any(each.message.is_command for each in said)
        and decide_stored(said, policy, pauses, now)[0].decision == "observe"
        for stored in said
    ]
    return [stored.uid for stored in sorted(taken, key=lambda s: s.seq)[:MAX_CHATTER]]
