"""What a chat is about, stretch by stretch, and what a stretch comes down to (T2, T3). Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple


class Spoken(NamedTuple):
    """One message as an episode is made of it, in the order of time.

    `speaker` is whom a summary names; `is_agent`: the agent said it, and nothing of it is a fact.
    """

    uid: str
    speaker: str
    text: str
    at: datetime
    is_agent: bool = False


@dataclass(frozen=True, slots=True)
class Point:
    """One thing that a summary holds, in a sentence, and the messages that say it."""

    text: str
    uids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Summary:
    """What a stretch of a chat comes down to: two short paragraphs at most, and its points.

    Every sentence of `text` rests on messages of the stretch. `artifacts` are links and media.
    `made_by` names what wrote it: `extract/2`, or a chat model.
    """

    text: str
    topic: str
    people: tuple[str, ...] = ()
    facts: tuple[Point, ...] = ()
    decisions: tuple[Point, ...] = ()
    todos: tuple[Point, ...] = ()
    questions: tuple[Point, ...] = ()
    artifacts: tuple[Point, ...] = ()
    made_by: str = ""


@dataclass(frozen=True, slots=True)
class Episode:
    """A stretch of a chat about one matter: from its first message to its last, in order of time.

    `number` counts from 1 within the chat. `summary` is the running one while it is open, the
    final one afterwards; `chunks` are those of its stretches, where it is long.
    """

    episode_id: str
    tenant: str
    thread_id: str
    anchor: str
    number: int
    first_uid: str
    last_uid: str
    began_at: datetime
    ended_at: datetime
    turns: int
    is_open: bool
    summary: Summary | None = None
    chunks: tuple[Summary, ...] = ()
