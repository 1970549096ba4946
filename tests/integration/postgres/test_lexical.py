"""Lexical search: BM25 as the books have it, whichever index the planner takes; and the lines."""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import timedelta

import pytest

from memory.domain.changes import Change
from memory.domain.chats import Actor, Message
from memory.domain.recalls import Line, TokenMatrix
from memory.embedded import EmbeddedStores
from memory.postgres.claims import PostgresClaims
from memory.postgres.ledger import PostgresLedger
from memory.postgres.lexical import PostgresLexicalIndex
from memory.postgres.lines import LatestLines, Scope
from memory.postgres.pool import Pool, open_pool
from memory.postgres.revisions import PostgresRevisions
from memory.postgres.tokens import PostgresTokenVectors
from memory.recall.questions import MAX_CHARS
from memory.text.lexical import K1, B
from tests.benchmarks.sql import one_connection
from tests.messages import message
from tests.stores import migrated_database

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
    url = migrated_database(embedded.database_url)
    said = _said(random.Random(5))
    async with open_pool(url) as pool:
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
            found = await PostgresLexicalIndex(pool).search("t", ["contact:waha:ana"], query, 500)
            # A withheld message has no words, but is one of the scope's still.
            expected = _scores([*heard, _emptied(withheld)], query)
            assert {hit.item_id: hit.score for hit in found.hits} == pytest.approx(expected)
            best_first = sorted(found.hits, key=lambda hit: (-hit.score, hit.item_id))
            assert list(found.hits) == best_first
            texts = [set(each.text.split()) for each in heard]
            spread = {word: sum(word in words for words in texts) for word in query.split()}
            assert found.spread == {word: df for word, df in spread.items() if df}
            assert found.documents == len(heard) + 1
            words = sum(len(each.text.split()) for each in heard)
            assert found.average == pytest.approx(words / found.documents)


def _emptied(said: Message) -> Message:
    return message("", chat=said.chat.chat_id, sender=said.sender_id, message_id=said.message_id)


@pytest.fixture
async def pool(embedded: EmbeddedStores) -> AsyncIterator[Pool]:
    async with open_pool(migrated_database(embedded.database_url)) as opened:
        yield opened


async def _record(pool: Pool, *said: Message) -> list[Message]:
    await PostgresLedger(pool).record(said, history=True)
    return list(said)


async def _lines(
    pool: Pool,
    uids: Sequence[str],
    terms: Sequence[str] = (),
    *,
    anchors: Sequence[str] = ("contact:waha:ana",),
    reach: int = 0,
    space: str = "",
) -> dict[str, Line]:
    index = PostgresLexicalIndex(pool)
    lines = await index.lines("t", anchors, uids, terms, reach=reach, space=space)
    found = {line.uid: line for line in lines}
    assert len(found) == len(lines)
    return found


async def test_lines_are_those_asked_for_and_their_neighbours_within_reach(pool: Pool) -> None:
    said = await _record(pool, *(message(f"number {n}", minutes=n) for n in range(9)))
    others = await _record(pool, *(message(f"other {n}", chat="ben", minutes=n) for n in range(9)))
    uids = [each.uid for each in said]
    assert (await _lines(pool, [uids[4]])).keys() == {uids[4]}
    assert (await _lines(pool, [uids[4]], reach=2)).keys() == {*uids[2:7]}
    assert (await _lines(pool, [uids[0], uids[8]], reach=1)).keys() == {*uids[:2], *uids[7:]}
    # Both bring up what stands between them: it comes once.
    found = await _lines(pool, [uids[4], uids[6]], reach=2)
    assert found.keys() == {*uids[2:9]}
    assert await _lines(pool, []) == {}
    (line,) = (await _lines(pool, [uids[3]])).values()
    assert (line.thread_id, line.position) == (said[3].chat.thread_id, 4)
    assert (line.sent_at, line.sender_name) == (said[3].sent_at, "ana")
    assert (line.contact_id, line.text, line.is_agent) == ("waha:ana", "number 3", False)
    both = ("contact:waha:ana", "contact:waha:ben")
    found = await _lines(pool, [others[4].uid], anchors=both, reach=1)
    assert found.keys() == {each.uid for each in others[3:6]}


