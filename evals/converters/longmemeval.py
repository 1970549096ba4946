"""LongMemEval: a question and the haystack of chats that it is asked about, 500 times.

Source: https://github.com/xiaowu0162/LongMemEval (format: its README, "Dataset Format").
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Literal, NamedTuple

from evals.converters.dialogs import NO_EVIDENCE
from evals.converters.reading import Left, Part, Row, Unfit, Upstream, fit, json_items

_ABSTENTION = "_abs"
_WHEN = "%Y/%m/%d %H:%M"
_STEP = timedelta(minutes=1)


class _Turn(Part):
    role: Literal["user", "assistant"]
    content: str
    has_answer: bool | None = None


class _Instance(Part):
    question_id: str
    question_type: str
    question: str
    answer: str
    haystack_session_ids: list[str]
    haystack_dates: list[str]
    haystack_sessions: list[list[_Turn]]
    answer_session_ids: tuple[str, ...] = ()


class _Session(NamedTuple):
    when: datetime
    name: str
    turns: list[_Turn]


def convert(source: Path, left: Left) -> Iterator[Row]:
    """Yield a case for each question, with its own haystack in the order of time.

    A session has one time: its turns follow each other by a minute. A question whose id ends with
    `_abs` is an abstention: it has no evidence, whatever sessions it names.
    """
    for number, value in enumerate(json_items(source)):
        one = fit(_Instance, value, str(number))
        sessions = _sessions(one)
        turns: list[Row] = []
        evidence: list[str] = []
        for session in sessions:
            for index, turn in enumerate(session.turns):
                turn_id = f"{session.name}:{index}"
                turns.append(_row(turn_id, session, index, turn))
                if turn.has_answer:
                    evidence.append(turn_id)
        question: Row = {
            "id": one.question_id,
            "question": one.question,
            "category": one.question_type,
            "evidence": evidence,
            "evidence_sessions": list(dict.fromkeys(one.answer_session_ids)),
            "answer": one.answer,
        }
        if one.question_id.endswith(_ABSTENTION):
            question |= {"category": "abstention", "evidence": [], "evidence_sessions": []}
        elif not evidence and not one.answer_session_ids:
            left[NO_EVIDENCE] += 1
            continue
        yield {"case_id": one.question_id, "turns": turns, "questions": [question]}


def _row(turn_id: str, session: _Session, index: int, turn: _Turn) -> Row:
    return {
        "id": turn_id,
        "session_id": session.name,
        "role": turn.role,
        "speaker": turn.role,
        "text": turn.content,
        "timestamp": (session.when + index * _STEP).isoformat(),
    }


def _sessions(one: _Instance) -> list[_Session]:
    counts = {len(one.haystack_session_ids), len(one.haystack_dates), len(one.haystack_sessions)}
    if len(counts) > 1:
        raise Unfit(f"{one.question_id}: ids, dates and sessions are not equally many")
    seen: Counter[str] = Counter()
    sessions = []
    parts = zip(one.haystack_dates, one.haystack_session_ids, one.haystack_sessions, strict=True)
    for date, name, turns in parts:
        seen[name] += 1
        # The first release has some sessions twice in a haystack.
        own = name if seen[name] == 1 else f"{name}#{seen[name]}"
        sessions.append(_Session(_time(date, one.question_id), own, turns))
    return sorted(sessions, key=lambda session: session.when)


def _time(given: str, question_id: str) -> datetime:
    date, _, rest = given.partition(" (")
    try:
        return datetime.strptime(f"{date} {rest.partition(') ')[2]}", _WHEN)
    except ValueError:
        raise Unfit(f"{question_id}: expected a date as '2023/05/20 (Sat) 02:21'") from None


LONGMEMEVAL = Upstream(
    name="longmemeval",
    title="LongMemEval",
    suite="recall",
    measures="one question to some 40 chats (S), 500 (M) or only the evidence (oracle):"
    " single-session, multi-session, temporal, knowledge updates, abstention",
    where="https://huggingface.co/datasets/xiaowu0162/longmemeval"
    " (code: https://github.com/xiaowu0162/LongMemEval)",
    licence="MIT",
    source="longmemeval_s.json, longmemeval_m.json or longmemeval_oracle.json",
    convert=convert,
)
