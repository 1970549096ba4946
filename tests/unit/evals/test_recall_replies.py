"""What a reply of the offline responder is worth, by the words of the right answer."""

from __future__ import annotations

import pytest

from evals.recall.cases import Question
from evals.recall.replies import scored

SIGNED = "\n— offline responder, no model is set"
ASKED = Question(id="q", question="What was it?", answer="Two grey cats", evidence=("t1",))


@pytest.mark.parametrize(
    ("reply", "whole", "half"),
    [
        ("You wrote: “two cats, both grey”", 1.0, 1.0),
        ("You wrote: “TWO cats!”", 0.0, 1.0),
        ("You wrote: “a cat”", 0.0, 0.0),
        ("I don't know that yet.", 0.0, 0.0),
    ],
)
def test_a_reply_is_scored_by_the_answers_words(reply: str, whole: float, half: float) -> None:
    figures = scored(ASKED, reply + SIGNED)
    assert (figures["answer_whole"], figures["answer_half"]) == (whole, half)
    assert figures["reply_words"] == len(reply.split())
    assert figures["withheld"] == float(reply.startswith("I don't"))
    assert "refused" not in figures


@pytest.mark.parametrize(
    ("reply", "refused"),
    [("I don't know that yet.", 1.0), ("Das weiß ich noch nicht.", 1.0), ("“a cat”", 0.0)],
)
def test_what_nobody_said_is_to_be_refused(reply: str, refused: float) -> None:
    never = Question(id="q", question="What was it?", answer="")
    figures = scored(never, reply + SIGNED)
    assert figures == {"reply_words": float(len(reply.split())), "refused": refused}


def test_thousands_are_read_with_their_mark_and_without() -> None:
    asked = Question(id="q", question="How much?", answer="$1,950", evidence=("t1",))
    assert scored(asked, "“got her for 1950”" + SIGNED)["answer_whole"] == 1.0


def test_an_answer_without_content_words_is_not_scored() -> None:
    asked = Question(id="q", question="Did she?", answer="Yes", evidence=("t1",))
    assert "answer_half" not in scored(asked, "“yes she did”" + SIGNED)
