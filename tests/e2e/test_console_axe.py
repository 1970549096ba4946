"""Every view of the console in Chromium: axe has nothing serious, and nothing scrolls sideways."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from scripts.screenshots import pictures, play
from tests.e2e.axe import serious
from tests.e2e.chromium import needs_chromium
from tests.e2e.processes import Playground, environment

ANSWER_MS = 20_000
SIZES = ((1280, 900), (390, 844))
NARROW = (360, 480, 768, 1024)
IS_DARK = "document.body.classList.contains('dark')"
AT_ONCE = "*, *::before, *::after { transition: none !important }"

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300), needs_chromium]


@pytest.fixture(scope="module")
def playground(data_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Playground]:
    play(environment(data_dir, RECOLLECT_CONTACT="Alex"), tmp_path_factory.mktemp("story"))
    with Playground(data_dir) as running:
        yield running


def test_axe_finds_nothing_serious_and_no_view_scrolls_sideways(
    playground: Playground, page: Page
) -> None:
    page.goto(playground.url)
    tabs = page.locator("#rc-views [role='tab'][data-tab-id]")
    expect(tabs.first).to_be_visible(timeout=ANSWER_MS)
    views = [tab.get_attribute("data-tab-id") for tab in tabs.all()]
    assert "chat" in views
    for view in dict.fromkeys(views):
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            page.goto(f"{playground.url}/?contact=web:Alex&view={view}")
            expect(page.locator("#rc-people a[aria-current]")).to_have_count(1, timeout=ANSWER_MS)
            page.add_style_tag(content=AT_ONCE)
            page.wait_for_timeout(1_000)
            for theme in in_both_themes(page):
                assert serious(page) == [], f"{view} at {width} px, {theme}"
        for theme in in_both_themes(page):
            for width in NARROW:
                page.set_viewport_size({"width": width, "height": 800})
                page.wait_for_timeout(150)
                scrolled = page.evaluate("document.documentElement.scrollWidth")
                assert scrolled <= width, f"{view} at {width} px, {theme}"


def in_both_themes(page: Page) -> Iterator[str]:
    """Yield the theme that a page is in and then the other one, into which its button brings it."""
    themes = []
    for _ in range(2):
        themes.append("dark" if page.evaluate(IS_DARK) else "light")
        yield themes[-1]
        page.locator("#rc-theme").dispatch_event("click")
    assert sorted(themes) == ["dark", "light"]


def test_every_view_has_its_pictures(
    playground: Playground, browser: Browser, tmp_path: Path
) -> None:
    drawn = pictures(browser, playground.url, tmp_path, drawn_ms=500)
    taken = {path.name: path.stat().st_size for path in drawn}
    looks = ("desk-light", "desk-dark", "phone-light", "phone-dark")
    assert {f"chat-{look}.png" for look in looks} <= set(taken)
    assert min(taken.values()) > 10_000
