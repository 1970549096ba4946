"""The reader of facts as it is shipped: its graph, its weights, what it reads."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from memory.domain.readings import Excerpt, Span
from memory.errors import EmbedderUnavailable
from memory.minilm import reader, weights
from memory.minilm.reader import AT_ONCE, MiniLmReader
from memory.minilm.weights import WEIGHTS_FILE, find_model_folder
from scripts.write_minilm_graph import read_weights
from scripts.write_reader_graph import build

PLAIN = [
    ("I live in Porto now", "home", "Porto", "stated"),
    ("I'm allergic to peanuts, so no satay please", "allergy", "peanuts", "stated"),
    ("my daughter Ines starts school tomorrow", "child", "Ines", "stated"),
    ("I work as a carpenter these days", "occupation", "carpenter", "stated"),
    ("vivo en Sevilla desde hace dos años", "home", "Sevilla", "stated"),
    ("moro em Recife com meu marido", "home", "Recife", "stated"),
]


@pytest.fixture(scope="module")
def mini() -> MiniLmReader:
    return MiniLmReader()


@pytest.mark.parametrize(("text", "key", "value", "status"), PLAIN)
def test_what_is_said_plainly_is_read(
    mini: MiniLmReader, text: str, key: str, value: str, status: str
) -> None:
    (spans,) = mini.read_now([Excerpt(text)])
    found = [(s.key, text[s.start : s.end], s.status) for s in spans if s.confidence >= 0.5]
    assert (key, value, status) in found


def test_a_message_is_read_the_same_alone_and_among_others(mini: MiniLmReader) -> None:
    texts = [Excerpt(text) for text, *_ in PLAIN]
    assert mini.read_now(texts) == [mini.read_now([text])[0] for text in texts]


def test_an_answer_takes_its_key_from_the_question(mini: MiniLmReader) -> None:
    (alone, asked) = mini.read_now(
        [Excerpt("Ghent"), Excerpt("Ghent", "And where do you live at the moment?")]
    )
    assert [span.key for span in asked if span.status == "stated"] == ["home"]
    sure = {span.key: span.confidence for span in alone if span.status == "stated"}
    assert sure.get("home", 0) < asked[0].confidence


@pytest.mark.parametrize(
    "text",
    ["", " \n", "👋👋👋", "ฉันอยู่ที่กรุงเทพฯ และแพ้ถั่ว", "我住在上海，对花生过敏", "나는 서울에 살아요"],
)
def test_nothing_is_read_where_no_letter_is_known(mini: MiniLmReader, text: str) -> None:
    assert mini.read_now([Excerpt(text)]) == [[]]


@pytest.mark.anyio
async def test_nothing_more_is_read_when_nobody_waits_for_it(
    mini: MiniLmReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[Excerpt] = []
    reading = MiniLmReader.read_now

    def noted(self: MiniLmReader, excerpts: Sequence[Excerpt]) -> list[list[Span]]:
        read.extend(excerpts)
        return reading(self, excerpts)

    monkeypatch.setattr(MiniLmReader, "read_now", noted)
    many = [Excerpt(f"I live in house {number}.") for number in range(100 * AT_ONCE)]
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await mini.read(many)
    assert 0 < len(read) < len(many) // 2
    assert len(await mini.read(many[: AT_ONCE + 1])) == AT_ONCE + 1


@pytest.mark.parametrize("text", ["x" * 65_536, "!?" * 30_000, "a b " * 16_000])
def test_any_text_is_read_in_bounded_time(mini: MiniLmReader, text: str) -> None:
    started = time.process_time()
    (spans,) = mini.read_now([Excerpt(text)])
    assert time.process_time() - started < 5
    assert all(0 <= span.start < span.end <= len(text) for span in spans)


def test_the_graph_is_what_its_script_writes() -> None:
    with (find_model_folder() / WEIGHTS_FILE).open("rb") as file:
        header = file.read(1 << 20)
    assert (
        build(read_weights(header)) == Path(reader.__file__).with_name("reader.onnx").read_bytes()
    )


def test_the_weights_say_where_they_come_from(mini: MiniLmReader) -> None:
    with np.load(Path(reader.__file__).with_name("reader.npz")) as held:
        assert {"about"} < set(held.files)
    assert mini.version.startswith("reader/")
    assert 0 < mini.threshold < 1


def test_without_the_model_the_reader_says_how_to_do_without_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(weights, "_PACKAGE", "no_such_package_anywhere")
    with pytest.raises(EmbedderUnavailable, match="set RECOLLECT_CAPTURE=rules"):
        MiniLmReader()
