"""`--answers` with a model: the product answers as in a turn, and a judge scores the answer.

Loaded by the flag only, after `evals.judges.libraries.load`.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from evals.judges.answers import Answer, AnswerJudge
from evals.judges.chat import Judge
from evals.recall.asking import answer
from evals.recall.cases import RecallCase
from evals.recall.product import Conversation, conversation
from evals.recall.scores import Answered
from evals.suite.requirements import PRODUCT
from evals.suite.run import Failure, Figures, Outcome, Request
from graph.stores import Stores
from memory.errors import reason_of

QUESTIONS_AT_ONCE = 4
# Model calls of one question. Completeness takes one more for each intention that is seen in it.
CALLS = {
    "an answer": 1,
    "answer_correctness": 3,
    "faithfulness": 2,
    "answer_relevancy": 2,
    "completeness": 2,
}


def cost(questions: int, model: str) -> str:
    """Return what answering and judging so many questions will take, in a line."""
    parts = ", ".join(f"{calls} for {what}" for what, calls in CALLS.items())
    total = questions * sum(CALLS.values())
    return (
        f"--answers: {questions:,} questions, about {total:,} calls of {model}"
        f" ({parts}; {QUESTIONS_AT_ONCE} questions at a time)"
    )


@dataclass(slots=True)
class Answering:
    """Answers and judges the questions of one run. `given` holds the answers, for the JSON."""

    part: ClassVar = "answers"  # of the JSON

    judge: Judge
    request: Request
    given: list[dict[str, str]] = field(default_factory=list)

    async def add(
        self, stores: Stores, case: RecallCase, answered: list[Answered], outcome: Outcome
    ) -> None:
        """Answer and judge a case's questions; its entries in `answered` gain their scores.

        Each as soon as it has them, so that Ctrl-C keeps it; failures go to `outcome`.
        """
        chat = conversation(stores.settings.tenant, case.case_id, case.turns)
        scorer = AnswerJudge(self.judge, stores.memory.embedder)
        few = asyncio.Semaphore(QUESTIONS_AT_ONCE)
        failed: dict[int, list[str]] = {}

        async def one(place: int) -> None:
            asked = answered[place]
            async with few:
                scores, failed[place] = await self._score(stores, scorer, chat, asked)
            answered[place] = replace(asked, judged={**asked.judged, **scores})
            self.request.progress.step(f"recall: answers on {case.case_id}")

        places = [
            place
            for place, asked in enumerate(answered)
            if asked.case_id == case.case_id and asked.question.reference
        ]
        try:
            await asyncio.gather(*(one(place) for place in places))
        finally:
            outcome.failed += [
                Failure(case.case_id, PRODUCT, f"question {answered[place].question.id}, {reason}")
                for place in sorted(failed)
                for reason in failed[place]
            ]

    def as_json(self) -> dict[str, Any]:  # Any: a JSON object
        """Return the part of the product's JSON that tells of the answers."""
        order = sorted(self.given, key=lambda each: (each["case"], each["question"]))
        return {"model": self.judge.name, "judge_calls": self.judge.calls, "given": order}

    async def _score(
        self, stores: Stores, scorer: AnswerJudge, chat: Conversation, asked: Answered
    ) -> tuple[Figures, list[str]]:
        try:
            given = await answer(stores, self.judge.model, chat, asked.question)
        # The outer loop of one question: what fails is listed with its reason.
        except Exception as error:  # noqa: BLE001
            return {}, [f"no answer: {reason_of(error)}"]
        self.given.append(
            {"case": asked.case_id, "question": asked.question.id, "answer": given.text}
        )
        judgement = await scorer.judge(
            Answer(asked.question.question, given.text, asked.question.reference, given.contexts)
        )
        return judgement.scores, [f"{name}: {why}" for name, why in judgement.failed.items()]
