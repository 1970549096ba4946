"""What is said in a chat becomes episodes, summed up while they run and when they close (T2-T4)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

import numpy as np
from typing_extensions import override

from memory.domain.chats import READ_CHARS, Message, StoredMessage
from memory.domain.drift import Compared, Difference
from memory.domain.projections import ANEW, CHAT, ProjectionName
from memory.episodes.features import Vector
from memory.episodes.keeping import packed, unpacked
from memory.episodes.making import GAP, digest, made, spoken
from memory.episodes.segmenting import LONGEST, Tracker
from memory.episodes.sums import kept_sum, read_sum
from memory.episodes.weights import VERSION
from memory.ports.bundle import Memory
from memory.ports.episodes import Look, Place, Rewrite, Stretch, place_of
from memory.ports.projections import Projection
from memory.ports.recall import Embedder
from memory.ports.runtime import Clock
from memory.ports.summaries import Summarizer
from memory.projection.vectors import embedded_pieces
from memory.text.chunks import split_for_embedding

PAGE: Final = 500
"""Messages that are taken in at once, and kept before the next."""
_MOST_PATCHED: Final = 5_000
_REOPENED: Final = 10
"""Of how many stretches an episode is put together that silence had closed, at most."""


@dataclass(frozen=True, slots=True)
class ChatEpisodes(Projection):
    """Episodes of chats. Items: `chat:` to go on where a chat was left, `anew:` to begin again.

    `embedder` is the one that memory is searched by where that is at hand: a vector that was made
    for the index moments ago is not made again.
    """

    memory: Memory
    embedder: Embedder
    clock: Clock
    summarizer: Summarizer | None = None
    """Who sums up what is over, in place of the chat's own words."""

    @property
    @override
    def name(self) -> ProjectionName:
        return "episodes"

    @property
    @override
    def fingerprint(self) -> str:
        return f"{VERSION}+{self.embedder.fingerprint}"

    @override
    async def project(self, tenant: str, items: Sequence[str], generation: int) -> int:
        anew = {item.removeprefix(ANEW) for item in items if item.startswith(ANEW)}
        follows = {item.removeprefix(CHAT) for item in items if item.startswith(CHAT)}
        return sum(
            [
                await self._follow(tenant, thread_id, anew=thread_id in anew)
                for thread_id in sorted(anew | follows)
            ]
        )

    @override
    async def everything(self, tenant: str) -> AsyncGenerator[Sequence[str]]:
        async with aclosing(self.memory.contents.threads(tenant)) as pages:
            async for threads in pages:
                yield [ANEW + thread_id for thread_id in threads]

    @override
    async def compare(self, tenant: str, generation: int, part: str) -> Compared:
        expected = present = 0
        differences: set[Difference] = set()
        async with aclosing(self.memory.contents.threads(tenant)) as pages:
            async for threads in pages:
                for thread_id in threads:
                    compared = await self._compared(tenant, thread_id)
                    expected += compared.expected
                    present += compared.present
                    differences |= compared.differences
        return Compared(expected, present, frozenset(differences))

    async def _compared(self, tenant: str, thread_id: str) -> Compared:
        """Compare a chat's episodes with the messages between their first and last."""
        said = await self.memory.episodes.digests(tenant, thread_id)
        kept = await self.memory.episodes.stretches(tenant, thread_id)
        items, uncovered = (CHAT + thread_id, ANEW + thread_id), dict(said)
        differences: set[Difference] = set()
        for stretch in kept:
            inside = [each for each in uncovered if stretch.first <= each <= stretch.last]
            states = [uncovered.pop(each) for each in inside]
            is_summed = stretch.is_open or stretch.summary is not None
            if not states:
                differences.add(Difference("extra", stretch.first_uid, items))
            elif digest(states) != stretch.digest or not is_summed:
                differences.add(Difference("stale", stretch.first_uid, items))
        if uncovered:
            differences.add(Difference("missing", thread_id, items))
        return Compared(len(kept) + bool(uncovered), len(kept), frozenset(differences))

    async def _follow(self, tenant: str, thread_id: str, *, anew: bool) -> int:
        """Bring a chat's episodes in line, page by page; return how many were written."""
        written = 0
        while look := await self.memory.episodes.look(tenant, thread_id, LONGEST + PAGE):
            if anew or look.course.made_by not in ("", self.fingerprint):
                rewrite: Rewrite | None = self._emptied(None)
            elif look.course.stale:
                rewrite = await self._mended(tenant, thread_id, look)
            else:
                rewrite = await self._gone_on(tenant, thread_id, look)
            if rewrite is None:
                break
            if await self.memory.episodes.keep(tenant, thread_id, look.course.version, rewrite):
                anew = False
                written += len(rewrite.stretches)
        return written

    async def _gone_on(self, tenant: str, thread_id: str, look: Look) -> Rewrite | None:
        """Take in what came after what was taken in; None where nothing is to be done."""
        course, held, said = look.course, look.held, look.said
        reached = course.reached
        fresh = [one for one in said if reached is None or place_of(one) > reached]
        tracker = unpacked(course.tracker)
        is_late = held is None and tracker.last_at and fresh and not _is_gap(tracker.last_at, fresh)
        is_torn = held is not None and tracker.count - tracker.start != len(said) - len(fresh)
        if reached and is_late:
            # Said before its chat was taken for silent: what was closed is open again.
            kept = await self.memory.episodes.stretches(tenant, thread_id, _REOPENED)
            held = _reopened(kept, tracker.count - tracker.start)
            end = place_of(said[-1])
            if held:
                said = await self.memory.episodes.said(
                    tenant, thread_id, held.first, Place(end.at, end.seq + 1), 2 * LONGEST + PAGE
                )
            is_torn = held is None or tracker.count - tracker.start != len(said) - len(fresh)
        if reached and is_torn:
            # What was read is not what it was.
            kept = await self.memory.episodes.stretches(tenant, thread_id)
            return self._emptied(_begun_by(kept, reached.at))
        is_all = len(said) < LONGEST + PAGE
        is_over = is_all and bool(said) and self.clock() - said[-1].message.sent_at > GAP
        if not fresh and not (held and is_over):
            return None
        tracker, stretches = await asyncio.to_thread(
            made,
            tracker,
            held,
            said,
            await self._vectors(fresh),
            is_over=is_over,
        )
        stretches = await self._told(tenant, stretches, said)
        since = held.first if held else place_of(said[0])
        last = place_of(said[-1])
        return Rewrite(stretches, self.fingerprint, last, packed(tracker), since=since)

    async def _mended(self, tenant: str, thread_id: str, look: Look) -> Rewrite:
        """Make what is stale again, from silence to silence; else, from there on, all of it."""
        begins, ends = look.course.stale or (None, None)
        kept = await self.memory.episodes.stretches(tenant, thread_id)
        start = _begun_by(kept, begins) if begins else None
        since = Place(start.at, 0) if start else None
        later = [each.first for each in kept if each.after_gap and ends and each.first.at > ends]
        for until in later:
            said = await self.memory.episodes.said(tenant, thread_id, since, until, _MOST_PATCHED)
            if len(said) == _MOST_PATCHED:
                break
            if said and until.at - said[-1].message.sent_at <= GAP:
                continue
            _, stretches = await asyncio.to_thread(
                made, Tracker(), None, said, await self._vectors(said), is_over=True
            )
            course = look.course
            return Rewrite(
                await self._told(tenant, stretches, said),
                self.fingerprint,
                course.reached,
                course.tracker,
                since=start,
                until=until,
                clears_stale=True,
            )
        return self._emptied(start)

    async def _told(
        self, tenant: str, stretches: Sequence[Stretch], said: Sequence[StoredMessage]
    ) -> list[Stretch]:
        """Return stretches of these messages, those that are over as the summarizer tells them."""
        if self.summarizer is None:
            return list(stretches)
        told = []
        for stretch in stretches:
            if not stretch.is_open and stretch.summary is not None:
                inside = [
                    spoken(one) for one in said if stretch.first <= place_of(one) <= stretch.last
                ]
                summary = await self.summarizer.summarize(tenant, inside)
                stretch = replace(stretch, summary=summary)
            told.append(stretch)
        return told

    def _emptied(self, since: Place | None) -> Rewrite:
        """Begin again at the first message of an episode that silence went before."""
        before = Place(since.at, 0) if since else None
        return Rewrite((), self.fingerprint, before, b"", since=since, clears_stale=True)

    async def _vectors(self, said: Sequence[StoredMessage]) -> list[Vector]:
        vectors = await self.embedder.embed([_embedded(one.message) for one in said])
        return [np.asarray(vector, dtype=np.float32) for vector in vectors]


def _reopened(kept: Sequence[Stretch], turns: int) -> Stretch | None:
    """Return the last stretches, of so many turns together, as one that is open."""
    for at in range(len(kept) - 1, -1, -1):
        if sum(each.turns for each in kept[at:]) == turns:
            sums = [read_sum(each.vector_sum) for each in kept[at:] if each.vector_sum]
            whole = kept_sum(sum(sums[1:], sums[0])) if len(sums) == len(kept) - at else b""
            return replace(kept[at], is_open=True, summarized=-1, chunks=(), vector_sum=whole)
    return None


def _begun_by(kept: Sequence[Stretch], moment: datetime) -> Place | None:
    """Return where the last episode begins that began by then, after silence; None: none did."""
    begun = [each.first for each in kept if each.after_gap and each.first.at <= moment]
    return begun[-1] if begun else None


def _is_gap(before: datetime, said: Sequence[StoredMessage]) -> bool:
    return said[0].message.sent_at - before > GAP


def _embedded(message: Message) -> str:
    """Return the beginning of a message as the index has it embedded, where it does."""
    pieces = embedded_pieces(message)
    return pieces[0][1] if pieces else split_for_embedding(message.text[:READ_CHARS])[0]
