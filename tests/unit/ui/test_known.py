"""Facts with their history: what stands beneath which, and why it holds no more."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from tests.unit.ui.test_render import NOW, fact
from ui.playground.known import known_of, why_ended

OLD = replace(fact("home", "Leeds"), fact_id="f0", status="closed", source_uid="u0", closed_by="u1")
HOME = replace(fact("home", "Lisbon"), valid_from=NOW + timedelta(days=9))


def test_what_was_so_stands_beneath_what_is_so_of_the_same_thing() -> None:
    liked = replace(OLD, key="like", value="tea", fact_id="f9")
    kept = known_of([HOME], [OLD, liked, HOME], {})
    assert [each.now.fact for each in kept.facts] == [HOME]
    assert [each.fact for each in kept.facts[0].before] == [OLD]
    assert [each.fact for each in kept.past] == [liked]


def test_what_a_person_ended_names_the_act_that_undoes_it() -> None:
    gone = replace(OLD, status="withdrawn")
    (told,) = known_of([], [gone], {}, {("home", "leeds"): "u8/correction"}).past
    assert (told.why, told.act) == ("forgotten by hand", "u8/correction")
    edited = replace(OLD, closed_by="u9/correction")
    (kept,) = known_of([HOME], [edited, HOME], {}, {}, {"u9/correction"}).facts
    assert kept.before[0].act == "u9/correction"
    assert known_of([], [OLD], {}).past[0].act == ""


def test_each_end_has_a_reason() -> None:
    assert why_ended(OLD, [OLD, replace(HOME, source_uid="u1")]) == "“Lisbon” was said later"
    by_hand = replace(HOME, source_uid="u9/correction")
    corrected = replace(OLD, closed_by="u9/correction")
    assert why_ended(corrected, [corrected, by_hand]) == "corrected by hand to “Lisbon”"
    assert why_ended(corrected, [corrected]) == "forgotten by hand"
    gone = replace(OLD, status="withdrawn")
    assert why_ended(gone, [gone]) == "its message says so no more"
    assert why_ended(gone, [gone], {("home", "leeds"): "u8"}) == "forgotten by hand"
    assert why_ended(replace(OLD, status="rejected"), []) == "something surer was known"
