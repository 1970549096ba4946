"""`--answers` without a model: what the offline responder replies, scored by the answer's words.

No library and no judge: the words of the case's answer are looked for in the reply.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Final

from evals.recall.asking import answer
from evals.recall.cases import Question, RecallCase
from evals.recall.product import conversation
from evals.recall.scores import Answered
from evals.suite.requirements import PRODUCT
from evals.suite.run import Failure, Figures, Outcome, Request
from graph.models.offline import OfflineResponder, says_unknown, unsigned
from graph.stores import Stores
from memory.errors import reason_of
from memory.text.words import content_stems

HALF: Final = 0.5
_THOUSANDS: Final = re.compile(r"(?<=\d)[.,](?=\d{3}\b)")


@dataclass(slots=True)
class Replying:
    """Has the offline responder answer the questions of one run; `given` is kept for the JSON."""

    part: ClassVar = "replies"  # of the JSON

    request: Request
    model: OfflineResponder = field(default_factory=OfflineResponder)
    given: list[dict[str, str]] = field(default_factory=list)

    async def add(
        self, stores: Stores, case: RecallCase, answered: list[Answered], outcome: Outcome
    ) -> None:
        """Answer a case's questions; its entries in `answered` gain their scores.

        Failures go to `outcome`.
        """
        chat = conversation(stores.settings.tenant, case.case_id, case.turns)
        for place, asked in enumerate(answered):
            if asked.case_id != case.case_id:
                continue
            try:
                given = await answer(stores, self.model, chat, asked.question)
            # The outer loop of one question: what fails is listed with its reason.
            except Exception as error:  # noqa: BLE001
                reason = f"question {asked.question.id}, no answer: {reason_of(error)}"
                outcome.failed.append(Failure(case.case_id, PRODUCT, reason))
                continue
            told = {"case": asked.case_id, "question": asked.question.id, "reply": given.text}
            self.given.append(told)
            scores = scored(asked.question, given.text)
            answered[place] = replace(asked, judged={**asked.judged, **scores})
            self.request.progress.step(f"recall: replies on {case.case_id}")

    def as_json(self) -> dict[str, Any]:  # Any: a JSON object
        """Return the part of the product's JSON that tells of the replies."""
        return {"model": self.model.model_name, "given": self.given}


def scored(question: Question, reply: str) -> Figures:
    """Return what a reply is worth, by metric.

    `answer_whole`: all content words of the right answer are in it; `answer_half`: half of them.
    `refused`: it says that it does not know, 1 or 0, where nobody ever said it; elsewhere
    `withheld`. `reply_words` are counted without the signature.
    """
    body = unsigned(reply)
    figures: Figures = {"reply_words": float(len(body.split()))}
    is_refused = float(says_unknown(reply))
    if not question.is_answerable:
        return figures | {"refused": is_refused}
    figures["withheld"] = is_refused
    if wanted := _words(question.reference):
        share = len(wanted & _words(body)) / len(wanted)
        figures["answer_whole"] = float(share == 1)
        figures["answer_half"] = float(share >= HALF)
    return figures


def _words(text: str) -> frozenset[str]:
    return content_stems(_THOUSANDS.sub("", text))
