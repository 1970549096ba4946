"""Fusion: bounds, parts and order."""

from __future__ import annotations

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from memory.domain.recalls import Hit, Place
from memory.recall.fusion import Query, fuse, lexical_scale, relative
from tests.messages import START

# BM25 with Lucene's idf is positive; cosine similarity may be below 0.
bm25 = st.dictionaries(st.sampled_from("abcdefgh"), st.floats(0.01, 20), max_size=8)
scores = st.dictionaries(st.sampled_from("abcdefgh"), st.floats(-1, 20), max_size=8)


def _places(uids: set[str]) -> dict[str, Place]:
    return {
        uid: Place(uid, "thread", index * 10, START + timedelta(days=index), "Ana")
        for index, uid in enumerate(sorted(uids))
    }


def _hits(found: dict[str, float]) -> list[Hit]:
    return [Hit(uid, score) for uid, score in found.items()]


@given(scores)
def test_scales_keep_order_and_stay_within_bounds(found: dict[str, float]) -> None:
    scaled = relative(_hits(found))
    assert all(0 < value <= 1 for value in scaled.values())
    for a in found:
        for b in found:
            if found[a] > found[b]:
                assert scaled[a] >= scaled[b]
    assert all(value <= 1 for value in lexical_scale(_hits(found)).values())


@given(bm25, scores, st.integers(0, 10))
def test_every_candidate_is_ranked_once_best_first(
    lexical: dict[str, float], dense: dict[str, float], limit: int
) -> None:
    places = _places({*lexical, *dense})
    query = Query("what did Ana say?", START + timedelta(days=30))
    ranked = fuse(query, _hits(lexical), _hits(dense), places, limit)
    assert len(ranked) == min(limit, len({*lexical, *dense}))
    assert len({entry.item_id for entry in ranked}) == len(ranked)
    assert [entry.score for entry in ranked] == sorted((e.score for e in ranked), reverse=True)


def test_found_by_both_beats_found_by_one() -> None:
    places = _places({"a", "b", "c"})
    query = Query("anything", START)
    ranked = fuse(query, [Hit("a", 5), Hit("b", 5)], [Hit("a", 0.9), Hit("c", 0.9)], places, 3)
    assert ranked[0].item_id == "a"
    assert ranked[0].parts["lexical"] == 1
    assert ranked[0].parts["dense"] == 1


def test_what_was_erased_since_it_was_indexed_is_left_out() -> None:
    assert fuse(Query("x", START), [], [Hit("gone", 0.9)], {}, 5) == []
