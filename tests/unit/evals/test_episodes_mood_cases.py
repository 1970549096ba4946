"""Case files of dialogues and of moods: a bad line is named with file, line and field."""

import json
from pathlib import Path
from typing import Any

import pytest

from evals.episodes.cases import load_dialogues
from evals.errors import BadInputError
from evals.mood.cases import load_moods

OWN = Path(__file__).parents[3] / "datasets"
TURNS = [{"id": str(n), "text": "hi"} for n in range(4)]
GOOD: dict[str, Any] = {"case_id": "d", "set": "s", "turns": TURNS, "boundaries": [2]}
EARLY = "2026-01-01T10:00:00"


def write(path: Path, *rows: dict[str, Any]) -> Path:
    file = path / "cases.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return file


def test_a_good_dialogue_is_read(tmp_path: Path) -> None:
    (file,) = load_dialogues([write(tmp_path, GOOD)])
    assert (file.count, file.items, file.cases[0].boundaries) == (1, 4, (2,))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"boundaries": [0]}, "0 is no turn"),
        ({"boundaries": [4]}, "4 is no turn"),
        ({"boundaries": [2, 2]}, "must ascend"),
        ({"boundaries": ["2"]}, "boundaries.0"),
        ({"turns": []}, "turns"),
        ({"turns": [TURNS[0], TURNS[0], TURNS[2]]}, "'0' is used twice"),
        ({"turns": [{"id": "0", "text": None}], "boundaries": []}, "turns.0.text"),
        (
            {
                "turns": [
                    TURNS[0] | {"timestamp": EARLY},
                    TURNS[1] | {"timestamp": EARLY + "Z"},
                    TURNS[2],
                ]
            },
            "time zone",
        ),
    ],
)
def test_a_bad_dialogue_is_named(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    path = write(tmp_path, GOOD, GOOD | {"case_id": "e"} | change)
    with pytest.raises(BadInputError) as caught:
        load_dialogues([path])
    assert f"{path}, line 2: " in str(caught.value)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"id": "m", "text": "x", "label": "happy"}, "label"),
        ({"id": "", "text": "x", "label": "sad"}, "id"),
        ({"id": "m", "label": "sad"}, "text"),
    ],
)
def test_a_bad_mood_is_named(tmp_path: Path, row: dict[str, Any], said: str) -> None:
    path = write(tmp_path, {"id": "1", "text": "x", "label": "sad"}, row)
    with pytest.raises(BadInputError, match=f"line 2: {said}"):
        load_moods([path])


def test_own_cases_are_many_and_balanced() -> None:
    (dialogues,) = load_dialogues(sorted((OWN / "episodes").glob("*.jsonl")))
    assert dialogues.count >= 12
    assert len({case.set for case in dialogues.cases}) >= 6
    assert all(20 <= len(case.turns) <= 40 for case in dialogues.cases)
    assert all(2 <= len(case.boundaries) <= 5 for case in dialogues.cases)
    (moods,) = load_moods(sorted((OWN / "mood").glob("*.jsonl")))
    counts = dict.fromkeys(("frustrated", "sad", "anxious", "excited", "confused"), 0)
    for case in moods.cases:
        counts[case.label] = counts.get(case.label, 0) + 1
    assert sum(counts.values()) >= 150
    assert len(set(counts.values())) == 1
