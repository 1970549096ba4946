"""A WhatsApp export as a file: names, titles, zips, ids, and damage."""

from __future__ import annotations

import zipfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from channels.exports.errors import ExportError
from channels.exports.opening import open_export
from channels.exports.whatsapp.lines import MAX_TEXT_CHARS
from tests.unit.channels.exports.whatsapp_forms import (
    BY_NAME,
    LRM,
    NNBSP,
    Said,
    chat,
    entries_of,
    written,
)

HEAD = "31.12.24, 21:41 - "


def zipped(path: Path, files: dict[str, str]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return path


def test_a_message_keeps_its_lines(tmp_path: Path) -> None:
    text = f"{HEAD}Anna: one\n\n  two\n12:30 three\n{HEAD}Ben: \nfour\n{HEAD}Ben:\nfive\n"
    found = entries_of(tmp_path, text)
    assert [(one.sender, one.text) for one in found] == [
        ("Anna", "one\n\n  two\n12:30 three"),
        ("Ben", "four"),
        ("Ben", "five"),
    ]


def test_names_lose_marks_and_the_tilde_of_strangers(tmp_path: Path) -> None:
    text = (
        f"{HEAD}\u202a+49\u00a0170\u00a01234567\u202c: hi\n"
        f"{HEAD}~{NNBSP}Carla: hi @\u2068Ben\u2069\n{HEAD}Дима 🎸: hi\n"
    )
    first, stranger, third = entries_of(tmp_path, text)
    assert first.sender == first.sender_id == "+49 170 1234567"
    assert (stranger.sender, stranger.sender_id) == ("Carla", "~ Carla")
    assert stranger.text == "hi @Ben"
    assert third.sender == "Дима 🎸"


def test_a_colon_in_a_name_is_seen_from_many_messages(tmp_path: Path) -> None:
    texts = ["hi", "note: buy milk", "see you", "ok", "10: 30", "fine"]
    text = "".join(f"{HEAD}Anna: Work: {line}\n{HEAD}Ben: {line}\n" for line in texts)
    export = chat(tmp_path, text)
    assert dict(export.chats[0].people) == {"Anna: Work": 6, "Ben": 6}
    assert [one.text for one in export.entries() if one.sender == "Anna: Work"] == texts


def test_an_id_does_not_depend_on_how_much_is_known_of_a_name(tmp_path: Path) -> None:
    line = f"{HEAD}Anna: Work: hi\n"
    few = entries_of(tmp_path, line * 2)
    many = entries_of(tmp_path, line * 9)
    assert few[0].sender != many[0].sender
    assert [one.message_id for one in few] == [one.message_id for one in many[:2]]


@pytest.mark.parametrize(
    "name",
    [
        *("WhatsApp Chat with Lake Trip.txt", "WhatsApp-Chat mit Lake Trip.txt"),
        *("Chat de WhatsApp con Lake Trip.txt", "Conversa do WhatsApp com Lake Trip.txt"),
        *("Чат WhatsApp с контактом Lake Trip.txt", "Discussion WhatsApp avec Lake Trip.txt"),
        *("Czat WhatsApp z Lake Trip.txt", "Chat WhatsApp dengan Lake Trip.txt"),
        *("Чат WhatsApp с Lake Trip.txt", "WhatsApp Chat - Lake Trip.txt", "Lake Trip.txt"),
        *(
            "WhatsApp Chat - Lake Trip.txt",
            "WhatsApp Chat with Lake Trip (2).txt",
            "WhatsApp_Chat_with_Lake Trip.txt",
        ),
    ],
)
def test_the_files_name_gives_the_title(name: str, tmp_path: Path) -> None:
    (only,) = chat(tmp_path, f"{HEAD}Anna: hi\n", name=name).chats
    assert (only.title, only.key) == ("Lake Trip", "lake trip")


def test_without_a_title_those_who_talk_name_the_chat(tmp_path: Path) -> None:
    (only,) = chat(tmp_path, f"{HEAD}Ben: hi\n{HEAD}Anna: hi\n", name="_chat.txt").chats
    assert (only.title, only.key, only.is_group) == ("Anna & Ben", "anna & ben", False)
    text = f"{HEAD}Ben: hi\n{HEAD}Anna: hi\n{HEAD}Carla: hi\n"
    export = chat(tmp_path, text, name="_chat.txt")
    assert export.chats[0].is_group
    assert export.chats[0].key.startswith("chat-")
    assert {one.chat for one in export.entries()} == {export.chats[0].key}


@pytest.mark.parametrize(
    ("title", "people", "is_group"),
    [
        ("Anna", ["Anna", "Ben"], False),
        ("Anna", ["Ben"], False),
        ("Lake", ["Anna", "Ben"], True),
        ("Lake", ["Anna", "Ben", "Carla"], True),
    ],
)
def test_ios_titles_a_chat_of_two_with_the_others_name(
    title: str, people: list[str], is_group: bool, tmp_path: Path
) -> None:
    head = "[31.12.24, 21:41:07] "
    text = f"{head}{title}: {LRM}Messages and calls are end-to-end encrypted.\r\n"
    text += "".join(f"{head}{name}: hi\r\n" for name in people)
    (only,) = chat(tmp_path, text, name="_chat.txt").chats
    assert (only.title, only.is_group) == (title, is_group)
    assert set(only.people) == set(people)


def test_who_did_something_first_is_no_title(tmp_path: Path) -> None:
    text = f"[31.12.24, 21:41:07] Anna: {LRM}Anna added Ben\r\n[31.12.24, 21:41:08] Ben: hi\r\n"
    (only,) = chat(tmp_path, text, name="_chat.txt").chats
    assert (only.title, only.is_group) == ("Ben", True)


def test_a_zip_is_read_where_it_lies(tmp_path: Path) -> None:
    text = f"{LRM}[31.12.24, 21:41:07] Anna: {LRM}<attached: 0001-PHOTO.jpg>\r\n"
    path = zipped(
        tmp_path / "WhatsApp Chat - Anna.zip",
        {"_chat.txt": text, "0001-PHOTO.jpg": "not read", "notes.txt": "an attachment"},
    )
    export = open_export(path, timezone=UTC)
    assert (export.kind, export.chats[0].title, export.messages) == ("whatsapp", "Anna", 1)
    assert [one.text for one in export.entries()] == ["[Image] 0001-PHOTO.jpg"]
    assert [inside.name for inside in tmp_path.iterdir()] == [path.name]


def test_a_zip_and_its_text_are_one_chat(tmp_path: Path) -> None:
    name, text = "WhatsApp Chat with Anna.txt", f"{HEAD}Anna: hi\n"
    path = zipped(tmp_path / "WhatsApp Chat with Anna.zip", {name: text})
    (zip_entry,) = open_export(path, timezone=UTC).entries()
    assert [zip_entry] == entries_of(tmp_path, text)


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({"photo.jpg": "x"}, "no chat .*Export chat"),
        ({"result.json": "{}"}, "Telegram export; unpack it"),
        ({"other.zip": "x"}, "further zips"),
        ({"WhatsApp Chat with A.txt": "x", "WhatsApp Chat with B.txt": "x"}, "holds 2 chats"),
        ({"_chat.txt": "0" * (65 * 2**20)}, "_chat.txt would unpack to 65 MiB"),
        ({"_chat.txt": ""}, "empty"),
        ({"_chat.txt": "no chat\n"}, "no line begins like a WhatsApp message"),
    ],
)
def test_a_zip_that_is_no_chat_says_so(files: dict[str, str], told: str, tmp_path: Path) -> None:
    with pytest.raises(ExportError, match=told):
        open_export(zipped(tmp_path / "chat.zip", files), timezone=UTC)


