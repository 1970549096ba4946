"""The chat of the console in Chromium: what waits, stops, fails, and what another tab sees."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.e2e.chromium import needs_chromium
from tests.e2e.processes import Playground, recollect
from tests.fakes.openai_server import Failure, OpenAIServer, Slow

ANSWER_MS = 20_000

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300), needs_chromium]


@pytest.fixture(scope="module")
def model() -> Iterator[OpenAIServer]:
    with OpenAIServer() as running:
        yield running


@pytest.fixture(scope="module")
def playground(data_dir: Path, model: OpenAIServer) -> Iterator[Playground]:
    settings = {
        "RECOLLECT_MODEL": "fake",
        "OPENAI_BASE_URL": f"{model.url}/v1",
        "OPENAI_API_KEY": "none",
        "RECOLLECT_MODEL_ATTEMPTS": "1",
    }
    with Playground(data_dir, **settings) as running:
        yield running


def opened(page: Page, playground: Playground, contact: str) -> Locator:
    """Open a contact's chat; return its lines."""
    page.goto(f"{playground.url}/?contact=web:{contact}&view=chat")
    expect(page.locator("#rc-chat .rc-lines")).to_have_attribute(
        "data-contact", f"web:{contact}", timeout=ANSWER_MS
    )
    return page.locator("#rc-chat .rc-lines")


def say(page: Page, text: str) -> None:
    box = page.locator("#rc-box textarea[data-contact]")
    box.fill(text)
    box.press("Enter")
    expect(box).to_have_value("", timeout=ANSWER_MS)


def test_what_is_sent_before_anybody_is_shown_goes_to_who_is_then(
    playground: Playground, model: OpenAIServer, page: Page
) -> None:
    model.script("Heard.")
    lines = opened(page, playground, "Early")
    box = page.locator("#rc-box textarea[data-contact]")
    # As the page is before the chat has come.
    box.evaluate("""input => {
      const chat = document.querySelector('#rc-chat .rc-lines'), whose = chat.dataset.contact;
      delete chat.dataset.contact;
      delete input.dataset.contact;
      input.value = 'sooner';
      input.dispatchEvent(new Event('input', { bubbles: true }));
      const enter = { key: 'Enter', bubbles: true, cancelable: true };
      input.dispatchEvent(new KeyboardEvent('keydown', enter));
      chat.dataset.contact = whose;
      chat.append(document.createElement('i'));
    }""")
    expect(lines.locator(".rc-said")).to_have_text(["sooner", "Heard."], timeout=ANSWER_MS)
    expect(box).to_have_value("")


def test_a_second_message_waits_in_sight_and_is_sent_after_the_first_in_every_tab(
    playground: Playground, model: OpenAIServer, browser: Browser, page: Page
) -> None:
    model.script(Slow("The first answer.", 10), "The second answer.")
    lines = opened(page, playground, "Queue")
    say(page, "one")
    say(page, "two")
    expect(lines.locator(".rc-waiting")).to_have_text("two")
    expect(lines).to_contain_text("Waiting for the reply before it")
    other = browser.new_page()
    beside = opened(other, playground, "Queue")
    expect(beside.locator(".rc-waiting")).to_have_text("two")
    for each in (lines, beside):
        expect(each.locator(".rc-said")).to_have_text(
            ["one", "The first answer.", "two", "The second answer."], timeout=ANSWER_MS
        )
        expect(each).not_to_contain_text("Waiting")
    other.close()


def test_what_is_due_is_seen_beside_the_person_and_above_their_chat(
    playground: Playground, model: OpenAIServer, page: Page
) -> None:
    model.script("Noted.")
    lines = opened(page, playground, "Nora")
    say(page, "I'll send you the signed lease today")
    expect(lines).to_contain_text("Noted.", timeout=ANSWER_MS)
    nora = page.locator("#rc-people a[data-contact='web:Nora']")
    expect(nora.locator(".rc-due")).to_have_text("1 due", timeout=ANSWER_MS)
    lines = opened(page, playground, "Nora")
    told = lines.locator(".rc-due-now")
    expect(told).to_contain_text("1 due “I'll send you the signed lease today”")
    told.get_by_role("link", name="Timeline").press("Enter")
    expect(page.locator(".rc-open")).to_contain_text("due today", timeout=ANSWER_MS)


def test_a_reply_is_stopped_and_tried_again_after_a_reload(
    playground: Playground, model: OpenAIServer, page: Page
) -> None:
    model.script(Slow("Too late.", 60), "Here it is.")
    lines = opened(page, playground, "Stop")
    before = model.calls
    say(page, "Tell me everything.")
    while model.calls == before:
        page.wait_for_timeout(50)
    lines.get_by_role("button", name="Stop").click()
    expect(lines).to_contain_text("You stopped this reply", timeout=ANSWER_MS)
    page.reload()
    expect(lines).to_contain_text("You stopped this reply", timeout=ANSWER_MS)
    lines.get_by_role("button", name="Try again").press("Enter")
    expect(lines.locator(".rc-said")).to_have_text(
        ["Tell me everything.", "Here it is."], timeout=ANSWER_MS
    )
    expect(lines).not_to_contain_text("You stopped")


