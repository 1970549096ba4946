"""A case as messages, and the case played through the product's import."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from evals.facts.cases import Check, FactCase, FactTurn
from graph.stores import Stores
from memory.domain.chats import Actor, ChatRef, Message
from memory.domain.facts import Fact
from memory.facts.reading.rules import extract
from memory.projection.importing import import_batches

CHANNEL = "eval"
_FIRST_TIME = datetime(2026, 1, 1, tzinfo=UTC)
_STEP = timedelta(minutes=1)
_ACTORS = {
    "user": Actor.CONTACT,
    "assistant": Actor.AGENT,
    "owner": Actor.OWNER,
    "system": Actor.SYSTEM,
}


@dataclass(frozen=True, slots=True)
class Known:
    """What a store held of each speaker when a check was made; the first speaker comes first.

    `turn_of`: which turn a message was, by uid.
    """

    check: Check
    active: dict[str, list[Fact]]
    history: dict[str, list[Fact]]
    turn_of: dict[str, str]


@dataclass(frozen=True, slots=True)
class Played:
    """A case that was played: what was known at each check, and how long reading took.

    `extract_ms`: the rules alone, for each message that they may read.
    """

    case: FactCase
    known: tuple[Known, ...]
    extract_ms: tuple[float, ...]


async def play(stores: Stores, case: FactCase) -> Played:
    """Import a case turn by turn, and look at the facts where it has checks."""
    messages = as_messages(stores.settings.tenant, case)
    ids = [turn.id for turn in case.turns]
    known, start = [], 0
    for check in case.checks:
        end = ids.index(check.after) + 1
        if messages[start:end]:
            await import_batches(stores.memory, stores.projector, [messages[start:end]])
        start = end
        known.append(await _look(stores, case, check, messages))
    return Played(case, tuple(known), tuple(extraction_times(messages)))


async def _look(stores: Stores, case: FactCase, check: Check, messages: list[Message]) -> Known:
    tenant = stores.settings.tenant

    async def of_each(read: Callable[[str, str], Awaitable[list[Fact]]]) -> dict[str, list[Fact]]:
        return {speaker: await read(tenant, contact_id(case, speaker)) for speaker in case.speakers}

    return Known(
        check,
        await of_each(stores.memory.facts.active),
        await of_each(stores.memory.facts.history),
        {message.uid: message.message_id for message in messages},
    )


def extraction_times(messages: list[Message]) -> list[float]:
    """Return how long the rules take to read each contact's message, in milliseconds."""
    times = []
    for message in messages:
        if message.actor is not Actor.CONTACT or not message.text.strip():
            continue
        started = time.perf_counter()
        extract(
            message.text,
            source_uid=message.uid,
            stated_at=message.sent_at,
            anchor=message.anchor,
        )
        times.append((time.perf_counter() - started) * 1000)
    return times


def contact_id(case: FactCase, speaker: str) -> str:
    """Return the id of a speaker of a case."""
    return f"{CHANNEL}:{case.case_id}/{speaker}"


def as_messages(tenant: str, case: FactCase) -> list[Message]:
    """Turn a case into messages, a turn's id being its message id.

    A case has one group; each speaker has a direct chat of its own. What others say in a direct
    chat belongs to the one whose turn came before.
    """
    messages: list[Message] = []
    speaker = case.speakers[0] if case.speakers else ""
    sent_at = _FIRST_TIME
    for turn in case.turns:
        speaker = turn.speaker if turn.role == "user" else speaker
        sent_at = _aware(turn.timestamp) if turn.timestamp else sent_at + _STEP
        messages.append(_message(tenant, case, turn, speaker, sent_at))
    return messages


def _message(
    tenant: str, case: FactCase, turn: FactTurn, speaker: str, sent_at: datetime
) -> Message:
    is_group, is_contact = turn.chat == "group", turn.role == "user"
    contact = contact_id(case, speaker)
    return Message(
        chat=ChatRef(
            tenant, CHANNEL, CHANNEL, case.case_id if is_group else f"{case.case_id}/{speaker}"
        ),
        message_id=turn.id,
        actor=_ACTORS[turn.role],
        sender_id=contact if is_contact else turn.role,
        sender_name=turn.speaker or turn.role,
        contact_id=contact if is_contact or not is_group else "",
        text=turn.text,
        sent_at=sent_at,
        is_group=is_group,
        from_me=turn.role in ("assistant", "owner"),
        forwarded=turn.forwarded,
        is_owner=turn.role == "owner",
    )


def _aware(at: datetime) -> datetime:
    return at if at.tzinfo else at.replace(tzinfo=UTC)
