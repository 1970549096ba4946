"""`recollect chat` in real processes, beside a running playground on the same data folder."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.drivers.terminal import Terminal
from tests.e2e.processes import Playground, command, environment, recollect
from tests.fakes.openai_server import OpenAIServer
from ui.answered_again import SAME_OFFLINE
from ui.cli.signature import NOTICE

pytestmark = pytest.mark.timeout(300)

INTRODUCTION = "My name is Alex, I live in Lisbon and I'm allergic to peanuts.\n"
PROMPT = "you ›"
QUESTIONS = "What's my name?\nWhere do I live?\nWhat must I not eat?\n"


@pytest.fixture(scope="module")
def playground(data_dir: Path) -> Iterator[Playground]:
    with Playground(data_dir) as running:
        yield running


def test_second_process_remembers_while_the_playground_runs(
    data_dir: Path, playground: Playground
) -> None:
    first = recollect(data_dir, "chat", "--contact", "alex", said=INTRODUCTION)
    second = recollect(data_dir, "chat", "--contact", "alex", said=QUESTIONS + "/why\n/again\n")
    assert (first.returncode, first.stderr) == (0, f"{NOTICE}\n")
    assert (second.returncode, second.stderr) == (0, f"{NOTICE}\n")
    for known in ("Alex", "Lisbon", "peanuts"):
        assert known in second.stdout
    assert second.stdout.index("Alex") < second.stdout.index("You live in Lisbon")
    assert "fact allergy: peanuts" in second.stdout
    assert second.stdout.rstrip().endswith(SAME_OFFLINE)


def test_contacts_do_not_know_of_each_other(data_dir: Path, playground: Playground) -> None:
    other = recollect(data_dir, "chat", "--contact", "eve", said=QUESTIONS)
    assert other.returncode == 0
    assert not {"Alex", "Lisbon", "peanuts"} & set(other.stdout.replace(".", " ").split())


def test_odd_input_is_answered(data_dir: Path, playground: Playground) -> None:
    odd = "a\0b\n🎉🎉\nשלום\n".encode() + b"\xff\xfe\n\n" + b"x" * 100_000 + b"\nhi\n"
    done = recollect(data_dir, "chat", "--contact", "odd", said=odd)
    assert (done.returncode, done.stderr) == (0, f"{NOTICE}\n")
    assert NOTICE not in done.stdout
    assert len(done.stdout.splitlines()) >= 6


def test_failed_reply_is_one_line_and_can_be_tried_again(
    data_dir: Path, playground: Playground
) -> None:
    with OpenAIServer() as model:
        broken = {
            "RECOLLECT_MODEL": "fake",
            "OPENAI_API_KEY": "sk-secret",
            "RECOLLECT_CONTACT": "f",
        }
        down = recollect(
            data_dir, "chat", said="hello\n", OPENAI_BASE_URL="http://127.0.0.1:9/v1", **broken
        )
        listed = recollect(data_dir, "turns")
        again = recollect(
            data_dir, "chat", said="/retry\n", OPENAI_BASE_URL=f"{model.url}/v1", **broken
        )
    assert down.returncode == 1
    assert down.stdout == ""
    assert len(down.stderr.splitlines()) == 1
    assert down.stderr.startswith("No answer this time: ")
    assert "/retry" in down.stderr
    assert "sk-secret" not in down.stderr + listed.stdout
    assert "web/local f" in listed.stdout
    assert again.returncode == 0, again.stderr
    assert len(again.stdout.splitlines()) == 1
    assert "No turn has failed." in recollect(data_dir, "turns").stdout


def test_terminal_shows_history_and_leaves_silently_on_interrupt(
    data_dir: Path, playground: Playground
) -> None:
    with Terminal(command("chat", "--contact", "alex"), environment(data_dir)) as terminal:
        start = terminal.until("What must I not eat?")
        assert "Recollect" in start
        terminal.until(PROMPT, times=2)
        terminal.type("Where do I live?\r")
        terminal.until("used: ")
        # A person sees the prompt first: at the instant it is printed a signal can be missed.
        time.sleep(1.0)
        terminal.interrupt()
        assert terminal.end() == 130
        assert "Traceback" not in terminal.text


def test_store_that_is_down_is_one_line_without_its_password(data_dir: Path) -> None:
    done = recollect(
        data_dir, "chat", said="hi\n", RECOLLECT_DATABASE_URL="postgresql://u:s3cret@127.0.0.1:9/x"
    )
    assert done.returncode == 1
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert "RECOLLECT_DATABASE_URL: cannot reach 127.0.0.1:9/x" in done.stderr
    assert "s3cret" not in done.stderr


def test_help_is_quick_and_bad_usage_exits_2(data_dir: Path) -> None:
    started = time.monotonic()
    shown = recollect(data_dir, "--help")
    took = time.monotonic() - started
    assert "doctor" in shown.stdout
    # 0.15 s on a quiet machine; what it loads is held by tests/unit/ui/test_light_start.py.
    assert took < 2
    assert recollect(data_dir, "chat", "--nonsense").returncode == 2
