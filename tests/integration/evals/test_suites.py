"""The suites on real embedded stores, from the command line to the figures."""

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import chromadb
import psycopg
import pytest

from evals.cli import main
from memory.embedded import EmbeddedStores
from tests.stores import fresh_database

CASES = str(Path(__file__).parents[2] / "data" / "recall_small.jsonl")
QUALITY = {
    "frac@5",
    "frac@10",
    "all@5",
    "all@10",
    "mrr",
    "session@5",
    "current_above_stale",
    "abstain_auroc",
    "context_tokens_mean",
}


def run(out: Path, *argv: str) -> tuple[int, dict[str, Any]]:
    status = main([*argv, "--json", str(out)])
    return status, json.loads(out.read_text())


@pytest.fixture(autouse=True)
def own_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What a run leaves behind is its own; not in `tmp_path`: names of sockets must be short."""
    del tmp_path  # pytest chooses its folder before this one is set
    with tempfile.TemporaryDirectory(prefix="evals-") as folder:
        Path(folder).chmod(0o711)  # as root, Postgres runs as another user
        monkeypatch.setattr(tempfile, "tempdir", folder)
        yield


def leftovers() -> set[Path]:
    return set(Path(tempfile.gettempdir()).glob("recollect-eval-*"))


def test_recall_scores_every_system_and_leaves_nothing_behind(tmp_path: Path) -> None:
    before = leftovers()
    status, result = run(tmp_path / "a.json", "recall", "--cases", CASES)
    assert status == 0
    assert leftovers() <= before
    assert result["schema"] == 1
    assert (result["suite"], result["partial"], result["failed"]) == ("recall", False, [])
    assert [(c["cases"], c["items"]) for c in result["cases"]] == [(1, 6)]
    assert list(result["systems"]) == ["window", "bm25", "dense", "recollect"]
    for system in result["systems"].values():
        assert QUALITY | {"search_ms_p50", "search_ms_p95", "ingest_per_s"} <= set(
            system["metrics"]
        )
        assert set(system["by"]["category"]) == {"single-hop", "update", "multi-hop", "abstention"}
    product = result["systems"]["recollect"]["metrics"]
    assert product["frac@10"] >= 0.8
    assert product["abstain_auroc"] == 1.0
    assert result["embedder"] == "all-MiniLM-L6-v2+recall/1/384/l2"

    _, again = run(tmp_path / "b.json", "recall", "--cases", CASES, "--system", "recollect")
    repeated = again["systems"]["recollect"]["metrics"]
    assert {name: repeated[name] for name in QUALITY} == {name: product[name] for name in QUALITY}


def test_on_servers_a_run_leaves_nothing_of_its_tenant(
    embedded: EmbeddedStores, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = fresh_database(embedded.database_url)
    monkeypatch.setenv("RECOLLECT_DATABASE_URL", database)
    monkeypatch.setenv("RECOLLECT_CHROMA_URL", embedded.chroma_url)
    before = vectors_of_runs(embedded.chroma_url)
    argv = ["recall", "--cases", CASES, "--system", "recollect"]
    status, result = run(tmp_path / "s.json", *argv)
    assert status == 0
    assert result["systems"]["recollect"]["metrics"]["frac@10"] >= 0.8
    with psycopg.connect(database) as connection:
        for table in ("sessions", "messages", "facts", "turns", "checkpoints"):
            query = f"select count(*) from recollect.{table}"
            assert connection.execute(query.encode()).fetchone() == (0,), table
    assert vectors_of_runs(embedded.chroma_url) == before == 0


def vectors_of_runs(chroma_url: str) -> int:
    """Count the vectors of any run's tenant, past the product's own adapter."""
    address = urlsplit(chroma_url)
    client = chromadb.HttpClient(host=str(address.hostname), port=int(address.port or 0))
    return sum(
        str((metadata or {}).get("tenant", "")).startswith("eval-")
        for collection in client.list_collections()
        for metadata in collection.get(include=["metadatas"])["metadatas"] or []
    )


def test_an_unmet_requirement_ends_with_1(capsys: pytest.CaptureFixture[str]) -> None:
    argv = ["recall", "--cases", CASES, "--system", "bm25", "--require", "bm25:frac@10>=1.01"]
    assert main(argv) == 1
    assert "not met: bm25:frac@10>=1.01" in capsys.readouterr().err


def test_a_broken_file_ends_with_2_before_any_store_is_opened(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = tmp_path / "broken.jsonl"
    broken.write_text(Path(CASES).read_text() + "{not json\n")
    assert main(["recall", "--cases", str(broken)]) == 2
    assert f"{broken}, line 2: " in capsys.readouterr().err


@pytest.mark.slow
def test_latency_measures_floor_turn_and_where_the_time_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evals.latency.suite.HISTORY", 100)
    asked = ("--limit", "3", "--sizes", "600", "200", "--own", "200", "100")
    status, result = run(tmp_path / "l.json", "latency", *asked)
    assert status == 0
    systems = result["systems"]
    assert {*systems, *result["skipped"]} == {"recollect", "floor", "store-floor", "mem0"}
    assert not {"recollect", "floor", "store-floor"} & {*result["skipped"]}
    product = systems["recollect"]
    assert product["metrics"].pop("group_chatter_answers") == 0
    assert all(value > 0 for value in product["metrics"].values())
    assert product["metrics"]["cpu_ms"] < 500
    assert product["metrics"]["floor_ms_p50"] == systems["floor"]["metrics"]["turn_ms_p50"]
    store_floor = systems["store-floor"]["metrics"]
    assert 0 < store_floor["reply_ms_p50"] < store_floor["turn_ms_p50"]
    assert store_floor["answers_per_s"] > 0
    assert [point["messages"] for point in product["growth"]] == [200, 600]
    assert [point["messages"] for point in product["own"]] == [100, 200]
    assert all(0 < each["lexical_ms_p50"] < each["retrieve_ms_p50"] for each in product["own"])
    assert set(product["by"]["node"]) == {
        "normalize",
        "policy_gate",
        "retrieve",
        "generate",
        "store",
        "extract",
        "around the graph",
    }
