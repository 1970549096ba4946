"""What held on a day, as it is known now or as it was known then. Pure, over a history's rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from memory.domain.facts import Fact
from memory.facts.claims import Claim, claim_in


def as_of(history: Sequence[Fact], at: datetime, known: datetime | None = None) -> list[Fact]:
    """Return the facts that held at a time, by importance (highest first), then oldest first.

    Args:
        history: A contact's statements, in the order of recording.
        at: When they held in the world. A fact holds from `valid_from` until before `valid_to`.
        known: When one would have asked; None: now. What was recorded later counts for nothing, and
            what ended a fact later had not ended it yet.
    """
    latest: dict[Claim, Fact] = {}
    for row in history:
        seen = _as_known(row, known)
        if seen is not None:
            # A fact that ended and holds again has a row for each; the last one counts.
            latest.pop(claim_in(row), None)
            latest[claim_in(row)] = seen
    return sorted(
        (row for row in latest.values() if _holds(row, at)),
        key=lambda row: (-row.importance, row.valid_from),
    )


def _as_known(row: Fact, known: datetime | None) -> Fact | None:
    """Return a row as it stood then; None where it was not there yet."""
    if row.status == "retraction" or (known is not None and row.recorded_from > known):
        return None
    if known is None or row.recorded_to is None or row.recorded_to <= known:
        return row
    return replace(row, status="active", valid_to=None, recorded_to=None, closed_by=None)


def _holds(row: Fact, at: datetime) -> bool:
    if row.status not in ("active", "closed") or row.valid_from > at:
        return False
    return row.valid_to is None or at < row.valid_to
