"""A contact's days: what was said, what it was about, what was learned and what was left open.

`timeline_of` reads a page of them, `days_of` puts it together. A page ends between two days, or
within a day that is longer than a page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from pathlib import PurePath

from memory.domain.chats import StoredMessage
from memory.domain.episodes import Episode
from memory.domain.facts import Fact
from memory.domain.open_loops import Loop
from memory.facts.asof import ever_told, moment_of, never_held
from memory.ports.bundle import Memory
from memory.text.zones import zone_of

EPISODES = 200
"""Episodes that a page shows at most, the latest."""


@dataclass(slots=True)
class Day:
    """A day in the contact's zone, everything in order of time.

    `began` and `ended` are facts, `episodes` and `opened` (loops) began or were said on it.
    """

    day: date
    said: list[StoredMessage] = field(default_factory=list)
    began: list[Fact] = field(default_factory=list)
    ended: list[Fact] = field(default_factory=list)
    episodes: list[Episode] = field(default_factory=list)
    opened: list[Loop] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Page:
    """What was said from `since` on (None: from the first); `earlier` leads to what was before."""

    said: Sequence[StoredMessage]
    since: datetime | None = None
    earlier: str = ""


@dataclass(frozen=True, slots=True)
class Timeline:
    """A page of a contact's days, the latest first.

    `earlier` is the `until` of the page before; empty where there is none. `open` is all that is
    open with the contact now. `places` names groups, by anchor, where more than an id is known.
    """

    contact_id: str
    zone: tzinfo
    days: Sequence[Day]
    earlier: str
    open: Sequence[Loop]
    places: Mapping[str, str]


async def zone_for(memory: Memory, tenant: str, contact_id: str, default: str) -> tzinfo:
    """Return the zone that a contact's days are counted in."""
    row = (await memory.contact_states.of(tenant, [contact_id])).get(contact_id)
    return zone_of(row.zone if row else default) or UTC


async def timeline_of(
    memory: Memory,
    tenant: str,
    contact_id: str,
    now: datetime,
    zone: tzinfo,
    *,
    until: str = "",
    limit: int = 100,
) -> Timeline:
    """Return the last days of a contact, with at most `limit` messages.

    Args:
        memory: The open stores.
        tenant: Whose memory it is.
        contact_id: Of whom.
        now: What began later, such as the end of a fact that is known already, is not told.
        zone: That days are counted in.
        until: The last day, or the moment before which to look; empty: the latest.
        limit: How many messages.

    Raises:
        BadTime: `until` is neither a day nor a moment.
    """
    before = moment_of(until, zone) if until else None
    found = await memory.timelines.said(tenant, contact_id, before, limit + 1)
    page = page_of(found, zone, limit)
    anchor = f"contact:{contact_id}"
    heard = await memory.lexical.audience(tenant, contact_id, anchor, [])
    episodes = await memory.episodes.of_anchors(
        tenant, [anchor, *heard.further], EPISODES, since=page.since, until=before
    )
    told = ever_told(await memory.facts.history(tenant, contact_id))
    facts = [fact for fact in told if not never_held(fact)]
    loops = await memory.open_loops.listed(tenant, contact_id=contact_id)
    imports = await memory.imports.listing(tenant)
    return Timeline(
        contact_id,
        zone,
        days_of(page, before or now, zone, facts, episodes, loops),
        page.earlier,
        loops,
        {anchor: PurePath(each.file_name).stem for each in imports for anchor in each.anchors},
    )


def page_of(found: Sequence[StoredMessage], zone: tzinfo, limit: int) -> Page:
    """Return a page of messages that were read in order of time, one more than `limit` of them."""
    if len(found) <= limit:
        return Page(found)
    said = found[1:]
    first, last = (_day(found[n].message.sent_at, zone) for n in (0, -1))
    if first != last:
        begins = datetime.combine(first + timedelta(days=1), time.min, zone).astimezone(UTC)
        return Page([m for m in said if m.message.sent_at >= begins], begins, first.isoformat())
    # Many clocks tell minutes: what was sent in one stays together.
    moment = said[0].message.sent_at
    later = [each for each in said if each.message.sent_at > moment] or said
    since = later[0].message.sent_at
    return Page(later, since, since.astimezone(UTC).isoformat())


def days_of(
    page: Page,
    before: datetime,
    zone: tzinfo,
    facts: Sequence[Fact] = (),
    episodes: Sequence[Episode] = (),
    loops: Sequence[Loop] = (),
) -> list[Day]:
    """Return the days of a page, the latest first, with whatever came to be on them."""
    days: dict[date, Day] = {}

    def day_of(at: datetime | None) -> Day | None:
        if at is None or at >= before or (page.since is not None and at < page.since):
            return None
        return days.setdefault(_day(at, zone), Day(_day(at, zone)))

    for each in page.said:
        if day := day_of(each.message.sent_at):
            day.said.append(each)
    for fact in sorted(facts, key=lambda fact: fact.valid_from):
        if day := day_of(fact.valid_from):
            day.began.append(fact)
        if day := day_of(fact.valid_to):
            day.ended.append(fact)
    for episode in sorted(episodes, key=lambda episode: episode.began_at):
        if day := day_of(episode.began_at):
            day.episodes.append(episode)
    for loop in sorted(loops, key=lambda loop: loop.said_at):
        if day := day_of(loop.said_at):
            day.opened.append(loop)
    return [days[day] for day in sorted(days, reverse=True)]


def _day(at: datetime, zone: tzinfo) -> date:
    return at.astimezone(zone).date()
