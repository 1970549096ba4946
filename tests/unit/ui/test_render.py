"""What the playground shows is escaped, complete and readable without colour."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from html import unescape
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.domain.facts import Fact
from memory.domain.recalls import Receipt
from memory.policy.rules import Pause
from memory.recall.receipts import Reading
from ui.playground import render
from ui.playground.render import Step

NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)
HOSTILE = "<script>alert(1)</script> ![x](http://a.example/x.png) **b** `c` \"'&"


def fact(key: str, value: str) -> Fact:
    return Fact(
        fact_id="f1",
        tenant="t",
        contact_id="web:me",
        category="identity",
        key=key,
        value=value,
        confidence=0.95,
        importance=0.9,
        source_uid="u1",
        anchor="contact:web:me",
        status="active",
        valid_from=NOW,
        valid_to=None,
        recorded_from=NOW,
        recorded_to=None,
    )


def receipt(query: str = "Where do I live?") -> Receipt:
    return Receipt("t1", "r1", query, (), ("normalize",), "offline", NOW)


def tags(html: str) -> set[str]:
    return set(re.findall(r"<([a-z]+)", html))


@given(st.text())
def test_text_has_no_markup_and_reads_as_it_was_written(text: str) -> None:
    html = render.text_html(text)
    assert tags(html) <= {"br"}
    assert not re.search(r"[*_`\[\]()!~$|]", re.sub(r"<br>|&#\d+;", "", html))
    readable = "".join(c for c in text if c.isprintable() or c in "\n\t" or ord(c) > 0x9F)
    shown = unescape(html.replace("<br>", "\n")).replace("\ufffd", "")
    assert shown == readable.replace("\ufffd", "")


def test_hostile_message_of_a_contact_shows_as_text() -> None:
    html = render.message_html(HOSTILE)
    assert tags(html) == {"div"}
    assert HOSTILE in unescape(html)


def test_reply_may_be_bold_and_have_code_but_no_html_images_or_links() -> None:
    html = render.message_html(HOSTILE, is_agent=True)
    assert tags(html) == {"div", "strong", "code"}
    assert "<strong>b</strong>" in html
    assert "http://" not in html


def test_facts_and_memories_escape_what_people_said() -> None:
    memory = Reading("message", HOSTILE, HOSTILE, 0.5, {"<i>dense": 0.25})
    hostile = fact("home", HOSTILE)
    html = render.facts_html([hostile], HOSTILE, [hostile])
    html += render.recalled_html([memory], receipt(HOSTILE))
    html += render.facts_html([], HOSTILE) + render.notice_html(HOSTILE)
    assert not tags(html) & {"script", "img", "i", "a"} - {"i"}
    assert "<script" not in html
    assert "&lt;i&gt;dense" in html


def test_a_fact_has_its_history_and_its_controls() -> None:
    now = replace(fact("home", "York"), source_uid="u2/correction")
    past = replace(fact("home", "Leeds"), status="closed", valid_to=NOW + timedelta(days=2))
    html = render.facts_html([now], "Alex", [past, now, fact("name", "Alex")])
    assert re.findall(r"aria-label='([^']+)'", html) == [
        "History of home",
        "Correct home: York",
        "Forget home: York",
    ]
    assert "<b dir='auto'>Leeds</b> closed, 2026-05-04 to 2026-05-06, 95% sure" in html
    assert "<b dir='auto'>York</b> active, 2026-05-04, corrected by hand" in html
    assert html.count("<li") == 2


def test_memories_show_their_scores_with_each_part() -> None:
    memory = Reading("fact", "home", "Lisbon", 0.81, {"dense": -0.02, "confidence": 0.95})
    html = render.recalled_html([memory], receipt())
    for shown in ("home", "Lisbon", "0.81", "dense", "-0.02", "confidence", "0.95"):
        assert shown in html
    assert "rc-minus'><b style='width:2%'" in html


def test_erased_memory_is_said_to_be_erased() -> None:
    html = render.recalled_html([Reading("fact", "erased since", "", 0.8)], receipt())
    assert "erased since" in html


def test_what_was_missing_is_said_beside_the_memories() -> None:
    without = replace(receipt(), missing=("facts",))
    for memories in ([], [Reading("message", "me", "hi", 0.5)]):
        assert "Not at hand: facts" in render.recalled_html(memories, without)


def test_path_is_valid_svg_that_tells_taken_nodes_and_times() -> None:
    html = render.path_html([Step("normalize", 3.4), Step("policy_gate", 12), Step("store", 50.2)])
    svg = ElementTree.fromstring(html[: html.index("</svg>") + 6])
    assert svg.get("aria-label") == (
        "Path of the turn: normalize 3 ms, policy gate 12 ms, store 50 ms"
    )
    assert html.count("rc-taken") == 3
    assert html.count("not taken") == 3
    assert "66 ms in all" in html


def test_path_without_times_still_shows_the_nodes() -> None:
    html = render.path_html([Step(node) for node in render.NODES])
    assert html.count("rc-taken") == 6
    assert "ms" not in re.sub(r"class='[^']*'", "", html)


@pytest.mark.parametrize(
    "html",
    [
        render.facts_html([], "Alex"),
        render.recalled_html([], None),
        render.recalled_html([], receipt()),
        render.path_html([]),
    ],
)
def test_empty_panels_say_so(html: str) -> None:
    assert "rc-nothing" in html


def test_paused_chats_are_listed_with_their_time() -> None:
    began = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
    takeover = Pause("takeover", began, began + timedelta(hours=1))
    shown = render.pauses_html({"waha/shop/<4915>@c.us": [takeover], "web/local/me": []})
    assert "waha/shop/&lt;4915&gt;@c.us" in shown
    assert "until 2026-03-01 10:00:00 UTC" in shown
    assert render.pauses_html({}) == ""


def test_the_head_explains_the_offline_responder_and_names_a_model() -> None:
    offline = render.brand_html(None)
    assert "answers from memory alone; set RECOLLECT_MODEL for more" in offline
    assert "tabindex='0'" in offline
    assert "tabindex='-1'" in render.word_html("dense")
    assert "<script" not in render.brand_html("<script>")
