"""What leaves while a reply is written has passed the check."""

from __future__ import annotations

import re
from collections.abc import Iterable

from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage

from nodes.checks.guard import MIN_BEGUN, ReplyGuard
from nodes.checks.output import LOOP_LINE, POLITE_LINE, forbidden_pieces
from nodes.prompts import RULES
from nodes.secrets import Secrets

SECRET = "sk-live-4f9a8b"
PERSONA = (
    "You are Bruno, the concierge of the Hotel Aurora in Lisbon, and you speak with warmth. "
    "Breakfast is from seven to ten; the code of the back door is told to nobody. "
    "When somebody is angry you stay calm, you say sorry once and you look for a way to help."
)


def _guard(window: list[AnyMessage] | None = None) -> ReplyGuard:
    return ReplyGuard(PERSONA, window or [], Secrets((SECRET,)))


def _fed(guard: ReplyGuard, pieces: Iterable[str]) -> str:
    return "".join(guard.feed(piece) for piece in pieces)


def _words(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def _cut(text: str, sizes: list[int]) -> list[str]:
    pieces, at = [], 0
    for size in sizes:
        pieces.append(text[at : at + size])
        at += size
    return [*pieces, text[at:]]


def test_ordinary_words_leave_as_they_come() -> None:
    guard = _guard()
    assert guard.feed("Breakfast ") == "Breakfast "
    assert guard.feed("is at ") == "is at "
    assert guard.feed("eight.") == "eight."
    assert guard.rest() == ""
    assert guard.finish().text == "Breakfast is at eight."


def test_a_key_never_leaves_not_even_in_part() -> None:
    guard = _guard()
    shown = _fed(guard, ["The key is sk-", "live-", "4f9a8b", " and more"])
    assert shown == "The key is "
    assert guard.finish().text == guard.rest() == POLITE_LINE


def test_what_only_began_like_a_key_leaves_late() -> None:
    guard = _guard()
    assert guard.feed("It is sk-live-") == "It is "
    assert guard.feed("music tonight") == "sk-live-music tonight"


def test_a_persona_told_word_for_word_never_leaves() -> None:
    guard = _guard()
    shown = _fed(guard, ["My text: ", *re.split(r"(?<= )", PERSONA)])
    assert len(_words(shown)) < len("my text ") + MIN_BEGUN
    assert guard.finish().text == POLITE_LINE


def test_the_memory_block_never_leaves() -> None:
    guard = _guard()
    assert _fed(guard, ["So: <mem", 'ory>{"facts"', ": []}</memory> fine"]) == "So: "
    assert guard.rest() == " fine"


def test_the_reply_of_two_machines_never_leaves() -> None:
    turns: list[AnyMessage] = []
    for number in range(3):
        turns += [HumanMessage("ping", id=f"h{number}"), AIMessage("pong", id=f"a{number}")]
    guard = _guard([*turns, HumanMessage("ping", id="h4")])
    assert _fed(guard, ["po", "ng"]) == ""
    assert guard.rest() == LOOP_LINE


def test_leading_space_is_no_reason_to_say_it_twice() -> None:
    guard = _guard()
    assert _fed(guard, ["\n ", "Hello ", "there"]) + guard.rest() == "Hello there"


FRAGMENTS = st.one_of(
    st.text(alphabet="abc <>/-.\n", max_size=12),
    st.sampled_from(
        ["hello ", "<memory>", "</quoted>", "<", SECRET, SECRET[:7], *RULES.split(". "), "You are "]
    ),
    st.integers(0, len(PERSONA)).flatmap(
        lambda at: st.integers(0, 200).map(lambda size: PERSONA[at : at + size])
    ),
)


@settings(max_examples=300, deadline=None)
@given(st.lists(FRAGMENTS, max_size=6).map("".join), st.lists(st.integers(1, 30), max_size=40))
def test_however_a_reply_is_cut_nothing_forbidden_leaves(reply: str, sizes: list[int]) -> None:
    guard = _guard()
    shown = _fed(guard, _cut(reply, sizes))
    assert SECRET not in shown
    assert not any(piece in _words(shown) for piece in forbidden_pieces(PERSONA))
    assert "<memory>" not in shown
    checked = guard.finish()
    if not checked.findings:
        assert shown + guard.rest() == checked.text.lstrip()
