"""What is known of people: observations, and facts with their history. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

Category = Literal["identity", "preference", "constraint", "instruction"]


FactStatus = Literal["active", "closed", "rejected"]


@dataclass(frozen=True, slots=True)
class Observation:
    """One candidate fact read from one message.

    `confidence` and `importance` lie in 0..1. `retracts` closes matching facts instead of adding
    one (value `*` closes any value of the key). `anchor` is where it was said (its audience).
    """

    category: Category
    key: str
    value: str
    confidence: float
    importance: float
    source_uid: str
    stated_at: datetime
    anchor: str
    retracts: bool = False


@dataclass(frozen=True, slots=True)
class ContactObservations:
    """What one message told about one contact."""

    contact_id: str
    observations: tuple[Observation, ...]


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact about a contact, bi-temporal: valid in the world, recorded in the store."""

    fact_id: str
    tenant: str
    contact_id: str
    category: Category
    key: str
    value: str
    confidence: float
    importance: float
    source_uid: str
    anchor: str
    status: FactStatus
    valid_from: datetime
    valid_to: datetime | None
    recorded_from: datetime
    recorded_to: datetime | None
