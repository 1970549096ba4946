"""Episodes made of messages in the order of time: which stretches there are, and what of (T3, T4).

Pure. Whether messages come one by one or all at once, what comes of them is the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from hashlib import md5
from itertools import pairwise
from typing import Final

from memory.domain.chats import Actor, StoredMessage
from memory.domain.episodes import Spoken, Summary
from memory.episodes.features import Vector
from memory.episodes.segmenting import EPISODE_GAP_H, Tracker, Turn, advance, settle
from memory.episodes.summaries import summarize
from memory.episodes.sums import kept_sum, read_sum, summed
from memory.ports.episodes import Stretch, place_of

RUNNING: Final = 12
"""An open episode is summed up anew every so many messages. Source: T4, 10 to 15."""
CHUNK: Final = 40
"""Of a long episode, every so many messages have a summary of their own. Source: T4, 30 to 50."""
GAP: Final = timedelta(hours=EPISODE_GAP_H)
_READ_CHARS: Final = 4_000


def made(
    tracker: Tracker,
    held: Stretch | None,
    said: Sequence[StoredMessage],
    vectors: Sequence[Vector],
    *,
    is_over: bool,
) -> tuple[Tracker, list[Stretch]]:
    """Take in messages; return the tracker after them and the stretches that `said` makes now.

    Args:
        tracker: what was remembered after the message before those that are new.
        held: the open episode as it is kept.
        said: its messages, then the new ones, in order of time.
        vectors: one for each that is new.
        is_over: silence has followed, so that the last stretch is closed as well.
    """
    known = len(said) - len(vectors)
    near = [*(seen.vector for seen in tracker.recent), *vectors][-len(said) :]
    sums = _Sums(held.vector_sum if held else b"", known, len(said), near)
    base, found = tracker.count - known, list[int]()
    for stored, vector in zip(said[known:], vectors, strict=True):
        tracker, boundaries = advance(tracker, turn_of(stored, vector))
        found += boundaries
    if is_over:
        # It is kept as it was: more may still come that was said before the silence.
        found += settle(tracker)[1]
    edges = sorted({0, len(said), *(index - base for index in found if index > base)})
    stretches = [
        _stretch(
            said[begin:end],
            held if begin == 0 else None,
            after_gap=_is_after_gap(said, begin, held),
            is_open=end == len(said) and not is_over,
            vector_sum=sums.of(begin, end),
        )
        for begin, end in pairwise(edges)
    ]
    return tracker, stretches


@dataclass(frozen=True, slots=True)
class _Sums:
    """Sums of vectors of a chat's messages, of which only the last are at hand.

    `held` is the sum of the first `known` of `count`; `near` are the vectors of the last.
    """

    held: bytes
    known: int
    count: int
    near: Sequence[Vector]

    def of(self, begin: int, end: int) -> bytes:
        """Return the sum from one on and before another; empty where it cannot be told."""
        first = self.count - len(self.near)
        if begin >= first:
            return kept_sum(summed(self.near[begin - first : end - first]))
        if begin > 0 or not self.held or end < first:
            return b""
        more = self.near[self.known - first : end - first]
        less = self.near[end - first : self.known - first]
        return kept_sum(read_sum(self.held) + summed(more) - summed(less))


def turn_of(stored: StoredMessage, vector: Vector) -> Turn:
    """Return a message as topics are told by it."""
    said = stored.message
    speaker = said.actor.value if said.actor is Actor.AGENT else said.sender_id
    return Turn(vector, said.text[:_READ_CHARS], said.sent_at, speaker)


def spoken(stored: StoredMessage) -> Spoken:
    """Return a message as a summary is made of it."""
    said = stored.message
    return Spoken(
        uid=stored.uid,
        speaker=said.sender_name or said.actor.value,
        text=said.text,
        at=said.sent_at,
        is_agent=said.actor is Actor.AGENT,
    )


def digest(states: Sequence[str]) -> str:
    """Return what names messages and their state, each `UID:CHANGES`."""
    return md5(",".join(states).encode(), usedforsecurity=False).hexdigest()


def _is_after_gap(said: Sequence[StoredMessage], begin: int, held: Stretch | None) -> bool:
    if begin == 0:
        return held.after_gap if held else True
    return said[begin].message.sent_at - said[begin - 1].message.sent_at > GAP


def _stretch(
    said: Sequence[StoredMessage],
    held: Stretch | None,
    *,
    after_gap: bool,
    is_open: bool,
    vector_sum: bytes,
) -> Stretch:
    full, covered = len(said) // CHUNK, len(said)
    chunks = list(held.chunks[:full]) if held else []
    chunks += [
        summarize([spoken(one) for one in said[at * CHUNK : (at + 1) * CHUNK]])
        for at in range(len(chunks), full)
    ]
    if is_open:
        covered -= covered % RUNNING
    is_summed = is_open and held is not None and held.summarized == covered
    return Stretch(
        first_uid=said[0].uid,
        first=place_of(said[0]),
        last_uid=said[-1].uid,
        last=place_of(said[-1]),
        turns=len(said),
        after_gap=after_gap,
        is_open=is_open,
        digest=digest([f"{one.uid}:{one.changes}" for one in said]),
        summarized=covered,
        summary=held.summary if is_summed and held else _summed(said[:covered]),
        chunks=tuple(chunks),
        vector_sum=vector_sum,
    )


def _summed(said: Sequence[StoredMessage]) -> Summary | None:
    return summarize([spoken(one) for one in said]) if said else None