async def test_terms_are_counted_and_long_texts_cut(pool: Pool) -> None:
    text = "Red boats, a red boat and the blue boat."
    short, long, agents = await _record(
        pool,
        message(text),
        message(" ".join(f"w{n}" for n in range(300)), minutes=1),
        message("The boat is mine.", actor=Actor.AGENT, minutes=2),
    )
    spread = (await PostgresLexicalIndex(pool).search("t", [short.anchor], "red boats", 5)).spread
    assert spread == {"red": 1, "boat": 1}
    uids = [short.uid, long.uid, agents.uid]
    found = await _lines(pool, uids, [*spread, "unheard"])
    assert found[short.uid].terms == {"red": 2, "boat": 3}
    assert found[short.uid].length == 6  # and "blue"; the others are stop words
    assert (found[long.uid].terms, found[long.uid].length) == ({}, 300)
    assert MAX_CHARS < len(found[long.uid].text) < len(long.text)
    assert found[agents.uid].terms == {"boat": 1}
    assert (await _lines(pool, uids))[short.uid].terms == {}
    text = "Müll it's o'neil http://a.de/b?c='d' 東京 müll"
    (odd,) = await _record(pool, message(text, minutes=3))
    spread = (await PostgresLexicalIndex(pool).search("t", [odd.anchor], odd.text, 5)).spread
    terms = (await _lines(pool, [odd.uid], list(spread)))[odd.uid].terms
    assert terms.keys() == spread.keys()
    assert terms["müll"] == 2
    assert sum(terms.values()) == (await _lines(pool, [odd.uid]))[odd.uid].length


async def test_lines_are_only_what_may_be_shown_here(pool: Pool) -> None:
    told = message("told")
    agents = message("answered", actor=Actor.AGENT, minutes=1)
    owners = message("/facts", actor=Actor.OWNER, minutes=2)
    automated = message("on holiday", actor=Actor.AUTOMATION, minutes=3)
    of_system = message("joined", actor=Actor.SYSTEM, minutes=4)
    hidden = replace(message("psst", minutes=5), withheld=True)
    taken_back = message("forget me", minutes=6)
    empty = message("", minutes=7)
    elsewhere = message("of Ben", chat="ben", sender="ben")
    theirs = message("told", tenant="other")
    every = (told, agents, owners, automated, of_system, hidden, taken_back, empty)
    said = await _record(pool, *every, elsewhere)
    await _record(pool, theirs)
    await PostgresLedger(pool).withhold("t", [taken_back.uid])
    for uids, reach in (
        ([each.uid for each in (*said, theirs)], 0),
        # Whatever brought them up: neither is what stands beside.
        ([told.uid, theirs.uid, elsewhere.uid], 9),
        ([hidden.uid], 9),
    ):
        found = await _lines(pool, uids, reach=reach)
        assert {uid: line.is_agent for uid, line in found.items()} == {
            told.uid: False,
            agents.uid: True,
        }
    both = ("contact:waha:ana", "contact:waha:ben")
    found = await _lines(pool, [told.uid, elsewhere.uid, theirs.uid], anchors=both)
    assert found.keys() == {told.uid, elsewhere.uid}
    assert await _lines(pool, [told.uid], anchors=()) == {}


