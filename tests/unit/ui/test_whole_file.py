"""A file is whole or not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from ui.cli.whole_file import CannotWrite, whole_file


def test_what_fails_half_way_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "out.zip"
    path.write_bytes(b"before")
    with pytest.raises(KeyboardInterrupt):
        _stopped(path)
    assert path.read_bytes() == b"before"
    assert [each.name for each in tmp_path.iterdir()] == ["out.zip"]
    with whole_file(path) as file:
        file.write(b"whole")
    assert path.read_bytes() == b"whole"
    assert path.stat().st_mode & 0o077 == 0


def _stopped(path: Path) -> None:
    with whole_file(path) as file:
        file.write(b"half")
        file.flush()
        raise KeyboardInterrupt


def test_where_it_cannot_be_written_is_said_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(CannotWrite, match="cannot be written") as told, whole_file(tmp_path):
        pass
    assert "\n" not in str(told.value)
    assert list(tmp_path.parent.glob(f".{tmp_path.name}*")) == []
