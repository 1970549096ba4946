"""The memory view in Chromium: by mouse, by keys, by address, and on a phone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote
from zipfile import ZipFile

import pytest
from playwright.sync_api import Page, Route, expect

from tests.e2e.axe import serious
from tests.e2e.chromium import needs_chromium
from tests.e2e.processes import Playground, recollect

WAIT_MS = 20_000

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300), needs_chromium]


@pytest.fixture(scope="module")
def console(data_dir: Path) -> Iterator[str]:
    """The address of a playground that knows one person's home, and a hostile pet."""
    for key, value in (("home", "Leeds"), ("home", "Lisbon"), ("pet", "<img src=x> Rex")):
        done = recollect(data_dir, "facts", "set", key, value)
        assert done.returncode == 0, done.stderr
    with Playground(data_dir) as running:
        yield running.url


@pytest.fixture
def page(page: Page) -> Page:
    """A phone's."""
    page.set_viewport_size({"width": 390, "height": 844})
    page.set_default_timeout(WAIT_MS)
    return page


def test_a_fact_is_corrected_forgotten_and_brought_back_by_keys(console: str, page: Page) -> None:
    page.goto(f"{console}/?view=memory&part=facts")
    pet = page.locator(".rc-fact", has_text="Rex")
    expect(pet.locator(".rc-so")).to_have_text("<img src=x> Rex", timeout=WAIT_MS)
    pet.get_by_role("button", name="Edit").focus()
    page.keyboard.press("Enter")
    page.keyboard.type("Rexy")
    page.keyboard.press("Enter")
    expect(page.locator(".rc-outcome")).to_contain_text("is Rexy now", timeout=WAIT_MS)
    page.locator(".rc-fact", has_text="Rexy").get_by_role("button", name="Forget").press("Enter")
    expect(page.locator(".rc-outcome")).to_contain_text("Forgotten: pet Rexy", timeout=WAIT_MS)
    expect(page.locator(".rc-fact")).to_have_count(1)
    page.locator(".rc-outcome").get_by_role("button", name="Undo").press("Enter")
    expect(page.locator(".rc-fact", has_text="Rexy")).to_be_visible(timeout=WAIT_MS)
    home = page.locator(".rc-fact", has_text="Lisbon")
    home.locator("summary").press("Enter")
    expect(home.locator("s")).to_have_text("Leeds")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_fact_is_pinned_and_another_never_recalled(console: str, page: Page) -> None:
    page.goto(f"{console}/?view=memory&part=facts")
    home = page.locator(".rc-fact", has_text="Lisbon")
    home.locator("summary").press("Enter")
    home.get_by_role("button", name="Pin").press("Enter")
    expect(home.locator(".rc-kind")).to_have_text("Pinned", timeout=WAIT_MS)
    home.get_by_role("button", name="Never recall").click()
    withheld = page.locator(".rc-group", has_text="Never recalled")
    expect(withheld.locator(".rc-fact")).to_contain_text("Lisbon", timeout=WAIT_MS)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.set_viewport_size({"width": 1280, "height": 900})
    assert serious(page) == []
    withheld.get_by_role("button", name="Recall again").press("Enter")
    expect(withheld).to_have_count(0, timeout=WAIT_MS)


def test_what_is_never_kept_is_said_in_the_page(console: str, page: Page) -> None:
    page.goto(f"{console}/?view=memory&part=rules")
    page.get_by_label("Which").fill("pet", timeout=WAIT_MS)
    page.keyboard.press("Enter")
    outcome = page.locator(".rc-outcome")
    expect(outcome).to_contain_text("1 fact is known, of web:me", timeout=WAIT_MS)
    outcome.get_by_role("button", name="Forget it").click()
    expect(outcome).to_contain_text("Forgotten.", timeout=WAIT_MS)
    outcome.get_by_role("button", name="Undo").click()
    expect(outcome).to_contain_text("holds again", timeout=WAIT_MS)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.set_viewport_size({"width": 1280, "height": 900})
    assert serious(page) == []
    page.get_by_role("button", name="Remove the rule: pet").click()
    expect(page.locator(".rc-list > li")).to_have_count(1, timeout=WAIT_MS)


