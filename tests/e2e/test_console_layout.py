"""The frame of the console in Chromium: one width, nothing beside it, all of it on a phone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.e2e.chromium import needs_chromium
from tests.e2e.processes import Playground, recollect

ANSWER_MS = 20_000
SIZES = ((360, 700), (390, 844), (768, 1024), (1024, 700), (1280, 900), (1920, 1000))
WIDEST = 1480

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300), needs_chromium]


@pytest.fixture(scope="module")
def playground(data_dir: Path) -> Iterator[Playground]:
    said = "My name is Alex, I live in Lisbon.\nI play the cello.\nWhere do I live?\n"
    recollect(data_dir, "chat", said=said)
    recollect(data_dir, "chat", "--contact", "Nora", said="I have a dog called Rufus.\n")
    with Playground(data_dir) as running:
        yield running


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_one_width_without_bands_and_the_box_in_view_at_every_size(
    playground: Playground, visitor: BrowserContext, theme: Literal["light", "dark"]
) -> None:
    page = visitor.new_page()
    page.emulate_media(color_scheme=theme)
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        page.goto(playground.url)
        expect(page.locator("#rc-chat .rc-said")).to_have_count(6, timeout=ANSWER_MS)
        at = f"{width} px, {theme}"
        assert page.evaluate("document.documentElement.scrollWidth") <= width, at
        assert page.locator("main").evaluate("e => e.clientWidth") == min(width, WIDEST), at
        colours = page.evaluate(
            "['body', 'gradio-app', '.gradio-container'].map(each =>"
            " getComputedStyle(document.querySelector(each)).backgroundColor)"
        )
        assert len(set(colours)) == 1, at
        box = page.locator("#rc-box").bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= height, at
        assert page.evaluate("document.documentElement.scrollHeight") <= 1.5 * height, at
    page.set_viewport_size({"width": 640, "height": 400})
    box = page.locator("#rc-box").bounding_box()
    assert box is not None
    assert box["y"] + box["height"] <= 400, "at twice its size"
    page.close()


@pytest.mark.parametrize("address", ["", "/?contact=web:Nora&view=memory"])
def test_a_page_opens_with_one_event_since_two_at_once_may_lose_an_answer(
    playground: Playground, page: Page, address: str
) -> None:
    asked: list[str] = []
    page.on(
        "request",
        lambda request: asked.append(request.url) if "/queue/join" in request.url else None,
    )
    page.goto(playground.url + address)
    expect(page.locator("#rc-people a[aria-current]")).to_have_count(1, timeout=ANSWER_MS)
    page.wait_for_timeout(500)
    assert len(asked) == 1


def test_on_a_phone_people_and_cards_are_folded_and_open(
    playground: Playground, page: Page
) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(playground.url)
    whose = page.get_by_role("button", name="People")
    expect(whose).to_contain_text("Alex", timeout=ANSWER_MS)
    nora = page.locator("#rc-people a", has_text="Nora")
    expect(nora).to_be_hidden()
    known = page.locator("#rc-known .rc-body")
    expect(known).to_be_hidden()
    whose.focus()
    page.keyboard.press("Enter")
    expect(whose).to_have_attribute("aria-expanded", "true")
    nora.click()
    expect(whose).to_contain_text("Nora", timeout=ANSWER_MS)
    expect(nora).to_be_hidden()
    page.get_by_role("button", name="Facts", exact=True).click()
    expect(known).to_contain_text("Rufus", timeout=ANSWER_MS)
    # An address that leads nowhere is told, and leads on.
    page.goto(f"{playground.url}/?contact=telegram:999&view=nonsense")
    astray = page.locator("#rc-astray")
    expect(astray).to_contain_text("Nobody is known as “telegram:999”.", timeout=ANSWER_MS)
    expect(astray).to_contain_text("There is no view called “nonsense”.")
    expect(page.locator("#rc-people a", has_text="999")).to_have_count(0)
    astray.get_by_role("link").click()
    expect(page.locator("#rc-chat .rc-said")).to_have_count(6, timeout=ANSWER_MS)
    expect(astray).to_be_hidden()
    lost = page.goto(f"{playground.url}/nonsense")
    assert lost is not None
    assert lost.status == 404
    page.get_by_role("link", name="To the console").click()
    expect(page.locator("#rc-chat .rc-said")).to_have_count(6, timeout=ANSWER_MS)
    # Behind the tabs the first stop leads to the box.
    page.get_by_role("tab", selected=True).focus()
    for _ in range(12):
        page.keyboard.press("Tab")
        if page.locator(".rc-skip:focus").count():
            break
    page.keyboard.press("Enter")
    expect(page.locator("#rc-box textarea")).to_be_focused()
