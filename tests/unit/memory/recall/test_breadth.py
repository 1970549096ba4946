"""Lists and counts are told from lookups, in five languages, and get more lines."""

from __future__ import annotations

import pytest

from memory.domain.recalls import Recalled
from memory.minilm.recall import RecallEmbedder
from memory.recall.breadth import FILE, LIKELY, UNSURE, for_prompt, lines_for, several_chance
from memory.recall.wording import shipped


@pytest.fixture(scope="module")
def embedder() -> RecallEmbedder:
    return RecallEmbedder()


@pytest.mark.parametrize(
    "question",
    [
        "Which places did she visit last year?",
        "What are all the instruments that Ben plays?",
        "Welche Städte haben wir im Sommer besucht?",
        "¿Qué libros leyó Marta este año?",
        "Quais presentes ela ganhou no Natal?",
        "Какие города мы посетили летом?",
    ],
)
@pytest.mark.anyio
async def test_a_list_is_taken_for_one(embedder: RecallEmbedder, question: str) -> None:
    vectors = await embedder.embed([question])
    assert several_chance(embedder.fingerprint, vectors, question) >= LIKELY


@pytest.mark.parametrize(
    "question",
    [
        "What is the name of her dog?",
        "When did Tom move to Leeds?",
        "Wann fängt der neue Job an?",
        "¿Cuándo es la boda?",
        "Onde a Paula mora agora?",
        "Когда у Маши день рождения?",
    ],
)
@pytest.mark.anyio
async def test_what_is_looked_up_is_taken_for_no_list(
    embedder: RecallEmbedder, question: str
) -> None:
    vectors = await embedder.embed([question])
    assert several_chance(embedder.fingerprint, vectors, question) < LIKELY


def test_it_fits_the_embedder_that_ships_and_no_other(embedder: RecallEmbedder) -> None:
    assert shipped(FILE).fingerprint == embedder.fingerprint
    for vectors in ([], [[0.5] * 12]):
        assert several_chance("other", vectors, "How many cities did we see?") == 1.0
        assert UNSURE <= several_chance("other", vectors, "How many days were we there?") < LIKELY


def test_a_list_gets_more_lines_than_a_lookup_and_some_in_reserve() -> None:
    assert [lines_for(chance, 10) for chance in (0.0, 0.2, 0.9)] == [8, 10, 18]
    assert lines_for(0.9, 0) == 0
    messages = [Recalled("message", f"u{n}", 1.0) for n in range(40)]
    chosen = for_prompt(messages, 0.9, 10)
    assert [entry.is_shown for entry in chosen] == [True] * 18 + [False] * 9
