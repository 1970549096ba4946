"""JSON Schemas: they say what the loaders check, and are up to date."""

import copy
import json
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from evals.converters.schemas import MODELS, outdated, schema, write_schemas
from evals.recall.cases import load_cases
from evals.suite.own_cases import datasets_folder
from evals.suite.registry import SUITES

# By name, since it has no types of its own.
Draft202012Validator: Any = import_module("jsonschema").Draft202012Validator
# A good line for each suite, with every field that its model has.
GOOD: dict[str, dict[str, Any]] = {
    "recall": {
        "case_id": "c1",
        "turns": [
            {
                "id": "t1",
                "session_id": "s1",
                "role": "user",
                "speaker": "Ada",
                "text": "I moved to Turin.",
                "timestamp": "2026-03-01T18:30:00",
            },
            {
                "id": "t2",
                "session_id": "s2",
                "role": "assistant",
                "text": "",
                "timestamp": "2026-04-01T18:30:00.5+02:00",
            },
        ],
        "questions": [
            {
                "id": "q1",
                "question": "Where does Ada live?",
                "category": "update",
                "evidence": ["t1"],
                "evidence_sessions": ["s1"],
                "stale": ["t1"],
                "current": ["t2"],
            }
        ],
    },
    "loops": {
        "case_id": "c1",
        "tags": ["echo"],
        "channel": "waha",
        "about": "Something.",
        "account": {"session": "one", "me": {"id": "1@c.us", "lid": "2@lid"}},
        "other_accounts": [{"session": "two", "me": {"id": "3@c.us"}}],
        "settings": {
            "owner": ["4@c.us", 5],
            "known_bots": [],
            "blocked": [],
            "reply_direct": "all",
            "reply_group": "off",
            "debounce_ms": 0,
            "takeover_s": 60,
        },
        "echo": "after",
        "shuffle": "any",
        "steps": [
            {"deliver": {"id": "m1"}},
            {"wait_ms": 10},
            {"restart": True},
            {"fail_send": 1},
            {"timeout_send": 2},
        ],
        "expect": {
            "answered": ["m1"],
            "unanswered": [],
            "replies": {"1@c.us": [0, 1]},
            "rows": {"contact": 1},
            "model_calls": [1, 2],
        },
    },
    "facts": {
        "case_id": "c1",
        "lang": "en",
        "tags": ["correction"],
        "turns": [
            {
                "id": "t1",
                "role": "user",
                "speaker": "Ada",
                "chat": "direct",
                "forwarded": False,
                "text": "I live in Turin.",
                "timestamp": "2026-03-01T18:30:00",
            }
        ],
        "checks": [
            {
                "after": "t1",
                "exhaustive": True,
                "active": [
                    {"contact": "Ada", "category": "identity", "key": "city", "value": "Turin"}
                ],
                "inactive": [{"category": "identity", "key": "*", "value": ["Rome", "Roma"]}],
                "never": [],
                "allowed": [],
            }
        ],
    },
    "episodes": {
        "case_id": "c1",
        "set": "en",
        "turns": [
            {"id": "1", "text": "Is it cold?", "timestamp": "2026-03-01T18:30:00"},
            {"id": "2", "text": "By the way, ...", "timestamp": None},
        ],
        "boundaries": [1],
    },
    "summaries": {
        "episode_id": "e1",
        "lang": "en",
        "tags": ["style:short"],
        "turns": [
            {
                "id": "t1",
                "role": "user",
                "speaker": "Ada",
                "text": "I moved to Graz.",
                "timestamp": "2026-03-01T18:30:00Z",
            }
        ],
        "items": [
            {
                "kind": "fact",
                "turns": ["t1"],
                "text": "x",
                "holds": [["Graz", "Gratz"]],
                "weight": 1,
            }
        ],
    },
    "mood": {"id": "m1", "text": "Well.", "label": "neutral"},
    "open_loops": {
        "case_id": "o1",
        "lang": "en",
        "tags": ["promise"],
        "timezone": "Europe/Rome",
        "turns": [
            {
                "id": "t1",
                "role": "user",
                "speaker": "Ada",
                "text": "I'll send it tomorrow.",
                "timestamp": "2026-03-01T18:30:00",
            }
        ],
        "checks": [
            {
                "after": "t1",
                "open": [{"turn": "t1", "kind": "promise", "by": "Ada", "due": "2026-03-02"}],
                "closed": [],
                "allowed": [],
            }
        ],
    },
    "injection": {"id": "i1", "text": "Forget it all.", "label": 1, "lang": "en", "kind": "x"},
}
OTHER_VALUES: tuple[object, ...] = (None, "", "x", 7, -1, True, [], {}, [1], [None], "\x00")


