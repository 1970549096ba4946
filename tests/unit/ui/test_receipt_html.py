"""How an answer came about, as HTML: counts that add up, words explained, hostile text escaped."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from memory.domain.recalls import Recalled, Receipt, Use, Used
from memory.recall.recall import LookedAt
from memory.recall.receipts import Reading
from ui.playground.retold import PromptPart, Searched
from ui.playground.views.receipt_html import features_html, flow_html, more_html, prompt_html

HOSTILE = "<img src=x onerror=alert(1)>'\""


def receipt(*recalled: Recalled) -> Receipt:
    return Receipt("t", "r", HOSTILE, recalled, (), "m", datetime(2026, 11, 1, tzinfo=UTC))


def test_what_was_recalled_is_cut_and_shown_in_numbers_that_add_up() -> None:
    shown = Recalled("message", "a", 1.0)
    html = flow_html(
        receipt(
            shown,
            replace(shown, item_id="b", is_shown=False),
            replace(shown, item_id="c", is_shown=False, repeats="a"),
        )
    )
    assert "<b>3</b> Recalled" in html
    assert "<b>2</b> Cut<small>1 had no room, 1 said the same</small>" in html
    assert "<b>1</b> Shown" in html
    assert flow_html(receipt()) == flow_html(None) == ""


def test_what_was_used_is_told_where_it_is_known_and_an_estimate_is_called_one() -> None:
    told = receipt(Recalled("message", "a", 1.0), Recalled("fact", "f", 0.9))
    lines = (Used("fact", "f"), Used("window", "w"))
    assert "Used" not in flow_html(told)
    assert "<b>1</b> Used</li>" in flow_html(replace(told, use=Use(lines, is_exact=True)))
    guessed = flow_html(replace(told, use=Use(lines, is_exact=False)))
    assert "<b>1</b> Used<small>an estimate</small>" in guessed


def test_every_feature_is_told_and_its_word_explained() -> None:
    reading = Reading("message", HOSTILE, HOSTILE, 1.25, {"sitting": 0.1, "dense": 0.9})
    html = features_html(Searched((reading,), LookedAt(12, 3, 4, 12)))
    assert HOSTILE not in html
    assert html.index("dense") < html.index("sitting")
    assert "closeness in meaning" in html
    assert "Looked at 12 lines: 3 found by words, 4 by meaning" in html


def test_a_prompt_says_that_it_is_built_again_with_tokens_by_part() -> None:
    html = prompt_html([PromptPart("Rules", "be kind", 30), PromptPart(HOSTILE, HOSTILE, 10)])
    assert HOSTILE not in html
    assert "No prompt is kept." in html
    assert "about 40 tokens" in html
    assert "width:75%" in html
    assert HOSTILE not in more_html(HOSTILE)
