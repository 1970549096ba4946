"""The same question costs the same prompt, however long a chat has become."""

from __future__ import annotations

import random

import pytest

from graph.stores import Stores
from memory.domain.chats import Message
from memory.projection.importing import import_batches
from memory.recall.breadth import for_prompt, lines_sought
from memory.recall.passages import Remembered, remember
from memory.recall.recall import Scope, recall
from memory.text.chunks import estimate_tokens
from nodes.prompts import render_memory
from tests.messages import message

pytestmark = [pytest.mark.anyio, pytest.mark.slow, pytest.mark.timeout(900)]

LIMIT, BUDGET = 10, 3_000
MOST = 1.25
"""So many times the tokens at 50 messages may a question take at 2,000."""
OF_FACTS = 400
"""So many tokens more may it take where it asks for facts of which there are many by then."""
TOLD = [
    "My name is Alex and I am allergic to walnuts.",
    "The boiler man is called Mr Okafor and he comes on Thursday.",
    "We saw Lisbon in spring, the tram up to the castle was packed.",
    "In summer we went on to Porto and ate far too much cake.",
    "The blue bike was stolen from the station rack.",
    "Priya is teaching me the accordion, the neighbours are saints.",
]
ASKED = [
    "What is the boiler man called?",
    "Which cities did we visit?",
    "Who teaches me an instrument?",
    "When was the bike stolen?",
    TASTES := "What should I cook tonight?",
]
WHO = "Nora|the plumber|our neighbour|Sam from the club|the new teacher|grandma|Otis".split("|")
DID = "rang about|dropped off|forgot|wants to see|laughed at|asked after|mended|lost".split("|")
WHAT = "the ladder|those tickets|a jar of honey|the spare keys|the film|a parcel|the rota".split(
    "|"
)
WHERE = "in the yard|by the canal|at the market|after lunch|before the rain|on the bus".split("|")
TAIL = "honestly|as ever|would you believe it|no idea why|it took ages|and that was that".split("|")
FACTS = ["I like {}.", "My friend is called {}.", "I work with {} now."]
NAMES = [
    f"{a}{b}" for a in ("Bel", "Dor", "Fen", "Gar", "Hol", "Jut", "Kem") for b in ("a", "o", "i")
]


def chatter(number: int, draw: random.Random) -> str:
    """Return a line of small talk, of one to three sentences; one in thirty teaches a fact."""
    if number % 30 == 29:
        return draw.choice(FACTS).format(draw.choice(NAMES))
    parts = (WHO, DID, WHAT, WHERE, TAIL)
    said = [" ".join(map(draw.choice, parts)) for _ in range(draw.randint(1, 3))]
    return ". ".join([*said, f"that makes {number}"])


def chat_of(size: int, sender: str, tenant: str) -> list[Message]:
    """Return so many messages, what is asked for among them, spread evenly."""
    draw = random.Random(7)
    texts = [chatter(number, draw) for number in range(size)]
    for place, told in enumerate(TOLD):
        texts[(2 * place + 1) * size // (2 * len(TOLD))] = told
    return [
        message(text, tenant=tenant, chat=sender, sender=sender, minutes=60 * number)
        for number, text in enumerate(texts)
    ]


async def shown(stores: Stores, last: Message, asked: str) -> Remembered:
    """Return what a prompt remembers for a question that follows the last message."""
    scope = Scope.of(last)
    found = await recall(stores.memory, scope, asked, last.sent_at, lines_sought(LIMIT))
    facts = [entry for entry in found.entries if entry.kind == "fact"]
    messages = [entry for entry in found.entries if entry.kind == "message"]
    chosen = [*facts, *for_prompt(messages, found.several, LIMIT)]
    return await remember(stores.memory, scope, chosen, BUDGET)


async def test_a_question_costs_the_same_after_50_messages_and_after_2000(stores: Stores) -> None:
    tokens: dict[int, list[int]] = {}
    for size in (50, 2_000):
        lines = chat_of(size, f"alex{size}", stores.settings.tenant)
        batches = [lines[start : start + 256] for start in range(0, size, 256)]
        await import_batches(stores.memory, stores.projector, batches)
        blocks = [await shown(stores, lines[-1], asked) for asked in ASKED]
        tokens[size] = [estimate_tokens(render_memory(each.block)) for each in blocks]
    for asked, at_50, at_2000 in zip(ASKED, tokens[50], tokens[2_000], strict=True):
        more = OF_FACTS if asked == TASTES else 0
        assert at_2000 <= MOST * at_50 + more, asked
    assert max(tokens[2_000]) <= BUDGET
