"""A model as judge, over real HTTP: right shapes, rubbish, failures, and what each metric says."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from pydantic import BaseModel

from evals.errors import BadInputError
from evals.judges.answers import Answer, AnswerJudge
from evals.judges.chat import Judge, JudgeFailed, open_judge
from graph.settings import Settings
from tests.fakes.embedding import WithoutPieces
from tests.fakes.judge_server import TRUTH, judge_server, schema_of
from tests.fakes.openai_server import Answer as Reply
from tests.fakes.openai_server import Failure, Garbage, OpenAIServer, hash_vector

pytestmark = pytest.mark.anyio
TRUE = f"It is {TRUTH}."
FALSE = "It is Bruges."
METRICS = {"answer_correctness", "faithfulness", "answer_relevancy", "completeness"}


class Colour(BaseModel):
    name: str


class HashEmbedder(WithoutPieces):
    """Vectors from hashed words."""

    fingerprint = "hash"
    dimension = 384

    async def embed(self, texts: Sequence[str]) -> list[tuple[float, ...]]:
        return [tuple(hash_vector(text)) for text in texts]


def judge_of(server: OpenAIServer, **settings: Any) -> Judge:
    given = {"model": "fake-judge", "OPENAI_BASE_URL": f"{server.url}/v1", "model_timeout_s": 5}
    return open_judge(Settings.model_validate(given | settings))


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer() as running:
        yield running


async def test_a_judge_asks_for_a_schema_at_temperature_0(server: OpenAIServer) -> None:
    server.script('{"name": "red"}')
    assert await judge_of(server).ask("Which colour?", Colour) == Colour(name="red")
    (body,) = server.requests
    assert (schema_of(body), body["temperature"], body["model"]) == ("Colour", 0.0, "fake-judge")


async def test_a_model_with_a_temperature_of_its_own_is_given_none(server: OpenAIServer) -> None:
    server.script('{"name": "red"}')
    await judge_of(server, model="o3-mini").ask("Which colour?", Colour)
    assert "temperature" not in server.requests[0]


async def test_a_fenced_object_is_read(server: OpenAIServer) -> None:
    server.script('Here you are:\n```json\n{"name": "red"}\n```')
    assert (await judge_of(server).ask("?", Colour)).name == "red"


@pytest.mark.parametrize("rubbish", ["Red, I think.", '{"colour": 7}', "", "}{", "[]"])
async def test_rubbish_is_no_judgement_and_not_asked_for_again(
    rubbish: str, server: OpenAIServer
) -> None:
    server.script(rubbish)
    with pytest.raises(JudgeFailed, match=r"the judge (gave no Colour|answered with)") as raised:
        await judge_of(server).ask("?", Colour)
    assert server.calls == 1
    assert "Red" not in str(raised.value)


async def test_what_is_no_completion_is_no_judgement(server: OpenAIServer) -> None:
    server.script(Garbage())
    with pytest.raises(JudgeFailed):
        await judge_of(server).ask("?", Colour)


async def test_a_passing_failure_is_tried_again(server: OpenAIServer) -> None:
    server.script(Failure(500), Failure(429), '{"name": "red"}')
    judge = judge_of(server)
    assert (await judge.ask("?", Colour)).name == "red"
    assert judge.calls == 3


async def test_a_lasting_failure_is_told_without_the_key(server: OpenAIServer) -> None:
    server.script(Failure(401))
    judge = judge_of(server, OPENAI_API_KEY="sk-very-secret")
    with pytest.raises(BadInputError, match="fake-judge cannot judge.*HTTP 401") as raised:
        await judge.check()
    assert "sk-very" not in str(raised.value)
    assert server.calls == 1


@pytest.mark.parametrize(
    ("given", "said"),
    [({}, "set RECOLLECT_MODEL"), ({"model": "m"}, "OPENAI_API_KEY nor OPENAI_BASE_URL")],
)
def test_without_a_model_it_says_what_to_set(given: dict[str, str], said: str) -> None:
    with pytest.raises(BadInputError, match=said):
        open_judge(Settings.model_validate(given))


def answer(text: str, *contexts: str) -> Answer:
    return Answer("In which city is the flat?", text, TRUE, contexts or ("The flat is in Ghent.",))


async def test_every_metric_calls_a_right_answer_right() -> None:
    with judge_server(TRUE) as server:
        judged = await AnswerJudge(judge_of(server), HashEmbedder()).judge(answer(TRUE))
    assert judged.failed == {}
    assert judged.scores == pytest.approx(dict.fromkeys(METRICS, 1.0))


async def test_every_metric_calls_a_wrong_answer_wrong() -> None:
    with judge_server(FALSE) as server:
        judged = await AnswerJudge(judge_of(server), HashEmbedder()).judge(answer(FALSE))
    assert judged.failed == {}
    # A quarter of ragas' answer correctness is how alike the two texts are.
    alike = math.fsum(a * b for a, b in zip(hash_vector(TRUE), hash_vector(FALSE), strict=True))
    assert judged.scores == pytest.approx(
        dict.fromkeys(METRICS, 0.0) | {"answer_correctness": alike / 4}
    )


EMPTY: dict[str, tuple[dict[str, list[Any]], set[str]]] = {
    "ClassificationWithReason": ({"TP": [], "FP": [], "FN": []}, {"answer_correctness"}),
    "Verdicts": ({"verdicts": []}, {"answer_relevancy"}),
    "UserIntentions": ({"intentions": []}, {"completeness"}),
}


@pytest.mark.parametrize("schema", EMPTY)
async def test_a_judgement_of_nothing_is_a_failure_and_no_perfect_score(schema: str) -> None:
    replaced, failing = EMPTY[schema]
    with judge_server(TRUE, {schema: json.dumps(replaced)}) as server:
        judged = await AnswerJudge(judge_of(server), HashEmbedder()).judge(answer(TRUE))
    assert set(judged.failed) == failing
    assert set(judged.scores) == METRICS - failing


@pytest.mark.parametrize(
    ("schema", "failing"),
    [
        ("StatementGeneratorOutput", {"answer_correctness", "faithfulness"}),
        ("ClassificationWithReason", {"answer_correctness"}),
        ("NLIStatementOutput", {"faithfulness"}),
        ("Statements", {"answer_relevancy"}),
        ("Verdicts", {"answer_relevancy"}),
        ("UserIntentions", {"completeness"}),
        ("ConversationCompletenessVerdict", {"completeness"}),
    ],
)
@pytest.mark.parametrize("rubbish", ["Nice weather.", Failure(400)])
async def test_rubbish_fails_its_metrics_and_no_other(
    schema: str, failing: set[str], rubbish: Reply
) -> None:
    with judge_server(TRUE, {schema: rubbish}) as server:
        judged = await AnswerJudge(judge_of(server), HashEmbedder()).judge(answer(TRUE))
    assert set(judged.failed) == failing
    assert judged.scores == pytest.approx(dict.fromkeys(METRICS - failing, 1.0))


async def test_an_answer_that_claims_nothing_has_no_faithfulness_and_is_not_correct() -> None:
    text = "I don't know."
    empty = {name: json.dumps({"statements": []}) for name in ("StatementGeneratorOutput",)}
    with judge_server(text, empty) as server:
        judged = await AnswerJudge(judge_of(server), HashEmbedder()).judge(answer(text))
    assert judged.failed == {}
    assert judged.scores["faithfulness"] is None
    assert judged.scores["answer_correctness"] is not None
    assert judged.scores["answer_correctness"] < 0.25


async def test_the_judge_is_shown_what_the_product_was_shown() -> None:
    with judge_server(TRUE) as server:
        shown = answer(TRUE, "Ben: the flat is in Ghent", "sibling: Piet")
        await AnswerJudge(judge_of(server), HashEmbedder()).judge(shown)
        (prompt,) = [
            str(body["messages"])
            for body in server.requests
            if schema_of(body) == "NLIStatementOutput"
        ]
    assert "Ben: the flat is in Ghent" in prompt
    assert "sibling: Piet" in prompt
