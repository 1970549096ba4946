"""The memory view's parts: escaped, complete, and usable with hundreds of facts."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta
from html import unescape

from memory.domain.chats import StoredMessage
from tests.messages import message
from tests.unit.ui.test_render import HOSTILE, NOW, fact, tags
from ui.playground.known import known_of
from ui.playground.memory_page import PARTS, shell_html
from ui.playground.render_memory import SHOWN, facts_part, reader_of, sure_of

LATER = NOW + timedelta(days=9)


def said(text: str) -> StoredMessage:
    return StoredMessage(message(text), seq=1, position=1, arrived_at=NOW)


def test_a_fact_stands_with_its_message_its_reader_and_how_sure_it_is() -> None:
    home = replace(fact("home", "Lisbon"), read_by="rules/3+reader")
    html = facts_part(known_of([home], [home], {"u1": said("I live in Lisbon.")}))
    assert "I live in Lisbon." in html
    assert "certain · 95 %" in html
    assert "read by rules and the reader" in html
    assert re.search(r"href='\?contact=waha%3Aana&amp;view=timeline&amp;day=\d{4}-", html)


def test_what_people_wrote_is_text_wherever_it_stands() -> None:
    home = fact("home", HOSTILE)
    old = replace(home, fact_id="f2", status="closed", source_uid="u0", value=f"old {HOSTILE}")
    gone = replace(old, fact_id="f3", key="pet")
    html = facts_part(known_of([home], [old, gone, home], {"u1": said(HOSTILE)}))
    assert not tags(html) & {"script", "img", "b onerror"}
    assert unescape(html).count(HOSTILE) >= 5
    assert "<script" not in shell_html(HOSTILE, "x")


def test_history_is_folded_beneath_and_tells_why_each_ended() -> None:
    old = replace(
        fact("home", "Leeds"), fact_id="f0", status="closed", source_uid="u0", closed_by="u1"
    )
    home = replace(fact("home", "Lisbon"), valid_from=LATER)
    html = facts_part(known_of([home], [old, home], {}))
    assert "<s dir='auto'>Leeds</s>" in html
    assert "“Lisbon” was said later" in html
    assert "1 before" in html
    assert "No longer so · 1" in facts_part(known_of([], [old], {}))


def test_hundreds_of_facts_fold_and_values_of_one_key_are_no_history_of_each_other() -> None:
    likes = [
        replace(fact("like", f"thing {n}"), fact_id=f"f{n}", category="preference")
        for n in range(300)
    ]
    html = facts_part(known_of(likes, likes, {}))
    assert f"<summary>{300 - SHOWN} more</summary>" in html
    assert html.count("<li class='rc-fact'") == 300
    assert "rc-version" not in html
    assert len(html) < 400_000


def test_an_empty_memory_says_what_will_stand_there() -> None:
    html = facts_part(known_of([], [], {}))
    assert "Nothing is known yet" in html
    assert "Add a fact" in html


def test_parts_are_addresses_and_words_tell_how_sure_and_by_whom() -> None:
    html = shell_html("web:me", "x")
    assert all(f"view=memory&amp;part={part}'" in html for part in PARTS)
    guess = replace(fact("home", "x"), confidence=0.5, read_by="person", source_uid="u/command")
    assert (sure_of(guess), reader_of(guess)) == ("by hand · 100 %", "written by hand")
    assert sure_of(replace(guess, source_uid="u")) == "a guess · 50 %"
