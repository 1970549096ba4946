"""How a message would be decided: by the code that decides when one comes in."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from graph.stores import Stores
from memory.domain.chats import Actor, ChatRef, Message
from memory.policy.keeping import kept_out_by
from memory.policy.rules import is_listed, is_paused, parse_scope
from memory.transcript.intake import judge
from nodes.commands.run import REFUSAL
from nodes.decisions import Verdict, decide

ACCOUNT: Final = "?"
"""Of a chat that nobody named: no rules are set for it."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A message that nobody sent. `where`: a channel, or CHANNEL/ACCOUNT/CHAT_ID."""

    text: str
    sender_id: str
    where: str = "waha"
    is_group: bool = False
    mentions_agent: bool = False


@dataclass(frozen=True, slots=True)
class Previewed:
    """What would become of it, and what else holds: a line each."""

    outcome: Verdict
    notes: tuple[str, ...] = ()


async def previewed(stores: Stores, sample: Sample) -> Previewed:
    """Return how a message would be decided now. Nothing is kept of it.

    Raises:
        BadPolicy: there is no such channel or chat.
    """
    message = _message(stores, sample)
    now = stores.clock()
    standing = await stores.memory.policies.standing(message.chat, now)
    judged = judge(message, standing.policy)
    outcome = decide([judged], standing.policy, is_paused=is_paused(standing.pauses, now))
    notes = []
    if judged.is_command and not judged.may_instruct:
        notes.append(f"A command of somebody else is refused: “{REFUSAL}”")
    if rule := kept_out_by(judged, standing.policy.never):
        notes.append(f"It would stay in the transcript alone, by a rule: {rule.name}.")
    elif not judged.teaches:
        notes.append("No fact would be read from it: facts are the owner's alone.")
    if outcome.decision == "observe":
        notes.append("It would be kept and learned from, and not answered.")
    return Previewed(outcome, tuple(notes))


def _message(stores: Stores, sample: Sample) -> Message:
    settings = stores.settings
    channel, _, rest = parse_scope(sample.where or "web").partition("/")
    account, _, chat_id = rest.partition("/")
    sender = sample.sender_id.strip() or "somebody"
    chat = ChatRef(settings.tenant, channel, account or ACCOUNT, chat_id or sender)
    message = Message(
        chat=chat,
        message_id="preview",
        actor=Actor.CONTACT,
        sender_id=sender,
        contact_id=f"{channel}:{sender}",
        text=sample.text,
        sent_at=stores.clock(),
        is_group=sample.is_group,
        mentions_agent=sample.mentions_agent,
    )
    is_bot = is_listed(message, settings.known_bots)
    return replace(
        message,
        actor=Actor.AUTOMATION if is_bot else Actor.CONTACT,
        is_owner=is_listed(message, settings.owner_ids),
    )
