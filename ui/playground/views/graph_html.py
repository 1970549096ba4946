"""Somebody's people, pets, places, organisations and things, as a picture and a list. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from html import escape
from urllib.parse import urlencode

from memory.domain.chats import StoredMessage
from memory.domain.entities import Entity, EntityClaim, Tie
from memory.domain.facts import Fact
from memory.facts.predicates import key_in_words
from ui.playground.views.graph_layout import Box, Node, folded, placed, shortened
from ui.playground.views.timeline_html import day_address

KINDS = {
    "person": "People",
    "pet": "Pets",
    "place": "Places",
    "organisation": "Organisations",
    "thing": "Things",
}
_ME = "\x00me"
_MARGIN = 12


@dataclass(frozen=True, slots=True)
class Chosen:
    """The entity that is looked at: the facts that tell of it, and messages that mention it.

    The messages are the last ones, of `entity.mentions` in all.
    """

    entity: Entity
    facts: Sequence[Fact]
    said: Sequence[StoredMessage]
    zone: tzinfo


def by_weight(entities: Sequence[Entity]) -> list[Entity]:
    """Return entities, first those that most is told of; what is named first among equals."""
    return sorted(entities, key=lambda each: -(len(each.mentions) + len(each.claims)))


def graph_html(
    contact_id: str, name: str, entities: Sequence[Entity], chosen: Chosen | None = None
) -> str:
    """Return the picture, the list beside it, and what is known of the one that is chosen."""
    if not entities:
        return (
            "<p class='rc-nothing'>Nobody and nothing is known yet. The people, pets, places and"
            " things that messages tell of will stand here: say “My wife Priya works at Acme”"
            " under Chat, or import a chat.</p>"
        )
    ordered = by_weight(entities)
    key = chosen.entity.entity_id if chosen else ""
    told = _chosen_html(contact_id, name, chosen, ordered) if chosen else ""
    return (
        f"<div class='rc-graph'><div class='rc-picture'>{_svg(contact_id, name, ordered, key)}"
        f"</div><div class='rc-about'>{told}</div>"
        "<nav aria-label='People and things'>"
        f"{''.join(_lists(contact_id, ordered, key))}</nav></div>"
    )


def entity_address(contact_id: str, entity_id: str) -> str:
    """Return the address of an entity in a contact's graph."""
    return "?" + urlencode({"contact": contact_id, "view": "graph", "entity": entity_id})


def _svg(contact_id: str, name: str, entities: Sequence[Entity], chosen: str) -> str:
    every = [Node(e.entity_id, e.type, shortened(e.name), _beneath(e)) for e in entities]
    nodes, left = folded(every)
    nodes += [Node(f"\x00{k}", k, f"+{n}", KINDS[k].lower()) for k, n in left.items()]
    middle = Node(_ME, "contact", shortened(name))
    boxes = placed(middle, nodes)
    known = {each.entity_id: each for each in entities}
    lines = "".join(_edges(known, boxes))
    drawn = "".join(_node(contact_id, node, boxes[node.key], chosen) for node in nodes)
    left_x = min(box.x - box.width / 2 for box in boxes.values()) - _MARGIN
    top = min(box.y - box.height / 2 for box in boxes.values()) - _MARGIN
    width = max(box.x + box.width / 2 for box in boxes.values()) + _MARGIN - left_x
    height = max(box.y + box.height / 2 for box in boxes.values()) + _MARGIN - top
    return (
        f"<svg viewBox='{left_x:.0f} {top:.0f} {width:.0f} {height:.0f}' role='group'"
        f" style='max-width:{width * 1.1:.0f}px' aria-label='Picture of people and things'>"
        f"{lines}<g class='rc-knot rc-me'>{_pill(middle, boxes[_ME])}</g>{drawn}</svg>"
    )


def _beneath(entity: Entity) -> str:
    told = entity.metadata.get("relation") or entity.metadata.get("kind") or entity.type
    return shortened(told if told.casefold() != entity.name.casefold() else entity.type)


def _edges(known: Mapping[str, Entity], boxes: Mapping[str, Box]) -> Iterator[str]:
    for key, entity in known.items():
        if key not in boxes:
            continue
        if entity.ties:
            is_over = all(tie.until for tie in entity.ties)
            yield _edge(boxes[_ME], boxes[key], "rc-over" if is_over else "")
        linked = [claim for claim in entity.claims if claim.object_id in boxes]
        holding = {claim.object_id for claim in linked if claim.status == "active"}
        for other in dict.fromkeys(claim.object_id for claim in linked):
            kind = "rc-further" if other in holding else "rc-further rc-over"
            yield _edge(boxes[key], boxes[other], kind)


def _edge(one: Box, other: Box, kind: str) -> str:
    return f"<line class='{kind}' x1='{one.x}' y1='{one.y}' x2='{other.x}' y2='{other.y}'/>"


def _node(contact_id: str, node: Node, box: Box, chosen: str) -> str:
    current = " aria-current='true'" if node.key == chosen else ""
    label = escape(f"{node.label}, {node.beneath}")
    if node.key.startswith("\x00"):
        kind = node.key[1:]
        aim = f"href='#rc-kind-{kind}' data-kind='{kind}'"
        label = escape(f"{node.label} more {node.beneath}, in the list")
    else:
        address = escape(entity_address(contact_id, node.key))
        aim = f"href='{address}' data-entity='{escape(node.key)}'"
    return (
        f"<a {aim}{current} aria-label='{label}' class='rc-knot rc-{node.kind}'>"
        f"{_pill(node, box)}</a>"
    )


