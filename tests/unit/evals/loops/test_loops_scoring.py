"""Scores: a clean order has none, and each way to be wrong turns its own figure red."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from evals.loops.cases import Expect
from evals.loops.placeholders import Sent
from evals.loops.scoring import COUNTS, Observed, Reply, Row, Score, score

ANA, BEN, GROUP = "1@c.us", "2@c.us", "3@g.us"
EXPECT = Expect(
    answered=("A1", "A2", "B1"),
    unanswered=("O1", "G1"),
    replies={ANA: (1, 1), BEN: (1, 1), GROUP: (0, 0)},
    rows={"contact": 4, "agent": 2, "owner": 1, "automation": 0},
    model_calls=(2, 2),
)
ROWS = [
    Row("s", ANA, "A1", "contact", "t1"),
    Row("s", ANA, "A2", "contact", "t1"),
    Row("s", BEN, "B1", "contact", "t2"),
    Row("s", BEN, "O1", "owner", None),
    Row("s", GROUP, "G1", "contact", "t3"),
    Row("s", ANA, "R1", "agent", None),
    Row("s", BEN, "R2", "agent", None),
]
REPLIES = [Reply("s", ANA, "t1", 0, "Answer 1", "R1"), Reply("s", BEN, "t2", 0, "Answer 2", "R2")]


def sent(chat: str, text: str, message_id: str = "") -> Sent:
    return Sent("s", chat, message_id or f"id of {text}", "", text, 0)


SENT = [sent(ANA, "Answer 1", "R1"), sent(BEN, "Answer 2", "R2")]
GOOD = Observed(ROWS, REPLIES, SENT, calls=2)


def figures(told: Score) -> dict[str, int]:
    return {name: n for name in COUNTS if (n := getattr(told, name))}


def without(rows: list[Row], message_id: str) -> list[Row]:
    return [row for row in rows if row.message_id != message_id]


def turned(rows: list[Row], message_id: str, turn_id: str | None) -> list[Row]:
    return [replace(r, turn_id=turn_id) if r.message_id == message_id else r for r in rows]


def test_a_clean_order_scores_nothing() -> None:
    told = score(EXPECT, GOOD)
    assert figures(told) == {}
    assert told.is_clean
    assert told.what == []


def test_parts_of_one_reply_count_once() -> None:
    parts = [*REPLIES, Reply("s", ANA, "t1", 1, "Answer 1b", "")]
    seen = replace(GOOD, replies=parts, sent=[*SENT, sent(ANA, "Answer 1b")])
    assert score(EXPECT, seen).is_clean


@pytest.mark.parametrize(
    ("broken", "wanted"),
    [
        # A text that was carried out twice.
        ({"sent": [*SENT, sent(ANA, "Answer 1")]}, {"duplicate_replies": 1}),
        # Two turns over one burst.
        (
            {
                "rows": turned(ROWS, "A2", "t9"),
                "replies": [*REPLIES, Reply("s", ANA, "t9", 0, "Answer 9", "")],
                "sent": [*SENT, sent(ANA, "Answer 9")],
                "calls": 3,
            },
            {"duplicate_replies": 1},
        ),
        # Never sent, though written.
        ({"sent": SENT[:1]}, {"missed_replies": 1}),
        # Never claimed.
        ({"rows": turned(ROWS, "A2", None)}, {"missed_replies": 1}),
        # Never even generated.
        ({"sent": SENT[:1], "replies": REPLIES[:1], "calls": 1}, {"missed_replies": 1}),
        # An answer to what should have been left alone, sent or not.
        (
            {
                "replies": [*REPLIES, Reply("s", GROUP, "t3", 0, "Answer 3", "")],
                "sent": [*SENT, sent(GROUP, "Answer 3")],
                "calls": 3,
            },
            {"loops": 1},
        ),
        ({"replies": [*REPLIES, Reply("s", GROUP, "t3", 0, "Answer 3", "")]}, {"loops": 1}),
        # A call of the model that nothing explains.
        ({"calls": 3}, {"loops": 1}),
        # A send that no turn wrote.
        ({"sent": [*SENT, sent(BEN, "Who is there?")]}, {"loops": 1}),
        ({"sent": [*SENT, sent("9@c.us", "Hello")]}, {"loops": 1}),
        # An echo that became a row.
        ({"rows": [*ROWS, Row("s", ANA, "E1", "automation", None)]}, {"wrong_rows": 1}),
        # A message that is gone: also unanswered, and one row short.
        (
            {"rows": without(ROWS, "A2")},
            {"lost_messages": 1, "missed_replies": 1, "wrong_rows": 1},
        ),
        # A message nobody had to answer is lost all the same.
        ({"rows": without(ROWS, "G1")}, {"lost_messages": 1, "wrong_rows": 1}),
    ],
)
def test_each_way_to_be_wrong_turns_its_figure_red(
    broken: dict[str, Any], wanted: dict[str, int]
) -> None:
    told = score(EXPECT, replace(GOOD, **broken))
    assert figures(told) == wanted
    assert told.what


def test_one_message_under_two_ids_that_is_answered_twice_is_a_duplicate() -> None:
    expect = Expect(answered=("A1",), replies={ANA: (0, 1), "7@lid": (0, 1)})
    rows = [Row("s", ANA, "A1", "contact", "t1"), Row("s", "7@lid", "A1", "contact", "t2")]
    replies = [REPLIES[0], Reply("s", "7@lid", "t2", 0, "Answer 2", "")]
    told = score(expect, Observed(rows, replies, [SENT[0], sent("7@lid", "Answer 2")], 2))
    assert told.duplicate_replies == 1


def test_ids_may_name_chat_and_account() -> None:
    expect = Expect(answered=(f"s/{ANA}/A1", f"{BEN}/B1"), unanswered=(f"x/{ANA}/A1",))
    assert score(expect, GOOD).is_clean


def test_answers_to_commands_have_one_text_and_may_come_often() -> None:
    expect = Expect(answered=("A1",), replies={ANA: (1, 3)}, model_calls=(1, 1))
    rows = [
        ROWS[0],
        Row("s", ANA, "C1", "contact", "c1"),
        Row("s", ANA, "C2", "contact", "c2"),
    ]
    replies = [REPLIES[0], *(Reply("s", ANA, turn, 0, "Paused.", "") for turn in ("c1", "c2"))]
    texts = [SENT[0], sent(ANA, "Paused."), sent(ANA, "Paused.")]
    assert score(expect, Observed(rows, replies, texts, 1)).is_clean


def test_a_kill_may_repeat_a_generated_answer_where_no_range_is_given() -> None:
    expect = Expect(answered=("A1",), replies={ANA: (1, 1)})
    seen = Observed(ROWS[:1], REPLIES[:1], SENT[:1], calls=2)
    assert score(expect, seen).loops == 1
    assert score(expect, replace(seen, restarts=1)).is_clean
