"""Reads facts by rules and reader, and by asking a chat model about them (N10).

A message is asked about once, within a budget. Whatever goes wrong with the model, rules and reader
stand alone for it. What was answered is kept, so that facts that are made anew, or compared with
the ledger, cost nothing and come out the same.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import time
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from contextvars import Context
from dataclasses import dataclass, replace
from typing import Final

from memory.domain.answers import Answered, Candidate, Kept, Mode, Reason, Refusal
from memory.domain.readings import Heard, Reading
from memory.errors import ModelRefused, RecollectError, Transient
from memory.facts.asking.checking import checked, with_model
from memory.facts.asking.question import (
    INSTRUCTIONS,
    SCHEMA,
    Entry,
    batches,
    candidates_in,
    question,
)
from memory.facts.learning import before_of, may_teach
from memory.facts.predicates import predicate
from memory.facts.reading.parts import parts_of
from memory.facts.reading.rules.clauses import MAX_CHARS
from memory.ports.reading import ASK_PATIENCE_S, Answers, AskedModel, FactReader
from memory.text.apart import read_apart

CALLS_AT_ONCE: Final = 4
CALL_S: Final = ASK_PATIENCE_S - 2
"""How long a model may take; what it answers is kept while others still wait for it."""
REST_S: Final = 30.0
"""How long a model that could not be had is left alone, by each process."""
GRACE_S: Final = 5.0
_LOOK_S: Final = 0.1

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A message to ask about, what rules and reader say of it, and its texts."""

    heard: Heard
    reading: Reading
    entries: tuple[Entry, ...]
    digest: str

    @property
    def uid(self) -> str:
        return self.heard.message.uid


