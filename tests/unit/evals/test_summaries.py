"""The `summaries` suite: what counts as held, what as grounded, and what the baselines take."""

import json
from pathlib import Path
from typing import Any

import pytest

from evals.cli import main
from evals.errors import BadInputError
from evals.summaries.baselines import lead, lead_last, textrank
from evals.summaries.cases import Held, SummaryCase, load_summary_cases
from evals.summaries.scores import Summarized, grounded, holds, score
from memory.episodes.summaries.clauses import word_count

TRAIN = Path(__file__).parents[3] / "datasets" / "summaries" / "train"
LINES = ("I moved to Graz in June.", "Nice!", "Does the flat take dogs?", "The flat costs 840 €.")


def item(kind: str, weight: int, *holds: list[str]) -> dict[str, Any]:
    return {"kind": kind, "turns": ["t0"], "text": "x", "holds": list(holds), "weight": weight}


def case(*items: dict[str, Any]) -> SummaryCase:
    turns = [
        {
            "id": f"t{at}",
            "role": "user",
            "speaker": ("Ana", "Ben")[at % 2],
            "text": text,
            "timestamp": f"2026-03-02T18:0{at}:00Z",
        }
        for at, text in enumerate(LINES)
    ]
    given = {"episode_id": "e", "lang": "en", "tags": ["style:short"], "turns": turns}
    return SummaryCase.model_validate({**given, "items": list(items)})


@pytest.mark.parametrize(
    ("text", "is_held"),
    [
        ("Ana: graz, 06", True),
        ("Ana: Grazer, June", True),
        ("Ana: Graz", False),
        ("xGraz 06", False),
    ],
)
def test_an_item_is_held_if_each_list_has_a_word_that_begins_so(text: str, is_held: bool) -> None:
    held = Held.model_validate(item("fact", 1, ["Graz"], ["June", "06"]))
    assert holds(text, held) is is_held


def test_shares_are_weighted_and_told_by_kind() -> None:
    one = case(item("fact", 2, ["Graz"]), item("fact", 1, ["840"]), item("question", 1, ["dogs"]))
    result = score([Summarized(one, "Ana moved to Graz.")])
    assert result.metrics["held"] == pytest.approx(2 / 4)
    assert result.metrics["held_facts"] == pytest.approx(2 / 3)
    assert result.metrics["held_questions"] == 0.0
    assert result.metrics["held_todos"] is None
    assert result.metrics["words"] == 4.0
    assert set(result.by["style"]) == {"short"}


def test_a_sentence_is_grounded_if_one_message_has_its_words() -> None:
    one = case(item("fact", 1, ["Graz"]))
    told = "Ana moved to Graz (2 June). Ana moved to Vienna. The flat in Graz costs 840."
    assert grounded(one, told) == [True, False, False]


def test_baselines_take_so_many_words_by_their_rules() -> None:
    said = case(item("fact", 1, ["Graz"])).said()
    assert lead(said, 7) == "Ana: I moved to Graz in June."
    assert lead_last(said, 12).endswith("The flat costs 840 €.")
    assert "flat" in textrank(said, 6)
    assert all(word_count(each(said, 5)) <= 5 for each in (lead, lead_last, textrank))


def test_an_item_of_no_turn_is_refused_with_its_line(tmp_path: Path) -> None:
    given = json.loads(case(item("fact", 1, ["Graz"])).model_dump_json())
    given["items"][0]["turns"] = ["t9"]
    file = tmp_path / "x.jsonl"
    file.write_text(json.dumps(given))
    with pytest.raises(BadInputError, match="'t9' is no turn"):
        load_summary_cases([file])


def test_every_kind_language_and_style_is_among_our_own_episodes() -> None:
    cases = [
        one for file in load_summary_cases(sorted(TRAIN.glob("*.jsonl"))) for one in file.cases
    ]
    assert len(cases) >= 30
    assert {one.lang for one in cases} == {"en", "de", "es", "pt", "ru"}
    assert {one.style for one in cases} == {"short", "long"}


def test_the_product_holds_more_than_the_baselines_in_one_run(tmp_path: Path) -> None:
    out = tmp_path / "s.json"
    assert main(["summaries", "--json", str(out), "--require", "held>=0.7", "grounded>=0.85"]) == 0
    systems = json.loads(out.read_text())["systems"]
    held = {name: each["metrics"]["held"] for name, each in systems.items()}
    assert held["recollect"] > max(held["lead"], held["lead+last"], held["textrank"]) + 0.1
    words = {name: each["metrics"]["words"] for name, each in systems.items()}
    assert all(each <= words["recollect"] + 1 for each in words.values())
