"""With a store gone the others are asked all the same, and what was found says what was missing."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import cast

import pytest

from memory.domain.facts import Observation
from memory.domain.recalls import Part, VectorItem
from memory.errors import EmbedderUnavailable, StoreUnavailable
from memory.ports.bundle import Memory
from memory.ports.outages import Outages
from memory.recall.passages import remember
from memory.recall.recall import Findings, Scope, recall
from memory.recall.receipts import missing_line, read_memories
from tests.fakes.vectors import Gone
from tests.fakes.world import World
from tests.messages import START, message

pytestmark = pytest.mark.anyio
PARTS: tuple[Part, ...] = ("vectors", "facts", "embedder")
SCOPE = Scope("t", "waha:ana", "contact:waha:ana", is_group=False)


@dataclass
class House:
    """A memory with a fact, a message found by its words and one found by its vector alone."""

    world: World
    by_words: str
    by_vector: str

    def without(self, part: Part, gone: Gone) -> Memory:
        """Return the memory with one part gone."""
        parts = vars(self.world.memory) | {part: gone}
        parts["outages"] = Outages(dict.fromkeys(PARTS, 0.05))
        return cast("Memory", SimpleNamespace(**parts))


def unavailable(part: Part) -> Exception:
    if part == "embedder":
        return EmbedderUnavailable("no answer")
    return StoreUnavailable("RECOLLECT_X", "http://there", "Connection refused")


@pytest.fixture
async def house() -> House:
    world = World()
    words, vector = message("the red coat hangs here"), message("garment")
    # What stands beside one that is found is found, too.
    between = [message(f"{n}") for n in range(4)]
    await world.ledger.record([words, *between, vector], history=True)
    (query,) = await world.memory.embedder.embed(["red coat"])
    item = VectorItem(f"{vector.uid}#0", vector.anchor, query)
    await world.vectors.upsert("t", "message", [item])
    told = Observation("identity", "home", "Leeds", 0.9, 0.85, words.uid, START, words.anchor)
    await world.facts.apply("t", "waha:ana", [told], START)
    return House(world, words.uid, vector.uid)


def found_in(findings: Findings) -> dict[str, list[str]]:
    return {
        kind: [entry.item_id for entry in findings.entries if entry.kind == kind]
        for kind in ("fact", "message")
    }


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("hangs", [False, True])
async def test_the_other_stores_answer_and_the_missing_one_is_named(
    house: House, part: Part, hangs: bool
) -> None:
    memory = house.without(part, Gone(None if hangs else unavailable(part)))
    async with asyncio.timeout(5):
        findings = await recall(memory, SCOPE, "red coat", START, 5)
    assert findings.missing == (part,)
    found = found_in(findings)
    assert len(found["fact"]) == (part != "facts")
    assert house.by_words in found["message"]
    assert (house.by_vector in found["message"]) == (part == "facts")


async def test_with_everything_there_nothing_is_missing(house: House) -> None:
    findings = await recall(house.world.memory, SCOPE, "red coat", START, 5)
    assert findings.missing == ()
    assert {house.by_words, house.by_vector} <= set(found_in(findings)["message"])


async def test_a_store_that_is_known_to_be_gone_is_not_asked_at_each_recall(house: House) -> None:
    gone = Gone(unavailable("vectors"))
    memory = house.without("vectors", gone)
    for _ in range(10):
        assert (await recall(memory, SCOPE, "red coat", START, 5)).missing == ("vectors",)
    assert gone.asked == 1


async def test_without_the_ledger_nothing_is_recalled(house: House) -> None:
    parts = vars(house.world.memory) | {"lexical": Gone(unavailable("facts"))}
    broken = cast("Memory", SimpleNamespace(**parts))
    with pytest.raises(StoreUnavailable):
        await recall(broken, SCOPE, "red coat", START, 5)


async def test_facts_that_go_missing_before_they_are_read_are_no_reason_not_to_answer(
    house: House,
) -> None:
    found = await recall(house.world.memory, SCOPE, "red coat", START, 5)
    memory = house.without("facts", Gone(unavailable("facts")))
    remembered = await remember(memory, SCOPE, found.entries, 1_000)
    assert remembered.missing == ("facts",)
    assert remembered.block.facts == ()
    assert remembered.block.passages


async def test_a_receipt_without_its_facts_does_not_say_that_they_were_erased(
    house: House,
) -> None:
    found = await recall(house.world.memory, SCOPE, "red coat", START, 5)
    memory = house.without("facts", Gone(unavailable("facts")))
    first, *others = await read_memories(memory, "t", "waha:ana", found.entries)
    assert (first.kind, first.label, first.text) == ("fact", "cannot be read now", "")
    assert all(reading.text for reading in others)


@pytest.mark.parametrize(
    ("missing", "line"),
    [
        ((), ""),
        (("facts",), "not at hand: facts"),
        (("vectors", "embedder"), "not at hand: search by meaning"),
    ],
)
def test_what_was_missing_is_told_in_words(missing: Sequence[Part], line: str) -> None:
    assert missing_line(missing) == line
