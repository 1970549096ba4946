"""What held once, and what was known once: reads of a fact's two times (L3). Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from memory.domain.facts import Fact
from memory.facts.claims import claim_in


def held_at(rows: Sequence[Fact], at: datetime) -> list[Fact]:
    """Return the facts that held at a time, by all that is known now.

    `rows`: a contact's history, in the order of recording. Each is as it ended, if it did.
    """
    latest = {claim_in(row): row for row in rows if row.status != "retraction"}
    return [
        row
        for row in latest.values()
        if row.status in ("active", "closed")
        and row.valid_from <= at
        and (row.valid_to is None or at < row.valid_to)
    ]


def known_at(rows: Sequence[Fact], at: datetime) -> list[Fact]:
    """Return the facts that were taken to hold when it was `at` in the store.

    `rows`: a contact's history. What another contact's messages told became this one's with all
    its times, and what was erased was never known.
    """
    return [
        row
        for row in rows
        if row.status != "retraction"
        and row.recorded_from <= at
        and (row.recorded_to is None or at < row.recorded_to)
    ]
