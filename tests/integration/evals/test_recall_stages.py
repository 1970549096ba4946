"""`recall` with a model in the search, over real HTTP: which stages ran, and how often in vain."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evals.cli import main
from memory.embedded import EmbeddedStores
from tests.fakes.openai_server import Failure, OpenAIServer

SMALL = Path(__file__).parents[2] / "data" / "recall_small.jsonl"
QUALITY = ("frac@5", "frac@10", "all@10", "mrr", "context_tokens_mean")


@pytest.fixture(autouse=True)
def servers(embedded: EmbeddedStores, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run on the session's servers, which are up already; each run has a tenant of its own."""
    monkeypatch.setenv("RECOLLECT_DATABASE_URL", embedded.database_url)
    monkeypatch.setenv("RECOLLECT_CHROMA_URL", embedded.chroma_url)


def run(out: Path) -> dict[str, Any]:
    argv = ["recall", "--cases", str(SMALL), "--system", "bm25", "recollect", "--json", str(out)]
    assert main(argv) == 0
    result: dict[str, Any] = json.loads(out.read_text())
    assert result["failed"] == []
    return result


def serve(server: OpenAIServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_MODEL", "fake")
    monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
    monkeypatch.setenv("RECOLLECT_RECALL_MODEL", "both")
    monkeypatch.setenv("RECOLLECT_RECALL_MODEL_S", "20")  # a loaded machine is not what is tested


def reversing(body: dict[str, Any]) -> str:
    """Put the lines upside down."""
    asked = body["messages"][-1]["content"].split("\n")[1]
    count = len(json.loads(asked)["lines"])
    return json.dumps({"lines": list(range(count, 0, -1))})


def test_the_report_says_which_stages_ran_and_what_they_took(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    plain = run(tmp_path / "plain.json")
    assert (plain["model"], plain["notes"]) == (None, [])
    assert "stages" not in plain["systems"]["recollect"]
    with OpenAIServer(default='{"queries": [], "lines": []}') as server:
        serve(server, monkeypatch)
        same = run(tmp_path / "same.json")
        assert server.calls == 12
        server.respond = lambda _: Failure(401)
        failing = run(tmp_path / "failing.json")
    for result in (same, failing):
        for name in QUALITY:
            figures = result["systems"]["recollect"]["metrics"]
            assert figures[name] == plain["systems"]["recollect"]["metrics"][name]
        assert result["model"] == "fake"
        assert "stages" not in result["systems"]["bm25"]
    stages = same["systems"]["recollect"]["stages"]
    assert list(stages) == ["rewriting", "reranking"]
    assert [each["searches"] for each in stages.values()] == [6, 6]
    assert [each["fell_back"] for each in stages.values()] == [0, 0]
    assert all(0 < each["ms_p50"] <= each["ms_p95"] < 10_000 for each in stages.values())
    failed = failing["systems"]["recollect"]["stages"]
    assert [each["fell_back"] for each in failed.values()] == [6, 6]
    assert "rewriting by fake: 6 searches, 6 fell back, p50 " in capsys.readouterr().out


def test_a_models_order_is_what_is_scored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = run(tmp_path / "plain.json")["systems"]["recollect"]["metrics"]
    with OpenAIServer() as server:
        serve(server, monkeypatch)
        monkeypatch.setenv("RECOLLECT_RECALL_MODEL", "rerank")
        server.respond = reversing
        turned = run(tmp_path / "turned.json")["systems"]["recollect"]["metrics"]
    assert turned["mrr"] < plain["mrr"]
