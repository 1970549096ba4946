"""Tiny files in the upstream sets' own formats, all of it invented."""

import json
from pathlib import Path
from typing import Any

from evals.converters.converting import Converted, convert
from evals.converters.upstreams import UPSTREAMS

LOCOMO: list[dict[str, Any]] = [
    {
        "qa": [
            {"question": "Where was Ann?", "answer": "Oslo", "evidence": ["D1:1"], "category": 4},
            {"question": "How old?", "answer": 7, "evidence": ["D2:01; D1:2"], "category": 1},
            {"question": "Why?", "answer": "?", "evidence": [], "category": 3},
            {"question": "Odd?", "answer": "x", "evidence": ["D9:1", "D1:2", "D"], "category": 2},
            {
                "question": "Did Bo?",
                "adversarial_answer": "Rome",
                "evidence": ["D1:2", "D1:2"],
                "category": 5,
            },
        ],
        "conversation": {
            "speaker_a": "Ann",
            "speaker_b": "Bo",
            "session_10_date_time": "12:05 am on 3 June, 2023",
            "session_10": [{"speaker": "Ann", "dia_id": "D10:1", "text": "Late."}],
            "session_2_date_time": "1:56 pm on 8 May, 2023",
            "session_2": [{"speaker": "Bo", "dia_id": "D2:1", "text": "Seven."}],
            "session_1_date_time": "9:00 am on 1 May, 2023",
            "session_1": [
                {"speaker": "Ann", "dia_id": "D1:1", "text": "Oslo!", "img_url": ["u"]},
                {"speaker": "Bo", "dia_id": "D1:2", "text": "Oh", "blip_caption": "a fjord"},
            ],
            "session_3_date_time": "9:00 am on 1 July, 2023",
        },
        "sample_id": "conv-1",
    }
]
REALTALK: dict[str, Any] = {
    "name": {"speaker_1": "Kim", "speaker_2": "Lou"},
    "session_1": [
        {
            "clean_text": f"line {number}",
            "speaker": "Kim",
            "date_time": f"29.12.2023, 22:42:0{number}",
            "img_file": [],
            "dia_id": f"D1:{number}",
        }
        for number in range(1, 6)
    ],
    "session_2": [
        {
            "clean_text": "look",
            "speaker": "Lou",
            "date_time": "01.01.2024, 08:00:00",
            "blip_caption": "a cat",
            "dia_id": "D2:1",
        }
    ],
    "events_session_1": {"agent_a": []},
    "session_1_date_time": "29.12.2023, 22:42:01",
    "qa": [
        {"question": "One?", "answer": "a", "evidence": ["D1:2-D1:4", "D 2:1."], "category": 1},
        {"question": "Two?", "answer": "b", "evidence": ["D1:1;D1:5"], "category": 3},
        {"question": "None?", "answer": "c", "evidence": ["D7:7", ""], "category": 2},
    ],
}
LONGMEMEVAL: list[dict[str, Any]] = [
    {
        "question_id": "q1",
        "question_type": "knowledge-update",
        "question": "What now?",
        "answer": 3,
        "question_date": "2023/06/01 (Thu) 10:00",
        "haystack_dates": [
            "2023/05/20 (Sat) 02:21",
            "2023/05/01 (Mon) 23:59",
            "2023/05/21 (Sun) 10:00",
        ],
        "haystack_session_ids": ["late", "early", "early"],
        "haystack_sessions": [
            [
                {"role": "user", "content": "three", "has_answer": True},
                {"role": "assistant", "content": "ok", "has_answer": False},
            ],
            [{"role": "user", "content": "two"}, {"role": "assistant", "content": "fine"}],
            [{"role": "user", "content": "two again"}],
        ],
        "answer_session_ids": ["late", "early"],
    },
    {
        "question_id": "q2_abs",
        "question_type": "multi-session",
        "question": "What of nothing?",
        "answer": "You never said.",
        "haystack_dates": ["2023/05/20 (Sat) 02:21"],
        "haystack_session_ids": ["late"],
        "haystack_sessions": [[{"role": "user", "content": "hello", "has_answer": True}]],
        "answer_session_ids": ["late"],
    },
]
BEAM_CHAT: list[dict[str, Any]] = [
    {
        "batch_number": 1,
        "turns": [
            [
                {
                    "role": "user",
                    "id": 0,
                    "time_anchor": "March-15-2024",
                    "content": "I use 3 tables ->-> 1,1",
                },
                {"role": "assistant", "id": 1, "content": "Well.\n\na ->-> b\nc "},
            ],
            [{"role": "user", "id": 2, "content": "and so on ->-> 1,2)"}],
        ],
        "time_anchor": None,
    },
    {
        "batch_number": 2,
        "turns": [
            [
                {
                    "role": "user",
                    "id": 3,
                    "time_anchor": "April-02-2024",
                    "content": "Now I use 4 tables ->-> 2,N/A",
                }
            ]
        ],
    },
]
BEAM_PROBES: dict[str, list[dict[str, Any]]] = {
    "abstention": [{"question": "Who?", "ideal_response": "Nothing on it."}],
    "contradiction_resolution": [
        {
            "question": "Did I?",
            "ideal_answer": "Both.",
            "source_chat_ids": {"first_statement": [3], "second_statement": [0, 3]},
        }
    ],
    "knowledge_update": [
        {
            "question": "How many?",
            "answer": "4",
            "source_chat_ids": {"original_info": [0], "updated_info": [3]},
        }
    ],
    "summarization": [
        {"question": "Sum up", "ideal_summary": "Tables.", "source_chat_ids": [2, [1, 9]]},
        {"question": "Sum up more", "ideal_summary": "x", "source_chat_ids": []},
    ],
}
DIALOGUES: list[dict[str, Any]] = [
    {"dial_id": 0, "utterances": ["a", "b", "c", "d"], "segments": [2, 1, 1], "set": "dev"},
    {"dial_id": 1, "utterances": ["e"], "segments": [1], "set": "test"},
]
CALLS = "call_id_0\n0 a\n0 b\n1 c\n2 d\ncall_id_1\n0 e\n\n"
EMOTIONS = (
    "so angry\t2\te1\n"
    "angry and let down\t2,3,9\te2\n"
    "sad \t25\te3\n"
    "grief and sorrow\t16,25\te4\n"
    "scared, nervous\t14,19\te5\n"
    "joy\t17\te6\n"
    "what?\t6\te7\n"
    '"quoted" text\t27\te8\n'
    "angry but fine\t2,27\te9\n"
    "thanks\t15\te10\n"
    "wow\t26\te11\n"
)


def converted(name: str, source: Path, limit: int | None = None) -> tuple[list[Any], Converted]:
    """Convert a source; return the lines and what was said of them."""
    out = source.parent / f"{name}-out.jsonl"
    done = convert(UPSTREAMS[name], source, out, limit)
    return [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()], done


def saved(path: Path, value: object) -> Path:
    """Write JSON to a file, and its folder where there is none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=1), encoding="utf-8")
    return path
