"""Lexical search: BM25 as the books have it, whichever index the planner takes."""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from collections.abc import Sequence

import pytest

from memory.domain.chats import Actor, Message
from memory.embedded import EmbeddedStores
from memory.postgres.ledger import PostgresLedger
from memory.postgres.lexical import K1, B, PostgresLexicalIndex
from memory.postgres.migrate import migrate
from memory.postgres.pool import open_pool
from tests.benchmarks.sql import one_connection
from tests.messages import message
from tests.stores import fresh_database

pytestmark = pytest.mark.anyio

INDEXES = {"messages_of_lexeme", "messages_in_scope"}
QUERIES = ("w3", "w1 w2 w17 w29", "w28 unheard", "unheard")


def _said(draw: random.Random) -> list[Message]:
    """Return what three people and the agent said, with few words often and most seldom."""
    return [
        message(
            " ".join(f"w{int(30 * draw.random() ** 3)}" for _ in range(draw.randint(1, 12))),
            chat=draw.choice(("ana", "ben", "cy")),
            sender="ana" if draw.random() < 0.5 else "ben",
            tenant=draw.choice(("t", "t", "t", "elsewhere")),
            actor=draw.choice((Actor.CONTACT, Actor.CONTACT, Actor.AGENT)),
        )
        for _ in range(400)
    ]


def _scores(said: Sequence[Message], query: str) -> dict[str, float]:
    documents = {each.uid: Counter(each.text.split()) for each in said}
    average = sum(words.total() for words in documents.values()) / len(documents)
    scores: defaultdict[str, float] = defaultdict(float)
    for word in query.split():
        df = sum(word in words for words in documents.values())
        idf = math.log(1 + (len(documents) - df + 0.5) / (df + 0.5))
        for uid, words in documents.items():
            if tf := words[word]:
                norm = K1 * (1 - B + B * words.total() / average)
                scores[uid] += idf * tf * (K1 + 1) / (tf + norm)
    return dict(scores)


@pytest.mark.parametrize("index", sorted(INDEXES))
async def test_scores_are_those_of_the_formula_by_either_index(
    embedded: EmbeddedStores, index: str
) -> None:
    url = fresh_database(embedded.database_url)
    said = _said(random.Random(5))
    async with open_pool(url) as pool:
        await migrate(pool)
        await PostgresLedger(pool).record(said, history=True)
    heard = [
        each
        for each in said
        if (each.chat.tenant, each.anchor, each.actor) == ("t", "contact:waha:ana", Actor.CONTACT)
    ]
    withheld = heard.pop()
    async with one_connection(url) as pool:
        await PostgresLedger(pool).withhold("t", [withheld.uid])
        async with pool.connection() as connection:
            (other,) = INDEXES - {index}
            await connection.execute(f"drop index {other}".encode())
            await connection.execute("set enable_seqscan = off")
        for query in QUERIES:
            hits = await PostgresLexicalIndex(pool).search("t", ["contact:waha:ana"], query, 500)
            # A withheld message has no words, but is one of the scope's still.
            expected = _scores([*heard, _emptied(withheld)], query)
            assert {hit.item_id: hit.score for hit in hits} == pytest.approx(expected)
            assert hits == sorted(hits, key=lambda hit: (-hit.score, hit.item_id))


def _emptied(said: Message) -> Message:
    return message("", chat=said.chat.chat_id, sender=said.sender_id, message_id=said.message_id)
