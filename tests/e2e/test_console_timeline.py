"""A person's past in Chromium: their days, one address each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.chromium import needs_chromium
from tests.e2e.processes import Playground, recollect

READY_MS = 20_000
HOSTILE = "<img src=x onerror=alert(1)>"

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300), needs_chromium]


@pytest.fixture(scope="module")
def playground(data_dir: Path) -> Iterator[Playground]:
    """A playground that knows an imported chat of 40 days, and a wife and a dog."""
    lines = [f"{day:02}/03/2025, 09:{n:02} - Max: line {n}" for day in (1, 20) for n in range(50)]
    lines += [
        "21/03/2025, 09:00 - Anna: The cat sleeps.",
        f"21/03/2025, 09:01 - Max: {HOSTILE}",
        "21/03/2025, 09:02 - Max: My wife Priya works at Acme.",
        "21/03/2025, 09:03 - Max: I live in Leeds.",
    ]
    export = data_dir.parent / "WhatsApp Chat with Anna.txt"
    export.write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = recollect(data_dir, "import", str(export), "--me", "Max", "--timezone", "UTC")
    assert done.returncode == 0, done.stderr
    with Playground(data_dir, RECOLLECT_TIMEZONE="UTC") as running:
        yield running


def test_days_have_addresses_and_hostile_words_stay_words(
    playground: Playground, page: Page
) -> None:
    page.goto(f"{playground.url}?contact=web:me&view=timeline")
    days = page.locator("#rc-timeline .rc-date h3")
    expect(days.first).to_have_text("Friday, 21 March 2025", timeout=READY_MS)
    expect(page.locator("#rc-timeline")).to_contain_text(HOSTILE)
    expect(page.locator("#rc-timeline")).to_contain_text("The cat sleeps.")
    expect(page.locator(".rc-turned").first).to_contain_text("home: Leeds")
    page.get_by_role("link", name="Earlier").click()
    expect(days.first).to_have_text("Saturday, 1 March 2025", timeout=READY_MS)
    expect(page).to_have_url(re.compile("view=timeline&day=2025-03-01$"))
    page.reload()
    expect(days).to_have_text(["Saturday, 1 March 2025"], timeout=READY_MS)
    page.get_by_role("link", name="Latest").press("Enter")
    expect(days.first).to_have_text("Friday, 21 March 2025", timeout=READY_MS)
    expect(page).to_have_url(re.compile("view=timeline$"))
    page.locator(".rc-weeks a[tabindex='0']").press("ArrowLeft")
    page.locator(".rc-weeks a:focus").press("ArrowLeft")
    page.locator(".rc-weeks a:focus").press("ArrowLeft")
    page.locator(".rc-weeks a:focus").press("Enter")
    expect(days.first).to_have_text("Saturday, 1 March 2025", timeout=READY_MS)
    page.goto(f"{playground.url}?contact=web:me&view=timeline&day=tomorrow")
    expect(page.get_by_role("alert")).to_contain_text("2026-03-31", timeout=READY_MS)


def test_people_and_things_are_chosen_by_click_and_by_key(
    playground: Playground, page: Page
) -> None:
    page.goto(f"{playground.url}?contact=web:me&view=graph")
    picture = page.locator(".rc-picture svg")
    picture.get_by_label("Priya, wife").focus()
    page.keyboard.press("Enter")
    told = page.locator(".rc-about")
    expect(told).to_contain_text("employer: Acme", timeout=READY_MS)
    told.get_by_role("link", name="Acme").click()
    expect(told.locator("h3")).to_contain_text("Acme", timeout=READY_MS)
    expect(page).to_have_url(re.compile("view=graph&entity="))
    page.go_back()
    expect(told.locator("h3")).to_contain_text("Priya", timeout=READY_MS)
    told.get_by_role("link", name="21 Mar 2025").click()
    expect(page.locator("#rc-timeline")).to_contain_text("My wife Priya", timeout=READY_MS)


def test_on_a_phone_nothing_sticks_out_and_the_list_stands_alone(
    playground: Playground, page: Page
) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    for view, part in (("timeline", ".rc-date"), ("graph", "nav a")):
        page.goto(f"{playground.url}?contact=web:me&view={view}")
        expect(page.locator(f"#rc-{view} {part}").first).to_be_visible(timeout=READY_MS)
        expect(page.locator(".rc-picture")).to_be_hidden()
        assert page.locator(f"#rc-{view}").evaluate("part => part.scrollWidth <= part.clientWidth")
