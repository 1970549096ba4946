"""The lines that may answer: what words and vectors bring up, and what stands beside it (L4)."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from memory.domain.readings import Kinds
from memory.domain.recalls import Embedded, Hit, Lexical, Line, Part
from memory.ports.bundle import Memory
from memory.ports.recall import VectorKind
from memory.recall.breadth import several_chance
from memory.recall.query import best_of, query_chunks, query_words
from memory.recall.ranking.features import Pool
from memory.recall.ranking.known import asked_kinds
from memory.recall.ranking.late import Asking
from memory.recall.recaps import LIKELY, recap_chance

CANDIDATES: Final = 80
"""So many are found by words, and as many by vectors; with 150 no more evidence was ranked high."""
FACT_CANDIDATES: Final = 20
EPISODE_CANDIDATES: Final = 5
"""Some of what is near may stand in the prompt anyway."""
REACH: Final = 2
"""Lines up to so many positions beside a candidate are candidates, too."""

Embedding = asyncio.Task[list[Embedded] | None]


@dataclass(frozen=True, slots=True)
class Gathered:
    """The lines, the question's pieces and kinds, and the facts and episodes that are near.

    `several`: the chance that several things are asked for.
    """

    pool: Pool
    asking: Asking | None
    kinds: Kinds
    facts: Sequence[Hit]
    episodes: Sequence[Hit]
    missing: tuple[Part, ...]
    several: float


async def embedded(memory: Memory, wanted: str) -> list[Embedded] | None:
    """Embed a question, piece by piece where it is long; None where the embedder is missing."""
    if not wanted.strip():
        return []
    chunks = query_chunks(wanted)
    return await memory.outages.ask("embedder", lambda: memory.embedder.read(chunks))


async def _embedded_also(memory: Memory, also: Sequence[str]) -> list[Embedded]:
    """Embed other wordings; none where there are none, or the embedder is missing.

    Of their pieces all together count about as much as the question's own.
    """
    if not also:
        return []
    read = await memory.outages.ask("embedder", lambda: memory.embedder.read(also)) or []
    return [_weighing(each, 1 / len(also)) for each in read]


def _weighing(read: Embedded, share: float) -> Embedded:
    if read.tokens is None:
        return read
    weights = tuple(weight * share for weight in read.tokens.weights)
    return replace(read, tokens=replace(read.tokens, weights=weights))


async def gather(
    memory: Memory,
    tenant: str,
    of_messages: Sequence[str],
    of_facts: Sequence[str],
    wanted: str,
    embedding: Embedding,
    also: Sequence[str] = (),
    *,
    is_named: bool = False,
) -> Gathered:
    """Search each kind under these anchors; what no anchors are named of is not searched.

    Episodes are searched as messages are, where what is wanted is a recap of a talk.

    `embedding` is that of `wanted`; `also` are other wordings, which are searched for beside it.
    `is_named`: the last of them has relatives by their names, and tells what kind is asked for.

    Raises:
        StoreUnavailable: Postgres cannot be reached.
    """
    near, (lexical, found) = await asyncio.gather(
        _nearest(memory, tenant, of_messages, of_facts, wanted, embedding, also),
        _by_words(memory, tenant, of_messages, "\n".join([wanted, *also])),
    )
    cosines = {hit.item_id: hit.score for hit in near.messages}
    found |= await _lines(memory, tenant, of_messages, cosines.keys() - found.keys(), lexical)
    # The order of rows is nobody's: an equal score must not depend on it.
    lines = sorted(found.values(), key=lambda line: (line.thread_id, line.position))
    pieces = [each.tokens for each in near.read if each.tokens]
    asking = Asking.of(pieces, memory.embedder.token_space)
    own = await embedding or []
    fingerprint, vectors = memory.embedder.fingerprint, [each.vector for each in own]
    kinds = asked_kinds(fingerprint, [near.read[-1].vector] if is_named and near.read else vectors)
    several = several_chance(fingerprint, vectors, wanted)
    pool = Pool(lines, lexical, _alike_where_equal(lines, cosines))
    return Gathered(pool, asking, kinds, near.facts, near.episodes, near.missing, several)


def _alike_where_equal(lines: Sequence[Line], cosines: Mapping[str, float]) -> dict[str, float]:
    """Return the cosines, and of each line of the same text the same.

    An index tells equal vectors a hair apart, and need not find all of them.
    """
    best: dict[str, float] = {}
    for line in lines:
        if line.uid in cosines:
            best[line.text] = max(cosines[line.uid], best.get(line.text, -1.0))
    return {**cosines, **{line.uid: best[line.text] for line in lines if line.text in best}}


async def _by_words(
    memory: Memory, tenant: str, anchors: Sequence[str], wanted: str
) -> tuple[Lexical, dict[str, Line]]:
    """Return what words bring up, and its lines: they are read while vectors are searched."""
    if not anchors:
        return Lexical(), {}
    lexical = await memory.lexical.search(tenant, anchors, query_words(wanted), CANDIDATES)
    uids = {hit.item_id for hit in lexical.hits}
    return lexical, await _lines(memory, tenant, anchors, uids, lexical)


async def _lines(
    memory: Memory, tenant: str, anchors: Sequence[str], uids: Collection[str], lexical: Lexical
) -> dict[str, Line]:
    if not uids:
        return {}
    terms, space = list(lexical.spread), memory.embedder.token_space
    lines = await memory.lexical.lines(tenant, anchors, list(uids), terms, reach=REACH, space=space)
    return {line.uid: line for line in lines}


@dataclass(frozen=True, slots=True)
class _Near:
    """What the vector index finds; no facts where none depends on it. `read`: what it is asked."""

    read: Sequence[Embedded] = ()
    messages: Sequence[Hit] = ()
    facts: Sequence[Hit] = ()
    episodes: Sequence[Hit] = ()
    missing: tuple[Part, ...] = ()


async def _nearest(
    memory: Memory,
    tenant: str,
    of_messages: Sequence[str],
    of_facts: Sequence[str],
    wanted: str,
    embedding: Embedding,
    also: Sequence[str],
) -> _Near:
    """Ask the vector index as soon as the query is embedded, while SQL works.

    One search for each piece of the query and kind, under these anchors; none where there are none.
    """
    plain = await embedding
    if plain is None:
        return _Near(missing=("embedder",))
    read = [*plain, *(await _embedded_also(memory, also))]
    vectors = [each.vector for each in plain]
    is_recap = recap_chance(memory.embedder.fingerprint, vectors, wanted) >= LIKELY
    of_episodes = of_messages if is_recap else []

    async def nearest(kind: VectorKind, anchors: Sequence[str], limit: int) -> list[Hit]:
        if not anchors:
            return []
        searches = (memory.vectors.search(tenant, kind, anchors, r.vector, limit) for r in read)
        return best_of(await asyncio.gather(*searches), limit)

    async def search() -> _Near:
        messages, facts, episodes = await asyncio.gather(
            nearest("message", of_messages, CANDIDATES),
            nearest("knowledge", of_facts, FACT_CANDIDATES),
            nearest("episode", of_episodes, EPISODE_CANDIDATES),
        )
        return _Near(read, messages, facts, episodes)

    return await memory.outages.ask("vectors", search) or _Near(read, missing=("vectors",))
