"""What ranks lines: features, late interaction, neighbours, wording and order."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import timedelta
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.domain.recalls import Hit, Lexical, Line, TokenMatrix
from memory.recall.ranking.around import NOBODY, REACH, neighbours, sittings
from memory.recall.ranking.features import ATTENDED, GROUPS, Pool, Question, features, style
from memory.recall.ranking.late import MOST_PIECES, Asking, closest
from memory.recall.ranking.order import ranked
from memory.recall.ranking.scorer import LONG_SUFFIX, shipped_scorer
from memory.recall.ranking.succession import FOLLOWS, FOLLOWS_NOW
from memory.recall.ranking.wording import asks_agent, asks_when, signs
from tests.messages import START

ASKED = Question("what did Ana say about the boat?", START + timedelta(days=30), "ana")

scores = st.dictionaries(st.integers(0, 7), st.floats(-1, 1), max_size=8)
texts = st.sampled_from(["The boat is red.", "Where is it?", "", "[Media]", "I was born in 1980."])


def _line(position: int, text: str = "said", **told: Any) -> Line:
    line = Line(f"u{position}", "thread", position, START + timedelta(minutes=position), "Ana")
    return line._replace(text=text, length=len(text.split()), **told)


def _pool(lines: list[Line], cosines: dict[int, float], hits: dict[int, float]) -> Pool:
    found = tuple(Hit(f"u{n}", score) for n, score in hits.items())
    lexical = Lexical(found, len(lines), 4.0, {"boat": 2})
    return Pool(lines, lexical, {f"u{n}": cosine for n, cosine in cosines.items()})


def _matrix(*rows: list[int], weights: tuple[float, ...] = ()) -> TokenMatrix:
    width = len(rows[0])
    data = np.array(rows, np.int8).tobytes()
    return TokenMatrix(data, width, weights or (1.0,) * len(rows))


@given(st.lists(texts, max_size=8), scores, scores, st.integers(0, 10))
def test_every_line_is_ranked_once_best_first(
    said: list[str], cosines: dict[int, float], hits: dict[int, float], limit: int
) -> None:
    lines = [_line(n, text, terms={"boat": 1} if n in hits else {}) for n, text in enumerate(said)]
    found = ranked(ASKED, _pool(lines, cosines, hits), limit)
    assert len(found) == min(limit, sum(line.text != "[Media]" for line in lines))
    assert len({entry.item_id for entry in found}) == len(found)
    assert [entry.score for entry in found] == sorted((e.score for e in found), reverse=True)
    for entry in found:
        parts = {name: part for name, part in entry.parts.items() if name != "cosine"}
        assert sum(parts.values()) == pytest.approx(entry.score, abs=0.01)


@given(st.lists(texts, min_size=1, max_size=8), scores)
def test_features_are_finite_and_known(said: list[str], cosines: dict[int, float]) -> None:
    lines = [_line(n, text) for n, text in enumerate(said)]
    found = features(ASKED, _pool(lines, cosines, {}))
    assert found.columns.keys() == GROUPS.keys() - {ATTENDED, FOLLOWS, FOLLOWS_NOW}
    for values in found.columns.values():
        assert values.shape == (len(found.lines),)
        assert np.isfinite(values).all()


def test_the_order_of_rows_changes_nothing() -> None:
    lines = [_line(n, f"line {n} of the boat", terms={"boat": 1}) for n in range(6)]
    pool = _pool(lines, {2: 0.5, 4: 0.4}, {1: 3.0})
    turned = replace(pool, lines=lines[::-1])
    assert [e.item_id for e in ranked(ASKED, pool, 6)] == [
        e.item_id for e in ranked(ASKED, turned, 6)
    ]


def test_found_by_both_stands_above_found_by_one() -> None:
    lines = [_line(10 * n, "the boat", terms={"boat": 1} if n < 2 else {}) for n in range(3)]
    found = ranked(ASKED, _pool(lines, {0: 0.9, 20: 0.9}, {0: 5, 10: 5}), 3)
    assert found[0].item_id == "u0"
    assert {"lexical", "dense"} <= found[0].parts.keys()


def test_of_equals_the_later_one_stands_first() -> None:
    lines = [_line(n * 10) for n in range(4)]
    asked = replace(ASKED, now=START + timedelta(days=900))
    assert ranked(asked, _pool(lines, {}, {}), 4)[0].item_id == "u30"


def test_a_question_stands_behind_a_statement_and_what_is_no_text_nowhere() -> None:
    said = ["The boat is red.", "What is the boat like?", "[Media]"]
    lines = [_line(10 * n, text, terms={"boat": 1}) for n, text in enumerate(said)]
    found = ranked(ASKED, _pool(lines, {0: 0.5, 10: 0.5, 20: 0.5}, {0: 1, 10: 1, 20: 1}), 3)
    assert [entry.item_id for entry in found] == ["u0", "u10"]


def test_words_stand_in_for_vectors_that_are_missing() -> None:
    lines = [_line(10 * n, "the boat", terms={"boat": 1} if n == 1 else {}) for n in range(3)]
    found = ranked(ASKED, _pool(lines, {}, {10: 5}), 3)
    assert found[0].item_id == "u10"
    assert found[0].parts["lexical"] > 0
    assert not {"dense", "late"} & found[0].parts.keys()


def test_weights_are_of_features_that_there_are() -> None:
    assert {name.removesuffix(LONG_SUFFIX) for name in shipped_scorer().weights} <= GROUPS.keys()


def test_neighbours_are_of_the_same_thread_nearest_first() -> None:
    lines = [_line(5), _line(6), _line(8), _line(6, thread_id="other")]
    places = neighbours(lines)
    assert places.shape == (4, 2 * REACH)
    assert places[0].tolist() == [NOBODY, 1, NOBODY, NOBODY, NOBODY, 2]
    assert places[1].tolist() == [0, NOBODY, NOBODY, 2, NOBODY, NOBODY]
    assert (places[3] == NOBODY).all()


def test_a_sitting_ends_with_two_hours_of_silence_or_the_chat() -> None:
    times = (0, 30, 149, 270)
    lines = [_line(n, sent_at=START + timedelta(minutes=time)) for n, time in enumerate(times)]
    lines.append(_line(9, thread_id="other", sent_at=START))
    sent = np.array([line.sent_at.timestamp() for line in lines])
    numbers = sittings(lines, sent).tolist()
    assert numbers[0] == numbers[1] == numbers[2]
    assert len({numbers[2], numbers[3], numbers[4]}) == 3


def test_each_piece_finds_the_one_that_is_most_like_it() -> None:
    asking = Asking.of([_matrix([127, 0], [0, 127], weights=(3.0, 1.0))])
    assert asking is not None
    near, far = _matrix([127, 0], [0, 64]).vectors, _matrix([-127, 0]).vectors
    found = closest(asking, [near, b"", far])
    np.testing.assert_allclose(found, [[1.0, 64 / 127], [0.0, 0.0], [0.0, 0.0]], atol=1e-6)
    np.testing.assert_allclose(asking.weights, [0.75, 0.25])


def _drawn(pieces: int, draw: np.random.Generator) -> TokenMatrix:
    vectors = draw.integers(-60, 60, (pieces, 64)).astype(np.int8).tobytes()
    return TokenMatrix(vectors, 64, (1.0,) * pieces)


def test_a_line_is_as_near_among_many_as_alone() -> None:
    draw = np.random.default_rng(1)
    asking = Asking.of([_drawn(12, draw)])
    assert asking is not None
    lines = [_drawn(1 + n % 30, draw).vectors for n in range(400)]
    alone = np.concatenate([closest(asking, [line]) for line in lines])
    np.testing.assert_array_equal(closest(asking, lines), alone)


def test_pieces_are_compared_in_one_thread() -> None:
    draw = np.random.default_rng(1)
    asking = Asking.of([_drawn(12, draw)])
    assert asking is not None
    lines = [_drawn(40, draw).vectors for _ in range(400)]
    own, all_threads = time.thread_time(), time.process_time()
    for _ in range(50):
        closest(asking, lines)
    own, all_threads = time.thread_time() - own, time.process_time() - all_threads
    assert all_threads < 1.2 * own


def test_of_a_long_question_the_rarest_pieces_are_compared() -> None:
    rows = [[127, 0]] * (MOST_PIECES + 5)
    weights = tuple(float(n + 1) for n in range(len(rows)))
    asking = Asking.of([_matrix(*rows, weights=weights)])
    assert asking is not None
    assert len(asking.weights) == MOST_PIECES
    assert Asking.of([TokenMatrix(b"", 2)]) is None
    assert Asking.of([]) is None


def test_long_messages_are_told_from_short_lines() -> None:
    def of(average: float) -> float:
        return style(Pool((), Lexical(average=average), {}))

    assert (of(3.0), of(60.0)) == (0, 1)
    assert 0 < of(13.0) < of(20.0) < 1


def test_what_the_agent_said_answers_only_what_asks_for_it() -> None:
    lines = [_line(0, "The boat is red."), _line(1, "A boat costs much.", is_agent=True)]
    pool = _pool(lines, {0: 0.5}, {})
    assert [e.item_id for e in ranked(ASKED, pool, 5)] == ["u0"]
    asked = replace(ASKED, text="what did you tell me of the boat?")
    assert {e.item_id for e in ranked(asked, pool, 5)} == {"u0", "u1"}


@pytest.mark.parametrize(
    "question",
    ["When is it?", "Seit wann?", "¿Cuánto tiempo?", "Que dia é?", "Когда?", "how long was it"],
)
def test_a_question_for_a_time_is_seen(question: str) -> None:
    assert asks_when(question)
    assert not asks_when("Who is it?")


@pytest.mark.parametrize(
    "question",
    [
        "what did you recommend for the knee?",
        "Remind me of your advice",
        "Was hast du mir empfohlen?",
        "¿Qué me recomendaste?",
        "O que você sugeriu?",
        "Что ты мне посоветовал?",
    ],
)
def test_a_question_for_what_the_agent_said_is_seen(question: str) -> None:
    assert asks_agent(question)
    assert not asks_agent("What did Ana recommend?")


def test_what_is_no_text_is_seen() -> None:
    assert signs("[Media]").is_media
    assert signs("<Media omitted>").is_media
    assert signs("Missed voice call").is_media
    assert not signs("I missed your voice call, sorry").is_media


def test_ones_own_question_lends_nothing_and_somebody_elses_does() -> None:
    lines = [
        _line(0, "Where is the boat?", terms={"boat": 1}, contact_id="ana"),
        _line(1, "The bus was late.", contact_id="ana"),
        _line(10, "Where is the boat?", terms={"boat": 1}, contact_id="bo"),
        _line(11, "In the shed.", contact_id="ana"),
    ]
    covered = features(ASKED, _pool(lines, {}, {0: 1.0})).columns["covered_window"]
    assert covered[1] == 0
    assert covered[3] > 0
