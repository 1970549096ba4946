"""Kinds of thing: what a question asks for, whatever its language, and which lines tell of it."""

from __future__ import annotations

from datetime import timedelta

import pytest

from memory.domain.readings import Kinds
from memory.domain.recalls import Lexical, Line
from memory.facts.reading.labels import KEYS
from memory.minilm.recall import RecallEmbedder
from memory.recall.ranking.features import Pool, Question, features
from memory.recall.ranking.known import asked_kinds, kinds_told, shipped_kinds
from memory.recall.ranking.scorer import Scorer
from tests.messages import START

LATER = START + timedelta(days=30)


def line(position: int, kinds: Kinds, *, is_agent: bool = False) -> Line:
    sent_at = START + timedelta(days=position)
    told = Line(f"u{position}", "thread", 10 * position, sent_at, "Ana", is_agent=is_agent)
    return told._replace(kinds=kinds, text="said", length=1)


@pytest.fixture(scope="module")
def embedder() -> RecallEmbedder:
    return RecallEmbedder()


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Which pets does Anna have?", "pet"),
        ("Where has he worked?", "employer"),
        ("What does she do for a living?", "occupation"),
        ("How old is Ben?", "age"),
        ("Is there anything Tom is allergic to?", "allergy"),
        ("Where does Sofia live now?", "home"),
        ("Wo wohnt Katrin jetzt?", "home"),
        ("Wie alt ist Oskar?", "age"),
        ("¿Cuántos años tiene la novia de Quique?", "age"),
        ("Quantos anos tem a Alice?", "age"),
        ("Сколько лет Маше?", "age"),
    ],
)
@pytest.mark.anyio
async def test_what_a_question_asks_for_is_its_likeliest_kind(
    embedder: RecallEmbedder, question: str, kind: str
) -> None:
    asked = asked_kinds(embedder.fingerprint, await embedder.embed([question]))
    assert max(asked, key=lambda key: asked[key]) == kind


def test_it_fits_the_embedder_that_ships_and_no_other(embedder: RecallEmbedder) -> None:
    known, vectors = shipped_kinds(), [[0.05] * 384]
    assert (known.fingerprint, len(known.keys)) == (embedder.fingerprint, known.weights.shape[1])
    assert set(known.keys) == {key.partition(".")[0] for key in KEYS}
    assert asked_kinds(embedder.fingerprint, vectors)
    assert asked_kinds("another/384/l2", vectors) == {}
    assert asked_kinds(embedder.fingerprint, []) == {}


def test_of_several_pieces_each_asks_for_its_own() -> None:
    known = shipped_kinds()
    one, other = known.weights[:, 0].tolist(), known.weights[:, 1].tolist()
    apart = known.of([one]), known.of([other])
    best = {key: max(each.get(key, 0.0) for each in apart) for each in apart for key in each}
    assert known.of([one, other]) == pytest.approx(best, abs=1e-5)


def test_a_line_is_worth_the_best_kind_that_it_tells_of_and_the_question_asks_for() -> None:
    lines = [line(0, {"pet": 0.5, "home": 1.0}), line(1, {"age": 1.0}), line(2, {})]
    told = kinds_told({"pet": 0.8, "home": 0.1}, lines)
    assert told.tolist() == pytest.approx([0.4, 0, 0])
    assert kinds_told({}, lines).tolist() == [0, 0, 0]


def test_the_receipt_says_facts_where_a_kind_made_the_score() -> None:
    lines = [line(0, {"pet": 0.9}), line(1, {"home": 0.9}), line(2, {})]
    question = Question("pets?", LATER, kinds={"pet": 0.6})
    table = features(question, Pool(lines, Lexical(documents=3), {}))
    parts = Scorer({"kind_asked": 2.0}).grouped(table, 0.0)
    assert parts.keys() == {"facts"}
    assert parts["facts"].tolist() == pytest.approx([1.08, 0, 0])


def test_what_only_asks_tells_of_nothing() -> None:
    asks = line(0, {"pet": 0.9})._replace(text="Which pets has she?")
    question = Question("which pets has she", LATER, kinds={"pet": 0.6})
    table = features(question, Pool([asks, line(1, {"pet": 0.9})], Lexical(), {}))
    assert table.columns["kind_asked"].tolist() == pytest.approx([0, 0.54])


def test_what_the_agent_said_answers_no_better_for_its_kind() -> None:
    lines = [line(0, {}), line(1, {"pet": 1.0}, is_agent=True)]
    table = features(Question("pets?", LATER, kinds={"pet": 1.0}), Pool(lines, Lexical(), {}))
    assert [each.uid for each in table.lines] == ["u0"]
    assert table.columns["kind_asked"].tolist() == [0]
