"""`recall --cross-check` and `--answers` on the real stores, the model over real HTTP."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evals.cli import main
from evals.judges.chat import open_judge
from evals.recall.answers import Answering
from evals.recall.cases import load_cases
from evals.recall.product import Recollect
from evals.recall.scores import Answered
from evals.suite.progress import Progress
from evals.suite.run import Outcome, Request
from graph.stores import Stores
from memory.embedded import EmbeddedStores
from nodes.prompts import RULES, read_memory
from tests.fakes.judge_server import TRUTH, judge_server, schema_of
from tests.fakes.openai_server import Failure, OpenAIServer, Slow

SMALL = Path(__file__).parents[2] / "data" / "recall_small.jsonl"
JUDGED = {"answer_correctness", "faithfulness", "answer_relevancy", "completeness"}


def run(out: Path, *argv: str) -> tuple[int, dict[str, Any]]:
    status = main([*argv, "--json", str(out)])
    return status, json.loads(out.read_text())


@pytest.fixture(autouse=True)
def servers(embedded: EmbeddedStores, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run on the session's servers, which are up already; each run has a tenant of its own."""
    monkeypatch.setenv("RECOLLECT_DATABASE_URL", embedded.database_url)
    monkeypatch.setenv("RECOLLECT_CHROMA_URL", embedded.chroma_url)


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    """The small case, with answers to its first two questions."""
    case = json.loads(SMALL.read_text())
    for question in case["questions"][:2]:
        question["answer"] = f"In {TRUTH}."
    file = tmp_path / "cases.jsonl"
    file.write_text(json.dumps(case) + "\n")
    return file


def serve(server: OpenAIServer, monkeypatch: pytest.MonkeyPatch) -> OpenAIServer:
    monkeypatch.setenv("RECOLLECT_MODEL", "fake-judge")
    monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
    return server


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenAIServer]:
    with judge_server() as running:
        yield serve(running, monkeypatch)


def test_ragas_and_we_agree_on_every_question_of_every_system(tmp_path: Path) -> None:
    status, result = run(tmp_path / "x.json", "recall", "--cases", str(SMALL), "--cross-check")
    assert (status, result["failed"]) == (0, [])
    assert set(result["systems"]) == {"window", "bm25", "dense", "recollect"}
    for system in result["systems"].values():
        assert system["cross_check"] == {"questions": 5, "disagreements": []}
        figures = system["metrics"]
        assert figures["ragas_context_recall@10"] == figures["frac@10"]
        assert figures["ragas_context_precision@10"] == figures["precision@10"]
        assert system["by"]["category"]["single-hop"]["ragas_context_recall@10"] is not None
    assert result["systems"]["recollect"]["metrics"]["precision@10"] > 0


def test_a_difference_from_ragas_ends_with_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evals.recall.cross_check.found_fraction", lambda *_: 0.3)
    argv = ["recall", "--cases", str(SMALL), "--system", "window", "--cross-check"]
    status, result = run(tmp_path / "x.json", *argv)
    assert status == 1
    check = result["systems"]["window"]["cross_check"]
    assert len(check["disagreements"]) == len(result["failed"]) == 10
    assert "frac@5 is 0.3, by ragas" in result["failed"][0]["reason"]


def test_the_product_answers_as_in_a_turn_and_the_answers_are_judged(
    tmp_path: Path, cases: Path, server: OpenAIServer, capsys: pytest.CaptureFixture[str]
) -> None:
    argv = ["recall", "--cases", str(cases), "--system", "bm25", "recollect", "--answers"]
    status, result = run(tmp_path / "a.json", *argv)
    assert (status, result["failed"], result["model"]) == (0, [], "fake-judge")
    assert "2 questions, about 20 calls of fake-judge" in capsys.readouterr().err
    product = result["systems"]["recollect"]
    assert product["metrics"]["faithfulness"] == 1.0
    assert product["metrics"]["answer_correctness"] > 0.75
    assert set(product["metrics"]) >= JUDGED
    assert set(product["by"]["category"]["single-hop"]) >= JUDGED
    assert [set(item["scores"]) >= JUDGED for item in product["items"]] == [True] * 2 + [False] * 4
    assert not JUDGED & set(result["systems"]["bm25"]["metrics"])
    assert [each["answer"] for each in product["answers"]["given"]] == [f"It is {TRUTH}."] * 2
    assert product["answers"]["judge_calls"] == server.calls - 2 == 19

    prompts = [body["messages"] for body in server.requests if not schema_of(body)]
    assert len(prompts) == 2
    for system, *window in prompts:
        assert system["content"].startswith(RULES)
        assert read_memory(system["content"]).passages
        assert len(window) == 20  # the settings' window, the question included
        assert "?" in window[-1]["content"]
    # Neither question is remembered, so that each finds what it would find alone.
    assert not any("In which city" in str(p) and "What instrument" in str(p) for p in prompts)
    assert {body["temperature"] for body in server.requests} == {0.0}


def test_answers_change_no_figure_of_recall(
    tmp_path: Path, cases: Path, server: OpenAIServer
) -> None:
    argv = ["recall", "--cases", str(cases), "--system", "recollect"]
    _, plain = run(tmp_path / "p.json", *argv)
    assert (server.calls, plain["model"]) == (0, None)
    _, judged = run(tmp_path / "j.json", *argv, "--answers")
    before = plain["systems"]["recollect"]["metrics"]
    after = judged["systems"]["recollect"]["metrics"]
    assert set(after) - set(before) == JUDGED
    timings = {"search_ms_p50", "search_ms_p95", "ingest_per_s"}
    assert {n: after[n] for n in set(before) - timings} == {
        n: before[n] for n in set(before) - timings
    }


