"""The suites of topics and moods on real stores, from the command line to the figures."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from evals.cli import main
from memory.contacts.mood import load_reader
from memory.domain.recalls import Embedded
from memory.minilm.embedder import MiniLmEmbedder
from memory.minilm.recall import RecallEmbedder

OWN = Path(__file__).parents[3] / "datasets"


def run(out: Path, *argv: str) -> tuple[int, dict[str, Any]]:
    status = main([*argv, "--json", str(out)])
    return status, json.loads(out.read_text())


def test_own_episodes_meet_their_thresholds_twice_alike(tmp_path: Path) -> None:
    status, first = run(tmp_path / "a.json", "episodes", "--require", "pk<=0.28", "f1>=0.55")
    assert (status, first["failed"], first["partial"]) == (0, [], False)
    product, never = first["systems"]["recollect"], first["systems"]["never"]
    assert set(product["metrics"]) >= {"pk", "windowdiff", "precision", "recall", "f1"}
    assert set(product["by"]["set"]) == {"de", "en", "es", "fr", "it", "pt", "ru"}
    assert product["by"]["set"]["en"]["f1"] >= 0.7
    assert never["metrics"]["pk"] > product["metrics"]["pk"]
    assert never["metrics"]["precision"] is None
    assert len(product["items"]) == 13
    assert first["embedder"] == RecallEmbedder().fingerprint
    _, again = run(tmp_path / "b.json", "episodes", "--system", "recollect")
    assert again["systems"]["recollect"] == product


def test_own_moods_meet_their_thresholds(tmp_path: Path) -> None:
    argv = ("mood", "--require", "macro_f1>=0.6", "accuracy>=0.6")
    status, result = run(tmp_path / "m.json", *argv)
    assert (status, result["failed"]) == (0, [])
    product = result["systems"]["recollect"]
    assert set(product["by"]["label"]["sad"]) == {"precision", "recall", "f1", "support"}
    assert product["by"]["label"]["sad"]["support"] == 26
    assert product["held_out"] is True
    assert product["trained_on"] == load_reader().trained_on
    assert result["systems"]["neutral"]["metrics"]["accuracy"] == pytest.approx(1 / 6, abs=1e-4)


def test_cases_that_the_weights_were_trained_on_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, result = run(tmp_path / "a.json", "mood", "--limit", "2")
    hashed = result["cases"][0]["sha256"]
    reader = load_reader()
    monkeypatch.setattr(
        "evals.mood.suite.load_reader",
        lambda: type(reader)(
            reader.by_vector, reader.by_trait, reader.by_word, reader.bias, hashed, reader.embedder
        ),
    )
    _, result = run(tmp_path / "b.json", "mood", "--limit", "2")
    product = result["systems"]["recollect"]
    assert product["held_out"] is False
    assert "own.jsonl itself" in product["note"]


def test_a_dialogue_that_fails_is_listed_and_not_scored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = MiniLmEmbedder.read

    async def fails(self: MiniLmEmbedder, texts: Sequence[str]) -> list[Embedded]:
        if any("flat on Harbour Street" in text for text in texts):
            raise RuntimeError("no vectors today")
        return await plain(self, texts)

    monkeypatch.setattr(MiniLmEmbedder, "read", fails)
    argv = ("episodes", "--limit", "2", "--system", "recollect")
    status, result = run(tmp_path / "f.json", *argv)
    assert status == 1
    assert [(one["case"], one["reason"]) for one in result["failed"]] == [
        ("own-en-1", "RuntimeError: no vectors today")
    ]
    assert result["systems"]["recollect"]["metrics"]["dialogues"] == 1


def test_ctrl_c_keeps_what_was_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from evals.episodes import suite

    plain, calls = suite._segment, 0

    async def stops(*arguments: Any) -> tuple[int, ...]:
        nonlocal calls
        calls += 1
        if calls > 2:
            raise KeyboardInterrupt
        return await plain(*arguments)

    monkeypatch.setattr(suite, "_segment", stops)
    status, result = run(tmp_path / "c.json", "episodes", "--system", "recollect")
    assert (status, result["partial"]) == (130, True)
    assert result["systems"]["recollect"]["metrics"]["dialogues"] == 2


def test_a_broken_file_ends_with_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own = (OWN / "mood" / "own.jsonl").read_text(encoding="utf-8")
    bad = tmp_path / "bad.jsonl"
    bad.write_text(own + '{"id": "x", "text": "y", "label": "glad"}\n', encoding="utf-8")
    assert main(["mood", "--cases", str(bad)]) == 2
    assert f"{bad}, line 157: label" in capsys.readouterr().err


def test_messages_that_cannot_be_embedded_are_listed_and_not_scored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fails(self: MiniLmEmbedder, texts: Sequence[str]) -> list[Embedded]:
        raise RuntimeError("no vectors today")

    monkeypatch.setattr(MiniLmEmbedder, "read", fails)
    status, result = run(tmp_path / "f.json", "mood", "--limit", "3")
    assert status == 1
    assert [one["reason"] for one in result["failed"]] == ["RuntimeError: no vectors today"] * 3
    assert result["systems"]["recollect"]["metrics"]["macro_f1"] is None
