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
