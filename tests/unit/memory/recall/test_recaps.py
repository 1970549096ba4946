"""Who asks what was talked about is told from whoever asks for one thing, in five languages."""

from __future__ import annotations

import pytest

from memory.minilm.recall import RecallEmbedder
from memory.recall.recaps import FILE, LIKELY, recap_chance
from memory.recall.wording import shipped


@pytest.fixture(scope="module")
def embedder() -> RecallEmbedder:
    return RecallEmbedder()


@pytest.mark.parametrize(
    ("text", "is_recap"),
    [
        ("What did we discuss about databases?", True),
        ("remind me what we went through on sunday about the fence", True),
        ("Kannst du nochmal zusammenfassen, was wir zum Garten besprochen hatten?", True),
        ("Resúmeme lo que hablamos de la boda", True),
        ("Напомни, что мы обсуждали про ремонт", True),
        ("What is the name of her dog?", False),
        ("When did Tom move to Leeds?", False),
        ("Thanks, see you tomorrow!", False),
        ("Wo wohnt meine Schwester jetzt?", False),
        ("¿Cuándo es la boda?", False),
    ],
)
@pytest.mark.anyio
async def test_recaps_are_told(embedder: RecallEmbedder, text: str, is_recap: bool) -> None:
    vectors = await embedder.embed([text])
    assert (recap_chance(embedder.fingerprint, vectors, text) >= LIKELY) is is_recap


def test_with_another_embedder_the_wording_alone_decides(embedder: RecallEmbedder) -> None:
    assert shipped(FILE).fingerprint == embedder.fingerprint
    for vectors in ([], [[0.5] * 12]):
        assert recap_chance("other", vectors, "What did we talk about yesterday?") == 1.0
        assert recap_chance("other", vectors, "What is the name of her dog?") == 0.0
