"""The graph's HTML: every name escaped, everybody in the picture in the list, too."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, timedelta
from html import unescape

from memory.domain.chats import StoredMessage
from memory.domain.entities import Entity, EntityClaim, Tie
from memory.domain.facts import FactStatus
from tests.messages import START, message
from tests.unit.ui.test_render import HOSTILE, fact
from ui.playground.views.graph_html import Chosen, by_weight, graph_html


def claim(value: str, status: FactStatus = "active", object_id: str = "") -> EntityClaim:
    return EntityClaim(
        value, "employer", value, 0.8, 0.5, "u", "a", status, START, object_id=object_id
    )


def entity(key: str, name: str = "Priya", **more: object) -> Entity:
    made = Entity(key, "person", name, ("my wife",), {"relation": "wife"}, mentions=("m1", "m2"))
    return replace(made, **more)  # type: ignore[arg-type]


def chosen(whom: Entity) -> Chosen:
    said = message(HOSTILE, sender=HOSTILE)
    return Chosen(whom, [fact("spouse", HOSTILE)], [StoredMessage(said, 1, 1, said.sent_at)], UTC)


def test_hostile_names_are_text_in_picture_list_and_detail() -> None:
    whom = entity(HOSTILE, HOSTILE, aliases=(HOSTILE,), claims=(claim(HOSTILE),))
    html = graph_html(HOSTILE, HOSTILE, [whom], chosen(whom))
    assert "<script" not in html
    assert not re.search(r"<img|onerror=[^&]", html)
    assert unescape(html).count(HOSTILE) >= 7


def test_whoever_is_chosen_is_told_with_claims_facts_and_days() -> None:
    over = Tie("spouse", "u", START, START + timedelta(days=3))
    claims = (claim("Acme", "closed", "acme"), claim("Initech"), claim("Initech", "repeated"))
    priya = entity("priya", ties=(over,), claims=claims)
    acme = Entity("acme", "organisation", "Acme")
    html = graph_html("web:me", "Max", [priya, acme], chosen(priya))
    assert "What it is to Max" in html
    assert "since 1 Mar 2026 until 4 Mar 2026" in html
    assert "<li class='rc-over'>employer: <a href='?contact=web%3Ame&amp;view=graph&amp;" in html
    assert html.count("<b dir='auto'>Initech</b>") == 1
    assert "said 2 times" in html
    assert "view=timeline&amp;day=2026-03-01'>1 Mar 2026</a>" in html
    assert "1 of 2" in html
    # Both what is over between them, and what holds no more to the middle, are dashed.
    assert html.count("rc-over' x1=") == 2
    assert html.count("aria-current") == 2


def test_what_does_not_fit_the_picture_is_in_the_list() -> None:
    many = [entity(str(n), f"Anna {n}") for n in range(80)]
    html = graph_html("web:me", "Max", many)
    assert html.count("data-entity=") == 59 + 80
    assert "data-kind='person'" in html
    assert "+21 more people, in the list" in html


def test_nobody_is_said_and_the_weightiest_come_first() -> None:
    assert "will stand here" in graph_html("web:me", "Max", [])
    heavy = entity("b", mentions=("1", "2", "3"))
    assert by_weight([entity("a"), heavy, entity("c")])[0] is heavy