def test_a_damaged_zip_says_so(tmp_path: Path) -> None:
    path = zipped(tmp_path / "chat.zip", {"_chat.txt": f"{HEAD}Anna: hi there\n" * 500})
    whole = path.read_bytes()
    for damaged in (whole[:200], whole[:60] + b"\xff" * 20 + whole[80:]):
        path.write_bytes(damaged)
        with pytest.raises(ExportError, match=r"damaged|cut off"):
            open_export(path, timezone=UTC)


def conversation(count: int) -> list[Said]:
    """Many short messages, some said twice within a minute."""
    start = datetime(2024, 12, 20, 8)
    return [
        Said(
            start + timedelta(seconds=20 * n),
            "Anna" if n % 5 else "Ben",
            "ok" if n % 3 else f"n{n}",
        )
        for n in range(count)
    ]


@pytest.mark.parametrize("form", ["android-us", "ios-de"])
def test_a_longer_export_repeats_the_ids(form: str, tmp_path: Path) -> None:
    said = conversation(5000)
    short = entries_of(tmp_path, written(BY_NAME[form], said[:3000]))
    long = entries_of(tmp_path, written(BY_NAME[form], said))
    assert [one.message_id for one in long[:3000]] == [one.message_id for one in short]
    assert len({one.message_id for one in long}) == 5000


