"""Whose account a Telegram export is, where it tells."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from channels.exports.errors import ExportError
from channels.exports.telegram.account import account_name

OWN = {"user_id": 7, "first_name": "Max", "last_name": "Moor", "bio": "x"}
CHATS = {"list": [{"name": "Anna", "messages": [{"text": "hi", "first_name": "No"}]}]}


def _written(folder: Path, text: str) -> Path:
    path = folder / "result.json"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_full_export_begins_with_its_user(tmp_path: Path) -> None:
    path = _written(tmp_path, json.dumps({"personal_information": OWN, "chats": CHATS}))
    assert account_name(path) == "Max Moor"
    alone = {**OWN, "last_name": ""}
    path = _written(tmp_path, json.dumps({"personal_information": alone, "chats": CHATS}))
    assert account_name(path) == "Max"


def test_what_comes_after_the_chats_is_not_read(tmp_path: Path) -> None:
    path = _written(tmp_path, json.dumps({"chats": CHATS, "personal_information": OWN}))
    assert account_name(path) == ""


@pytest.mark.parametrize("text", ["", "no JSON", "[1, 2]", '{"personal_information": '])
def test_a_file_that_does_not_tell_is_no_error(tmp_path: Path, text: str) -> None:
    assert account_name(_written(tmp_path, text)) == ""


def test_a_missing_file_is_an_error_of_reading(tmp_path: Path) -> None:
    with pytest.raises(ExportError):
        account_name(tmp_path / "no.json")
