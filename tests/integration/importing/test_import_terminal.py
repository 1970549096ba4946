"""`recollect import` on a pseudo terminal: what it asks, what it shows, how it ends."""

from __future__ import annotations

import asyncio
import os
import pty
import subprocess
import threading
from pathlib import Path
from typing import NamedTuple

from graph.settings import Settings
from tests.fakes.exports import chat_file
from tests.integration.importing.processes import ROOT, command, environment
from ui.cli.memory import search_memory

WITHIN_S = 120.0


class Shown(NamedTuple):
    """How a process ended, and what stood on its terminal."""

    status: int
    text: str


def _on_terminal(settings: Settings, path: Path, *options: str, typed: str = "") -> Shown:
    """Import with a terminal at every end, where this is typed ahead."""
    master, slave = pty.openpty()
    os.write(master, typed.encode())
    process = subprocess.Popen(
        command(path, *options),
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env=environment(settings) | {"TERM": "xterm", "COLUMNS": "200", "TZ": "UTC"},
        cwd=ROOT,
        start_new_session=True,
    )
    os.close(slave)
    timer = threading.Timer(WITHIN_S, process.kill)
    timer.start()
    text = _read_to_the_end(master)
    status = process.wait()
    timer.cancel()
    return Shown(status, text)


def _read_to_the_end(master: int) -> str:
    read = b""
    with os.fdopen(master, "rb", buffering=0) as terminal:
        try:
            while piece := terminal.read(65_536):
                read += piece
        except OSError:  # How Linux says that nobody has the other end open any more.
            pass
    return read.decode("utf-8", "replace")


def test_a_finished_file_again_says_so_on_a_terminal(settings: Settings, tmp_path: Path) -> None:
    path = chat_file(tmp_path, 20)
    first = _on_terminal(settings, path, "--me", "Max")
    assert (first.status, "20 messages, 20 of them new" in first.text) == (0, True), first.text
    again = _on_terminal(settings, path)
    assert "Traceback" not in again.text
    assert (again.status, "nothing to add" in again.text) == (0, True), again.text


def test_dates_that_fit_two_ways_are_asked_about(settings: Settings, tmp_path: Path) -> None:
    path = tmp_path / "WhatsApp Chat with Anna.txt"
    path.write_text(
        "03/04/2024, 21:04 - Anna: The cat is called Pimenta\n05/04/2024, 08:00 - Max: Lovely\n",
        encoding="utf-8",
    )
    shown = _on_terminal(settings, path, "--me", "Max", typed="1\n")
    assert "Are its dates day/month or month/day? [1-2]" in shown.text
    assert shown.status == 0, shown.text
    (best, *_) = asyncio.run(search_memory(settings, "me", "cat", 5)).found
    assert best["at"] == "2024-04-03T21:04:00+00:00"


def test_who_i_am_is_asked(settings: Settings, tmp_path: Path) -> None:
    shown = _on_terminal(settings, chat_file(tmp_path, 20), typed="3\n2\n")
    assert "Who of them are you? [1-3]" in shown.text
    assert shown.status == 0, shown.text