def test_a_search_has_an_address_and_a_refusal_keeps_what_was_typed(
    console: str, page: Page
) -> None:
    page.goto(f"{console}/?view=memory&part=search&q={quote('Lisbon & more')}")
    expect(page.locator(".rc-match").first).to_contain_text("home: Lisbon", timeout=WAIT_MS)
    expect(page.locator(".rc-ask input")).to_have_value("Lisbon & more")
    page.get_by_role("link", name="Facts").click()
    page.locator(".rc-add summary").click()
    page.locator(".rc-add [name=key]").fill("hat size")
    page.locator(".rc-add [name=value]").fill("nine")
    page.keyboard.press("Enter")
    expect(page.locator(".rc-outcome.rc-bad")).to_contain_text("no kind of fact", timeout=WAIT_MS)
    expect(page.locator(".rc-add [name=value]")).to_have_value("nine")
    page.get_by_role("button", name="Keep it as a note").click()
    expect(page.locator(".rc-outcome")).to_have_text("Written down.", timeout=WAIT_MS)
    # A question that is too long for an address stands there after a reload all the same.
    long = "zzzzqqq " * 1_000
    page.get_by_label("Search everything").fill(long)
    page.get_by_label("Search everything").press("Enter")
    expect(page.locator(".rc-query")).to_contain_text("zzzzqqq", timeout=WAIT_MS)
    page.reload()
    expect(page.locator(".rc-query")).to_contain_text("zzzzqqq", timeout=WAIT_MS)
    page.go_back()
    expect(page.locator(".rc-add summary")).to_be_visible(timeout=WAIT_MS)
    page.go_back()
    expect(page.locator(".rc-match").first).to_contain_text("home: Lisbon", timeout=WAIT_MS)


def test_a_part_has_an_address_until_another_view_is_chosen(console: str, page: Page) -> None:
    page.goto(f"{console}/?view=memory&part=notes")
    expect(page.get_by_label("What the agent shall know")).to_be_visible(timeout=WAIT_MS)
    expect(page.get_by_role("link", name="Notes")).to_have_attribute("aria-current", "page")
    page.get_by_role("tab", name="Chat").click()
    expect(page).to_have_url(re.compile(r"view=chat"))
    assert "part=" not in page.url
    page.get_by_role("tab", name="Memory").click()
    expect(page.locator(".rc-fact").first).to_be_visible(timeout=WAIT_MS)
    expect(page.get_by_role("link", name="Facts")).to_have_attribute("aria-current", "page")
    with page.expect_download() as told:
        page.get_by_role("link", name="Download all").press("Enter")
    with ZipFile(told.value.path()) as zipped:
        assert b'"value": "Leeds"' in zipped.read("facts.jsonl")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_person_is_erased_where_the_name_is_typed(console: str, page: Page) -> None:
    page.goto(f"{console}/?contact=web%3Azoe&view=memory&part=facts")
    page.locator(".rc-add summary").click()
    page.locator(".rc-add [name=key]").fill("home")
    page.locator(".rc-add [name=value]").fill("Hull")
    page.keyboard.press("Enter")
    expect(page.locator(".rc-fact")).to_contain_text("Hull", timeout=WAIT_MS)
    page.get_by_role("tab", name="Chat").click()
    page.locator("#rc-box textarea").fill("Half of a thought")
    unsent = "() => Object.keys(localStorage).some(each => each.startsWith('recollect-unsent'))"
    page.wait_for_function(unsent)
    page.get_by_role("tab", name="Memory").click()
    page.get_by_text("Erase this person …").click()
    expect(page.locator(".rc-mem-counts")).to_contain_text("chats 1", timeout=WAIT_MS)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.set_viewport_size({"width": 1280, "height": 900})
    assert serious(page) == []
    name = page.get_by_label("Type zoe to erase")
    name.fill("Zo")
    page.keyboard.press("Enter")
    expect(page.locator(".rc-outcome.rc-bad")).to_contain_text("Another name", timeout=WAIT_MS)
    name.fill("zoe")
    page.get_by_role("button", name="Erase", exact=True).click()
    expect(page.get_by_label("Receipt")).to_contain_text("found nothing", timeout=WAIT_MS)
    expect(page.locator("#rc-people a", has_text="zoe")).to_have_count(0, timeout=WAIT_MS)
    expect(page.get_by_text("Erase this person …")).to_have_count(0)
    assert not page.evaluate(unsent)


def test_who_turns_on_before_a_view_is_there_sees_the_last_one(console: str, page: Page) -> None:
    page.goto(f"{console}/?view=memory&part=notes")
    expect(page.get_by_label("What the agent shall know")).to_be_visible(timeout=WAIT_MS)
    held: list[Route] = []
    page.route("**/queue/join*", lambda route: route.continue_() if held else held.append(route))
    for name in ("Chat", "Timeline", "Memory"):
        page.get_by_role("tab", name=name).click()
        expect(page).to_have_url(re.compile(f"view={name.lower()}"))
    # Nor does it lead back who chooses a person in a list that is still the first view's.
    page.get_by_role("tab", name="Timeline").click()
    page.locator("#rc-whose button").click()
    page.locator("#rc-people a", has_text="me").first.click()
    held[0].continue_()
    expect(page).to_have_url(re.compile(r"contact=web%3Ame&view=timeline"))
    expect(page.locator("#rc-timeline .rc-date").first).to_be_visible(timeout=WAIT_MS)
    expect(page.get_by_role("tab", name="Timeline")).to_have_attribute("aria-selected", "true")
