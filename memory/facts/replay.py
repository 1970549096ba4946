"""All rows of a contact as its messages give them: what the fact store should hold (X4). Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from memory.domain.facts import APART, ENDED, Fact, Observation, fact_id_of
from memory.facts.claims import Claim, claim_in, claim_of, is_final, row_of, settled, stands
from memory.facts.supersession import merge


@dataclass(frozen=True, slots=True)
class Told:
    """What one message tells of its contact, and when it was recorded."""

    observations: Sequence[Observation]
    recorded_at: datetime


def replay(
    tenant: str,
    contact_id: str,
    rows: Sequence[Fact],
    told: Sequence[Told],
    corrections: Sequence[Observation] = (),
) -> list[Fact]:
    """Return a contact's rows as they follow from its messages, those that do not count first.

    Args:
        tenant: Whose memory it is.
        contact_id: Whose facts they are.
        rows: What is stored, in order. What agrees with the messages stays as it is; the rest gets
            its ids from there, so that receipts find it. Rows that do not count any more, because
            their message says so no more or their fact holds under another row, stay as history.
        told: What the contact's messages tell, in the order of the ledger.
        corrections: What no message tells: people did it by hand, or see `taken_back`.
    """
    known = {claim_in(row): row for row in rows}
    final = {claim: row for claim, row in known.items() if _was_not_recorded(row)}
    ended = {f"{row.source_uid}{ENDED}" for row in final.values()}
    by_hand = _by_source(each for each in corrections if each.source_uid not in ended)
    claims = dict(final)
    recorded: dict[str, datetime] = {}
    for message in (*told, *by_hand):
        for seen in merge(message.observations):
            recorded[seen.source_uid] = message.recorded_at
            claim = claim_of(seen)
            if claim not in claims:
                fact_id = fact_id_of(tenant, seen.source_uid, seen.key, seen.value, seen.retracts)
                at = message.recorded_at
                claims[claim] = row_of(tenant, contact_id, seen, fact_id, at)
    replayed = {
        claim: _lent(row, known.get(claim)) for claim, row in _outcome(claims, recorded).items()
    }
    taken = {row.fact_id for row in replayed.values()}
    kept = [row for row in rows if _is_history(row, known, replayed) and row.fact_id not in taken]
    after = [*kept, *replayed.values()]
    # Whatever order equal rows were stored in, they are the same.
    return list(rows) if _by_id(after) == _by_id(rows) else after


def _by_source(corrections: Iterable[Observation]) -> list[Told]:
    together: defaultdict[str, list[Observation]] = defaultdict(list)
    for each in corrections:
        together[each.source_uid].append(each)
    return [Told(seen, seen[0].stated_at) for seen in together.values()]


def taken_back(rows: Sequence[Fact]) -> list[Observation]:
    """Return what no message ended, as far as rows tell: commands did, or nobody recorded it."""
    commanded = [
        row.retraction(row.source_uid, row.valid_from)
        for row in rows
        if row.status == "retraction" and row.recorded_to is None and APART in row.source_uid
    ]
    ended = [
        row.retraction(f"{row.source_uid}{ENDED}", row.valid_to)
        for row in rows
        if _was_not_recorded(row) and row.valid_to is not None
    ]
    return [*commanded, *ended]


def _was_not_recorded(row: Fact) -> bool:
    """Tell whether a fact ended before ends were recorded: its id was drawn at random then."""
    derived = fact_id_of(row.tenant, row.source_uid, row.key, row.value, retracts=False)
    return is_final(row) and row.valid_to is not None and row.fact_id != derived


def _outcome(claims: dict[Claim, Fact], recorded: dict[str, datetime]) -> dict[Claim, Fact]:
    """Return the claims' rows, in order, as they leave each other."""
    by_key: defaultdict[str, list[Fact]] = defaultdict(list)
    for row in claims.values():
        by_key[row.key].append(row)
    outcome = dict(claims)
    for of_key in by_key.values():
        for row in settled(of_key):
            if not is_final(claims[claim_in(row)]):
                outcome[claim_in(row)] = _recorded(row, recorded)
    return outcome


def _recorded(row: Fact, recorded: dict[str, datetime]) -> Fact:
    """Return a row recorded until what decided it was recorded, too."""
    if row.status == "active":
        return row
    until = recorded.get(row.closed_by or "", row.recorded_from)
    return replace(row, recorded_to=max(row.recorded_from, until))


def _lent(row: Fact, held: Fact | None) -> Fact:
    """Return a row under the id that it has already; just as it is stored, where that is right."""
    if held is None:
        return row
    as_held = replace(
        row,
        fact_id=held.fact_id,
        recorded_from=held.recorded_from,
        recorded_to=held.recorded_to,
    )
    # Who read it is no part of what it says: it stays recorded as it was.
    if replace(as_held, read_by=held.read_by, span=held.span) == held:
        return as_held if row.read_by else held
    return replace(row, fact_id=held.fact_id)


def _is_history(row: Fact, known: dict[Claim, Fact], replayed: dict[Claim, Fact]) -> bool:
    """Tell whether a row counts no more: what held once, or what a message said once."""
    claim = claim_in(row)
    if known[claim] is row:
        return claim not in replayed and not stands(row)
    return row.recorded_to is not None


def _by_id(rows: Sequence[Fact]) -> dict[str, Fact]:
    return {row.fact_id: row for row in rows}
