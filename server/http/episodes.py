"""`GET /contacts/{contact_id}/episodes`: what a contact's chats were about, stretch by stretch."""

from __future__ import annotations

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Query

from memory.domain.episodes import Episode, Point, Summary
from server.http import examples
from server.http.contacts import ContactId
from server.service import Serving

MAX_EPISODES = 200

router = APIRouter()


@router.get("/contacts/{contact_id}/episodes", responses=examples.EPISODES)
async def episodes(
    contact_id: ContactId,
    service: Serving,
    before: UUID | None = None,
    limit: Annotated[int, Query(ge=1, le=MAX_EPISODES)] = 20,
) -> dict[str, Any]:
    """Return a page of a contact's episodes, the latest first.

    Those of their direct chats, and of imported chats that they were in: of no chat that they may
    not hear. `next_before` leads to the page before, null at the start.
    """
    memory, tenant = service.agent.stores.memory, service.settings.tenant
    anchor = f"contact:{contact_id}"
    heard = await memory.lexical.audience(tenant, contact_id, anchor, [])
    anchors = [anchor, *heard.further]
    found = await memory.episodes.of_anchors(
        tenant, anchors, limit, str(before) if before else None
    )
    return {
        "contact_id": contact_id,
        "episodes": [_shown(each) for each in found],
        "next_before": found[-1].first_uid if len(found) == limit else None,
    }


def _shown(episode: Episode) -> dict[str, Any]:
    return {
        "episode_id": episode.episode_id,
        "thread_id": episode.thread_id,
        "number": episode.number,
        "began_at": episode.began_at.isoformat(),
        "ended_at": episode.ended_at.isoformat(),
        "turns": episode.turns,
        "is_open": episode.is_open,
        "summary": _summary(episode.summary) if episode.summary else None,
    }


def _summary(summary: Summary) -> dict[str, Any]:
    return {
        "text": summary.text,
        "topic": summary.topic,
        "people": list(summary.people),
        "facts": _points(summary.facts),
        "decisions": _points(summary.decisions),
        "todos": _points(summary.todos),
        "questions": _points(summary.questions),
        "artifacts": _points(summary.artifacts),
    }


def _points(points: tuple[Point, ...]) -> list[dict[str, Any]]:
    return [{"text": point.text, "uids": list(point.uids)} for point in points]
