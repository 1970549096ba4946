"""A chat is dropped into the page in Chromium: refused, asked about, imported, and read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.axe import serious
from tests.e2e.chromium import needs_chromium
from tests.e2e.processes import Playground

READY_MS = 30_000

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300), needs_chromium]


@pytest.fixture(scope="module")
def playground(data_dir: Path) -> Iterator[Playground]:
    with Playground(data_dir) as running:
        yield running


def drop(page: Page, path: Path) -> None:
    page.locator("#rc-file input[type=file]").set_input_files(path)


def test_a_chat_is_refused_asked_about_imported_and_read(
    playground: Playground, page: Page, data_dir: Path
) -> None:
    photo, chat = data_dir.parent / "photo.jpg", data_dir.parent / "WhatsApp Chat with Bea.txt"
    photo.write_bytes(b"\xff\xd8\xff\xe0 jpeg")
    lines = [f"03/04/2025, 09:{n:02} - {('Bea', 'Max')[n % 2]}: note {n}" for n in range(30)]
    chat.write_text("\n".join(lines) + "\n", encoding="utf-8")
    page.goto(f"{playground.url}?contact=web:me&view=import")
    told = page.locator("#rc-import-told")
    expect(page.locator("#rc-imports")).to_contain_text("Nothing was imported", timeout=READY_MS)
    page.set_viewport_size({"width": 360, "height": 844})
    label, icon = (
        page.locator(f"#rc-file {part}").bounding_box() for part in ("label", "button svg")
    )
    assert label is not None
    assert icon is not None
    assert label["y"] + label["height"] <= icon["y"], "what it says stands over the arrow"
    page.set_viewport_size({"width": 1280, "height": 900})
    drop(page, photo)
    expect(told).to_contain_text("photo.jpg: looks like an image", timeout=READY_MS)
    start = page.get_by_role("button", name="Import", exact=True)
    expect(start).to_be_hidden()
    page.get_by_label("Clear").or_(page.get_by_label("Remove")).first.click()
    drop(page, chat)
    page.get_by_label("Day first").check(timeout=READY_MS)
    expect(told).to_contain_text("30 messages of 2 people", timeout=READY_MS)
    start.click()
    expect(told).to_contain_text("Say who of them you are", timeout=READY_MS)
    page.get_by_label("Max (15)").check()
    page.set_viewport_size({"width": 360, "height": 844})
    away, size = (
        page.locator(f"#rc-file {part}").bounding_box()
        for part in ("button[aria-label='Clear']", ".download-link")
    )
    assert away is not None
    assert size is not None
    assert away["y"] + away["height"] <= size["y"], "the cross stands over the arrow"
    for dark in (True, False):
        page.emulate_media(color_scheme="dark" if dark else "light")
        page.evaluate("dark => document.body.classList.toggle('dark', dark)", dark)
        page.wait_for_timeout(500)
        assert serious(page) == []
    page.set_viewport_size({"width": 1280, "height": 900})
    start.click()
    expect(told).to_contain_text("30 new messages", timeout=READY_MS)
    # What is done is asked about no more.
    expect(start).to_be_hidden()
    expect(page.get_by_label("Max (15)")).to_be_hidden()
    # The outcome stands, and the past with it, for whoever opens the page later.
    page.reload()
    expect(told).to_contain_text("30 new messages", timeout=READY_MS)
    page.get_by_role("link", name="Read the chat").click()
    day = page.locator("#rc-timeline .rc-date h3")
    expect(day).to_have_text(["Thursday, 3 April 2025"], timeout=READY_MS)
    expect(page.locator("#rc-timeline")).to_contain_text("note 29")
    # Whose lines were imported is led to them, and to where one asks about them.
    page.get_by_role("tab", name="Chat").click()
    page.locator("#rc-people a", has_text="Bea").first.click()
    empty = page.locator("#rc-chat .rc-empty")
    expect(empty.get_by_role("link", name="your own chat")).to_be_visible(timeout=READY_MS)
    empty.get_by_role("link", name="Timeline").click()
    expect(page.locator("#rc-timeline")).to_contain_text("note 28", timeout=READY_MS)
