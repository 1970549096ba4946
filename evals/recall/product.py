"""The product as a system of the `recall` suite: its own import and its own recall."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from evals.errors import MemoryIncomplete
from evals.recall.cases import CaseTurn
from evals.systems.system import SHOWN_TURNS, Found
from graph.stores import Stores
from memory.domain.chats import Actor, ChatRef, Message
from memory.domain.recalls import Recalled
from memory.projection.importing import import_batches
from memory.recall.breadth import for_prompt
from memory.recall.passages import remember
from memory.recall.recall import Scope, recall
from memory.text.chunks import estimate_tokens
from nodes.prompts import render_memory

BATCH_MESSAGES = 256
_FIRST_TIME = datetime(2026, 1, 1, tzinfo=UTC)
_STEP = timedelta(minutes=1)
_ASKED_AFTER = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Conversation:
    """A case as messages of one chat, a turn's id being its message id."""

    messages: tuple[Message, ...]
    scope: Scope
    asked_at: datetime


def conversation(tenant: str, case_id: str, turns: Sequence[CaseTurn]) -> Conversation:
    """Turn a case into messages: a direct chat, or a group when two or more users speak.

    Role `user` is a contact, one for each speaker; role `assistant` is the agent.
    """
    speakers = list(dict.fromkeys(turn.speaker for turn in turns if turn.role == "user"))
    is_group = len(speakers) > 1
    chat = ChatRef(tenant, "eval", "eval", case_id)
    contact = f"eval:{case_id}/{speakers[0] if speakers else ''}"
    messages = []
    sent_at = _FIRST_TIME
    for turn in turns:
        sent_at = _aware(turn.timestamp) if turn.timestamp else sent_at + _STEP
        is_user = turn.role == "user"
        sender = f"eval:{case_id}/{turn.speaker}" if is_user else "agent"
        messages.append(
            Message(
                chat=chat,
                message_id=turn.id,
                actor=Actor.CONTACT if is_user else Actor.AGENT,
                sender_id=sender,
                sender_name=turn.speaker or turn.role,
                contact_id=sender if is_user else ("" if is_group else contact),
                text=turn.text,
                sent_at=sent_at,
                is_group=is_group,
                from_me=not is_user,
            )
        )
    scope = Scope(tenant, contact, replace(messages[0], contact_id=contact).anchor, is_group)
    return Conversation(tuple(messages), scope, sent_at + _ASKED_AFTER)


class Recollect:
    """The product on open stores. `ingest` is the import of a history, `search` is `recall`."""

    def __init__(self, stores: Stores, case_id: str) -> None:
        self._stores = stores
        self._case_id = case_id
        self._case: Conversation | None = None
        self._turn_of: dict[str, str] = {}
        self._last: tuple[Recalled, ...] = ()
        self._several = 0.0

    async def ingest(self, turns: Sequence[CaseTurn]) -> None:
        """Import the conversation in batches."""
        case = conversation(self._stores.settings.tenant, self._case_id, turns)
        self._case = case
        self._turn_of = {message.uid: message.message_id for message in case.messages}
        batches = [
            case.messages[start : start + BATCH_MESSAGES]
            for start in range(0, len(case.messages), BATCH_MESSAGES)
        ]
        await import_batches(self._stores.memory, self._stores.projector, batches)

    async def search(self, query: str, k: int) -> Found:
        """Recall; confidence is the memory's certainty, else the closest message's similarity.

        Raises:
            MemoryIncomplete: a store was missing, so that what was found tells nothing. Where a
                model added nothing, that is counted.
        """
        case = self._case
        if case is None:
            return Found((), 0.0)
        found = await recall(self._stores.memory, case.scope, query, case.asked_at, k)
        stages = {stage.name for stage in found.stages}
        if missing := [part for part in found.missing if part not in stages]:
            raise MemoryIncomplete(f"Recall did without {', '.join(missing)}.")
        self._last, self._several = found.entries, found.several
        messages = [entry for entry in found.entries if entry.kind == "message"]
        ranked = {self._turn_of[e.item_id]: e for e in messages if e.item_id in self._turn_of}
        closest = max((entry.parts.get("cosine", 0.0) for entry in messages), default=0.0)
        sure = closest if found.certainty is None else found.certainty
        parts = {turn: {"score": entry.score, **entry.parts} for turn, entry in ranked.items()}
        return Found(tuple(ranked), sure, parts, found.stages)

    async def context_tokens(self, query: str, found: Found) -> int:
        """Return the estimated size of the memory block that a prompt would show."""
        del query, found
        case = self._case
        if case is None:
            return 0
        messages = [entry for entry in self._last if entry.kind == "message"]
        facts = [entry for entry in self._last if entry.kind == "fact"]
        budget = self._stores.settings.memory_tokens
        recalled = [*facts, *for_prompt(messages, self._several, SHOWN_TURNS)]
        remembered = await remember(self._stores.memory, case.scope, recalled, budget)
        return await asyncio.to_thread(estimate_tokens, render_memory(remembered.block))


def _aware(time: datetime) -> datetime:
    return time if time.tzinfo else time.replace(tzinfo=UTC)
