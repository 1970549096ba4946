"""Fusion of lexical and dense scores into one ranking with score parts. Pure.

Scores are fused by relative score, not by rank: each list is scaled to 0..1 by its own extremes.
A message's neighbours and its sitting lend it score; recency and a named speaker are bounded
multipliers, never filters. So are what only asks, and in a question about the asker whose line
it is.
Source: relative score fusion; the weights were measured on turn-level evidence (docs/evals).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from heapq import nlargest

from memory.domain.recalls import Hit, Place, Recalled
from memory.recall.questions import is_first_person, only_asks

WEIGHT_LEXICAL = 0.5
WEIGHT_DENSE = 0.5
WEIGHT_NEIGHBOUR = 0.5
NEIGHBOUR_REACH = 2  # positions: in a dialogue the same speaker's lines stand two apart
WEIGHT_SITTING = 0.15
SITTING_BEST = 3  # messages that speak for their sitting: a long one does not win by its length
SITTING_GAP = timedelta(hours=2)
BOOST_SPEAKER = 0.1
BOOST_RECENCY = 0.05
# What only asks tells nothing: it stands behind any statement that fits half as well.
QUESTION = -0.5
# Of a question in the first person: its asker's lines, and what others say of themselves.
BOOST_ASKER = 0.25
MALUS_OTHER = -0.25
RECENCY_HALF_LIFE = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class Query:
    """What is looked for, when, and by whom."""

    text: str
    now: datetime
    contact_id: str = ""


def relative(hits: Sequence[Hit], asking: Collection[str] = ()) -> dict[str, float]:
    """Scale scores to 0..1: the best hit gets 1, the worst a little above 0.

    What only asks is none to measure by: the best of the others gets 1, too.
    """
    if not hits:
        return {}
    top = _top(hits, asking)
    bottom = min(hit.score for hit in hits)
    span = top - bottom
    if span <= 0:
        return {hit.item_id: 1.0 for hit in hits}
    return {hit.item_id: min(0.01 + 0.99 * (hit.score - bottom) / span, 1.0) for hit in hits}


def lexical_scale(hits: Sequence[Hit], asking: Collection[str] = ()) -> dict[str, float]:
    """Scale BM25 scores by the best one: an absent term is worth 0, so the scale starts there."""
    top = _top(hits, asking) if hits else 0.0
    return {hit.item_id: min(hit.score / top, 1.0) for hit in hits} if top > 0 else {}


def _top(hits: Sequence[Hit], asking: Collection[str]) -> float:
    scores = [hit.score for hit in hits if hit.item_id not in asking]
    return max(scores or [hit.score for hit in hits])


def sittings(places: Sequence[Place]) -> dict[str, int]:
    """Group messages into sittings: runs within a chat with no gap above `SITTING_GAP`."""
    ordered = sorted(places, key=lambda p: (p.thread_id, p.sent_at, p.position))
    found: dict[str, int] = {}
    number = 0
    for index, place in enumerate(ordered):
        before = ordered[index - 1] if index else None
        if before and (
            before.thread_id != place.thread_id or place.sent_at - before.sent_at > SITTING_GAP
        ):
            number += 1
        found[place.uid] = number
    return found


def fuse(
    query: Query,
    lexical: Sequence[Hit],
    dense: Sequence[Hit],
    places: Mapping[str, Place],
    limit: int,
) -> list[Recalled]:
    """Return at most `limit` messages, best first, each with the parts of its score.

    Hits whose place is unknown (erased since they were indexed) are left out.
    """
    asking = {uid for uid, place in places.items() if only_asks(place.text)}
    lexical_part = lexical_scale(lexical, asking)
    dense_part = relative(dense, asking)
    cosine = {hit.item_id: hit.score for hit in dense}
    own = {
        uid: WEIGHT_LEXICAL * lexical_part.get(uid, 0.0) + WEIGHT_DENSE * dense_part.get(uid, 0.0)
        for uid in {*lexical_part, *dense_part}
        if uid in places
    }
    near = _neighbours(own, places)
    sitting = _sittings(own, places)
    words = set(re.findall(r"\w+", query.text.casefold()))
    speaker = {
        name: BOOST_SPEAKER if _is_named(name, words) else 0.0
        for name in {places[uid].sender_name for uid in own}
    }
    asker = _asker(query, places) if is_first_person(query.text) else {}
    ranked = []
    for uid, score in own.items():
        place = places[uid]
        recency = BOOST_RECENCY * 0.5 ** (
            max(query.now - place.sent_at, timedelta()) / RECENCY_HALF_LIFE
        )
        boost = speaker[place.sender_name]
        factor = 1 + boost + recency + asker.get(uid, 0.0) + QUESTION * (uid in asking)
        total = (score + near[uid] + sitting[uid]) * factor
        # Of equals the later one first: ids are random, an order by them would not repeat.
        ranked.append((-total, -place.sent_at.timestamp(), -place.position, uid, recency))
    ranked.sort()
    return [
        Recalled(
            "message",
            uid,
            -negative,
            {
                "lexical": lexical_part.get(uid, 0.0),
                "dense": dense_part.get(uid, 0.0),
                "cosine": cosine.get(uid, 0.0),
                "neighbours": near[uid],
                "sitting": sitting[uid],
                "speaker": speaker[places[uid].sender_name],
                "recency": recency,
                "asker": asker.get(uid, 0.0),
                "question": QUESTION * (uid in asking),
            },
        )
        for negative, _, _, uid, recency in ranked[:limit]
    ]


def _neighbours(own: Mapping[str, float], places: Mapping[str, Place]) -> dict[str, float]:
    at = {(places[uid].thread_id, places[uid].position): score for uid, score in own.items()}
    found = {}
    for uid in own:
        thread, position = places[uid].thread_id, places[uid].position
        around = [
            at.get((thread, position + step), 0.0) / abs(step)
            for step in range(-NEIGHBOUR_REACH, NEIGHBOUR_REACH + 1)
            if step
        ]
        found[uid] = WEIGHT_NEIGHBOUR * sum(around) / 2
    return found


def _sittings(own: Mapping[str, float], places: Mapping[str, Place]) -> dict[str, float]:
    of = sittings([places[uid] for uid in own])
    scores: defaultdict[int, list[float]] = defaultdict(list)
    for uid, score in own.items():
        scores[of[uid]].append(score)
    sums = {number: sum(nlargest(SITTING_BEST, found)) for number, found in scores.items()}
    top = max(sums.values(), default=0.0)
    return {uid: WEIGHT_SITTING * sums[of[uid]] / top if top else 0.0 for uid in own}


def _asker(query: Query, places: Mapping[str, Place]) -> dict[str, float]:
    """Return what a question in the first person makes of each line, by who wrote it."""
    return {
        uid: BOOST_ASKER
        if place.contact_id == query.contact_id
        else MALUS_OTHER * is_first_person(place.text)
        for uid, place in places.items()
    }


def _is_named(name: str, words: set[str]) -> bool:
    return any(part in words for part in re.findall(r"\w+", name.casefold()))