def test_a_judge_that_talks_rubbish_fails_the_question_and_scores_nothing(
    tmp_path: Path, cases: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with judge_server(replaced={"NLIStatementOutput": "Nice weather."}) as running:
        serve(running, monkeypatch)
        argv = ["recall", "--cases", str(cases), "--system", "recollect", "--answers"]
        status, result = run(tmp_path / "a.json", *argv)
    assert status == 1
    assert [(f["system"], f["reason"]) for f in result["failed"]] == [
        ("recollect", f"question {q}, faithfulness: the judge gave no NLIStatementOutput")
        for q in ("q1", "q2")
    ]
    metrics = result["systems"]["recollect"]["metrics"]
    assert "faithfulness" not in metrics
    assert metrics["answer_relevancy"] == metrics["frac@10"] == 1.0


def test_a_question_that_gets_no_answer_is_listed_and_not_judged(
    tmp_path: Path, cases: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with judge_server(replaced={"": Failure(400)}) as running:
        serve(running, monkeypatch)
        argv = ["recall", "--cases", str(cases), "--system", "recollect", "--answers"]
        status, result = run(tmp_path / "a.json", *argv)
    assert status == 1
    reasons = [failure["reason"] for failure in result["failed"]]
    assert [reason.partition(":")[0] for reason in reasons] == [
        "question q1, no answer",
        "question q2, no answer",
    ]
    assert all(reason.endswith("(HTTP 400).") for reason in reasons)
    product = result["systems"]["recollect"]
    assert not JUDGED & set(product["metrics"])
    assert product["answers"]["given"] == []
    assert running.calls == 3  # the first question to the judge, and two that got no answer


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["--system", "bm25"], "add --system recollect"),
        (["--cases", str(SMALL)], "no question of these cases has an answer"),
    ],
)
def test_answers_without_anything_to_judge_are_bad_input(
    argv: list[str],
    said: str,
    cases: Path,
    server: OpenAIServer,
    capsys: pytest.CaptureFixture[str],
) -> None:
    given = argv if "--cases" in argv else ["--cases", str(cases), *argv]
    assert main(["recall", "--answers", *given]) == 2
    assert said in capsys.readouterr().err
    assert server.calls == 0


class Signalling(Progress):
    """Tells a test when the first question is done."""

    def __init__(self) -> None:
        super().__init__()
        self.stepped = asyncio.Event()

    def step(self, doing: str, steps: int = 1) -> None:
        super().step(doing, steps)
        self.stepped.set()


@pytest.mark.anyio
async def test_a_run_that_is_stopped_keeps_the_answers_that_it_has(
    cases: Path, stores: Stores
) -> None:
    (file,) = load_cases([cases])
    (case,) = file.cases
    system = Recollect(stores, case.case_id)
    await system.ingest(case.turns)
    asked = [
        Answered(question, (), (), frozenset(), 0.0, 1.0, 0, case.case_id)
        for question in case.questions
    ]
    with judge_server() as running:
        quick = running.respond
        assert quick is not None
        running.respond = lambda body: (
            Slow("", 30) if "What instrument" in str(body["messages"][-1]) else quick(body)
        )
        settings = stores.settings.model_copy(
            update={"model": "fake-judge", "openai_base_url": f"{running.url}/v1"}
        )
        progress = Signalling()
        request = Request(settings, (file,), (), None, 0, progress)
        answering, outcome = Answering(open_judge(settings), request), Outcome()
        adding = asyncio.create_task(answering.add(stores, case, asked, outcome))
        await progress.stepped.wait()
        adding.cancel()
        with pytest.raises(asyncio.CancelledError):
            await adding
    assert [set(one.judged) for one in asked] == [JUDGED] + [set()] * 5
    assert outcome.failed == []
    assert [given["question"] for given in answering.as_json()["given"]] == ["q1"]


def test_without_a_model_the_offline_responder_replies_and_its_words_are_scored(
    tmp_path: Path, cases: Path
) -> None:
    argv = ["recall", "--cases", str(cases), "--system", "recollect"]
    _, plain = run(tmp_path / "p.json", *argv)
    status, result = run(tmp_path / "a.json", *argv, "--answers")
    assert (status, result["failed"], result["model"]) == (0, [], None)
    product, before = (each["systems"]["recollect"] for each in (result, plain))
    scores = {"answer_whole", "answer_half", "refused", "withheld", "reply_words"}
    assert set(product["metrics"]) - set(before["metrics"]) == scores
    assert not JUDGED & set(product["metrics"])
    assert product["replies"]["model"] == "offline"
    given = {each["question"]: each["reply"] for each in product["replies"]["given"]}
    assert len(given) == len(product["items"])
    assert all("offline responder" in reply for reply in given.values())
    asked = {item["item"]: item["scores"] for item in product["items"]}
    assert {name for name, scores in asked.items() if "answer_half" in scores} == {"q1", "q2"}
    assert all(("refused" in scores) != scores["is_answerable"] for scores in asked.values())


def test_replies_are_the_products_alone(cases: Path, capsys: pytest.CaptureFixture[str]) -> None:
    argv = ["recall", "--answers", "--system", "bm25", "--cases", str(cases)]
    assert main(argv) == 2
    assert "add --system recollect" in capsys.readouterr().err


def test_a_model_that_refuses_us_ends_with_2_before_anything_is_ingested(
    cases: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with judge_server(replaced={"_Ready": Failure(401)}) as running:
        serve(running, monkeypatch)
        assert main(["recall", "--answers", "--cases", str(cases)]) == 2
    assert "a first question to it failed" in capsys.readouterr().err
    assert running.calls == 1
