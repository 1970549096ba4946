"""An OpenAI-compatible model that also judges: it answers in the schema that a request names.

What it judges by is plain: an answer is one statement, which is true, faithful and relevant when
it says `TRUTH`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from tests.fakes.openai_server import Answer, OpenAIServer

TRUTH = "Ghent"


def judge_server(
    answer: str = f"It is {TRUTH}.", replaced: Mapping[str, Answer] | None = None
) -> OpenAIServer:
    """Return a server whose chat answers are `answer`; `replaced` by schema name come instead."""
    return OpenAIServer(respond=_responder(answer, replaced or {}))


def schema_of(body: Mapping[str, Any]) -> str:
    """Return the name of the schema that a chat request asks for; empty for plain text."""
    name = (body.get("response_format") or {}).get("json_schema", {}).get("name", "")
    return str(name)


def _responder(answer: str, replaced: Mapping[str, Answer]) -> Callable[[dict[str, Any]], Answer]:
    def respond(body: dict[str, Any]) -> Answer:
        name = schema_of(body)
        if name in replaced:
            return replaced[name]
        if not name:
            return answer
        is_true = TRUTH in answer
        return json.dumps(_judgement(name, answer, is_true))

    return respond


def _judgement(name: str, answer: str, is_true: bool) -> dict[str, Any]:
    verdict = "yes" if is_true else "no"
    claim = {"statement": answer, "reason": "as scripted"}
    judgements: dict[str, dict[str, Any]] = {
        "_Ready": {"ready": True},
        "StatementGeneratorOutput": {"statements": [answer]},
        "ClassificationWithReason": {
            "TP": [claim] if is_true else [],
            "FP": [] if is_true else [claim],
            "FN": [] if is_true else [claim],
        },
        "NLIStatementOutput": {"statements": [claim | {"verdict": int(is_true)}]},
        "Statements": {"statements": [answer]},
        "Verdicts": {"verdicts": [{"verdict": verdict, "reason": None}]},
        "UserIntentions": {"intentions": ["to learn it"]},
        "ConversationCompletenessVerdict": {"verdict": verdict, "reason": None},
    }
    return judgements[name]
