"""What was typed is kept for its owner alone, and commands are known by their names."""

from __future__ import annotations

import stat
from pathlib import Path

from nodes.commands.run import COMMANDS
from ui.cli.chat_commands import COMPLETED, HELP
from ui.cli.history import MAX_BYTES, KeptHistory


def test_every_command_can_be_completed() -> None:
    assert set(COMMANDS) <= set(COMPLETED)
    assert {line.split()[0] for line in HELP.splitlines()} <= set(COMPLETED)


def test_history_is_for_its_owner_and_keeps_lines_together(tmp_path: Path) -> None:
    path = tmp_path / "chat_history"
    path.touch(mode=0o644)
    history = KeptHistory(path)
    for typed in ("one", "two\nlines", " a secret"):
        history.store_string(typed)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(KeptHistory(path).load_history_strings()) == ["two\nlines", "one"]


def test_history_keeps_the_newest_half_megabyte(tmp_path: Path) -> None:
    path = tmp_path / "chat_history"
    history = KeptHistory(path)
    for number in range(300):
        history.store_string(f"{number} " + "x" * 2_000)
    kept = list(KeptHistory(path).load_history_strings())
    assert path.stat().st_size <= MAX_BYTES
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert kept[0].startswith("299 ")
    assert all(len(each.partition(" ")[2]) == 2_000 for each in kept)


def test_a_folder_that_cannot_be_written_keeps_nothing(tmp_path: Path) -> None:
    history = KeptHistory(tmp_path / "nowhere" / "chat_history")
    history.store_string("typed")
    assert list(history.load_history_strings()) == []
