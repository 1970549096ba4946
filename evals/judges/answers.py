"""Answers judged by ragas and deepeval, with our chat model behind both. Needs both libraries.

Loaded by `--answers` only, after `libraries.load`.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any, TypeVar

from deepeval.metrics import AnswerRelevancyMetric, ConversationCompletenessMetric
from deepeval.models import DeepEvalBaseLLM
from deepeval.test_case import ConversationalTestCase, LLMTestCase, Turn
from pydantic import BaseModel
from ragas.embeddings.base import BaseRagasEmbedding
from ragas.llms.base import InstructorBaseRagasLLM
from ragas.metrics.collections import AnswerCorrectness, Faithfulness
from ragas.metrics.collections.answer_correctness.util import ClassificationWithReason

from evals.judges.chat import Judge, JudgeFailed
from evals.suite.run import Figures
from memory.errors import RecollectError
from memory.ports.recall import Embedder

S = TypeVar("S", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Answer:
    """What was asked and answered. `contexts`: every text that the model was shown with it."""

    question: str
    text: str
    reference: str
    contexts: tuple[str, ...]


@dataclass(slots=True)
class Judgement:
    """An answer's scores by metric, 0..1 each, and why others are missing.

    A score is None where the metric does not apply: no claim in the answer to hold against the
    contexts.
    """

    scores: Figures = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)


class AnswerJudge:
    """Scores an answer by every metric, one after the other."""

    def __init__(self, judge: Judge, embedder: Embedder) -> None:
        model = _RagasModel(judge)
        self._correctness = _Correctness(llm=model, embeddings=_RagasEmbedder(embedder))
        self._faithfulness = Faithfulness(llm=model)
        self._deepeval_model = _DeepEvalModel(judge)

    async def judge(self, answer: Answer) -> Judgement:
        """Score an answer. What a judge fails at is listed, never scored as zero."""
        metrics: dict[str, Callable[[Answer], Coroutine[None, None, float | None]]] = {
            "answer_correctness": self._answer_correctness,
            "faithfulness": self._faithful,
            "answer_relevancy": self._answer_relevancy,
            "completeness": self._completeness,
        }
        judgement = Judgement()
        for name, metric in metrics.items():
            try:
                judgement.scores[name] = await metric(answer)
            # The outer loop of one judgement: what fails is listed, the other metrics go on.
            except Exception as error:  # noqa: BLE001
                judgement.failed[name] = _reason(error)
        return judgement

    async def _answer_correctness(self, answer: Answer) -> float | None:
        result = await self._correctness.ascore(
            user_input=answer.question, response=answer.text, reference=answer.reference
        )
        return _number(result.value)

    async def _faithful(self, answer: Answer) -> float | None:
        if not answer.contexts:
            return None
        result = await self._faithfulness.ascore(
            user_input=answer.question,
            response=answer.text,
            retrieved_contexts=list(answer.contexts),
        )
        return _number(result.value)

    async def _answer_relevancy(self, answer: Answer) -> float | None:
        # deepeval's metrics keep the state of a measurement: each has one of its own.
        metric = AnswerRelevancyMetric(
            model=self._deepeval_model, include_reason=False, eval_mode="llm"
        )
        case = LLMTestCase(input=answer.question, actual_output=answer.text)
        score = await metric.a_measure(case, _show_indicator=False)
        if metric.statements and not metric.verdicts:
            raise JudgeFailed("the judge gave no verdict")
        return float(score) if metric.verdicts else None

    async def _completeness(self, answer: Answer) -> float | None:
        metric = ConversationCompletenessMetric(
            model=self._deepeval_model, include_reason=False, eval_mode="llm"
        )
        turns = [
            Turn(role="user", content=answer.question),
            Turn(role="assistant", content=answer.text),
        ]
        score = await metric.a_measure(ConversationalTestCase(turns=turns), _show_indicator=False)
        if not metric.user_intentions:
            raise JudgeFailed("the judge saw no intention in the question")
        return float(score)


class _Correctness(AnswerCorrectness):
    """ragas' answer correctness, which takes a judgement of nothing for a perfect match."""

    async def _generate_statements(self, question: str, text: str) -> list[str]:
        return await super()._generate_statements(question, text) or [text]

    async def _classify_statements(
        self, question: str, answer_statements: list[str], ground_truth_statements: list[str]
    ) -> ClassificationWithReason:
        classes = await super()._classify_statements(
            question, answer_statements, ground_truth_statements
        )
        if not (classes.TP or classes.FP or classes.FN):
            raise JudgeFailed("the judge classified no statement")
        return classes


class _RagasModel(InstructorBaseRagasLLM):
    def __init__(self, judge: Judge) -> None:
        self._judge = judge

    def generate(self, prompt: str, response_model: type[S]) -> S:
        return asyncio.run(self.agenerate(prompt, response_model))

    async def agenerate(self, prompt: str, response_model: type[S]) -> S:
        return await self._judge.ask(prompt, response_model)


class _RagasEmbedder(BaseRagasEmbedding):
    def __init__(self, embedder: Embedder) -> None:
        super().__init__()
        self._embedder = embedder

    def embed_text(self, text: str, **kwargs: Any) -> list[float]:  # Any: ragas' signature
        return asyncio.run(self.aembed_text(text, **kwargs))

    async def aembed_text(self, text: str, **kwargs: Any) -> list[float]:  # Any: ragas' signature
        del kwargs
        (vector,) = await self._embedder.embed([text])
        return list(vector)


class _DeepEvalModel(DeepEvalBaseLLM):  # type: ignore[no-untyped-call]
    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        super().__init__(judge.name)

    def load_model(self, *args: Any, **kwargs: Any) -> DeepEvalBaseLLM:  # Any: its signature
        del args, kwargs
        return self

    def get_model_name(self, *args: Any, **kwargs: Any) -> str:  # Any: its signature
        del args, kwargs
        return self._judge.name

    def generate(self, prompt: str, schema: type[BaseModel]) -> Any:  # Any: text or schema
        return asyncio.run(self.a_generate(prompt, schema))

    async def a_generate(self, prompt: str, schema: type[BaseModel]) -> Any:  # Any: its own type
        return await self._judge.ask(prompt, schema)


def _reason(error: Exception) -> str:
    lines = str(error).splitlines()
    if isinstance(error, RecollectError):
        return lines[0] if lines else "no score"
    return f"{type(error).__name__}: {lines[0] if lines else 'no score'}"


def _number(value: Any) -> float | None:  # Any: a MetricResult's value
    number = float(value)
    return None if math.isnan(number) else number
