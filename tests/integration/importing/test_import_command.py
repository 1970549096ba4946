"""`recollect import` on real files: what it asks for, what it says, and what is found then."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from graph.settings import Settings
from tests.fakes.exports import chat_file
from ui.cli.importing import ImportRequest, next_steps, run_import
from ui.cli.memory import search_memory
from ui.cli.memory_status import read_status, status_text


def test_a_finished_file_says_so_at_once(
    settings: Settings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = chat_file(tmp_path, 20)
    assert run_import(settings, ImportRequest(path, speaker="max")) == 0
    said = capsys.readouterr().out
    assert "Imported, and searchable" in said
    assert "20 messages, 20 of them new" in said
    assert "recollect chat    e.g. What did Anna say about" in said
    assert run_import(settings, ImportRequest(path)) == 0  # who I am is known by now
    said = capsys.readouterr().out
    assert "nothing to add" in said
    assert "recollect chat" in said
    assert run_import(settings, ImportRequest(path, speaker="Anna")) == 2
    assert "imported with --me 'Max'" in capsys.readouterr().err


def test_who_i_am_must_be_said_and_known(
    settings: Settings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = chat_file(tmp_path, 20)
    for speaker in (None, "Bob"):
        assert run_import(settings, ImportRequest(path, speaker=speaker)) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert line.startswith("recollect: ")
        assert "--me" in line
        assert "“Anna”" in line
        assert "“Max”" in line
    assert asyncio.run(read_status(settings))["messages"] == {}


def test_a_full_telegram_export_knows_its_own_user(
    settings: Settings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "result.json"
    said = {
        "id": 1,
        "type": "message",
        "date_unixtime": "1735722000",
        "from": "Max Moor",
        "from_id": "user7",
        "text": "The spare key hangs behind the mill",
    }
    chat = {"name": "Anna", "type": "personal_chat", "id": 5, "messages": [said]}
    own = {"user_id": 7, "first_name": "Max", "last_name": "Moor"}
    export = {"about": "", "personal_information": own, "chats": {"list": [chat]}}
    path.write_text(json.dumps(export, indent=1), encoding="utf-8")
    assert run_import(settings, ImportRequest(path)) == 0
    assert "You are Max Moor, as the export says." in capsys.readouterr().err
    found = asyncio.run(search_memory(settings, "me", "where is the spare key", 5)).found
    assert [(each["who"], each["chat"]) for each in found] == [("Max Moor", "telegram/import/5")]


def test_a_whatsapp_export_is_imported_and_found(settings: Settings, tmp_path: Path) -> None:
    path = tmp_path / "WhatsApp Chat with Anna.txt"
    path.write_text(
        "31/12/2024, 21:04 - Anna: The cat is called Pimenta\n31/12/2024, 21:05 - Max: Lovely\n",
        encoding="utf-8",
    )
    assert run_import(settings, ImportRequest(path, speaker="Max", timezone="Asia/Tokyo")) == 0
    best = asyncio.run(search_memory(settings, "me", "cat", 5)).found[0]
    assert (best["who"], best["at"]) == ("Anna", "2024-12-31T12:04:00+00:00")
    text = status_text(asyncio.run(read_status(settings)))
    assert "WhatsApp Chat with Anna.txt  whatsapp  2 messages" in text


def test_messages_too_long_for_a_prompt_are_counted(
    settings: Settings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "notes.jsonl"
    texts = ["Short", "word " * 3_000, "word " * 399]
    lines = [
        {"sender": "Max", "text": text, "timestamp": 1_735_722_000 + number}
        for number, text in enumerate(texts)
    ]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    assert run_import(settings, ImportRequest(path, speaker="Max")) == 0
    said = capsys.readouterr().out
    assert "1 message has more than 2,000 characters" in said
    assert "an answer is given from the part" in said


def test_a_file_that_cannot_be_used_is_one_line(
    settings: Settings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    picture = tmp_path / "chat.txt"
    picture.write_bytes(b"\x89PNG\r\n\x1a\n" + b"0" * 100)
    cases = {
        tmp_path / "no.txt": "No such file",
        tmp_path: "a folder; give the file in it",
        picture: "like an image",
    }
    for path, why in cases.items():
        assert run_import(settings, ImportRequest(path, speaker="Max")) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert line.startswith("recollect: ")
        assert why in line


def test_an_unknown_zone_is_one_line(
    settings: Settings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = chat_file(tmp_path, 2)
    assert run_import(settings, ImportRequest(path, speaker="Max", timezone="Mars/X")) == 2
    assert "--timezone Mars/X: no such time zone" in capsys.readouterr().err


def test_what_to_type_next_names_another_tenant_and_contact(settings: Settings) -> None:
    own = settings.model_copy(update={"tenant": "default"})
    assert next_steps(own, "Why?")[1] == "  recollect chat    e.g. Why?"
    other = settings.model_copy(update={"tenant": "club", "contact": "ina"})
    assert next_steps(other, "")[1] == "  RECOLLECT_TENANT=club recollect chat --contact ina"
