"""Adapters on a conversation small enough to rank by hand, with an embedder that counts letters."""

import json
import os
import urllib.request
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import pytest

from evals.recall.cases import CaseTurn
from evals.systems.chroma import Chroma
from evals.systems.endpoint import EmbeddingEndpoint
from evals.systems.langgraph_store import LangGraphStore
from evals.systems.rank_bm25 import RankBm25
from evals.systems.system import Place, said


def letters(texts: Sequence[str]) -> list[list[float]]:
    found = []
    for text in texts:
        counts = [text.count(letter) + 0.001 for letter in "xyz"]
        norm = sum(count * count for count in counts) ** 0.5
        found.append([count / norm for count in counts])
    return found


def place(folder: Path) -> Place:
    return Place("case", folder, 3, letters)


def turns(*texts: str, speakers: str = "A") -> list[CaseTurn]:
    return [
        CaseTurn(
            id=str(n), session_id="S", role="user", speaker=speakers[n % len(speakers)], text=text
        )
        for n, text in enumerate(texts)
    ]


@pytest.mark.parametrize("adapter", [Chroma, LangGraphStore])
def test_vector_stores_rank_by_cosine(
    adapter: type[Chroma] | type[LangGraphStore], tmp_path: Path
) -> None:
    memory = adapter(place(tmp_path))
    memory.ingest(turns("zz", "  ", "xy", "xxx"))
    found = memory.search("x", 2)
    assert found.ids == ("3", "2")
    assert found.confidence == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize("adapter", [Chroma, LangGraphStore])
def test_nothing_said_is_nothing_found(
    adapter: type[Chroma] | type[LangGraphStore], tmp_path: Path
) -> None:
    memory = adapter(place(tmp_path))
    memory.ingest(turns("", " "))
    assert memory.search("x", 5).ids == ()


@pytest.mark.parametrize("adapter", [Chroma, LangGraphStore])
def test_what_is_said_twice_is_found_twice(
    adapter: type[Chroma] | type[LangGraphStore], tmp_path: Path
) -> None:
    memory = adapter(place(tmp_path))
    memory.ingest(turns("xx", "yy", "xx"))
    assert set(memory.search("x", 2).ids) == {"0", "2"}


@pytest.mark.skipif(
    find_spec("rank_bm25") is None and os.environ.get("CI") != "true",
    reason="rank-bm25 is not installed",
)
def test_rank_bm25_ranks_rare_words_first_and_takes_turns_without_words(tmp_path: Path) -> None:
    memory = RankBm25(place(tmp_path))
    memory.ingest(turns("the cat", "...", "the Heron", "the dog", "the cow", "a hen"))
    assert memory.search("HERON", 1).ids == ("2",)
    empty = RankBm25(place(tmp_path))
    empty.ingest(turns("...", ""))
    assert empty.search("heron", 5).ids == ()


def test_names_are_said_in_a_group_only() -> None:
    assert [each.text for each in said(turns("one", "", "two", speakers="AB"))] == [
        "A: one",
        "A: two",
    ]
    assert [each.text for each in said(turns("one", "two"))] == ["one", "two"]


def test_the_endpoint_speaks_openai() -> None:
    endpoint = EmbeddingEndpoint(letters)
    try:
        for given in (["x", "y"], "x"):
            asked = urllib.request.Request(
                f"{endpoint.url}/embeddings",
                json.dumps({"model": "m", "input": given}).encode(),
                {"Content-Type": "application/json"},
            )
            with urllib.request.urlopen(asked) as answer:
                rows = json.loads(answer.read())["data"]
            assert [row["index"] for row in rows] == list(range(len(given)))
            assert rows[0]["embedding"] == pytest.approx(letters(["x"])[0])
    finally:
        endpoint.close()
