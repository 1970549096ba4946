"""What a window shows of changed messages."""

from __future__ import annotations

from dataclasses import replace

from memory.domain.chats import Actor, StoredMessage
from memory.transcript.revisions import DELETED, changed_texts, window_text
from tests.messages import START, message


def _stored(text: str, **rest: object) -> StoredMessage:
    said = message(text, message_id="m", **rest)  # type: ignore[arg-type]
    return StoredMessage(said, 1, 1, START, edited_at=START, changes=1)


def test_an_edited_message_is_shown_as_it_is_now() -> None:
    assert changed_texts({"m": "old"}, [_stored("new")]) == {"m": "new"}
    assert changed_texts({"m": "new"}, [_stored("new")]) == {}


def test_in_a_group_the_speaker_stays() -> None:
    stored = _stored("new", is_group=True, sender="ana")
    assert changed_texts({"m": "ana: old"}, [stored]) == {"m": "ana: new"}
    assert window_text(_stored("hi", actor=Actor.AGENT, is_group=True).message) == "hi"


def test_a_deleted_message_leaves_a_mark() -> None:
    gone = replace(_stored(""), revoked_at=START)
    assert changed_texts({"m": "old"}, [gone]) == {"m": DELETED}
    assert changed_texts({"m": DELETED}, [gone]) == {}


def test_what_never_changed_is_left_as_it_is_shown() -> None:
    assert changed_texts({"m": "shown otherwise"}, [replace(_stored("x"), changes=0)]) == {}
    assert changed_texts({}, [_stored("new")]) == {}