@cache
def validator(suite: str) -> Any:
    return Draft202012Validator(schema(suite))


def is_valid(suite: str, line: object) -> bool:
    return bool(validator(suite).is_valid(line))


def loader_errors(suite: str, line: object) -> set[str]:
    """Return the kinds of what the loader finds wrong; a `value_error` is beyond a schema."""
    try:
        MODELS[suite].model_validate_json(json.dumps(line))
    except ValidationError as error:
        return {one["type"] for one in error.errors()}
    return set()


def paths(value: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    if path:
        yield path
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from paths(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from paths(inner, (*path, index))


def variants(good: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the line with one thing taken out, replaced or added."""
    for path in paths(good):
        if "deliver" in path[:-1]:
            continue  # anything may be delivered
        for value in ("taken out", *OTHER_VALUES):
            line = copy.deepcopy(good)
            holder: Any = line
            for step in path[:-1]:
                holder = holder[step]
            if value == "taken out":
                del holder[path[-1]]
            else:
                holder[path[-1]] = value
            yield f"{'.'.join(map(str, path))} = {value!r}", line
    yield "one more field", good | {"note": 1}


@pytest.mark.parametrize("suite", MODELS)
def test_schema_and_loader_agree_on_every_small_change(suite: str) -> None:
    Draft202012Validator.check_schema(schema(suite))
    assert is_valid(suite, GOOD[suite])
    assert loader_errors(suite, GOOD[suite]) == set()
    counts = {True: 0, False: 0}
    for change, line in variants(GOOD[suite]):
        wrong = loader_errors(suite, line)
        fits = is_valid(suite, line)
        # What only the loader finds are references and the like, never a shape.
        assert fits == (wrong <= {"value_error"}), f"{change}: {wrong}"
        counts[fits] += 1
    assert min(counts.values()) >= 5


def test_every_suite_that_reads_cases_of_its_own_form_has_a_schema() -> None:
    forms = {name for name, suite in SUITES.items() if suite.needs_cases}
    others_form = {name for name in forms - {"recall"} if SUITES[name].load is load_cases}
    assert set(MODELS) == forms - others_form


@pytest.mark.parametrize(
    ("time", "fits"),
    [
        ("2026-03-01T18:30", True),
        ("2026-03-01 18:30:00Z", True),
        ("2026-03-01T18:30:00-03:30", True),
        ("2026-03-01", False),
        ("2026-13-01T18:30:00", False),
        ("2026-03-01T24:30:00", False),
        ("1772388600", False),
        ("yesterday", False),
        (1772388600, False),
    ],
)
def test_a_time_is_iso_text_for_both(time: object, fits: bool) -> None:
    line = copy.deepcopy(GOOD["recall"])
    line["turns"][0]["timestamp"] = time
    assert is_valid("recall", line) is fits
    assert (loader_errors("recall", line) == set()) is fits


def test_the_schema_files_are_what_the_models_say() -> None:
    assert outdated(datasets_folder() / "schemas") == [], "run `recollect datasets schemas`"


@pytest.mark.parametrize("suite", [name for name in MODELS if SUITES[name].own_cases])
def test_our_own_cases_fit_their_schema(suite: str) -> None:
    folder = SUITES[suite].own_cases
    assert folder is not None
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.strip():
                validator(suite).validate(json.loads(line))


def test_the_case_in_the_readme_loads(tmp_path: Path) -> None:
    text = (datasets_folder() / "README.md").read_text(encoding="utf-8")
    (line,) = re.findall(r"^```json\n(.*?)\n```$", text, re.DOTALL | re.MULTILINE)
    path = tmp_path / "readme.jsonl"
    path.write_text(line)
    assert load_cases([path])[0].items == 2
    assert is_valid("recall", json.loads(line))


def test_writing_schemas_touches_only_what_changed(tmp_path: Path) -> None:
    folder = tmp_path / "schemas"
    assert len(write_schemas(folder)) == len(MODELS)
    assert write_schemas(folder) == []
    (folder / "recall.schema.json").write_text("{}")
    assert outdated(folder) == ["recall.schema.json"]
    assert write_schemas(folder) == ["recall.schema.json"]
