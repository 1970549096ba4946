"""Case files: what is accepted, and how a bad line is named."""

import json
from pathlib import Path
from typing import Any

import pytest

from evals.errors import BadInputError
from evals.loops.cases import load_loop_cases
from evals.loops.suite import DEFAULT_CASES
from tests.unit.evals.loops.sample import ANA, ME, case_json, event

TELEGRAM = {"channel": "telegram", "account": {"bot": {"id": 7, "username": "b"}}}


def write(folder: Path, *lines: str) -> Path:
    file = folder / "cases.jsonl"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def test_a_good_file_is_read_with_its_counts(tmp_path: Path) -> None:
    path = write(tmp_path, json.dumps(case_json()), "", json.dumps(case_json(case_id="d")))
    (file,) = load_loop_cases([path])
    assert (file.count, file.items) == (2, 4)
    assert len(file.sha256) == 64
    assert load_loop_cases([path], 1)[0].count == 1


def test_our_own_cases_are_good() -> None:
    files = load_loop_cases(sorted(DEFAULT_CASES.glob("*.jsonl")))
    cases = [case for file in files for case in file.cases]
    assert {case.channel for case in cases} == {"waha", "telegram"}
    assert {case.shuffle for case in cases} == {"none", "any"}
    own = next(file for file in files if file.path.endswith("own.jsonl"))
    assert own.count >= 12


def step(**fields: Any) -> dict[str, Any]:
    return {"steps": [{"deliver": event("AA1")}, {"deliver": event("AA2")}, fields]}


def expect(**fields: Any) -> dict[str, Any]:
    return {"expect": {"answered": ["AA1"]} | fields}


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        ({"case_id": ""}, "case_id"),
        ({"channel": "smoke"}, "channel"),
        ({"echo": "loud"}, "echo"),
        ({"shuffle": "some"}, "shuffle"),
        ({"account": {"session": "x"}}, "an account of waha needs session and me"),
        ({"channel": "telegram"}, "an account of telegram needs bot"),
        ({"other_accounts": [{"session": "atelier", "me": ME}]}, "the same name"),
        ({"settings": {"owners": []}}, "settings.owners"),
        ({"settings": {"debounce_ms": -1}}, "settings.debounce_ms"),
        ({"settings": {"reply_group": "never"}}, "settings.reply_group"),
        ({"steps": []}, "steps"),
        ({"steps": [{"wait_ms": 5}]}, "no step delivers anything"),
        (step(), "expected exactly one of deliver"),
        (step(wait_ms=5, restart=True), "expected exactly one of deliver"),
        (step(wait_ms="5"), "steps.2.wait_ms"),
        (step(wait_ms=None), "wait_ms has no value"),
        (step(restart=False), "steps.2.restart"),
        (step(fail_send=0), "steps.2.fail_send"),
        (step(sleep=5), "steps.2.sleep"),
        (step(wait_ms=5, to=3), "'to' goes with deliver"),
        (step(deliver={}, to=3), "to: 3 is none of the accounts"),
        (expect(answered=["ZZ9"]), "expect names 'ZZ9', which no step delivers"),
        (expect(unanswered=["AA1"]), "'AA1' is both answered and unanswered"),
        (expect(replies={ANA: [2, 1]}), "the minimum 2 is above the maximum 1"),
        (expect(replies={ANA: [1]}), "expect.replies"),
        (expect(rows={"robot": 1}), "expect.rows.robot"),
        (expect(model_calls=[3, 1]), "model_calls: the minimum 3"),
        (expect(silence=True), "expect.silence"),
    ],
)
def test_a_bad_line_is_named_with_file_line_and_field(
    tmp_path: Path, change: dict[str, Any], wrong: str
) -> None:
    path = write(
        tmp_path, json.dumps(case_json()), json.dumps(case_json(**{"case_id": "d"} | change))
    )
    with pytest.raises(BadInputError) as caught:
        load_loop_cases([path])
    assert f"{path}, line 2: " in str(caught.value)
    assert wrong in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_case_id_twice_a_broken_line_and_no_file_are_named(tmp_path: Path) -> None:
    twice = write(tmp_path, json.dumps(case_json()), json.dumps(case_json()))
    with pytest.raises(BadInputError, match="line 2: case_id 'c1' is used twice"):
        load_loop_cases([twice])
    with pytest.raises(BadInputError, match="line 1: "):
        load_loop_cases([write(tmp_path, "{not json")])
    with pytest.raises(BadInputError, match="cannot be read"):
        load_loop_cases([tmp_path / "nowhere.jsonl"])
