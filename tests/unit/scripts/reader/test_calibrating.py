"""Confidences become chances."""

from __future__ import annotations

import random

import pytest

from memory.domain.readings import Span
from memory.facts.reading.calibration import Calibration
from scripts.reader.calibrating import fit, threshold_of
from scripts.reader.judging import judge, rates
from scripts.reader.notation import Labelled, Mark

TEXT = "I live in Porto"


def spoken(is_right: bool) -> Labelled:
    marks = (Mark(10, 15, "home", "stated"),) if is_right else ()
    return Labelled(TEXT, "", marks, "en/x")


def found(confidence: float) -> list[Span]:
    return [Span(10, 15, "home", "stated", confidence)]


def test_what_is_too_sure_of_itself_is_brought_down() -> None:
    chance = random.Random(0)
    said = [spoken(chance.random() < 0.6) for _ in range(2_000)]
    calibration = fit(said, [found(0.95)] * len(said))
    assert calibration.of(found(0.95)[0]).confidence == pytest.approx(0.6, abs=0.03)


def test_the_threshold_is_where_enough_is_right() -> None:
    said = [spoken(is_right) for is_right in [True] * 95 + [False] * 5 + [True, False] * 50]
    spans = [found(0.9)] * 100 + [found(0.6)] * 100
    assert 0.6 < threshold_of(said, spans) <= 0.9


def test_a_chance_stays_within_bounds_and_is_rounded() -> None:
    sharp = Calibration(slope=9.0, shift=0.0, by_key={"home": 50.0})
    assert sharp.of(found(1.0)[0]).confidence == 1.0
    assert Calibration().of(found(0.123456)[0]).confidence == 0.12


def test_hits_and_mistakes_are_counted_by_language_voice_and_key() -> None:
    counts = judge([spoken(True), spoken(False)], [found(0.9), found(0.9)], 0.5)
    assert rates(counts["all"]["all"]) == "1.000 / 0.500 of 1"
    assert counts["key"]["home"] == {"marks": 1, "hits": 1, "spans": 2, "right": 1}
    assert set(counts["voice"]) == {"en/x"}
