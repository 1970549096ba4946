"""What held on a day, as it is known now or as it was known then. Pure, over a history's rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, time, tzinfo

from memory.domain.facts import Fact
from memory.errors import RecollectError
from memory.facts.claims import Claim, claim_in
from memory.facts.slots import is_same


class BadTime(RecollectError):
    """A day or a time cannot be read."""


def as_of(history: Sequence[Fact], at: datetime, known: datetime | None = None) -> list[Fact]:
    """Return the facts that held at a time, by importance (highest first), then oldest first.

    Args:
        history: A contact's statements, in the order of recording.
        at: When they held in the world. A fact holds from `valid_from` until before `valid_to`.
        known: When one would have asked; None: now. What was recorded later counts for nothing, and
            what ended a fact later had not ended it yet.
    """
    held = [row for row in _latest(history, known) if _holds(row, at)]
    return sorted(held, key=lambda row: (-row.importance, row.valid_from))


def never_held(fact: Fact) -> bool:
    """Tell whether a fact was a mistake, put right since: it ended when it began."""
    return (
        fact.status == "closed" and fact.valid_to is not None and fact.valid_to <= fact.valid_from
    )


def as_at(fact: Fact, now: datetime) -> Fact:
    """Return a fact as it is at a time: what is over by itself is closed."""
    is_over = fact.status == "active" and fact.valid_to is not None and fact.valid_to <= now
    return replace(fact, status="closed") if is_over else fact


def over_of(facts: Sequence[Fact]) -> list[Fact]:
    """Return the facts that ended, of which nothing that holds says the same; no mistakes.

    `facts`: what holds, and what some messages told.
    """
    held = [fact for fact in facts if fact.status == "active"]
    return [
        fact
        for fact in facts
        if fact.status in ("closed", "repeated")
        and not never_held(fact)
        and not any(
            each.key == fact.key and is_same(each.key, each.value, fact.value) for each in held
        )
    ]


def ever_told(history: Sequence[Fact]) -> list[Fact]:
    """Return the facts that hold or held, as known now, in the order of recording."""
    return [row for row in _latest(history, None) if row.status in ("active", "closed")]


def moment_of(text: str, zone: tzinfo | None) -> datetime:
    """Return the time that a text names, in UTC: of a day its end, in a zone.

    Raises:
        BadTime: it names none.
    """
    try:
        moment = datetime.fromisoformat(text)
        if len(text) <= len("2026-03-31"):
            moment = datetime.combine(moment, time.max)
        return (moment if moment.tzinfo else moment.replace(tzinfo=zone)).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise BadTime("a day is written 2026-03-31, a time 2026-03-31T18:00") from error


def _latest(history: Sequence[Fact], known: datetime | None) -> list[Fact]:
    latest: dict[Claim, Fact] = {}
    for row in history:
        seen = _as_known(row, known)
        if seen is not None:
            # A fact that ended and holds again has a row for each; the last one counts.
            latest.pop(claim_in(row), None)
            latest[claim_in(row)] = seen
    return list(latest.values())


def _as_known(row: Fact, known: datetime | None) -> Fact | None:
    """Return a row as it stood then; None where it was not there yet."""
    if row.status == "retraction" or (known is not None and row.recorded_from > known):
        return None
    if known is None or row.recorded_to is None or row.recorded_to <= known:
        return row
    return replace(row, status="active", valid_to=row.expires_at, recorded_to=None, closed_by=None)


def _holds(row: Fact, at: datetime) -> bool:
    if row.status not in ("active", "closed") or row.valid_from > at:
        return False
    return row.valid_to is None or at < row.valid_to
