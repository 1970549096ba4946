"""What an export's entries become, who its person is, and what is worth asking."""

from __future__ import annotations

from dataclasses import replace

import pytest

from graph.importing.mapping import (
    Owner,
    UnknownSpeaker,
    chat_of,
    find_speaker,
    speakers,
    to_message,
)
from graph.importing.topics import example_question
from memory.domain.chats import Actor
from tests.fakes.exports import MadeExport, entry

EXPORT = MadeExport(
    [
        entry("Landed in Lisbon, all well", "Anna", 1),
        entry("great", "Max", 2),
        entry("Lisbon is lovely. Rain tomorrow", "Anna", 3),
        entry("I miss Lisbon", "Anna", 4),
        entry("Anna changed the subject", number=5, is_system=True),
    ]
)
OWNER = Owner("t", "me", "Max")
CHAT, ANCHOR = chat_of("t", "jsonl", EXPORT.chats[0])


def test_my_messages_are_the_local_contacts() -> None:
    said = to_message(entry("hi", "Max", 1), CHAT, OWNER)
    assert (said.actor, said.contact_id, said.sender_name) == (Actor.CONTACT, "web:me", "Max")


def test_other_speakers_are_contacts_of_the_import() -> None:
    said = to_message(entry("hi", "Anna", 1), CHAT, OWNER)
    assert (said.actor, said.contact_id, said.is_owner) == (Actor.CONTACT, "jsonl:Anna", False)


def test_all_of_a_chat_has_one_anchor_even_if_two_people_talk() -> None:
    messages = [to_message(each, CHAT, OWNER) for each in EXPORT.made]
    assert {message.anchor for message in messages} == {ANCHOR} == {"group:jsonl:import:anna"}


def test_a_system_line_is_nobodys() -> None:
    said = to_message(EXPORT.made[4], CHAT, OWNER)
    assert (said.actor, said.contact_id, said.awaits_turn) == (Actor.SYSTEM, "", False)


def test_a_deleted_message_has_no_text_and_a_forwarded_one_says_so() -> None:
    deleted = replace(entry("gone", "Anna", 1), is_deleted=True)
    assert to_message(deleted, CHAT, OWNER).text == ""
    forwarded = replace(entry("read this", "Anna", 1), forwarded=True, reply_to="anna-7")
    message = to_message(forwarded, CHAT, OWNER)
    assert message.forwarded
    assert message.quote is not None
    assert message.quote.message_id == "anna-7"


def test_who_only_reads_along_says_nothing() -> None:
    reader = Owner("t", "me", "")
    contacts = {to_message(each, CHAT, reader).contact_id for each in EXPORT.made}
    assert contacts == {"jsonl:Anna", "jsonl:Max", ""}


def test_a_speaker_is_found_whatever_the_case() -> None:
    assert find_speaker(EXPORT, " max ") == "Max"
    namesakes = MadeExport([entry("a", "max", 1), entry("b", "Max", 2)])
    assert find_speaker(namesakes, "Max") == "Max"


def test_an_unknown_speaker_is_answered_by_a_list_in_one_line() -> None:
    with pytest.raises(UnknownSpeaker) as raised:
        find_speaker(EXPORT, "Bob")
    assert "“Anna” (3), “Max” (1)" in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_long_list_of_speakers_is_cut() -> None:
    crowd = MadeExport([entry("hi", f"Person {number}", number) for number in range(40)])
    with pytest.raises(UnknownSpeaker, match=r"and 28 more\.$"):
        find_speaker(crowd, "Bob")


def test_the_example_asks_for_what_somebody_else_named_most() -> None:
    messages = [to_message(each, CHAT, OWNER) for each in EXPORT.made]
    assert example_question(messages, "web:me") == "What did Anna say about Lisbon?"
    own = [message for message in messages if message.contact_id == "web:me"]
    assert example_question(own, "web:me") == ""


def test_who_speaks_in_every_chat_comes_first() -> None:
    export = MadeExport(
        [
            entry("a", "Ina", 1, chat="one"),
            entry("b", "Ina", 2, chat="one"),
            entry("c", "Max", 3, chat="one"),
            entry("d", "Max", 4, chat="two"),
        ]
    )
    assert [each.name for each in speakers(export)] == ["Max", "Ina"]