class AskingReader(FactReader):
    """`FactReader` around another one and a chat model. One for a process."""

    def __init__(
        self,
        base: FactReader,
        model: AskedModel,
        answers: Answers,
        mode: Mode,
        calls_a_day: int,
        *,
        asks_again: bool = False,
    ) -> None:
        """Take who reads without asking, whom to ask, and how often for each tenant.

        `asks_again`: where messages are read again, too, about those of which no answer came.
        """
        self._base = base
        self._model = model
        self._answers = answers
        self._mode: Mode = mode
        self._limit = calls_a_day
        self._asks_again = asks_again
        self._places = asyncio.Semaphore(CALLS_AT_ONCE)
        self._rests_until = 0.0
        self._spent: set[str] = set()
        self._under_way: set[asyncio.Task[None]] = set()

    @property
    def version(self) -> str:
        """Mode, model, and who reads beside it."""
        return f"{self._name}+{self._base.version}"

    @property
    def _name(self) -> str:
        return f"{self._mode}/1:{self._model.name}"

    async def read(self, messages: Sequence[Heard]) -> list[Reading]:
        """Return what each message tells; the model is asked about those it was not asked about."""
        return await self._read(messages, await self._base.read(messages), asks=True)

    async def reread(self, messages: Sequence[Heard]) -> list[Reading]:
        """Return what each message tells by what the model answered when it was asked."""
        readings = await self._base.reread(messages)
        return await self._read(messages, readings, asks=self._asks_again)

    async def close(self) -> None:
        """Let calls that are under way come to an end; those that take long are given up."""
        if self._under_way:
            _, late = await asyncio.wait(self._under_way, timeout=GRACE_S)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    async def _read(
        self, messages: Sequence[Heard], readings: list[Reading], *, asks: bool
    ) -> list[Reading]:
        size = sum(len(each.message.text) for each in messages)
        pairs = list(zip(messages, readings, strict=True))
        asked = await read_apart(lambda: [self._asked(*pair) for pair in pairs], size)
        by_tenant: defaultdict[str, list[_Asked]] = defaultdict(list)
        for each in filter(None, asked):
            by_tenant[each.heard.message.chat.tenant].append(each)
        answers: dict[str, Kept] = {}
        for tenant, some in by_tenant.items():
            answers |= await self._answered(tenant, some, asks=asks)
        told = list(zip(asked, readings, strict=True))
        return await read_apart(lambda: [self._told(*each, answers) for each in told], size)

    def _asked(self, heard: Heard, reading: Reading) -> _Asked | None:
        """Return what there is to ask about a message; None where there is nothing."""
        message = heard.message
        if not may_teach(message) or (self._mode == "hybrid" and not reading.doubts):
            return None
        entries = []
        for start, part in parts_of(message.text[:MAX_CHARS]):
            held = range(start, start + len(part))
            doubts = tuple(doubt for doubt in reading.doubts if doubt.start in held)
            if self._mode == "llm":
                entries.append(Entry(message.uid, part, before_of(heard)))
            elif doubts:
                entries.append(Entry(message.uid, part, before_of(heard), doubts))
        digest = hashlib.sha256(message.text.encode("utf-8", "replace")).hexdigest()[:32]
        return _Asked(heard, reading, tuple(entries), digest) if entries else None

    def _told(self, asked: _Asked | None, reading: Reading, answers: Mapping[str, Kept]) -> Reading:
        kept = answers.get(asked.uid) if asked else None
        if asked is None or kept is None or not kept.candidates:
            return reading
        # Checked anew: the vocabulary and the rules may have changed since.
        counting, _ = self._judged(replace(asked, entries=()), kept.candidates)
        return with_model(self._mode, asked.heard, reading, counting, kept.reader)

    async def _answered(
        self, tenant: str, asked: Sequence[_Asked], *, asks: bool
    ) -> dict[str, Kept]:
        """Return what is kept about messages as they read now, after asking about the others."""
        known = await self._known(tenant, asked)
        if not asks:
            return known
        if fresh := [each for each in asked if self._is_open(known.get(each.uid))]:
            await self._ask_all(tenant, fresh)
            known = await self._known(tenant, asked)
        while any(kept.is_under_way for kept in known.values()):
            # Others ask about it, or we did before we were interrupted: once is enough.
            await asyncio.sleep(_LOOK_S)
            known = await self._known(tenant, asked)
        return known

    def _is_open(self, kept: Kept | None) -> bool:
        if kept is None:
            return True
        return self._asks_again and kept.candidates is None and not kept.is_under_way

    async def _known(self, tenant: str, asked: Sequence[_Asked]) -> dict[str, Kept]:
        kept = await self._answers.kept(tenant, [each.uid for each in asked])
        digests = {each.uid: each.digest for each in asked}
        return {uid: one for uid, one in kept.items() if one.digest == digests[uid]}

    async def _ask_all(self, tenant: str, asked: Sequence[_Asked]) -> None:
        by_chat: defaultdict[str, list[_Asked]] = defaultdict(list)
        for each in asked:
            by_chat[each.heard.message.anchor].append(each)
        known = {each.uid: each for each in asked}
        calls = []
        for some in by_chat.values():
            for batch in batches([each.entries for each in some]):
                told = [known[uid] for uid in dict.fromkeys(entry.uid for entry in batch)]
                # In no context of the caller's, whose watchers would see the model's words; and to
                # the end, though the caller may be interrupted: it is paid for.
                task = asyncio.create_task(self._ask(tenant, told), context=Context())
                self._under_way.add(task)
                task.add_done_callback(self._under_way.discard)
                calls.append(task)
        await asyncio.shield(asyncio.gather(*calls))

    async def _ask(self, tenant: str, asked: Sequence[_Asked]) -> None:
        """Ask about some messages with one call, and keep what comes of it."""
        async with self._places:
            digests = {each.uid: each.digest for each in asked}
            rests = time.monotonic() < self._rests_until
            if rests:
                refusals = [Refusal(each.uid, "", "unavailable") for each in asked]
                await self._answers.settle(tenant, [], refusals, self._name)
                return
            ours = await self._answers.begin(
                tenant, digests, self._name, self._limit, again=self._asks_again
            )
            self._say_when_spent(tenant, is_spent=ours is None)
            if not ours:
                return
            mine = [each for each in asked if each.uid in ours]
            told = await self._called(mine)
            if isinstance(told, str):
                answered = [Answered(each.uid, each.digest, None) for each in mine]
                refusals = [Refusal(each.uid, "", told) for each in mine]
            else:
                answered, refusals = told
            await self._answers.settle(tenant, answered, refusals, self._name)

    async def _called(
        self, asked: Sequence[_Asked]
    ) -> tuple[list[Answered], list[Refusal]] | Reason:
        """Return what came of one call, or why nothing did."""
        entries = [entry for each in asked for entry in each.entries]
        try:
            async with asyncio.timeout(CALL_S):
                answer = await self._model.answer(INSTRUCTIONS, question(entries), SCHEMA)
            found = candidates_in(answer, len(entries))
        except (TimeoutError, Transient) as error:
            self._rests_until = time.monotonic() + REST_S
            log.warning("no model reads facts for %.0f s: it cannot be had", REST_S)
            return "timeout" if isinstance(error, TimeoutError) else "unavailable"
        except ModelRefused:
            return "refused"
        except (RecollectError, ValueError):
            return "garbage"
        return await read_apart(lambda: self._sorted(asked, entries, found), len(answer))

    def _sorted(
        self,
        asked: Sequence[_Asked],
        entries: Sequence[Entry],
        found: Sequence[tuple[int, Candidate | None]],
    ) -> tuple[list[Answered], list[Refusal]]:
        answered: list[Answered] = []
        refusals: list[Refusal] = []
        for each in asked:
            own = [fact for at, fact in found if entries[at].uid == each.uid]
            if None in own:
                refusals.append(Refusal(each.uid, "", "garbage"))
            counting, refused = self._judged(each, [fact for fact in own if fact is not None])
            answered.append(Answered(each.uid, each.digest, tuple(counting)))
            refusals += refused
        return answered, refusals

    def _judged(
        self, asked: _Asked, candidates: Collection[Candidate]
    ) -> tuple[list[Candidate], list[Refusal]]:
        """Part what counts of an answer from what does not. A wish is neither."""
        doubts = [doubt for entry in asked.entries for doubt in entry.doubts]
        is_bound = self._mode == "hybrid" and bool(asked.entries)
        counting: list[Candidate] = []
        refusals: list[Refusal] = []
        for candidate in candidates:
            if candidate.status == "wished":
                continue
            outcome = checked(
                candidate,
                asked.heard.message,
                asked.reading,
                doubts if is_bound else None,
                counting,
            )
            if isinstance(outcome, Candidate):
                counting.append(outcome)
            else:
                refusals.append(Refusal(asked.uid, _known_key(candidate.key), outcome))
        return counting, refusals

    def _say_when_spent(self, tenant: str, *, is_spent: bool) -> None:
        if is_spent and tenant not in self._spent:
            log.warning(
                "tenant %s: today's %d model calls (RECOLLECT_CAPTURE_CALLS) are used up;"
                " rules and reader read on",
                tenant,
                self._limit,
            )
        (self._spent.add if is_spent else self._spent.discard)(tenant)


def _known_key(key: str) -> str:
    """Return a key as it may be listed: a noun of the message, or any words, are left out."""
    return key.partition(":")[0] if predicate(key) is not None else ""
