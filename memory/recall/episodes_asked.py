"""Which episodes answer: those that are near, or those of the time of which a recap is asked."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

from memory.domain.recalls import Hit, Recalled
from memory.ports.bundle import Memory
from memory.recall.facts_asked import Asked
from memory.recall.ranking.features import Question
from memory.recall.recaps import RECAP
from memory.recall.relevance import DENSE
from memory.text.dates import spans

NEAR_EPISODE: Final = 0.2
"""The least cosine of an episode's summary to a question about what was talked about."""
DATED_EPISODES: Final = 8
"""So many of a time that is named are looked at, the latest."""
MOST_TIMES: Final = 2
"""Of so many times that a question names."""


async def episodes_asked(
    memory: Memory,
    tenant: str,
    asked: Question,
    near: Sequence[Hit],
    asks_for: Asked | None,
    anchors: Sequence[str],
) -> list[Recalled]:
    """Return the episodes that are near; where a recap of a named time is asked for, those of it.

    What is nearest comes first, then the latest.
    """
    times = spans(asked.text, asked.now) if RECAP in (asks_for or {}) else []
    if not times:
        return [_episode_entry(hit) for hit in near if hit.score >= NEAR_EPISODE]
    listing = memory.episodes.of_anchors
    found = await asyncio.gather(
        *(
            listing(tenant, anchors, DATED_EPISODES, since=span.start, until=span.end)
            for span in times[:MOST_TIMES]
        )
    )
    cosines = {hit.item_id: hit.score for hit in near}
    told = {each.first_uid for some in found for each in some if each.summary and not each.is_open}
    order = [uid for uid in cosines if uid in told]
    order += [each.first_uid for some in found for each in some if each.first_uid in told]
    return [_episode_entry(Hit(uid, cosines.get(uid, 0.0))) for uid in dict.fromkeys(order)]


def _episode_entry(hit: Hit) -> Recalled:
    """Return an episode, by the uid of its first message."""
    return Recalled("episode", hit.item_id, hit.score, {DENSE: hit.score})
