"""The port of a contact's messages in the order of time, wherever they were said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, tzinfo
from typing import Protocol

from memory.domain.chats import StoredMessage
from memory.domain.contacts import MoodName


@dataclass(frozen=True, slots=True)
class Week:
    """What a contact said in a week, in their zone: from its Monday on, how much, in what moods."""

    monday: date
    messages: int
    moods: Mapping[MoodName, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class WeekOfAuthors:
    """How much each author said in a week, from its Monday on: `contact`, `agent`, `owner`, ..."""

    monday: date
    messages: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Activity:
    """How a contact and the agent talk with each other, since their first message.

    `weeks` in order, those in which nothing was said left out: both sides of direct chats, and what
    the contact says elsewhere. The rest is of what the contact says: `hours` counts it by the hour
    of the day in their zone, 24 numbers; `answered` has an answer, after `reply_s` seconds in the
    median, None where none has; `unanswered` counts the rest by reason.
    """

    weeks: Sequence[WeekOfAuthors] = ()
    hours: Sequence[int] = (0,) * 24
    answered: int = 0
    reply_s: float | None = None
    unanswered: Mapping[str, int] = field(default_factory=dict)


class Timelines(Protocol):
    """What was said with a contact, and how much of it when."""

    async def said(
        self, tenant: str, contact_id: str, before: datetime | None, limit: int
    ) -> Sequence[StoredMessage]:
        """Return the last `limit` messages sent before a moment, oldest first.

        All of a contact's direct chats and of chats imported for them; of other groups, what they
        say. Nothing that is withheld or that nobody wrote.
        """
        ...

    async def weeks(self, tenant: str, contact_id: str, zone: tzinfo, limit: int) -> Sequence[Week]:
        """Return the last `limit` weeks in which a contact said anything, in order."""
        ...

    async def activity(self, tenant: str, contact_id: str, zone: tzinfo) -> Activity:
        """Return how a contact and the agent talk; nothing of somebody unknown.

        Reasons are `imported` (it was never to be answered), `waiting`, `command`, `kept out`,
        `deleted`, `no words`, `failed`, `running`, what the audit says of the gate (`paused`,
        `blocked`, `not allowed`), else `not called for`: nobody meant the agent in a group, answers
        are off, or the channel is never answered.
        """
        ...
