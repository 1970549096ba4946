"""A small WAHA case to build on."""

from __future__ import annotations

from typing import Any

from evals.loops.cases import LoopCase

ME = {"id": "491555000100@c.us", "lid": "200100000000000@lid"}
ANA = "491555000101@c.us"
GROUP = "120363000000001001@g.us"


def event(message_id: str, chat: str = ANA, body: str = "Hi", **fields: Any) -> dict[str, Any]:
    return {
        "timestamp": 1_789_000_000_000,
        "event": "message",
        "session": "atelier",
        "me": ME,
        "payload": {
            "id": f"false_{chat}_{message_id}",
            "timestamp": 1_789_000_000,
            "from": chat,
            "fromMe": False,
            "body": body,
        }
        | fields,
        "engine": "NOWEB",
    }


def case_json(**changes: Any) -> dict[str, Any]:
    return {
        "case_id": "c1",
        "tags": ["echo"],
        "channel": "waha",
        "about": "",
        "account": {"session": "atelier", "me": ME},
        "settings": {"owner": []},
        "echo": "after",
        "shuffle": "any",
        "steps": [{"deliver": event("AA1")}, {"deliver": event("AA2", body="And you?")}],
        "expect": {
            "answered": ["AA1", "AA2"],
            "unanswered": [],
            "replies": {ANA: [1, 2]},
            "rows": {"contact": 2},
            "model_calls": [1, 2],
        },
    } | changes


def case(**changes: Any) -> LoopCase:
    return LoopCase.model_validate(case_json(**changes))
