"""How the terminal chat words receipts, history and problems."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from memory.domain.chats import Actor, ChatRef, Message, StoredMessage
from memory.recall.receipts import Reading
from ui.cli.terminal import history_lines, printable
from ui.receipt import receipt_line


def fact(key: str, value: str) -> Reading:
    return Reading("fact", key, value, 1.0)


def said(text: str, actor: Actor = Actor.CONTACT) -> StoredMessage:
    chat = ChatRef("t", "web", "local", "me")
    now = datetime(2026, 5, 4, tzinfo=UTC)
    return StoredMessage(Message(chat, "m1", actor, "me", "web:me", text, now), 1, 1, now)


def test_receipt_names_facts_and_counts_messages() -> None:
    memories = [fact("home", "Lisbon"), *[Reading("message", "me", "hi", 0.4)] * 2]
    assert receipt_line(memories) == "remembered: home Lisbon · 2 messages"


def test_receipt_names_three_facts_and_counts_the_rest() -> None:
    facts = [fact("like", str(n)) for n in range(5)]
    assert receipt_line(facts) == "remembered: like 0, like 1, like 2, +2 facts"
    assert receipt_line(facts[:4]) == "remembered: like 0, like 1, like 2, +1 fact"


def test_receipt_says_how_much_did_not_fit() -> None:
    assert (
        receipt_line([fact("home", "Lisbon")], "3 more did not fit")
        == "remembered: home Lisbon · 3 more did not fit"
    )


def test_receipt_says_what_was_missing() -> None:
    facts = [fact("home", "Lisbon")]
    assert (
        receipt_line(facts, missing=["vectors"])
        == "remembered: home Lisbon · not at hand: search by meaning"
    )
    assert receipt_line([], missing=["facts"]).endswith("alone (not at hand: facts)")


def test_receipt_of_nothing_says_so() -> None:
    assert receipt_line([]) == "remembered nothing: answered from this conversation alone"


def test_quoted_lines_are_counted_on_their_own() -> None:
    quote = Reading("quote", "me", "hi", 1.0)
    assert receipt_line([quote]) == "remembered: 1 quoted line"


def test_nothing_that_is_shown_can_steer_the_terminal() -> None:
    assert printable("a\x1b[2Jb\x00\x07\x9bc\nd\te") == "a[2Jbc\nd\te"
    assert printable("שלום 👩‍🚀") == "שלום 👩‍🚀"
    assert printable("exe\u202egpj.\u2066") == "exegpj."


def test_history_is_one_line_each_with_its_speaker() -> None:
    lines = history_lines([said("a\nb" + "c" * 200), said("Hello.", Actor.AGENT)], width=20)
    assert lines == [("you", "a b" + "c" * 16 + "…"), ("agent", "Hello.")]


def test_what_was_used_is_said_before_what_was_shown() -> None:
    used = replace(fact("home", "Lisbon"), used=1.0)
    line = Reading("window", "me", "hi", 1.0, used=0.6)
    shown = replace(fact("name", "Alex"), used=0.0)
    told = receipt_line([used, line, shown])
    assert told == "used: home Lisbon · 1 chat line · at hand: name Alex"
    assert receipt_line([shown]) == "used: nothing · at hand: name Alex"
    told = receipt_line([used, shown], is_exact=False)
    assert told == "used (an estimate): home Lisbon · shown to the model: name Alex"
    assert receipt_line([used], is_exact=False) == "used (an estimate): home Lisbon"
