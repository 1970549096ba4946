"""What chats were about and what is open in one, beside what its window shows (T1, L1, L4).

Read anew for every prompt and kept in no state: what was edited or deleted is out of summaries and
loops at once.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from typing import Final

from memory.domain.chats import ChatRef
from memory.domain.open_loops import Loop
from memory.domain.recalls import Recalled
from memory.ports.bundle import Memory
from memory.ports.chat_states import ChatState, Retold
from memory.recall.block import MemoryBlock, block_text
from memory.recall.budget import FRAME_TOKENS
from memory.text.chunks import estimate_tokens
from memory.text.excerpts import cut

EPISODES = 2
"""How many stretches that the window does not show are told of: this one's beginning, and the last
one, or the last two."""
MAX_SUMMARY_CHARS = 600
MAX_RECALLED_CHARS = 300
"""So much is told of an episode that was found: lines of it that answer stand beside it."""
LOOPS = 5
_LASTING: Final = frozenset({"promise", "date"})
"""What stays open when a chat goes on: told even where the window shows it, with its day."""
SHARE = 8
"""One part in so many of a prompt's room for memory is kept free for this."""


@dataclass(frozen=True, slots=True)
class Underway:
    """Lines of a prompt: `so_far` in the order of time, `open` what is due first.

    `episodes` were found by what is asked, the nearest first; `recalled` are their entries, after
    which come those of what is not shown.
    """

    so_far: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    episodes: tuple[str, ...] = ()
    recalled: tuple[Recalled, ...] = ()

    def within(self, room: int) -> Underway:
        """Return what fits into so many estimated tokens.

        What is open comes first, then what is nearest to the question, then the newest.
        """
        kept: dict[str, list[str]] = {"open": [], "episodes": [], "so_far": []}
        lines = [("open", line) for line in self.open]
        lines += [("episodes", line) for line in self.episodes]
        lines += [("so_far", line) for line in reversed(self.so_far)]
        for kind, line in lines:
            room -= estimate_tokens(line) + 1  # the comma after it
            if room < 0:
                break
            kept[kind].append(line)
        shown = len(kept["episodes"])
        recalled = tuple(
            replace(entry, is_shown=number < shown) for number, entry in enumerate(self.recalled)
        )
        return Underway(
            tuple(reversed(kept["so_far"])), tuple(kept["open"]), tuple(kept["episodes"]), recalled
        )


async def chat_state(
    memory: Memory, chat: ChatRef, now: datetime, recalled: Sequence[Recalled]
) -> ChatState:
    """Read what goes on in a chat, and of what was `recalled` the episodes, in one read."""
    found = [entry.item_id for entry in recalled if entry.kind == "episode"]
    return await memory.chat_states.of(chat, now, EPISODES + 1, LOOPS, found)


def underway(
    state: ChatState, window: Collection[str], recalled: Sequence[Recalled], zone: tzinfo
) -> Underway:
    """Return what a chat's prompt is told beside its window, the uids of whose lines are given.

    Of episodes the day is told in the zone of who asks; loops have that of whoever said them.

    Of the episodes that were `recalled`, of this chat or of others, those that are told of anyway,
    and those that are gone by now, are left out.
    """
    found = {entry.item_id: entry for entry in recalled if entry.kind == "episode"}
    before = [each for each in state.episodes if each.first_uid not in window and each.text]
    told = before[:EPISODES]
    near = {each.first_uid: each for each in state.over}
    for uid in [*window, *(each.first_uid for each in told)]:
        near.pop(uid, None)
    entries = tuple(entry for uid, entry in found.items() if uid in near)
    return Underway(
        so_far=tuple(_line(each, zone, MAX_SUMMARY_CHARS) for each in reversed(told)),
        open=tuple(
            _loop(each) for each in state.loops if each.uid not in window or each.kind in _LASTING
        ),
        episodes=tuple(_line(near[entry.item_id], zone, MAX_RECALLED_CHARS) for entry in entries),
        recalled=entries,
    )


def room_for_memory(budget: int) -> int:
    """Return how many of a prompt's estimated tokens of memory are for what was recalled."""
    return budget - budget // SHARE


def with_underway(
    block: MemoryBlock,
    state: ChatState,
    window: Collection[str],
    recalled: Sequence[Recalled],
    budget: int,
    unasked: int | None,
    zone: tzinfo,
) -> tuple[MemoryBlock, Underway]:
    """Return a block with what goes on in its chat, as far as there is room, and what that is.

    `budget`, `unasked`: estimated tokens, as in `memory.recall.passages.remember`. What a stage
    leaves free is nobody's: a short prompt is what it is for. `zone`: that of who asks.
    """
    left = budget - estimate_tokens(block_text(block)) - FRAME_TOKENS
    room = left if unasked is None else min(left, budget // SHARE)
    told = underway(state, window, recalled, zone).within(room)
    return replace(block, so_far=told.so_far, open=told.open, episodes=told.episodes), told


def _line(episode: Retold, zone: tzinfo, limit: int) -> str:
    began = episode.began_at.astimezone(zone)
    return f"{began:%Y-%m-%d}: {cut(' '.join(episode.text.split()), limit)}"


def _loop(loop: Loop) -> str:
    due = f", due {loop.due.isoformat()}" if loop.due else ""
    return f"{loop.kind} of {loop.said_at:%Y-%m-%d}, {loop.speaker}{due}: {loop.text}"
