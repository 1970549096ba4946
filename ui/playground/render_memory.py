"""The facts of a person as the memory view lists them. Pure: data in, escaped HTML out."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from html import escape
from typing import Final
from urllib.parse import urlencode

from graph.importing.mapping import ACCOUNT
from memory.domain.chats import StoredMessage
from memory.domain.facts import BY_PERSON, Category, Fact, MarkKind, is_by_hand
from memory.facts.predicates import FAVORITE_PREFIX, PREDICATES, PREFERENCE_PREFIX, key_in_words
from ui.playground.known import Kept, Known, Told
from ui.playground.people import CHANNELS

SHOWN: Final = 12
"""So many facts of a group stand there at once; the others are a click away."""
MAX_CHARS: Final = 400
"""So much of a message is quoted."""

_GROUPS: Final[dict[Category, str]] = {
    "identity": "Who they are",
    "constraint": "What must not be missed",
    "preference": "What they like",
    "instruction": "How to answer them",
}


def facts_part(known: Known) -> str:
    """Return all facts of a contact by group, with what to do about each, and what is over."""
    shown = sorted(
        (each for each in known.facts if each.now.fact.mark != "withheld"),
        key=lambda each: each.now.fact.mark != "pinned",
    )
    groups = [
        _group(title, [each for each in shown if each.now.fact.category == category])
        for category, title in _GROUPS.items()
    ]
    withheld = [each for each in known.facts if each.now.fact.mark == "withheld"]
    groups.append(_group("Never recalled", withheld))
    listed = "".join(groups) or (
        "<p class='rc-nothing'>Nothing is known yet. What is told in the chat stands here, with"
        " the message it was read from. Or write a fact down yourself.</p>"
    )
    find = (
        "<input type='search' class='rc-find' placeholder='Find a fact' aria-label='Find a fact'>"
        if known.facts
        else ""
    )
    count = f"<span>{_count(len(known.facts), 'fact')}</span>" if known.facts else ""
    return (
        f"<div class='rc-tools'>{find}{count}{_ADD}</div>{listed}"
        f"<p class='rc-none-found rc-nothing' hidden>No fact has these words.</p>"
        f"{_past(known.past)}"
    )


_KEYS: Final = (*sorted(PREDICATES), f"{FAVORITE_PREFIX}color", f"{PREFERENCE_PREFIX}seat")
_OPTIONS: Final = "".join(f"<option value='{escape(key_in_words(key))}'>" for key in _KEYS)
_ADD: Final = (
    "<details class='rc-add'><summary>Add a fact</summary><form data-do='add'>"
    "<label>Kind<input name='key' list='rc-kinds' required autocomplete='off'"
    " placeholder='home, pet, allergy, …'></label>"
    f"<datalist id='rc-kinds'>{_OPTIONS}</datalist>"
    "<label>What is so<input name='value' required maxlength='240'"
    " autocomplete='off'></label><button class='rc-main'>Add</button></form></details>"
)


def _group(title: str, facts: Sequence[Kept]) -> str:
    if not facts:
        return ""
    rows = [_fact(each) for each in facts]
    more = (
        f"<details class='rc-more'><summary>{len(rows) - SHOWN} more</summary>"
        f"<ul class='rc-list'>{''.join(rows[SHOWN:])}</ul></details>"
        if len(rows) > SHOWN
        else ""
    )
    return (
        f"<section class='rc-group'><h3>{title} <span>{len(rows)}</span></h3>"
        f"<ul class='rc-list'>{''.join(rows[:SHOWN])}</ul>{more}</section>"
    )


def _fact(kept: Kept) -> str:
    fact = kept.now.fact
    key, value = escape(key_in_words(fact.key)), escape(fact.value)
    before = "".join(version_html(each) for each in kept.before)
    history = f"<ul class='rc-versions' aria-label='Before'>{before}</ul>" if before else ""
    return (
        f"<li class='rc-fact' data-key='{escape(fact.key)}' data-value='{value}'>"
        f"<div class='rc-row'><span class='rc-key'>{key}</span>"
        f"<b class='rc-so' dir='auto'>{value}</b>{_MARKS[fact.mark]}"
        f"<span class='rc-acts'>"
        f"<button data-do='edit' aria-label='Edit {key}: {value}'>Edit</button>"
        f"<button data-do='forget' aria-label='Forget {key}: {value}'>Forget</button></span></div>"
        f"<details class='rc-from'><summary>{_summary(kept)}</summary>"
        f"{source_html(kept.now.said, fact)}{_marking(fact)}{history}</details></li>"
    )


_MARKS: Final[dict[MarkKind, str]] = {
    "": "",
    "pinned": "<span class='rc-kind'>Pinned</span>",
    "withheld": "<span class='rc-kind'>Never recalled</span>",
}


def _marking(fact: Fact) -> str:
    """Return the ways to let a fact be in every prompt, or in none."""
    named_so = escape(f"{key_in_words(fact.key)} {fact.value}")
    acts = {
        "pinned": (("unpin", "Unpin", "shown only where it fits again"), _NEVER),
        "withheld": (("show", "Recall again", "with the sentences that tell it"),),
        "": (("pin", "Pin", "in every answer to them"), _NEVER),
    }[fact.mark]
    buttons = "".join(
        f"<span><button data-do='{do}' aria-label='{label}: {named_so}'>{label}</button>"
        f" {meaning}</span>"
        for do, label, meaning in acts
    )
    return f"<p class='rc-marking'>{buttons}</p>"


_NEVER: Final = ("withhold", "Never recall", "kept here, and used in no answer")


def _summary(kept: Kept) -> str:
    fact, said = kept.now.fact, kept.now.said
    told = [f"{sure_of(fact)}", f"since {day_of(fact.valid_from)}"]
    if fact.expires_at:
        told.append(f"until {day_of(fact.expires_at)}")
    if said is not None:
        told.append(channel_of(said))
    if kept.before:
        told.append(f"{len(kept.before)} before")
    return " · ".join(map(escape, told))


def source_html(said: StoredMessage | None, fact: Fact) -> str:
    """Return the message that tells a fact, when and where it was said, and who read it."""
    if said is None:
        wrote = "Written by hand" if is_by_hand(fact.source_uid) else "Its message is gone"
        return f"<p class='rc-origin'>{wrote}, {day_of(fact.valid_from, with_time=True)}.</p>"
    return (
        f"<blockquote dir='auto'>{escape(cut_to(said.in_full.text))}</blockquote>"
        f"<p class='rc-origin'>{escape(said.message.sender_name or said.message.sender_id)},"
        f" {place_html(said)} · {escape(reader_of(fact))}</p>"
    )


def place_html(said: StoredMessage) -> str:
    """Return when and on which channel something was said, as a link to that day."""
    message = said.message
    address = urlencode(
        {
            "contact": message.contact_id,
            "view": "timeline",
            "day": f"{message.sent_at.astimezone():%Y-%m-%d}",
        }
    )
    return (
        f"<a href='?{escape(address)}'>{day_of(message.sent_at, with_time=True)}</a>"
        f" · {escape(channel_of(said))}"
    )


def _past(past: Sequence[Told]) -> str:
    if not past:
        return ""
    rows = "".join(version_html(each, with_key=True) for each in past)
    return (
        f"<details class='rc-past'><summary>No longer so · {len(past)}</summary>"
        f"<ul class='rc-versions'>{rows}</ul></details>"
    )


def version_html(told: Told, *, with_key: bool = False) -> str:
    """Return what holds no more: from when to when, why it ended, and a way to undo that."""
    fact = told.fact
    key = f"<span class='rc-key'>{escape(key_in_words(fact.key))}</span> " if with_key else ""
    until = f" to {day_of(fact.valid_to)}" if fact.valid_to else ""
    label = f"Undo: {key_in_words(fact.key)} {fact.value}"
    undo = (
        f" <button data-do='undo' data-act='{escape(told.act)}'"
        f" aria-label='{escape(label)}'>Undo</button>"
        if told.act
        else ""
    )
    return (
        f"<li class='rc-version'>{key}<s dir='auto'>{escape(fact.value)}</s>"
        f" <span>{day_of(fact.valid_from)}{until} · {escape(told.why)}</span>{undo}</li>"
    )


def sure_of(fact: Fact) -> str:
    """Return in words and as a number how sure a fact is."""
    if is_by_hand(fact.source_uid):
        return "by hand · 100 %"
    names = ((0.95, "certain"), (0.8, "very likely"), (0.6, "likely"), (0.0, "a guess"))
    word = next(word for least, word in names if fact.confidence >= least)
    return f"{word} · {round(fact.confidence * 100)} %"


def reader_of(fact: Fact) -> str:
    """Return who read a fact out of its message, in words."""
    if fact.read_by == BY_PERSON or is_by_hand(fact.source_uid):
        return "written by hand"
    names = []
    for each in filter(None, fact.read_by.split("+")):
        kind = "rules" if each.startswith("rules") else each
        names.append("the reader" if kind.startswith("reader") else kind)
    return f"read by {' and '.join(dict.fromkeys(names))}" if names else "nobody noted who read it"


def channel_of(said: StoredMessage) -> str:
    """Return the channel of a message as people call it."""
    chat = said.message.chat
    if chat.account == ACCOUNT:
        return "import"
    return CHANNELS.get(chat.channel, chat.channel)


def day_of(at: datetime, *, with_time: bool = False) -> str:
    """Return a day by this machine's clock: 4 May 2026, with its time where that is asked for."""
    here = at.astimezone()
    return f"{here.day} {here:%b %Y, %H:%M}" if with_time else f"{here.day} {here:%b %Y}"


def cut_to(text: str, most: int = MAX_CHARS) -> str:
    """Return a text in one piece, its end left out where it is long."""
    return text if len(text) <= most else text[: most - 1] + "…"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
