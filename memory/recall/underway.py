"""What a chat is about and what is open in it, beside what its window shows (T1, L1).

Read anew for every prompt and kept in no state: what was edited or deleted is out of summaries and
loops at once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from dataclasses import dataclass

from memory.domain.episodes import Episode
from memory.domain.open_loops import Loop
from memory.ports.bundle import Memory
from memory.text.chunks import estimate_tokens
from memory.text.excerpts import cut

EPISODES = 2
"""How many stretches that the window does not show are told of: this one's beginning, and the last
one, or the last two."""
MAX_SUMMARY_CHARS = 600
LOOPS = 5
SHARE = 8
"""One part in so many of a prompt's room for memory is kept free for this."""


@dataclass(frozen=True, slots=True)
class Underway:
    """Lines of a prompt: `so_far` in the order of time, `open` what is due first."""

    so_far: tuple[str, ...] = ()
    open: tuple[str, ...] = ()

    def within(self, room: int) -> Underway:
        """Return what fits into so many estimated tokens: what is open first, then the newest."""
        kept: dict[str, list[str]] = {"open": [], "so_far": []}
        lines = [("open", line) for line in self.open]
        lines += [("so_far", line) for line in reversed(self.so_far)]
        for kind, line in lines:
            room -= estimate_tokens(line) + 1  # the comma after it
            if room < 0:
                break
            kept[kind].append(line)
        return Underway(tuple(reversed(kept["so_far"])), tuple(kept["open"]))


async def underway(
    memory: Memory, tenant: str, thread_id: str, window: Collection[str]
) -> Underway:
    """Return what a chat's prompt is told beside its window, the uids of whose lines are given."""
    episodes, loops = await asyncio.gather(
        memory.episodes.of_chat(tenant, thread_id, EPISODES + 1),
        memory.open_loops.open_of(tenant, thread_id, LOOPS),
    )
    before = [each for each in episodes if each.first_uid not in window and each.summary]
    so_far = tuple(_summary(each) for each in reversed(before[:EPISODES]))
    return Underway(so_far, tuple(_loop(each) for each in loops if each.uid not in window))


def _summary(episode: Episode) -> str:
    text = " ".join(episode.summary.text.split()) if episode.summary else ""
    return f"{episode.began_at:%Y-%m-%d}: {cut(text, MAX_SUMMARY_CHARS)}"


def _loop(loop: Loop) -> str:
    due = f", due {loop.due.isoformat()}" if loop.due else ""
    return f"{loop.kind} of {loop.said_at:%Y-%m-%d}, {loop.speaker}{due}: {loop.text}"
