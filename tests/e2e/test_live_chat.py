"""`recollect chat` at a terminal, as a person uses it."""

from __future__ import annotations

import stat
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.drivers.terminal import CTRL_C, CTRL_D, ENTER, TAB, UP, Terminal
from tests.e2e.processes import command, environment, recollect
from tests.fakes.openai_server import OpenAIServer, Slow

pytestmark = pytest.mark.timeout(300)

READY = "/help lists the commands"
PROMPT = "you ›"
ANSWERED = ("remembered nothing", "used: ")
NOTICE = "— offline responder, no model is set"


@pytest.fixture(scope="module")
def kept(data_dir: Path) -> Iterator[Path]:
    """Stores that are warm for all tests of this module."""
    with Terminal(command("chat", "--contact", "keeper"), environment(data_dir)) as keeper:
        keeper.until(READY)
        yield data_dir


def chat(data_dir: Path, contact: str, columns: int = 100, **more: str) -> Terminal:
    return Terminal(command("chat", "--contact", contact), environment(data_dir, **more), columns)


def ready(terminal: Terminal) -> None:
    terminal.until(READY)
    terminal.until(PROMPT, times=2)


def test_the_prompt_comes_before_the_memory_and_what_is_typed_is_answered(kept: Path) -> None:
    with chat(kept, "early") as terminal:
        at_first = terminal.until(PROMPT)
        assert "opening the memory" in at_first
        assert READY not in at_first
        terminal.type("My name is Alex." + ENTER)
        shown = terminal.until(*ANSWERED)
        assert "Alex" in shown.partition("agent › ")[2]
        assert shown.count(NOTICE) == 1
        terminal.settle()
        terminal.type(CTRL_D)
        assert terminal.end() == 0


def test_the_offline_notice_stands_once_whatever_is_said(kept: Path) -> None:
    piped = recollect(kept, "chat", "--contact", "once", said="Hello\nHello\nHallo, wie geht's?\n")
    assert piped.stderr == f"{NOTICE}\n"
    assert "offline" not in piped.stdout.lower()
    with chat(kept, "once") as terminal:
        ready(terminal)
        terminal.type("Hello" + ENTER)
        terminal.until(*ANSWERED)
        terminal.type("Hello" + ENTER)
        assert terminal.until(*ANSWERED, times=2).lower().count("offline") == 1


def test_what_was_typed_comes_back_in_the_next_session(kept: Path) -> None:
    with chat(kept, "again") as terminal:
        ready(terminal)
        terminal.type("Hello there" + ENTER)
        terminal.until(*ANSWERED)
        terminal.type(" my secret stays out" + ENTER)
        terminal.until(*ANSWERED, times=2)
        terminal.settle()
        terminal.type(CTRL_D)
        terminal.end()
    history = kept / "chat_history"
    assert stat.S_IMODE(history.stat().st_mode) == 0o600
    assert "secret" not in history.read_text(encoding="utf-8")
    with chat(kept, "later") as terminal:
        ready(terminal)
        terminal.type(UP)
        terminal.until("Hello there")


def test_nothing_is_kept_where_that_is_switched_off(kept: Path) -> None:
    with chat(kept, "off", RECOLLECT_CHAT_HISTORY="off") as terminal:
        ready(terminal)
        terminal.type("Unkept words" + ENTER)
        terminal.until(*ANSWERED)
        terminal.settle()
        terminal.type(CTRL_D)
        terminal.end()
    history = kept / "chat_history"
    assert not history.exists() or "Unkept" not in history.read_text(encoding="utf-8")


def test_pasted_lines_are_one_message(kept: Path) -> None:
    with chat(kept, "paste") as terminal:
        ready(terminal)
        terminal.paste("One line,\nanother line\nand a third.")
        terminal.type(ENTER)
        terminal.until(*ANSWERED)
        terminal.type("/search third" + ENTER)
        assert "paste: One line, another line and a third." in terminal.until("paste:")
        terminal.settle()
        terminal.type(CTRL_D)
        assert terminal.end() == 0
        assert terminal.text.count("agent › ") == 1


