"""A contact's days as HTML. Pure: data in, escaped HTML out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, tzinfo
from html import escape
from urllib.parse import urlencode

from memory.contacts.timeline import Day, Timeline
from memory.domain.chats import Actor, StoredMessage
from memory.domain.episodes import Episode
from memory.domain.facts import Fact
from memory.domain.open_loops import Loop
from memory.facts.predicates import key_in_words

SHOWN_CHARS = 600
"""Of a message; a longer one is cut, and says so."""

_KINDS = {"promise": "promise", "request": "request", "question": "question", "date": "date"}
_AUTHORS = {Actor.AGENT: "agent", Actor.OWNER: "you, by hand", Actor.AUTOMATION: "automation"}


def timeline_html(timeline: Timeline, now: datetime, until: str = "") -> str:
    """Return a page of days, the latest first, with ways to the days before and to a day."""
    if not timeline.days and not until:
        return (
            "<p class='rc-nothing'>Nothing was said yet. What is said, learned and left open will"
            " stand here, day by day: write something under Chat, or import a chat.</p>"
        )
    days = "".join(_day_html(day, timeline) for day in timeline.days)
    if not days:
        days = "<p class='rc-nothing'>Nothing was said up to this day.</p>"
    return (
        f"{_way_html(timeline.contact_id, until)}{loops_html(timeline.open, now)}"
        f"<div class='rc-days'>{days}</div>{_earlier_html(timeline)}"
    )


def loops_html(loops: Sequence[Loop], now: datetime) -> str:
    """Return what is open, what is due first; nothing where nothing is."""
    if not loops:
        return ""
    rows = "".join(
        f"<li><span class='rc-kind'>{_KINDS[loop.kind]}</span> <span dir='auto'>"
        f"{escape(_short(loop.text))}</span> <small>{_due(loop, now)}</small></li>"
        for loop in loops[:12]
    )
    more = f"<li><small>and {len(loops) - 12} more</small></li>" if len(loops) > 12 else ""
    return (
        "<details class='rc-open' open><summary>Left open"
        f" <small>{len(loops)}</small></summary><ul>{rows}{more}</ul></details>"
    )


def day_address(contact_id: str, day: str) -> str:
    """Return the address of a contact's day, the latest where it is empty."""
    more = {"day": day} if day else {}
    return "?" + urlencode({"contact": contact_id, "view": "timeline", **more})


def _due(loop: Loop, now: datetime) -> str:
    whose = f"by {escape(loop.by)}, " if loop.by else ""
    if loop.due is None:
        return f"{whose}since {loop.said_at:%-d %b %Y}"
    mark = {"overdue": "overdue since", "due": "due today,", "": "due"}[loop.mark(now)]
    return f"{whose}{mark} {loop.due:%-d %b %Y}"


def _way_html(contact_id: str, until: str) -> str:
    latest = _link(contact_id, "", "Latest") if until else ""
    return (
        "<div class='rc-way'><label>Up to <input type='date' data-jump"
        f" value='{escape(until[:10])}'></label>{latest}</div>"
    )


def _earlier_html(timeline: Timeline) -> str:
    if not timeline.earlier:
        return "<p class='rc-nothing'>It begins here.</p>"
    return f"<p class='rc-way'>{_link(timeline.contact_id, timeline.earlier, 'Earlier')}</p>"


def _link(contact_id: str, day: str, text: str) -> str:
    address = escape(day_address(contact_id, day))
    return f"<a class='rc-go' href='{address}' data-day='{escape(day)}'>{text}</a>"


def _day_html(day: Day, timeline: Timeline) -> str:
    name = f"{day.day:%A, %-d %B %Y}"
    address = escape(day_address(timeline.contact_id, day.day.isoformat()))
    opened = {loop.uid: loop for loop in day.opened}
    lines: list[tuple[datetime, int, str]] = [
        (each.began_at, 0, _episode_html(each, timeline.zone)) for each in day.episodes
    ]
    lines += [
        (each.message.sent_at, 1, _said_html(each, timeline, opened.get(each.uid)))
        for each in day.said
    ]
    # What was said is in order already, also where clocks tell minutes.
    body = "".join(html for _, _, html in sorted(lines, key=lambda line: line[:2]))
    return (
        f"<section class='rc-date' aria-label='{name}'><h3><a href='{address}'"
        f" data-day='{day.day.isoformat()}'>{name}</a></h3>"
        f"{''.join(_facts_html(day))}<ol>{body}</ol></section>"
    )


def _facts_html(day: Day) -> Iterator[str]:
    marked = [("began", "+", "from now on", fact) for fact in day.began]
    marked += [("ended", "−", "no longer", fact) for fact in day.ended]
    if marked:
        chips = "".join(_fact_html(*each) for each in marked)
        yield f"<ul class='rc-turned' aria-label='Facts'>{chips}</ul>"


def _fact_html(kind: str, sign: str, words: str, fact: Fact) -> str:
    name = escape(key_in_words(fact.key))
    return (
        f"<li class='rc-{kind}'><b aria-hidden='true'>{sign}</b> <span>{name}:"
        f" <span dir='auto'>{escape(fact.value)}</span></span> <small>{words}</small></li>"
    )


def _episode_html(episode: Episode, zone: tzinfo) -> str:
    began, ended = episode.began_at.astimezone(zone), episode.ended_at.astimezone(zone)
    until = f"{ended:%H:%M}" if began.date() == ended.date() else f"{ended:%-d %b, %H:%M}"
    summary = episode.summary
    topic = (summary.topic if summary else "") or "Episode"
    text = (summary.text if summary else "") or "It is not summed up yet."
    lines = "".join(f"<p dir='auto'>{escape(line)}</p>" for line in text.splitlines() if line)
    still = ", still open" if episode.is_open else ""
    return (
        f"<li class='rc-episode'><details><summary><b dir='auto'>{escape(_short(topic, 90))}</b>"
        f" <small>{began:%H:%M} to {until} · {episode.turns} messages{still}</small></summary>"
        f"{lines}</details></li>"
    )


def _said_html(stored: StoredMessage, timeline: Timeline, loop: Loop | None) -> str:
    said = stored.message
    who = _AUTHORS.get(said.actor) or said.sender_name or said.sender_id
    is_theirs = said.actor is Actor.CONTACT and said.contact_id == timeline.contact_id
    where = timeline.places.get(said.anchor, said.chat.chat_id) if said.is_group else ""
    told = f" <small class='rc-where'>in {escape(_short(where, 40))}</small>" if where else ""
    left = f" <span class='rc-kind'>{_KINDS[loop.kind]}</span>" if loop else ""
    text = escape(_short(said.text, SHOWN_CHARS)) if said.text else "<em>deleted</em>"
    at = said.sent_at.astimezone(timeline.zone)
    return (
        f"<li class='rc-entry{' rc-theirs' * is_theirs}' id='m-{escape(stored.uid)}'>"
        f"<time datetime='{at.isoformat()}'>{at:%H:%M}</time>"
        f"<div><b dir='auto'>{escape(who)}</b>{told}{left}"
        f"<div class='rc-words' dir='auto'>{text}</div></div></li>"
    )


def _short(text: str, limit: int = 160) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"