def _pill(node: Node, box: Box) -> str:
    round_to = {"person": 20, "contact": 20, "pet": 12}.get(node.kind, 4)
    lower = f"<tspan x='{box.x}' dy='14' class='rc-beneath'>{escape(node.beneath)}</tspan>"
    return (
        f"<rect x='{box.x - box.width / 2:.1f}' y='{box.y - box.height / 2:.1f}'"
        f" width='{box.width}' height='{box.height}' rx='{round_to}'/>"
        f"<text x='{box.x}' y='{box.y + (-2 if node.beneath else 4)}' text-anchor='middle'>"
        f"{escape(node.label)}{lower if node.beneath else ''}</text>"
    )


def _lists(contact_id: str, entities: Sequence[Entity], chosen: str) -> Iterator[str]:
    for kind, title in KINDS.items():
        found = [each for each in entities if each.type == kind]
        if found:
            rows = "".join(_row(contact_id, each, chosen) for each in found)
            yield (
                f"<details open id='rc-kind-{kind}'><summary>{title} <small>{len(found)}</small>"
                f"</summary><ul>{rows}</ul></details>"
            )


def _row(contact_id: str, entity: Entity, chosen: str) -> str:
    current = " aria-current='true'" if entity.entity_id == chosen else ""
    told = _beneath(entity)
    if told == entity.type:
        count = len(entity.mentions)
        told = f"{count} message{'s' * (count != 1)}" if count else ""
    return (
        f"<li><a href='{escape(entity_address(contact_id, entity.entity_id))}'"
        f" data-entity='{escape(entity.entity_id)}'{current}>"
        f"<span dir='auto'>{escape(entity.name)}</span> <small>{escape(told)}</small></a></li>"
    )


def _chosen_html(contact_id: str, name: str, chosen: Chosen, entities: Sequence[Entity]) -> str:
    entity = chosen.entity
    names = {each.entity_id: each.name for each in entities}
    also = ", ".join(entity.aliases)
    parts = [
        f"<h3 dir='auto' tabindex='-1'>{escape(entity.name)} <small>{escape(_beneath(entity))}"
        "</small></h3>",
        f"<p class='rc-also'>Also called <span dir='auto'>{escape(also)}</span></p>" * bool(also),
        _part(f"What it is to {escape(name)}", [_tie(each) for each in entity.ties]),
        _part("Claimed of it", list(_claims(contact_id, entity.claims, names))),
        _part("Facts that tell of it", [_fact(each) for each in chosen.facts]),
        _part(
            f"Messages <small>{len(chosen.said)} of {len(entity.mentions)}</small>",
            [_said(contact_id, each, chosen.zone) for each in chosen.said],
        ),
    ]
    return "".join(parts)


def _part(title: str, rows: Sequence[str]) -> str:
    return f"<h4>{title}</h4><ul>{''.join(rows)}</ul>" if rows else ""


def _tie(tie: Tie) -> str:
    return f"<li>{escape(tie.relation.replace('_', ' '))} <small>{_span(tie)}</small></li>"


def _claims(
    contact_id: str, claims: Sequence[EntityClaim], names: Mapping[str, str]
) -> Iterator[str]:
    """Yield what is claimed, what was said again counted with what it repeats."""
    times = Counter((each.key, each.value) for each in claims)
    for claim in claims:
        if claim.status == "repeated":
            continue
        value = f"<b dir='auto'>{escape(claim.value)}</b>"
        if claim.object_id in names:
            address = escape(entity_address(contact_id, claim.object_id))
            value = f"<a href='{address}' data-entity='{escape(claim.object_id)}'>{value}</a>"
        over = "" if claim.status == "active" else " class='rc-over'"
        count = times[claim.key, claim.value]
        often = f", said {count} times" if count > 1 else ""
        yield (
            f"<li{over}>{escape(key_in_words(claim.key))}: {value} <small>{claim.status},"
            f" {_span(claim)}, {claim.confidence:.0%} sure{often}</small></li>"
        )


def _fact(fact: Fact) -> str:
    return (
        f"<li>{escape(key_in_words(fact.key))}: <b dir='auto'>{escape(fact.value)}</b>"
        f" <small>{fact.status}, {fact.confidence:.0%} sure</small></li>"
    )


def _said(contact_id: str, stored: StoredMessage, zone: tzinfo) -> str:
    said = stored.message
    day = said.sent_at.astimezone(zone).date()
    address = escape(day_address(contact_id, day.isoformat()))
    return (
        f"<li><a href='{address}'>{day:%-d %b %Y}</a>"
        f" <small dir='auto'>{escape(said.sender_name or said.sender_id)}</small>"
        f"<div class='rc-words' dir='auto'>{escape(shown(said.text))}</div></li>"
    )


def shown(text: str, most: int = 280) -> str:
    """Return a text as it is shown, cut where it is long."""
    return text if len(text) <= most else text[: most - 1] + "…"


def _span(held: Tie | EntityClaim) -> str:
    return f"since {_date(held.since)}" + (f" until {_date(held.until)}" if held.until else "")


def _date(at: datetime) -> str:
    return f"{at:%-d %b %Y}"
