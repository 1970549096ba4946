"""Who asks for a fact of theirs is told from whoever asks for anything else, in five languages."""

from __future__ import annotations

import pytest

from memory.minilm.recall import RecallEmbedder
from memory.recall.facts_asked import EVERYTHING, LEAST, LIKELY, facts_asked, shipped_facts_asked


@pytest.fixture(scope="module")
def embedder() -> RecallEmbedder:
    return RecallEmbedder()


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("what's my dog's name again", "pet"),
        ("which firm pays my wages", "employer"),
        ("was fahre ich eigentlich für ein Auto", "possession"),
        ("¿a qué le tengo alergia?", "allergy"),
        ("como se chama a minha irmã?", "sibling"),
        ("сколько мне лет", "age"),
        ("tell me everything you know about me", EVERYTHING),
        ("how old is my sister", ""),
        ("when is my dentist appointment?", ""),
        ("Who beat me?", ""),  # no kind stands out
        ("Was kostet ein Hund im Monat?", ""),
        ("¿Dónde trabaja mi hermano?", ""),
        ("see you tomorrow at the station", ""),
        ("спасибо, до завтра", ""),
    ],
)
@pytest.mark.anyio
async def test_kinds_of_facts_are_told(embedder: RecallEmbedder, text: str, kind: str) -> None:
    asked = facts_asked(embedder.fingerprint, await embedder.embed([text]), text)
    assert asked is not None
    assert next(iter(asked), "") == kind
    assert all(chance > LEAST for chance in asked.values())


@pytest.mark.anyio
async def test_of_a_text_in_pieces_the_one_that_asks_decides(embedder: RecallEmbedder) -> None:
    vectors = await embedder.embed(["The train was late and so was I.", "what is my blood group"])
    words = ["my", "blood", "group"]
    assert "medical" in shipped_facts_asked().of(vectors, words)


def test_with_another_embedder_nobody_can_tell(embedder: RecallEmbedder) -> None:
    assert shipped_facts_asked().fingerprint == embedder.fingerprint
    assert facts_asked("other", [[0.5] * 384], "what is my name") is None
    assert facts_asked(embedder.fingerprint, [], "what is my name") is None


@pytest.mark.anyio
async def test_what_tells_is_taken_for_no_question_but_by_its_mark(
    embedder: RecallEmbedder,
) -> None:
    async def chance(text: str) -> float:
        asked = facts_asked(embedder.fingerprint, await embedder.embed([text]), text)
        return max((asked or {}).values(), default=0.0)

    for told in ("Мой рост 172, если что", "tests say coeliac, so no bread for me"):
        assert await chance(told) < LIKELY
    # The vector is of the text with its mark: told apart by nothing else.
    (vector,) = await embedder.embed(["my dog again"])
    known, words = shipped_facts_asked(), ["my", "dog", "again"]
    said, asked = (known.of([vector], words, asks=asks) for asks in (False, True))
    assert max(said.values(), default=0.0) < max(asked.values(), default=0.0)
