"""Imports as HTML: how one goes on and ends, what past ones brought, every name escaped."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from pathlib import Path

from graph.importing.background import Order, Progress
from memory.domain.imports import Extent, ImportState
from tests.messages import START
from tests.unit.ui.test_render import HOSTILE
from ui.playground.views.imports_html import Brought, brought_html, progress_html

NAME = HOSTILE.replace("/", "")
STATE = ImportState(
    1, "whatsapp", NAME, "", "web:me", "Max", ("a",), 90, 40, 40, 1, START, finished_at=START
)


def going(**more: object) -> Progress:
    progress = Progress(Order(Path("/somewhere") / NAME, "me", "Max", "UTC"), 90, 40)
    return replace(progress, **more)  # type: ignore[arg-type]


def test_hostile_names_of_files_people_and_reasons_are_text() -> None:
    brought = Brought(STATE, Extent(2, 1, START, START), {HOSTILE: HOSTILE})
    html = brought_html([brought]) + progress_html(going(error=HOSTILE), is_running=False)
    html += progress_html(going(note=HOSTILE), is_running=True)
    assert not re.search(r"<script|<img|onerror=[^&]", html)
    assert unescape(html).count(HOSTILE) == 3
    assert unescape(html).count(NAME) == 2


def test_one_that_goes_on_is_counted_and_says_how_long_it_lasts() -> None:
    html = progress_html(going(), is_running=True)
    assert "40 of 90 messages" in html
    assert "<progress max='90' value='40'" in html
    assert "goes on when this page is closed, and ends with this program" in html
    assert "Reading" in progress_html(going(total=0), is_running=True)
    assert "/somewhere" not in html


def test_it_ends_stopped_done_or_known_before() -> None:
    stopped = progress_html(going(was_stopped=True), is_running=False)
    assert "Stopped: 40 of 90 messages kept" in stopped
    assert "Nothing of it kept" in progress_html(going(total=0), is_running=False)
    assert "40 new messages, 1 fact learned" in progress_html(going(done=STATE), is_running=False)
    joined = going(done=STATE)
    joined.joined(HOSTILE, NAME)
    told = progress_html(joined, is_running=False)
    assert f"It goes on with the chat “{HOSTILE}”, imported from {NAME}." in unescape(told)
    assert HOSTILE not in told
    again = replace(STATE, new=0)
    assert "nothing to add" in progress_html(going(done=again), is_running=False)
    assert progress_html(None, is_running=False) == ""


def test_past_imports_lead_to_their_days_and_people() -> None:
    html = brought_html([Brought(STATE, Extent(2, 1, START, START), {"whatsapp:Anna": "Anna"})])
    assert "?contact=web%3Ame&amp;view=timeline&amp;day=2026-03-01'>Read the chat</a>" in html
    assert "?contact=whatsapp%3AAnna&amp;view=timeline' dir='auto'>Anna</a>" in html
    assert "2 messages · 1 fact learned · 1 person · 1 Mar 2026 to 1 Mar 2026" in html
    half = replace(STATE, finished_at=None)
    assert "40 of 90; drop the file again" in brought_html(
        [Brought(half, Extent(0, 0, None, None), {})]
    )
    assert "Nothing was imported yet" in brought_html([])
