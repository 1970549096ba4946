"""What a search found, with the reason for each. Pure: data in, escaped HTML out."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Final

from ui.playground.render_memory import cut_to, day_of, place_html
from ui.playground.searching import Hit, Search

MAX_QUERY: Final = 200
"""So much of a question is repeated above what was found."""
_LEAST: Final = 0.02
"""A part that adds less than this is no reason."""

_WORDS: Final[Mapping[str, str]] = {
    "lexical": "the same words",
    "dense": "a similar meaning",
    "late": "words of similar meaning",
    "attended": "it answers, read beside the question",
    "context": "what stands beside it",
    "speaker": "who says it",
    "time": "when it was said",
    "form": "it only asks",
    "facts": "the kind of thing asked for",
    "words": "the question names it",
}
_KINDS: Final = {"fact": "Fact", "note": "Note", "message": "Message", "episode": "Episode"}


def search_part(query: str, found: Search) -> str:
    """Return what was found for a question: what a prompt would show first, then what was cut."""
    if not query.strip():
        return (
            "<p class='rc-nothing'>Ask anything: messages, facts, notes and episodes are searched"
            " as the agent does it before it answers, and each hit says why it was found.</p>"
        )
    head = f"<p class='rc-query'>For <q dir='auto'>{escape(cut_to(query, MAX_QUERY))}</q></p>"
    if found.missing:
        head += f"<p class='rc-missing'>{escape(found.missing.capitalize())}</p>"
    if not found.hits:
        return f"{head}<p class='rc-nothing'>Nothing fits.</p>"
    if not found.is_near:
        return (
            f"{head}<p class='rc-nothing'>Nothing near it is remembered.</p>"
            "<details class='rc-past'><summary>What is least far from it; a prompt shows it with"
            f" the word that nothing certain was found · {len(found.hits)}</summary>"
            f"{_list('', list(found.hits))}</details>"
        )
    shown = [hit for hit in found.hits if not hit.cut]
    cut = [hit for hit in found.hits if hit.cut]
    listed = _list("What a prompt would show", shown) or (
        "<p class='rc-nothing'>Nothing of it would go into a prompt.</p>"
    )
    if not cut:
        return head + listed
    return (
        f"{head}{listed}<details class='rc-past'{'' if shown else ' open'}>"
        f"<summary>Found and left out · {len(cut)}</summary>{_list('', cut)}</details>"
    )


def _list(title: str, hits: list[Hit]) -> str:
    if not hits:
        return ""
    heading = f"<h3>{title} <span>{len(hits)}</span></h3>" if title else ""
    rows = "".join(map(_hit, hits))
    return f"<section class='rc-group'>{heading}<ul class='rc-list'>{rows}</ul></section>"


def _hit(hit: Hit) -> str:
    where = place_html(hit.said) if hit.said else day_of(hit.at)
    who = ""
    if hit.kind == "message" and hit.said:
        message = hit.said.message
        who = f"{escape(message.sender_name or message.sender_id)} · "
    fact = " rc-fact" if hit.kind == "fact" else ""
    cut = f" · left out: {escape(hit.cut)}" if hit.cut else ""
    return (
        f"<li class='rc-match'><div class='rc-head rc-wraps'><span class='rc-kind{fact}'>"
        f"{_KINDS[hit.kind]}</span><span>{who}{where}{cut}</span></div>"
        f"<div class='rc-text' dir='auto'>{escape(cut_to(hit.text))}</div>"
        f"<p class='rc-origin'>{escape(reason(hit))}</p></li>"
    )


def reason(hit: Hit) -> str:
    """Return in words why something was found, what counts most first, with its share."""
    parts = sorted(
        ((_WORDS[name], value) for name, value in hit.parts.items() if name in _WORDS),
        key=lambda part: -abs(part[1]),
    )
    for_it = [f"{name} {value:.2f}" for name, value in parts if value >= _LEAST]
    against = [f"{name} {value:.2f}" for name, value in parts if value <= -_LEAST]
    weight = [
        f" {name.capitalize()} {hit.parts[name]:.2f}."
        for name in ("importance", "confidence")
        if name in hit.parts
    ]
    told = f"Found for {', '.join(for_it)}" if for_it else "Found beside another line"
    return told + (f"; against it: {', '.join(against)}" if against else "") + "." + "".join(weight)
