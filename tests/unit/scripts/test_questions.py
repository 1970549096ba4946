"""Figures of answered questions: right, another fact told, and what asked for no fact."""

import json
from pathlib import Path

import pytest

from scripts.questions import scored, told

CASES = (
    ("fact", "home", "Where do I live?", "Bern"),
    ("fact", "age", "Where do I live?", "41"),
    ("fact", "age", "Hm?", "41"),
    ("other", "", "What did my brother buy?", ""),
    ("other", "", "Where do I live?", ""),
    ("statement", "", "What a lovely day.", ""),
)


@pytest.mark.parametrize("by_wording", [True, False])
def test_each_kind_has_its_figure(tmp_path: Path, by_wording: bool) -> None:
    facts, cases = tmp_path / "facts.json", tmp_path / "cases.jsonl"
    facts.write_text(json.dumps({"home": "Bern"}))
    lines = [
        dict(zip(("language", "kind", "key", "text", "value"), ("en", *case), strict=True))
        for case in CASES
    ]
    cases.write_text("\n".join(map(json.dumps, lines)) + "\n")
    found = scored(told([cases], facts, by_wording=by_wording), ["Bern"])
    assert found["metrics"] == {
        "right": 0.333,
        "wrong_fact": 0.333,
        "told_of_others": 0.5,
        "taken_for_asked": 0.0,
    }
    assert found["by"]["language"] == {"en": found["metrics"]}
