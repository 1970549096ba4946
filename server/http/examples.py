"""Examples of what the routes on contacts answer, as OpenAPI shows them."""

from __future__ import annotations

from typing import Any, Final

from server.http.document import Responses, failing

WHO: Final = "crm:7"
UID: Final = "4c8f7a52-3f5b-5d0e-9d58-0c5a3f6d7e21"
THREAD: Final = "9cf1f207-53a1-5f22-ad13-b78e8c87c4cc"
SAID_AT: Final = "2026-03-01T09:00:00+00:00"

_Example = dict[str, Any]  # Any: JSON


def _answered(example: _Example, status: int = 200) -> Responses:
    """Return a route's `responses` that show an answer."""
    return {status: {"content": {"application/json": {"example": example}}}}


_FACT: Final[_Example] = {
    "fact_id": "26a7b789-4f7c-5df7-82f9-60bcb60d6f3c",
    "category": "identity",
    "key": "home",
    "value": "Leeds",
    "confidence": 0.9,
    "importance": 0.85,
    "valid_from": SAID_AT,
    "source_uid": UID,
    "read_by": "rules/7",
    "span": [10, 15],
}
_LISTED: Final[_Example] = _FACT | {
    "status": "active",
    "mark": "",
    "how": "said",
    "who": "Arjun",
    "said_at": SAID_AT,
    "closed_by": None,
    "valid_to": None,
    "recorded_from": SAID_AT,
    "recorded_to": None,
}
FACTS: Final = _answered({"contact_id": WHO, "facts": [_LISTED]})
HISTORY: Final = _answered({"contact_id": WHO, "key": "home", "history": [_LISTED]})
FORGOTTEN: Final = _answered(
    {
        "contact_id": WHO,
        "forgotten": [{"key": "home", "value": "Leeds"}],
        "withheld": [UID],
        "shortened": [],
    }
)
CONTACTS: Final = _answered(
    {
        "contacts": [
            {
                "contact_id": WHO,
                "displayName": "Arjun",
                "channel": "api",
                "mood": "neutral",
                "moodConfidence": 0.92,
                "energy": "medium",
                "relationshipStage": "building",
                "activeStreak": 2,
                "churnRisk": 0.21,
                "language": "en",
                "usualHours": [9, 18],
                "lastSeen": SAID_AT,
            }
        ],
        "next_after": None,
    }
)
ACTIVITY: Final = _answered(
    {
        "contact_id": WHO,
        "zone": "Europe/Berlin",
        "weeks": [{"week": "2026-03-02", "contact": 12, "agent": 11, "owner": 1, "automation": 0}],
        "hours": [0, 0, 0, 0, 0, 0, 0, 1, 4, 3, 0, 0, 0, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 0],
        "answered": 11,
        "median_reply_s": 4.2,
        "unanswered": [{"reason": "paused", "messages": 1}],
    }
)
_ZIP: Final[Responses] = {
    200: {
        "content": {
            "application/zip": {
                "schema": {"type": "string", "format": "binary"},
                "example": "a zip: README.txt, person.json, messages.jsonl, facts.jsonl, ...",
            }
        }
    },
}
EXPORT: Final = _ZIP | failing(404)
ERASED: Final = failing(404) | _answered(
    {
        "erasure_id": UID,
        "erased_at": SAID_AT,
        "asked_by": "api",
        "contact_digest": "0b1c65dd0c3d5d9a0f3e7a",
        "counts": {"messages": 16, "chats": 1, "facts": 8, "chroma message": 8},
        "owed": 0,
        "set_aside": 0,
        "probed_at": SAID_AT,
        "places": 446,
        "left": {},
        "probe": "looked in 446 places, found nothing",
        "done": True,
        "stays": "what others said stays, in which they may be named; ...",
    }
)
TIMELINE: Final = _answered(
    {
        "contact_id": WHO,
        "days": [
            {
                "day": "2026-03-01",
                "messages": [
                    {
                        "uid": UID,
                        "author": "contact",
                        "speaker": "Arjun",
                        "chat": UID,
                        "is_group": False,
                        "text": "I live in Leeds.",
                        "sent_at": SAID_AT,
                    }
                ],
                "began": [{"fact_id": _FACT["fact_id"], "key": "home", "value": "Leeds"}],
                "ended": [],
                "episodes": [],
                "opened": [],
            }
        ],
        "next_until": None,
    }
)
CONTEXT: Final = _answered(
    {
        "contact_id": WHO,
        "query": "where do I live",
        "facts": [_FACT],
        "messages": [
            {
                "uid": UID,
                "text": "I live in Leeds.",
                "speaker": "Arjun",
                "sent_at": SAID_AT,
                "score": 2.1,
                "parts": {"lexical": 0.4, "dense": 0.8},
            }
        ],
        "left_out": 0,
        "missing": [],
        "context": '<memory>\n{"now": "Thursday 2026-03-05 19:00 (Europe/Berlin)",'
        '\n"certainty": 0.81, "facts": [...], "passages": [...]}\n</memory>',
    }
)
OPEN: Final = _answered(
    {
        "contact_id": WHO,
        "open": [
            {
                "message": UID,
                "kind": "promise",
                "chat": THREAD,
                "contact_id": WHO,
                "said_by": "Arjun",
                "by": "contact",
                "text": "I'll send you the signed lease tomorrow",
                "since": SAID_AT,
                "due": "2026-03-02",
                "due_mark": "due",
                "confidence": 0.97,
            }
        ],
    }
)
ENTITIES: Final = _answered(
    {
        "contact_id": WHO,
        "entities": [
            {
                "entity_id": "0b1c7a4e-7f1d-5a35-9f0e-2f8b8f0c9a11",
                "type": "pet",
                "name": "Bruno",
                "aliases": ["dog"],
                "metadata": {"kind": "dog"},
                "ties": [],
                "mentions": [UID],
                "claims": [],
            }
        ],
    }
)
_POINT: Final[_Example] = {"text": "Arjun lives in Leeds.", "uids": [UID]}
EPISODES: Final = _answered(
    {
        "contact_id": WHO,
        "episodes": [
            {
                "episode_id": UID,
                "thread_id": THREAD,
                "number": 1,
                "began_at": SAID_AT,
                "ended_at": "2026-03-01T09:12:00+00:00",
                "turns": 6,
                "is_open": False,
                "summary": {
                    "text": "Arjun lives in Leeds. He sends the signed lease tomorrow.",
                    "topic": "lease",
                    "people": ["Arjun"],
                    "facts": [_POINT],
                    "decisions": [],
                    "todos": [],
                    "questions": [],
                    "artifacts": [],
                },
            }
        ],
        "next_before": None,
    }
)
MESSAGES: Final = _answered(
    {
        "messages": [
            {
                "uid": UID,
                "seq": 12,
                "channel": "api",
                "chat_id": "ticket-1",
                "author": "contact",
                "text": "I live in Leeds.",
                "sent_at": SAID_AT,
                "turn_id": "7f3c2a10-51b7-4a3e-9a55-0d6f1f0e8b92",
            }
        ],
        "next_before": None,
    }
)
INGESTED: Final = _answered({"uid": UID, "status": "new"}, 202)
_PLACE: Final[_Example] = {"channel": "waha", "chat_id": "4915@c.us"}
DELIVERIES: Final = _answered(
    {
        "deliveries": [
            {
                "delivery_id": "41",
                **_PLACE,
                "account": "default",
                "status": "queued",
                "attempts": 0,
                "attempted_at": None,
            }
        ],
        "next_after": None,
    }
)
TURNS: Final = _answered(
    {
        "turns": [
            {
                "turn_id": UID,
                **_PLACE,
                "state": "failed",
                "reason": "the chat model refuses for good what it was asked",
                "started_at": SAID_AT,
            }
        ],
        "next_after": None,
    }
)
_RECEIPT: Final[_Example] = {
    "turn_id": UID,
    "tenant": "default",
    "chat": "waha/default/4915@c.us",
    "topic": "",
    "contact_id": "waha:4915@c.us",
    "reply_uid": UID,
    "query": "where do I live",
    "model": "offline",
    "nodes": ["normalize", "policy_gate", "retrieve", "respond"],
    "created_at": SAID_AT,
    "used": "estimate",
    "shown_beside": {},
    "advice": "",
    "memory_held_to_tokens": None,
    "memories": [],
    "left_out": 0,
    "repeats": {},
    "missing": [],
}
RECEIPTS: Final = _answered({"receipts": [_RECEIPT]})
RECEIPT: Final = _answered(_RECEIPT) | failing(404)
HOOK: Final = _answered({"status": "new"})
"""What became of an event; `receiving.intake.handle` has the others."""
_WELL: Final[_Example] = {
    "status": "ok",
    "stores": {"postgres": "ok", "chroma": "ok", "facts": "ok"},
    "missing": {},
    "pending_messages": 0,
    "failed_turns": 0,
    "jobs": {"waiting": 0, "running": 0},
    "deliveries": {
        "queued": 0,
        "sending": 0,
        "sent": 12,
        "unknown": 0,
        "failed": 0,
        "expired": 0,
        "dismissed": 0,
    },
    "projections": {"facts": {"waiting": 0, "set_aside": 0}},
    "capture": {"mode": "rules", "calls_today": 0, "calls_a_day": 500},
    "failing_gateways": [],
}
HEALTH: Final = _answered(_WELL) | _answered({"status": "down"}, 503)