def test_a_failed_reply_keeps_its_reason_after_a_reload(
    playground: Playground, model: OpenAIServer, page: Page
) -> None:
    model.script(Failure(401))
    lines = opened(page, playground, "Fail")
    say(page, "Hello?")
    again = lines.get_by_role("button", name="Try again")
    expect(again).to_be_visible(timeout=ANSWER_MS)
    reason = lines.locator(".rc-note").inner_text()
    assert reason.startswith("No answer: ")
    page.reload()
    expect(lines.locator(".rc-note")).to_have_text(reason.replace("\n", ""), timeout=ANSWER_MS)
    again.click()
    expect(lines.locator(".rc-said")).to_have_text(["Hello?", "ok"], timeout=ANSWER_MS)


def test_the_last_answer_is_given_again_in_its_place_by_keyboard_in_every_tab(
    playground: Playground, model: OpenAIServer, browser: Browser, page: Page
) -> None:
    model.script("First words.", Slow("Second words.", 4), "To the other.")
    lines = opened(page, playground, "Again")
    say(page, "Tell me something.")
    again = lines.get_by_role("button", name="Answer again")
    expect(again).to_be_visible(timeout=ANSWER_MS)
    other = browser.new_page()
    beside = opened(other, playground, "Again")
    page.locator("#rc-box textarea").focus()
    while not again.evaluate("button => button === document.activeElement"):
        page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    expect(lines.get_by_role("button", name="Stop")).to_be_visible(timeout=ANSWER_MS)
    expect(lines).not_to_contain_text("First words.")
    assert page.evaluate("document.querySelector('#rc-chat').contains(document.activeElement)")
    say(page, "And another thing.")
    expect(lines.locator(".rc-waiting")).to_have_text("And another thing.")
    for each in (lines, beside):
        expect(each.locator(".rc-line .rc-said")).to_have_text(
            ["Tell me something.", "Second words.", "And another thing.", "To the other."],
            timeout=ANSWER_MS,
        )
        expect(each.get_by_role("button", name="Answer again")).to_have_count(1)
        each.get_by_text("The answer before it").click()
        expect(each.locator(".rc-before .rc-said")).to_have_text("First words.")
    other.close()


def test_what_arrives_elsewhere_is_shown_and_who_reads_back_stays_where_they_are(
    playground: Playground, data_dir: Path, page: Page
) -> None:
    said = "".join(f"This is line {number} of a longer story.\n" for number in range(12))
    recollect(data_dir, "chat", "--contact", "Elsewhere", said=said)
    lines = opened(page, playground, "Elsewhere")
    lines.evaluate("box => { box.scrollTop = 0; }")
    page.wait_for_timeout(200)
    recollect(data_dir, "chat", "--contact", "Elsewhere", said="Something new.\n")
    expect(lines).to_contain_text("Something new.", timeout=ANSWER_MS)
    assert lines.evaluate("box => box.scrollTop") == 0
    # Somebody new, too, and what is typed into the search stays.
    beside = page.locator("#rc-people a", has_text="Zoe")
    expect(beside).to_have_count(0)
    recollect(data_dir, "chat", "--contact", "Zoe", said="Hello there.\n")
    expect(beside).to_be_visible(timeout=ANSWER_MS)
    expect(page.locator("#rc-people a[aria-current]")).to_contain_text("Elsewhere")


def test_a_reply_on_its_way_is_not_drawn_over_another_person(
    playground: Playground, model: OpenAIServer, page: Page
) -> None:
    model.script(Slow("At last.", 5))
    lines = opened(page, playground, "First")
    say(page, "Take your time.")
    expect(lines.get_by_role("button", name="Stop")).to_be_visible(timeout=ANSWER_MS)
    # Who is asked for as new is made and turned to by Enter; without a name it is asked for.
    page.get_by_role("button", name="+ New person").click()
    name = page.get_by_label("People")
    name.press("Enter")
    expect(name).to_be_focused()
    expect(name).to_have_attribute("placeholder", "Name of the new person")
    name.press_sequentially("Second")
    name.press("Enter")
    expect(lines).to_have_attribute("data-contact", "web:Second", timeout=ANSWER_MS)
    expect(page.locator("#rc-box textarea")).to_be_focused()
    expect(name).to_have_value("")
    page.wait_for_timeout(5_500)
    expect(lines).to_have_attribute("data-contact", "web:Second")
    page.go_back()
    expect(lines.locator(".rc-said")).to_have_text(
        ["Take your time.", "At last."], timeout=ANSWER_MS
    )
