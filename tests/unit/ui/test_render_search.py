"""What was found stands with its reason, and with why a prompt would leave it out."""

from __future__ import annotations

from html import unescape

from memory.domain.chats import StoredMessage
from tests.messages import message
from tests.unit.ui.test_render import HOSTILE, NOW, tags
from ui.playground.render_search import reason, search_part
from ui.playground.searching import Hit, Search

SAID = StoredMessage(message(HOSTILE), seq=1, position=1, arrived_at=NOW)


def test_hits_are_text_and_what_was_cut_says_why() -> None:
    hits = (
        Hit("fact", "home: Lisbon", NOW, {"words": 0.4}),
        Hit("message", HOSTILE, NOW, {"lexical": 0.3}, "no room in the prompt", SAID),
    )
    html = search_part(HOSTILE, Search(hits, missing="not at hand: facts"))
    assert not tags(html) & {"script", "img"}
    assert unescape(html).count(HOSTILE) == 2
    shown, _, cut = html.partition("Found and left out · 1")
    assert "home: Lisbon" in shown
    assert "left out: no room in the prompt" in cut
    assert "Not at hand: facts" in html


def test_a_reason_names_what_counts_most_first_in_plain_words() -> None:
    parts = {"dense": 0.2, "lexical": 0.31, "cosine": 0.9, "form": -0.1, "time": 0.001}
    told = reason(Hit("message", "x", NOW, parts))
    assert (
        told
        == "Found for the same words 0.31, a similar meaning 0.20; against it: it only asks -0.10."
    )


def test_what_has_nothing_to_do_with_the_question_is_not_shown_as_if_it_had() -> None:
    hits = (Hit("message", "I play the cello.", NOW, {"late": 0.82}, said=SAID),)
    html = search_part("zzzzqqq", Search(hits, is_near=False))
    said, _, folded = html.partition("<details class='rc-past'>")
    assert "Nothing near it is remembered." in said
    assert "What a prompt would show" not in html
    assert "I play the cello." in folded


def test_nothing_asked_and_nothing_found_are_sentences() -> None:
    assert "Ask anything" in search_part(" ", Search())
    assert "Nothing fits" in search_part("🦄", Search())