def test_what_is_typed_and_pasted_over_replies_is_sent_as_it_was_meant(kept: Path) -> None:
    with chat(kept, "over") as terminal:
        terminal.until(PROMPT)
        # Letter by letter, from before the memory is open until after the last reply.
        for said in ("My dog is Rex.", "My cat is Tom.", "Nothing elseX\x7f."):
            for key in said + ENTER:
                terminal.type(key)
                time.sleep(0.01)
        terminal.until("agent ›", times=1)
        before = terminal.written.partition("agent ›".encode())[0]
        assert before.rfind(b"\x1b[?2004h") > before.rfind(b"\x1b[?2004l"), "pastes are not marked"
        terminal.paste("Two lines,\nin one.")
        terminal.type(ENTER)
        terminal.until("agent ›", times=4)
        terminal.settle()
        terminal.type(CTRL_D)
        assert terminal.end() == 0
    lines = ["My dog is Rex.", "My cat is Tom.", "Nothing else.", "Two lines,", "in one."]
    at = [terminal.text.rfind(line) for line in lines]
    assert at == sorted(at)
    assert min(at) > 0
    assert terminal.text.count("agent ›") == 4


def test_replies_are_wrapped_at_words(kept: Path) -> None:
    words = [f"word{number:02}" for number in range(60)]
    with OpenAIServer() as model:
        model.script(" ".join(words))
        given = {"RECOLLECT_MODEL": "fake", "OPENAI_API_KEY": "k"}
        with chat(kept, "wrap", 44, OPENAI_BASE_URL=f"{model.url}/v1", **given) as terminal:
            ready(terminal)
            terminal.type("Go on" + ENTER)
            reply = terminal.until(*ANSWERED).rpartition("agent › ")[2].partition(ANSWERED[0])[0]
    assert reply.split() == words
    lines = reply.rstrip().split("\n")
    assert len(lines) > 10
    assert all(len(line.rstrip()) <= 44 and line.startswith(" " * 10) for line in lines[1:])


def test_ctrl_c_empties_the_line_and_then_leaves_a_clean_one(kept: Path) -> None:
    with chat(kept, "leaves") as terminal:
        ready(terminal)
        terminal.type("half a thou")
        terminal.until("half a thou")
        terminal.type(CTRL_C + "Hello" + ENTER)
        terminal.until(*ANSWERED)
        terminal.type(CTRL_C)
        assert terminal.end() == 130
        assert terminal.text.endswith("\n")
        assert "Traceback" not in terminal.text
        assert "half a thou" not in terminal.text.partition("agent › ")[2]


def test_ctrl_c_in_a_reply_leaves_and_the_next_session_finishes_it(kept: Path) -> None:
    with OpenAIServer() as model:
        given = {"RECOLLECT_MODEL": "fake", "OPENAI_BASE_URL": f"{model.url}/v1"}
        model.script(Slow("never shown", 8.0))
        with chat(kept, "breaks", 100, OPENAI_API_KEY="k", **given) as terminal:
            ready(terminal)
            terminal.type("Think long" + ENTER)
            while not model.calls:
                time.sleep(0.05)
            terminal.type(CTRL_C)
            assert terminal.end() == 130
            assert terminal.text.endswith("\n")
            assert "Traceback" not in terminal.text, terminal.text
        model.script("Here it is.")
        with chat(kept, "breaks", 100, OPENAI_API_KEY="k", **given) as terminal:
            terminal.until("Here it is.")


def test_commands_are_completed_and_shown(kept: Path) -> None:
    with chat(kept, "commands") as terminal:
        ready(terminal)
        terminal.type("I live in Lisbon." + ENTER)
        terminal.until(*ANSWERED)
        terminal.type("/fac" + TAB + ENTER)
        terminal.until("- home: Lisbon")
        terminal.type("/episodes" + ENTER)
        # They follow the turn, in the background.
        terminal.until("No episodes yet", " turns  ")
        terminal.type("/help" + ENTER)
        terminal.until("/search WORDS")
        terminal.type("/nonsense" + ENTER)
        terminal.until("There is no command /nonsense")
        terminal.type("/quit" + ENTER)
        assert terminal.end() == 0


def test_a_store_that_is_down_ends_the_prompt_with_one_line(kept: Path) -> None:
    url = "postgresql://u:s3cret@127.0.0.1:9/x"
    with chat(kept, "down", RECOLLECT_DATABASE_URL=url) as terminal:
        terminal.until(PROMPT)
        assert terminal.end() == 1
        assert "recollect: RECOLLECT_DATABASE_URL: cannot reach 127.0.0.1:9/x" in terminal.text
        assert "s3cret" not in terminal.text
        assert "Traceback" not in terminal.text
