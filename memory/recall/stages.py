"""The stages that a chat model may add to a search: other wordings before it, an order after it.

Neither decides who may hear what: queries are searched for in the scope of the question, and an
order holds the lines that were found, and no others. A stage that fails or takes too long leaves
the search as it is without it.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import replace
from typing import Final, Literal, NamedTuple, TypeVar

from memory.domain.chats import StoredMessage
from memory.domain.recalls import Line, Recalled
from memory.errors import ModelFailed, ModelRefused, Transient
from memory.ports.bundle import Memory
from memory.ports.outages import Outages
from memory.ports.querying import Spoken
from memory.recall.ranking.features import Question

MAX_BEFORE: Final = 6
"""So many lines before a question are told with it: who "she" is stands in the last ones."""
MAX_RANKED: Final = 30
PLACE: Final = "reranked"
"""Names, beside the parts of a score, the place from 1 that the model gave a line."""

StageName = Literal["rewriting", "reranking"]

log = logging.getLogger(__name__)

_Answer = TypeVar("_Answer")


class Stage(NamedTuple):
    """What came of a stage: the milliseconds it took, and the queries or how many lines it judged.

    `fell_back`: the search is what it is without it.
    """

    name: StageName
    ms: float
    fell_back: bool = False
    queries: tuple[str, ...] = ()
    lines: int = 0


async def rewritten(
    memory: Memory, tenant: str, question: str, before: Sequence[str]
) -> Stage | None:
    """Have a question worded anew; None where no stage is set.

    `before`: uids of the lines before it, oldest first; they are read as they are now.
    """
    rewriter = memory.rewriter
    if rewriter is None:
        return None
    started = time.perf_counter()
    uids = list(before[-MAX_BEFORE:])
    stored = await memory.ledger.messages(tenant, uids) if uids else []
    known = {each.uid: each for each in stored if each.message.text and not each.withheld}
    lines = [_said(known[uid]) for uid in uids if uid in known]
    queries = await _asked(memory.outages, "rewriting", lambda: rewriter.rewrite(question, lines))
    ms = (time.perf_counter() - started) * 1_000
    if queries is None:
        return Stage("rewriting", ms, fell_back=True)
    return Stage("rewriting", ms, queries=tuple(queries))


async def reranked(
    memory: Memory,
    question: Question,
    found: Sequence[Recalled],
    lines: Sequence[Line],
    shown: Collection[str],
) -> tuple[list[Recalled], Stage | None]:
    """Return what was found in the model's order; None where no stage is set, or nothing to order.

    The first `MAX_RANKED` that are not `shown` anyway change places among themselves: those that
    the model names, then the others as they stood.
    """
    reranker = memory.reranker
    places = [at for at, entry in enumerate(found) if entry.item_id not in shown][:MAX_RANKED]
    if reranker is None or len(places) < 2:
        return list(found), None
    started = time.perf_counter()
    by_uid = {line.uid: line for line in lines}
    asked = [_line(by_uid[found[at].item_id], question) for at in places]
    order = await _asked(
        memory.outages, "reranking", lambda: reranker.rank(question.wording, asked)
    )
    ms = (time.perf_counter() - started) * 1_000
    if order is None:
        return list(found), Stage("reranking", ms, fell_back=True)
    named = [found[places[index]] for index in order]
    moved = [
        replace(entry, parts={**entry.parts, PLACE: float(place)})
        for place, entry in enumerate(named, start=1)
    ]
    moved += [found[at] for index, at in enumerate(places) if index not in set(order)]
    ordered = list(found)
    for at, entry in zip(places, moved, strict=True):
        ordered[at] = entry
    return ordered, Stage("reranking", ms, lines=len(asked))


async def _asked(
    outages: Outages, name: StageName, call: Callable[[], Awaitable[_Answer]]
) -> _Answer | None:
    """Return what the model answers; None where no answer that can be used comes in time.

    A model that cannot be had is left alone for a while; one that answers with something else is
    asked about the next question all the same.
    """
    answers: list[_Answer] = []

    async def ask() -> bool:
        try:
            answers.append(await call())
        except (ModelRefused, ModelFailed) as error:
            log.warning("a search did without %s: %s", name, error)
        return True

    await outages.ask(name, ask, tolerates=Transient)
    return answers[0] if answers else None


def _said(stored: StoredMessage) -> Spoken:
    said = stored.message
    return Spoken(said.sender_name or said.actor.value, said.text)


def _line(line: Line, question: Question) -> Spoken:
    return Spoken(
        line.sender_name or ("agent" if line.is_agent else line.contact_id),
        line.text,
        f"{line.sent_at.astimezone(question.now.tzinfo):%Y-%m-%d %H:%M}",
        by_asker=line.contact_id == question.contact_id and not line.is_agent,
    )
