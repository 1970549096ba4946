"""BEAM: long chats with an assistant, and probing questions of ten kinds.

Source: https://github.com/mohammadtavakoli78/BEAM (chats/100K/N/chat.json and, beside it,
probing_questions/probing_questions.json); on Hugging Face one row a chat.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from evals.converters.dialogs import NO_EVIDENCE, UNKNOWN, natural
from evals.converters.reading import Left, Part, Row, Unfit, Upstream, fit, read_json, table

_QUESTIONS = Path("probing_questions") / "probing_questions.json"
_LABEL = re.compile(r"\s*->->[^\n]*\Z")
"""A user's message ends with its place in the plan: `->-> 1,2`."""
_WHEN = "%B-%d-%Y"
_ABSTENTION = "abstention"


class _Message(Part):
    id: int
    role: Literal["user", "assistant"]
    content: str
    time_anchor: str | None = None


class _Batch(Part):
    turns: list[list[_Message]]


class _Probe(Part):
    question: str
    answer: str | None = None
    ideal_answer: str | None = None
    ideal_response: str | None = None
    ideal_summary: str | None = None
    source_chat_ids: Any = None  # Any: a list of ids, or lists by what they are evidence of


def convert(source: Path, left: Left) -> Iterator[Row]:
    """Yield a case for each chat: of a folder of chats, of one chat's, or of an exported table."""
    if source.name == "chat.json":
        source = source.parent
    if source.is_file():
        yield from _of_table(source, left)
        return
    chats = sorted(source.glob("*/chat.json"), key=lambda path: natural(path.parent.name))
    own = source / "chat.json"
    for path in [own] if own.is_file() else chats:
        batches = fit(list[_Batch], read_json(path), f"{path.parent.name}/chat.json")
        probes = read_json(path.parent / _QUESTIONS)
        size = path.parent.resolve().parent.name
        yield _case(f"beam{size}-{path.parent.resolve().name}", batches, probes, left)
    if not chats and not own.is_file():
        raise Unfit("a folder without chat.json, and without folders with one")


def _of_table(source: Path, left: Left) -> Iterator[Row]:
    size = re.match(r"\d+[KM]", source.stem)
    for row in table(source, ("conversation_id", "chat", "probing_questions")):
        name = f"beam{size[0] if size else ''}-{row['conversation_id']}"
        flat = fit(list[list[_Message]], row["chat"], f"{name}: chat")
        yield _case(name, [_Batch(turns=[each]) for each in flat], _literal(row, name), left)


def _literal(row: Row, name: str) -> object:
    given = row["probing_questions"]
    try:
        return ast.literal_eval(given) if isinstance(given, str) else given
    except (ValueError, SyntaxError):
        raise Unfit(f"{name}: probing_questions is no Python literal") from None


def _case(name: str, batches: list[_Batch], probes: object, left: Left) -> Row:
    turns = list(_turns(name, batches))
    known = {turn["id"] for turn in turns}
    kinds = fit(dict[str, list[_Probe]], probes, f"{name}: probing_questions")
    questions = [
        row
        for kind, of_kind in kinds.items()
        for number, probe in enumerate(of_kind)
        if (row := _question(f"{name}-{kind}{number}", kind, probe, known, left))
    ]
    return {"case_id": name, "turns": turns, "questions": questions}


def _turns(name: str, batches: list[_Batch]) -> Iterator[Row]:
    # Only the first message of a batch says when it is.
    when: str | None = None
    for number, batch in enumerate(batches, start=1):
        for message in (one for turn in batch.turns for one in turn):
            when = _time(message.time_anchor, name) if message.time_anchor else when
            yield {
                "id": str(message.id),
                "session_id": f"S{number}",
                "role": message.role,
                "speaker": message.role,
                "text": _LABEL.sub("", message.content).strip(),
                "timestamp": when,
            }


def _question(name: str, kind: str, probe: _Probe, known: set[str], left: Left) -> Row | None:
    """Return a question; None if it lacks evidence and is none to abstain from."""
    sources = probe.source_chat_ids
    given = list(dict.fromkeys(_flat(sources)))
    evidence = [one for one in given if one in known]
    left[UNKNOWN] += len(given) - len(evidence)
    if not evidence and kind != _ABSTENTION:
        left[NO_EVIDENCE] += 1
        return None
    answers = (probe.answer, probe.ideal_answer, probe.ideal_response, probe.ideal_summary)
    row: Row = {
        "id": name,
        "question": probe.question,
        "category": kind,
        "evidence": evidence,
        "answer": next((one for one in answers if one), ""),
    }
    if isinstance(sources, dict) and {"original_info", "updated_info"} <= set(sources):
        row["stale"] = [one for one in _flat(sources["original_info"]) if one in known]
        row["current"] = [one for one in _flat(sources["updated_info"]) if one in known]
    return row


def _flat(value: object) -> list[str]:
    if value is None:
        return []
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [one for part in value for one in _flat(part)]
    return [str(value)]


def _time(given: str, name: str) -> str:
    try:
        return datetime.strptime(given, _WHEN).isoformat()
    except ValueError:
        raise Unfit(f"{name}: expected a time_anchor as 'March-15-2024'") from None


BEAM = Upstream(
    name="beam",
    title="BEAM",
    suite="recall",
    measures="chats with an assistant of 100K tokens and more, ten kinds of questions, among them"
    " knowledge updates, contradictions, order of events, abstention",
    where="https://github.com/mohammadtavakoli78/BEAM (chats/100K)"
    " or https://huggingface.co/datasets/Mohammadta/BEAM",
    licence="none stated",
    source="the folder chats/100K, one chat's folder, or Hugging Face's table",
    convert=convert,
)