async def test_token_vectors_come_only_of_the_space_that_is_asked_for(pool: Pool) -> None:
    ours, others, none = await _record(pool, *(message(f"{n}", minutes=n) for n in range(3)))
    tokens = PostgresTokenVectors(pool)
    await tokens.put("t", "ours", [(ours.uid, 0, TokenMatrix(b"\x01\x02", 2))])
    await tokens.put("t", "another", [(others.uid, 0, TokenMatrix(b"\x03\x04", 2))])
    uids = [ours.uid, others.uid, none.uid]

    async def held(space: str) -> list[bytes]:
        found = await _lines(pool, uids, space=space)
        return [found[uid].tokens for uid in uids]

    assert await held("ours") == [b"\x01\x02", b"", b""]
    assert await held("another") == [b"", b"\x03\x04", b""]
    assert await held("") == [b"", b"", b""]
    # A neighbour's come along.
    found = await _lines(pool, [none.uid], reach=2, space="ours")
    assert found[ours.uid].tokens == b"\x01\x02"


async def test_kinds_of_thing_come_with_the_lines_that_may_be_shown(pool: Pool) -> None:
    ours, none = await _record(pool, message("a hamster"), message("hm", minutes=1))
    (elsewhere,) = await _record(pool, message("a cat", chat="ben", sender="ben"))
    (hidden,) = await _record(pool, replace(message("psst", minutes=2), withheld=True))
    told = {each.uid: {"pet": 0.31, "home": 0.9} for each in (ours, elsewhere, hidden)}
    await PostgresClaims(pool).keep("t", {}, told)
    found = await _lines(pool, [ours.uid, none.uid, elsewhere.uid, hidden.uid])
    assert {uid: line.kinds for uid, line in found.items()} == {
        ours.uid: {"pet": 0.31, "home": 0.9},
        none.uid: {},
    }


async def test_a_line_is_read_anew_once_any_of_its_rows_has_changed(pool: Pool) -> None:
    ours, other = await _record(pool, message("a hamster"), message("and a cat", minutes=1))
    index, anchor = PostgresLexicalIndex(pool), ours.anchor

    async def read() -> dict[str, Line]:
        lines = await index.lines("t", [anchor], [ours.uid], ["hamster"], reach=1, space="ours")
        return {line.uid: line for line in lines}

    first = await read()
    assert first[ours.uid].terms == {"hamster": 1}
    assert (await read())[other.uid] is first[other.uid]
    for tokens in (b"\x01\x02", b"\x03\x04"):
        entries = [(ours.uid, 0, TokenMatrix(tokens, 2))]
        await PostgresTokenVectors(pool).put("t", "ours", entries)
        assert (await read())[ours.uid].tokens == tokens
    for kinds in ({"pet": 0.3}, {"pet": 0.9, "home": 0.2}, {}):
        await PostgresClaims(pool).keep("t", {}, {ours.uid: kinds})
        assert (await read())[ours.uid].kinds == kinds
    edited = Change(
        ours.chat, ours.message_id, "edit", "e1", "a rabbit", (ours.sender_id,), False,
        ours.sent_at + timedelta(minutes=1),
    )  # fmt: skip
    await PostgresRevisions(pool).change(edited, edited.changed_at)
    assert (await read())[ours.uid].text == "a rabbit"
    assert (await read())[ours.uid].terms == {}
    assert (await read())[other.uid] is first[other.uid]
    await PostgresLedger(pool).withhold("t", [ours.uid])
    assert (await read()).keys() == {other.uid}


async def test_no_more_lines_are_kept_than_there_is_room_for(pool: Pool) -> None:
    said = await _record(pool, *(message(f"{n} " * 50, minutes=n) for n in range(9)))
    scope, latest = Scope("t", [said[0].anchor], ""), LatestLines(capacity=5_600)
    uids = [each.uid for each in said]

    async def read() -> dict[str, Line]:
        async with pool.connection() as connection:
            lines = await latest.read(connection, scope, uids, [], reach=0)
        return {line.uid: line for line in lines}

    first, again = await read(), await read()
    assert again == first
    assert first.keys() == set(uids)
    assert sum(again[uid] is first[uid] for uid in uids) == 5  # of 1,106 bytes each