def test_an_export_without_its_beginning_repeats_the_ids(tmp_path: Path) -> None:
    said = conversation(5000)
    whole = entries_of(tmp_path, written(BY_NAME["android-us"], said))
    later = entries_of(tmp_path, written(BY_NAME["android-us"], said[3000:]))
    assert [one.message_id for one in later] == [one.message_id for one in whole[3000:]]


def test_ids_outlive_a_new_version_of_the_program(tmp_path: Path) -> None:
    found = entries_of(tmp_path, f"{HEAD}Anna: hi\n{HEAD}Anna: hi\n")
    assert [one.message_id for one in found] == [
        "c2cf6afb2714bc7f39b38948",
        "c2cf6afb2714bc7f39b38948-1",
    ]


def test_a_phones_new_form_keeps_the_ids(tmp_path: Path) -> None:
    said = [*conversation(2000), Said(datetime(2024, 12, 31, 8), "Ben", "bye")]
    ids = {
        tuple(one.message_id for one in entries_of(tmp_path, written(BY_NAME[form], said)))
        for form in ("android-us", "android-uk", "android-ru", "android-se")
    }
    assert len(ids) == 1


def test_reading_twice_gives_the_same(tmp_path: Path) -> None:
    export = chat(tmp_path, written(BY_NAME["android-uk"], conversation(4000)))
    first = list(export.entries())
    assert first == list(export.entries())
    assert len(first) == export.messages == export.chats[0].messages
    assert sum(export.chats[0].people.values()) == export.messages


def test_a_line_without_end_is_cut_not_kept(tmp_path: Path) -> None:
    text = f"{HEAD}Anna: {'x' * (10 * 2**20)}\n{HEAD}Ben: hi\n"
    first, second = entries_of(tmp_path, text)
    assert first.text == "x" * MAX_TEXT_CHARS
    assert second.text == "hi"


def test_broken_bytes_are_replaced(tmp_path: Path) -> None:
    raw = f"{HEAD}Anna: a".encode() + b"\x00\xff\xfe\xc3" + f"b\n{HEAD}Ben: ok\n".encode()
    first, second = entries_of(tmp_path, raw)
    assert first.text.startswith("a\ufffd")
    assert "\x00" not in first.text
    assert second.text == "ok"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be-bom"])
def test_byte_order_marks_are_understood(encoding: str, tmp_path: Path) -> None:
    text = f"{HEAD}Ольга: привет\r\n{HEAD}Ben: ok\r\n"
    raw = text.encode(encoding) if "-be-" not in encoding else ("\ufeff" + text).encode("utf-16-be")
    assert [one.text for one in entries_of(tmp_path, raw)] == ["привет", "ok"]


def test_what_windows_saved_anew_is_read_with_its_letters(tmp_path: Path) -> None:
    text = f"{HEAD}Zoë: déjà vu – 5 €\r\n{HEAD}Ben: ok\r\n"
    assert [one.text for one in entries_of(tmp_path, text.encode("cp1252"))] == [
        "déjà vu – 5 €",
        "ok",
    ]
    torn = f"{HEAD}Zoë: çà et là\n{HEAD}Ben: ".encode() + b"\xe9\n"
    assert [one.text for one in entries_of(tmp_path, torn)] == ["çà et là", "\ufffd"]


def test_what_stands_before_the_first_message_is_passed_over(tmp_path: Path) -> None:
    assert [one.text for one in entries_of(tmp_path, f"\nthe end of one\n{HEAD}Anna: hi\n")] == [
        "hi"
    ]
