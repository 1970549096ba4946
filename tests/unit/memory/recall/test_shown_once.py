"""A memory block says each thing once, and its receipt says which line stands for which."""

from __future__ import annotations

import pytest

from memory.domain.chats import Message
from memory.domain.facts import Observation
from memory.domain.recalls import Recalled
from memory.facts.predicates import STANDING, predicate
from memory.recall.block import block_text
from memory.recall.budget import cost_of
from memory.recall.passages import Remembered, remember
from memory.recall.recall import Scope
from memory.text.chunks import estimate_tokens
from nodes.prompts import render_memory
from tests.fakes.world import World
from tests.messages import START, message

pytestmark = pytest.mark.anyio
SCOPE = Scope("t", "waha:ana", "contact:waha:ana", is_group=False)
DAY = 24 * 60


async def shown(
    lines: list[Message], order: list[int], most: int = 99, budget: int = 3_000
) -> Remembered:
    """Return what is shown of lines that were found in this order, `most` of them asked for."""
    world = World()
    await world.ledger.record(lines, history=True)
    found = [
        Recalled("message", lines[n].uid, 1 / (place + 1), is_shown=place < most)
        for place, n in enumerate(order)
    ]
    return await remember(world.memory, SCOPE, found, budget)


def between(*lines: tuple[str, float]) -> list[Message]:
    """Return lines, each with two others before the next."""
    told = [message("hello")]
    for number, (text, minutes) in enumerate(lines):
        told.append(message(text, minutes=minutes))
        told += [message(f"{word} {number}", minutes=minutes) for word in ("so", "and")]
    return told


async def test_what_is_said_twice_is_shown_once_with_the_newer_day() -> None:
    lines = between(
        ("Kit has a new hamster", 0), ("Rex is a dog", 9), ("kit has a new hamster!", DAY)
    )
    remembered = await shown(lines, [1, 4, 7])
    first, second = remembered.block.passages
    assert (first.text, first.when[:10], first.also) == (
        "kit has a new hamster!",
        "2026-03-02",
        "2026-03-01",
    )
    assert second.text == "Rex is a dog"
    assert [e.item_id for e, _ in remembered.shown_messages] == [lines[7].uid, lines[4].uid]
    repeat = remembered.recalled[-1]
    assert (repeat.item_id, repeat.repeats) == (lines[1].uid, lines[7].uid)
    assert not repeat.is_shown
    assert remembered.left_out == 0


async def test_beside_a_line_stands_nothing_that_another_contact_said() -> None:
    lines = [
        message(f"{sender} {number}", sender=sender)
        for number, sender in enumerate(("bob", "ana", "ana"))
    ]
    (passage,) = (await shown(lines, [1])).block.passages
    assert (passage.before, passage.after) == ("", "ana: ana 2")


async def test_the_place_of_a_repeat_goes_to_what_is_in_reserve() -> None:
    lines = between(
        ("Kit has a hamster", 0), ("Kit has a hamster.", 5), ("Rex is a dog", 9), ("Mo is a cat", 9)
    )
    remembered = await shown(lines, [1, 4, 7, 10], most=2)
    assert [p.text for p in remembered.block.passages] == ["Kit has a hamster.", "Rex is a dog"]
    # What was only in reserve, and was not needed, is in no receipt.
    assert {e.item_id for e in remembered.recalled} == {lines[n].uid for n in (1, 4, 7)}


async def test_a_line_that_is_shown_itself_stands_beside_no_other() -> None:
    lines = [message(f"line number {n} of the chat") for n in "abcdefg"]
    remembered = await shown(lines, [2, 4, 3])
    text = block_text(remembered.block)
    assert all(text.count(f"number {n} of") == 1 for n in "bcdef")
    first, second, third = remembered.block.passages
    assert (first.before, first.after) == ("ana: line number b of the chat", "")
    assert (second.before, second.after) == ("", "ana: line number f of the chat")
    assert (third.before, third.after) == ("", "")


async def test_what_had_no_room_of_its_own_may_stand_beside_what_has() -> None:
    lines = [message("word " * 300), message("the answer is a blue door")]
    remembered = await shown(lines, [1, 0], budget=170)
    (only,) = remembered.block.passages
    assert only.text == "the answer is a blue door"
    assert only.before.startswith("ana: word word")


async def test_of_many_that_are_the_same_one_is_shown() -> None:
    lines = [message("hello there", minutes=n) for n in range(30)]
    remembered = await shown(lines, list(range(1, 30)), most=10)
    assert len(remembered.block.passages) == 1
    assert remembered.block.passages[0].text == "hello there"


async def test_a_bound_on_what_nothing_calls_for_spares_what_could_harm_and_instructions() -> None:
    world = World()
    harmful = [("allergy", food, 1.0) for food in ("figs", "nuts", "milk", "eggs", "soy", "crab")]
    plain = [("friend", name, 0.7) for name in ("Ada", "Bo", "Cy", "Di", "Ed", "Flo", "Gus", "Hal")]
    told = [*harmful, *plain, (STANDING, "be brief", 0.5)]
    lines = [message(f"line number {n} {'of the chat ' * 8}", minutes=n) for n in range(len(told))]
    await world.ledger.record(lines, history=True)
    found = [Recalled("message", line.uid, 1) for line in lines[::3]]
    for line, (key, value, importance) in zip(lines, told, strict=True):
        category = known.category if (known := predicate(key)) else "identity"
        said = Observation(category, key, value, 0.9, importance, line.uid, START, SCOPE.anchor)
        (fact,) = (await world.facts.apply("t", SCOPE.contact_id, [said], START)).activated
        found.append(Recalled("fact", fact.fact_id, 1, {"importance": importance}))
    free = (await remember(world.memory, SCOPE, found, 3_000)).block
    bound = (await remember(world.memory, SCOPE, found, 3_000, (), 60)).block
    held = [fact for fact in bound.facts if fact.key in ("allergy", STANDING)]
    assert len(held) == len(harmful) + 1
    size = estimate_tokens(render_memory(bound))
    assert size <= 60 + sum(map(cost_of, held)) < estimate_tokens(render_memory(free))
    assert len(bound.facts) < len(free.facts) == len(told)


async def test_a_question_that_is_asked_over_and_over_stands_beside_one_line() -> None:
    lines = [
        message(text, minutes=10 * number + place)
        for number in range(4)
        for place, text in enumerate(("What is my cat's name?", f"the hedge has {number} sides"))
    ]
    passages = (await shown(lines, [1, 3, 5, 7])).block.passages
    assert passages[0].before.endswith("What is my cat's name?")
    assert [line.before for line in passages[1:]] == [""] * 3
