"""A blind set is run seldom, and shows figures alone."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from scripts import blind

WEIGHTS = blind.ROOT / "memory" / "minilm" / "reader.npz"
CASE = {
    "case_id": "a",
    "lang": "en",
    "tags": ["voice:x"],
    "turns": [{"id": "t1", "role": "user", "text": "My name is Zuleika."}],
    "checks": [
        {
            "after": "t1",
            "exhaustive": True,
            "active": [{"category": "identity", "key": "name", "value": "Zuleika"}],
            "inactive": [],
            "never": [],
        }
    ],
}


def test_it_is_run_once_a_day_and_ten_times_in_all() -> None:
    blind.check([{"date": "2026-03-01"}], date(2026, 3, 2))
    with pytest.raises(blind.MayNotRun, match="today"):
        blind.check([{"date": "2026-03-02"}], date(2026, 3, 2))
    with pytest.raises(blind.MayNotRun, match="fresh"):
        blind.check([{"date": f"2026-03-{day:02}"} for day in range(1, 11)], date(2026, 4, 1))


def test_a_run_is_noted_by_its_figures_and_names_no_case(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "datasets" / "facts" / "blind"
    folder.mkdir(parents=True)
    (folder / "en.jsonl").write_text(json.dumps(CASE) + "\n")
    assert blind.main(["facts", "--capture", "rules"], tmp_path) == 0
    shown = capsys.readouterr().out
    assert "lang en" in shown
    assert "key name" in shown
    assert "Zuleika" not in shown + (folder / "runs.json").read_text()
    (run,) = json.loads((folder / "runs.json").read_text())
    assert run["systems"]["rules"]["metrics"]["recall"] == 1
    assert blind.main(["facts"], tmp_path) == 1
    assert "once a day" in capsys.readouterr().err


def test_other_weights_of_the_reader_are_judged_in_the_same_run(tmp_path: Path) -> None:
    folder = tmp_path / "datasets" / "facts" / "blind"
    folder.mkdir(parents=True)
    turn = {
        "id": "t1",
        "role": "user",
        "text": "wife Sheila and me are in Leeds, bought a house there",
    }
    home = {"category": "identity", "key": "home", "value": "Leeds"}
    case = {**CASE, "turns": [turn], "checks": [{**CASE["checks"][0], "active": [home]}]}  # type: ignore[dict-item]
    (folder / "en.jsonl").write_text(json.dumps(case) + "\n")
    with np.load(WEIGHTS) as shipped:
        about = json.loads(shipped["about"].tobytes()) | {"threshold": 1.1}  # nothing is believed
        packed = {name: shipped[name] for name in shipped.files}
    packed["about"] = np.frombuffer(json.dumps(about).encode(), np.uint8)
    np.savez(tmp_path / "wary.npz", **packed)
    options = ["--capture", "reader", "--weights", str(tmp_path / "wary.npz")]
    assert blind.main(["facts", *options], tmp_path) == 0
    (run,) = json.loads((folder / "runs.json").read_text())
    found = {name: each["metrics"]["recall"] for name, each in run["systems"].items()}
    assert found == {"reader": 1, "wary": 0}


CHAT = {
    "case_id": "move",
    "turns": [
        {"id": "1", "session_id": "a", "role": "user", "speaker": "Ada", "text": "We left Turin."},
        {"id": "2", "session_id": "b", "role": "user", "speaker": "Ada", "text": "Genoa it is."},
    ],
    "questions": [
        {
            "id": "q1",
            "question": "Who left Turin?",
            "category": "single",
            "evidence": ["1"],
            "answer": "We left Turin",
        }
    ],
}


def test_the_newest_set_is_run_unless_another_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("blind", "blind10", "blind9"):
        (tmp_path / "datasets" / "facts" / name).mkdir(parents=True)
    blind.main(["facts"], tmp_path)
    blind.main(["facts", "--set", "blind9"], tmp_path)
    shown = capsys.readouterr().err.splitlines()
    assert [line.partition(":")[0].rpartition("/")[2] for line in shown] == ["blind10", "blind9"]


def test_chats_are_run_as_facts_are(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "datasets" / "recall" / "blind"
    folder.mkdir(parents=True)
    assert blind.main(["recall"], tmp_path) == 2
    assert "there are no cases" in capsys.readouterr().err
    (folder / "move.jsonl").write_text(json.dumps(CHAT) + "\n")
    assert blind.main(["recall", "--system", "recollect", "bm25"], tmp_path) == 0
    shown = capsys.readouterr().out
    assert "frac@10" in shown
    assert "Turin" not in shown + (folder / "runs.json").read_text()
    (run,) = json.loads((folder / "runs.json").read_text())
    assert {name: each["metrics"]["frac@10"] for name, each in run["systems"].items()} == {
        "recollect": 1,
        "bm25": 1,
    }
    assert run["systems"]["recollect"]["metrics"]["answer_half"] == 1


def test_marks_in_chats_become_dialogues(tmp_path: Path) -> None:
    chat = {"case_id": "move", "lang": "en", "style": "short", "turns": CHAT["turns"]}
    (tmp_path / "move.jsonl").write_text(json.dumps(chat))
    marks = tmp_path / "marks"
    marks.write_text(json.dumps({"chat_id": "move", "clear": ["2"], "soft": ["1"]}) + "\n")
    written = blind.dialogues([marks], tmp_path, tmp_path)
    case = json.loads(written.read_text())
    assert (case["set"], case["boundaries"], case["either"]) == ("en short", [1], [0])
