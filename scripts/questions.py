"""How well the offline responder understands questions about facts that it is given."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from graph.models.offline.answers import Heard, answer_with_sources, says_unknown
from memory.minilm.recall import RecallEmbedder
from memory.recall.block import AsksFor, FactLine, MemoryBlock, asks_for_of
from memory.recall.facts_asked import facts_asked

Case = dict[str, str]


def told(cases: Sequence[Path], facts: Path, *, by_wording: bool = False) -> list[tuple[Case, str]]:
    """Return each case with the reply to it, by somebody who knows the facts and nothing else.

    `by_wording`: what is asked for is told by wording alone, as with another embedder.
    """
    known = json.loads(facts.read_text(encoding="utf-8"))
    memory = MemoryBlock(tuple(FactLine(key, value) for key, value in known.items()))
    lines = "".join(path.read_text(encoding="utf-8") for path in cases).splitlines()
    asked = [json.loads(line) for line in lines]
    texts = [case["text"] for case in asked]
    wanted = [None] * len(texts) if by_wording else asyncio.run(_asked_for(texts))

    def reply(text: str, asks_for: tuple[AsksFor, ...] | None) -> str:
        heard = Heard(text, "", (), (), is_first=False, is_kept=True)
        return answer_with_sources(heard, replace(memory, asks_for=asks_for)).text

    return [(case, reply(case["text"], each)) for case, each in zip(asked, wanted, strict=True)]


async def _asked_for(texts: Sequence[str]) -> Sequence[tuple[AsksFor, ...] | None]:
    embedder = RecallEmbedder()
    vectors = await embedder.embed(texts)
    return [
        asks_for_of(facts_asked(embedder.fingerprint, [vector], text))
        for text, vector in zip(texts, vectors, strict=True)
    ]


def scored(replies: Sequence[tuple[Case, str]], values: Sequence[str]) -> dict[str, Any]:
    """Return figures over all, and by language.

    `right`: questions whose answer holds the value; `wrong_fact`: that tell another fact instead;
    `told_of_others`: questions of something else that are answered by a fact; `taken_for_asked`:
    statements that are answered as questions.
    """
    languages = dict.fromkeys(case["language"] for case, _ in replies)
    by = {
        name: _figures([each for each in replies if each[0]["language"] == name], values)
        for name in languages
    }
    return {"metrics": _figures(replies, values), "by": {"language": by}}


def _figures(replies: Sequence[tuple[Case, str]], values: Sequence[str]) -> dict[str, float | None]:
    def share(kind: str, *counted: bool) -> float | None:
        of_kind = sum(case["kind"] == kind for case, _ in replies)
        return round(sum(counted) / of_kind, 3) if of_kind else None

    facts = [
        (case["value"] in reply, _tells(reply, values)) for case, reply in _of("fact", replies)
    ]
    others = [_tells(reply, values) for _, reply in _of("other", replies)]
    stated = [
        _tells(reply, values) or says_unknown(reply) for _, reply in _of("statement", replies)
    ]
    return {
        "right": share("fact", *(is_right for is_right, _ in facts)),
        "wrong_fact": share("fact", *(tells and not is_right for is_right, tells in facts)),
        "told_of_others": share("other", *others),
        "taken_for_asked": share("statement", *stated),
    }


def _of(kind: str, replies: Sequence[tuple[Case, str]]) -> list[tuple[Case, str]]:
    return [each for each in replies if each[0]["kind"] == kind]


def _tells(reply: str, values: Sequence[str]) -> bool:
    return any(value in reply for value in values)
