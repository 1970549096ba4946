"""The playground in Chromium: what a person sees, from a first sentence to a second start."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.chromium import needs_chromium
from tests.e2e.processes import Playground

ANSWER_MS = 20_000

pytestmark = [
    pytest.mark.browser,
    pytest.mark.timeout(300),
    needs_chromium,
]


def say(page: Page, text: str) -> str:
    """Say something; return the reply with its receipt, once it has one."""
    replies = page.locator("#rc-chat .bot .rc-receipt")
    before = replies.count()
    box = page.locator("#rc-box textarea[data-contact]")
    box.fill(text)
    box.press("Enter")
    expect(replies).to_have_count(before + 1, timeout=ANSWER_MS)
    return page.locator("#rc-chat .bot.message").last.inner_text()


def opened(page: Page, url: str, lines: int) -> None:
    """Open the page and wait until it shows so many lines of history."""
    page.goto(url)
    page.locator("#rc-box textarea").wait_for()
    expect(page.locator("#rc-chat .rc-said")).to_have_count(lines, timeout=ANSWER_MS)


def talk_as(page: Page, name: str) -> None:
    """Look for somebody at the left, and choose them."""
    page.locator("#rc-people a").first.wait_for()
    page.locator("#rc-search input").press_sequentially(name, delay=50)
    page.locator("#rc-people a", has_text=name).click()


def test_remembers_across_a_restart_with_a_receipt_for_each_answer(
    new_data_dir: Path, page: Page
) -> None:
    with Playground(new_data_dir) as first:
        opened(page, first.url, 0)
        say(page, "My name is Alex, I live in Lisbon and I'm allergic to peanuts.")
        expect(page.locator("#rc-known")).to_contain_text("peanuts", timeout=ANSWER_MS)
        status, rest = first.stop()
    assert (status, rest) == (0, "")
    with Playground(new_data_dir) as second:
        assert second.first == "Recollect starts: memory first, then the page.\n"
        assert second.first_s < second.start_s / 2
        opened(page, second.url, 2)
        for question, answer, memory in (
            ("What's my name?", "Alex", "name Alex"),
            ("Where do I live?", "Lisbon", "home Lisbon"),
            ("What must I not eat?", "peanuts", "allergy peanuts"),
        ):
            reply, _, receipt = say(page, question).partition("used:")
            assert answer in reply
            assert memory in receipt
            expect(page.locator("#rc-recalled")).to_contain_text(question)
            expect(page.locator("#rc-recalled .rc-fact").first).to_be_visible()
        expect(page.locator("#rc-turn svg")).to_have_attribute(
            "aria-label", re.compile(r"normalize \d+ ms.*generate \d+ ms.*extract")
        )


def test_hostile_text_stays_text_and_contacts_stay_apart(new_data_dir: Path, page: Page) -> None:
    hostile = "<img src=x onerror=alert(1)><b>bold</b> ![i](http://evil.example/x.png) שלום 🎉"
    with Playground(new_data_dir) as running:
        page.goto(running.url)
        talk_as(page, "Mallory <b>")
        expect(page.locator("#rc-chat .rc-said")).to_have_count(0, timeout=ANSWER_MS)
        expect(page.locator("#rc-known")).to_contain_text("Mallory <b>", timeout=ANSWER_MS)
        reply = say(page, hostile)
        assert "Alex" not in reply
        expect(page.locator("#rc-chat .user .rc-said")).to_have_text(hostile)
        assert page.locator("#rc-chat img, #rc-chat .rc-said b").count() == 0
        page.reload()
        # The address keeps who was chosen; going back leads to who was there before.
        expect(page.locator("#rc-chat .user .rc-said")).to_have_text(hostile, timeout=ANSWER_MS)
        page.go_back()
        expect(page.locator("#rc-known")).to_contain_text("Lisbon", timeout=ANSWER_MS)
        expect(page.locator("#rc-people a", has_text="Mallory <b>")).to_be_visible()


def test_earlier_reply_shows_its_receipt_and_the_theme_is_kept(
    new_data_dir: Path, page: Page
) -> None:
    with Playground(new_data_dir) as running:
        opened(page, running.url, 8)
        page.locator("#rc-chat .bot .rc-said", has_text="Your name is Alex").click()
        expect(page.locator("#rc-recalled .rc-query")).to_contain_text("What's my name?")
        was_dark = page.evaluate("document.body.classList.contains('dark')")
        page.locator("#rc-theme").click()
        page.reload()
        page.locator("#rc-box textarea").wait_for()
        page.wait_for_function(
            "dark => document.body.classList.contains('dark') === dark", arg=not was_dark
        )


def test_a_page_with_a_key_opens_only_for_who_types_it(
    new_data_dir: Path, browser: Browser
) -> None:
    key = "a-key-of-many-characters"
    with Playground(new_data_dir, RECOLLECT_API_KEY=key) as running:
        with typing(browser, "wrong") as page:
            refused = page.goto(running.url)
            assert refused is not None
            assert refused.status == 401
            assert page.locator("#rc-box").count() == 0
        with typing(browser, key) as page:
            page.goto(running.url)
            page.locator("#rc-box textarea").wait_for()
            # The history comes after the page: an answer is told by one line more.
            expect(page.locator("#rc-chat .rc-said").first).to_be_visible(timeout=ANSWER_MS)
            page.wait_for_timeout(1_000)
            assert "Alex" in say(page, "What's my name?")


def test_facts_are_corrected_and_forgotten_where_they_are_listed(
    new_data_dir: Path, page: Page
) -> None:
    with Playground(new_data_dir) as running:
        page.goto(running.url)
        facts = page.locator("#rc-known")
        expect(facts).to_contain_text("Lisbon", timeout=ANSWER_MS)
        page.get_by_role("button", name="Correct home: Lisbon").click()
        page.get_by_label("What is so").press("Escape")
        expect(facts).to_contain_text("Lisbon")
        page.get_by_role("button", name="Correct home: Lisbon").click()
        page.get_by_label("What is so").fill("Porto <b>")
        page.get_by_label("What is so").press("Enter")
        history = page.get_by_role("button", name="History of home")
        expect(page.get_by_role("button", name="Correct home: Porto <b>")).to_be_visible(
            timeout=ANSWER_MS
        )
        expect(facts.get_by_text("Lisbon", exact=True)).to_be_hidden()
        history.click()
        expect(facts.get_by_text("Lisbon", exact=True)).to_be_visible()
        expect(facts).to_contain_text("corrected by hand")
        forget = page.get_by_role("button", name="Forget allergy: peanuts")
        forget.click()
        expect(forget).to_have_text("Forget?")
        forget.click()
        expect(facts).not_to_contain_text("peanuts", timeout=ANSWER_MS)
        # The row that moved up was not asked about.
        expect(facts.locator("[data-asked]")).to_have_count(0)


@contextmanager
def typing(browser: Browser, password: str) -> Iterator[Page]:
    """Yield a page of somebody who types this where a password is asked for."""
    context = browser.new_context(http_credentials={"username": "", "password": password})
    yield context.new_page()
    context.close()
