"""What the embedder learns from: pages, pairs that become pages, chats to judge by."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer

from memory.minilm.weights import find_model_folder
from scripts.embedder.pages import (
    END,
    LINES_A_PAGE,
    MAX_PIECES,
    START,
    Page,
    Question,
    digest,
    read_chats,
    read_pages,
    tokenized,
)

SHIPPED = Path(__file__).resolve().parents[4] / "datasets/recall"


def write(path: Path, *objects: dict[str, Any]) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(o, ensure_ascii=False) + "\n" for o in objects), "utf-8")


def page(*evidence: list[int]) -> dict[str, Any]:
    lines = [{"speaker": "Ann", "text": "a cat\u2028named Tom"}, {"speaker": "Bo", "text": "hi"}]
    asked = [{"question": f"which {n}?", "evidence": each} for n, each in enumerate(evidence)]
    return {"id": "en-00", "lang": "en", "lines": lines, "questions": asked}


def test_a_page_keeps_its_lines_and_the_evidence_of_each_question(tmp_path: Path) -> None:
    write(tmp_path / "pages/en.jsonl", page([1], [1, 0], []))
    (read,) = read_pages(tmp_path)
    assert read.lines == ("a cat\u2028named Tom", "hi")
    assert [each.evidence for each in read.questions] == [(1,), (1, 0), ()]


@pytest.mark.parametrize("number", [-1, 2])
def test_evidence_that_a_page_does_not_have_is_refused(tmp_path: Path, number: int) -> None:
    write(tmp_path / "pages/en.jsonl", page([0, number]))
    with pytest.raises(ValueError, match="en-00"):
        read_pages(tmp_path)


def test_pairs_of_a_language_become_pages_and_follow_the_others(tmp_path: Path) -> None:
    write(tmp_path / "pages/ru.jsonl", page([0]))
    count = LINES_A_PAGE + 1
    pairs = [{"speaker": "", "line": f"line {n}", "question": f"ask {n}"} for n in range(count)]
    write(tmp_path / "pairs/en.jsonl", *pairs)
    _, full, rest = read_pages(tmp_path)
    assert (len(full.lines), rest.lines) == (LINES_A_PAGE, (f"line {LINES_A_PAGE}",))
    assert full.questions[7] == Question("ask 7", (7,))
    assert rest.questions == (Question(f"ask {LINES_A_PAGE}", (0,)),)


def test_a_chat_is_judged_by_what_contacts_said(tmp_path: Path) -> None:
    turns = [
        {"id": "a", "role": "user", "text": "I moved"},
        {"id": "b", "role": "assistant", "text": "where to?"},
    ]
    asked = [
        {"question": "who moved?", "category": "single", "evidence": ["a"]},
        {"question": "when?"},
    ]
    write(tmp_path / "x.jsonl", {"case_id": "x", "turns": turns, "questions": asked})
    (chat,) = read_chats(tmp_path)
    assert chat.said == (True, False)
    assert chat.questions == (Question("who moved?", (0,), "single"), Question("when?", (), "all"))


def test_talks_are_pages_and_name_what_answered_once(tmp_path: Path) -> None:
    turns = [{"id": str(n), "role": "user", "text": f"line {n}"} for n in range(2)]
    asked = [{"question": "where?", "category": "update", "evidence": ["1"], "stale": ["0"]}]
    write(tmp_path / "talks/en.jsonl", {"case_id": "x", "turns": turns, "questions": asked})
    (talk,) = read_pages(tmp_path)
    assert talk.questions == (Question("where?", (1,), "update", stale=(0,)),)


def test_texts_are_framed_cut_and_glossed() -> None:
    tokenizer = Tokenizer.from_file(str(find_model_folder() / "tokenizer.json"))
    asked = (Question("wie heißt die Katze?", (0,)),)
    (both,) = tokenized(tokenizer, [Page("de", "de", ("word " * 400,), asked)])
    assert len(both.lines[0]) == MAX_PIECES
    assert (both.lines[0][0], both.lines[0][-1]) == (START, END)
    assert tokenizer.token_to_id("cat") in both.questions[0]


def test_the_digest_names_texts_and_not_their_order() -> None:
    one, other = Page("a", "en", ("x", "y"), ()), Page("b", "en", ("z",), (Question("q", (0,)),))
    assert digest([one, other]) == digest([other, one])
    assert digest([one]) != digest([one, other])


def test_every_shipped_page_has_questions_of_each_kind() -> None:
    every = read_pages(SHIPPED)
    talks = [each for each in every if each.said]
    assert (len(talks), sum(len(each.questions) for each in talks)) == (86, 4260)
    pages = [each for each in every if not each.said and not each.name.startswith("pairs/")]
    assert len(pages) == 72
    assert sum(len(each.questions) for each in pages) == 5818
    for each in pages:
        counts = {min(2, len(question.evidence)) for question in each.questions}
        assert (len(each.lines), counts) == (100, {0, 1, 2})
