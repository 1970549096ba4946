"""What a person is like now: marks of their messages, and what these come to (C1-C4). Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Final, Literal, NamedTuple, get_args

MoodName = Literal["frustrated", "sad", "anxious", "excited", "confused", "neutral"]
MOODS: Final[tuple[MoodName, ...]] = get_args(MoodName)
NEUTRAL: Final[MoodName] = "neutral"

Energy = Literal["low", "medium", "high"]
Stage = Literal["new", "building", "established", "deep", "fading", "dormant"]
STAGES: Final[tuple[Stage, ...]] = get_args(Stage)


class Mark(NamedTuple):
    """What one message of a contact tells of them.

    `confidence` and `energy` lie in 0..1; `language` is empty where it is open.
    """

    mood: MoodName
    confidence: float
    energy: float
    language: str = ""


class Marked(NamedTuple):
    """A mark with its message's place in the order of time: `at` (UTC), then `seq`."""

    at: datetime
    seq: int
    mark: Mark


class MoodOfDay(NamedTuple):
    """The mood of most of what was said on a day, in the contact's time zone."""

    day: date
    messages: int
    mood: MoodName
    confidence: float


@dataclass(frozen=True, slots=True)
class Course:
    """All that is kept of a contact's messages, to go on from the last of them.

    Times are UTC, days those of the contact's zone. `moods` is the evidence for each of `MOODS`,
    `energy` the sum of energies by the weights that `energy_weight` sums, as of `last_at`. `gaps`
    are the days between one active day and the next, the latest last. `bond` counts active days,
    older ones less. `hours` weighs the 24 hours of the day, `languages` what was written in.
    `day_moods` is the evidence of `last_day`, `days` the days before, oldest first.
    """

    first_at: datetime
    last_at: datetime
    last_seq: int
    first_day: date
    last_day: date
    messages: int
    active_days: int
    streak: int
    bond: float
    gaps: tuple[int, ...]
    moods: tuple[float, ...]
    energy: float
    energy_weight: float
    hours: tuple[float, ...]
    languages: tuple[tuple[str, float], ...]
    day_messages: int
    day_moods: tuple[float, ...]
    days: tuple[MoodOfDay, ...] = ()


@dataclass(frozen=True, slots=True)
class State:
    """What a contact is like at a moment.

    `streak` counts days in a row with a message, up to today or yesterday. `churn_risk` is the
    chance, 0..1, that they do not come back. `usual_hours`: from one hour of the day until before
    another, in their zone; None while little is known. `language` is empty where it is open.
    """

    mood: MoodName
    mood_confidence: float
    energy: Energy
    stage: Stage
    streak: int
    churn_risk: float
    silent_days: int = 0
    active_days: int = 0
    messages: int = 0
    usual_hours: tuple[int, int] | None = None
    language: str = ""


def is_name(text: str, contact_id: str) -> bool:
    """Tell whether a text names a contact, and is not just the id under which they write."""
    return bool(text) and text != contact_id.partition(":")[2]


@dataclass(frozen=True, slots=True)
class ContactRow:
    """A contact as it is kept.

    `told_name` is what a fact calls them, `said_name` what they are called where they wrote last
    under a name that says more than their id; `channel` is where they wrote last. `zone` names the
    time zone that days were counted in; `made_by` the rules that made it. `version` rises with
    every change.
    """

    contact_id: str
    told_name: str
    said_name: str
    channel: str
    zone: str
    made_by: str
    course: Course
    version: int = 0

    @property
    def name(self) -> str:
        """How to call them; empty where nobody says."""
        return self.told_name or self.said_name
