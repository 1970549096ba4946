"""Case files: what is accepted, and how a bad line is named."""

import json
from pathlib import Path
from typing import Any

import pytest

from evals.errors import BadInputError
from evals.recall.cases import load_cases

TURN = {"id": "t1", "session_id": "S1", "role": "user", "speaker": "A", "text": "hi"}
GOOD: dict[str, Any] = {
    "case_id": "c1",
    "turns": [TURN | {"timestamp": "2026-01-01T10:00:00"}],
    "questions": [{"id": "q1", "question": "?", "category": "x", "evidence": ["t1"], "answer": 3}],
}


def write(path: Path, *lines: str) -> Path:
    file = path / "cases.jsonl"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def test_a_good_file_is_read_with_its_hash_and_counts(tmp_path: Path) -> None:
    (file,) = load_cases(
        [write(tmp_path, json.dumps(GOOD), "", json.dumps(GOOD | {"case_id": "d"}))]
    )
    assert [case.case_id for case in file.cases] == ["c1", "d"]
    assert file.items == 2
    assert len(file.sha256) == 64
    assert file.cases[0].questions[0].is_answerable


def test_limit_keeps_the_first_cases_but_checks_every_line(tmp_path: Path) -> None:
    path = write(tmp_path, json.dumps(GOOD), json.dumps(GOOD | {"case_id": "d"}))
    assert len(load_cases([path], 1)[0].cases) == 1
    with pytest.raises(BadInputError, match="line 2"):
        load_cases([write(tmp_path, json.dumps(GOOD), "{")], 1)


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        ({"turns": []}, "turns"),
        ({"turns": [TURN | {"role": "owner"}]}, "turns.0.role"),
        ({"turns": [TURN | {"text": 7}]}, "turns.0.text"),
        ({"turns": [TURN | {"timestamp": "yesterday"}]}, "turns.0.timestamp"),
        ({"turns": [TURN, TURN]}, "turn id 't1' is used twice"),
        ({"questions": [{"id": "q", "question": "?", "evidence": ["t9"]}]}, "evidence names 't9'"),
        ({"questions": [{"id": "q", "question": "?", "evidence": "t1"}]}, "questions.0.evidence"),
        ({"questions": [{"id": "q", "evidence": []}]}, "questions.0.question"),
        ({"case_id": ""}, "case_id"),
    ],
)
def test_a_bad_line_is_named_with_file_line_and_field(
    tmp_path: Path, change: dict[str, Any], wrong: str
) -> None:
    path = write(
        tmp_path, json.dumps(GOOD), json.dumps({"case_id": "d"} | {**GOOD, "case_id": "d"} | change)
    )
    with pytest.raises(BadInputError) as caught:
        load_cases([path])
    assert f"{path}, line 2: " in str(caught.value)
    assert wrong in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_same_case_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="line 2: case_id 'c1' is used twice"):
        load_cases([write(tmp_path, json.dumps(GOOD), json.dumps(GOOD))])


def test_a_missing_or_empty_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="cannot be read"):
        load_cases([tmp_path / "absent.jsonl"])
    with pytest.raises(BadInputError, match="no case"):
        load_cases([write(tmp_path, "")])
