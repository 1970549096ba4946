"""What kinds of thing a message tells of, for a search to weigh."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memory.domain.readings import Heard, Kinds
from memory.facts.learning import Learner
from memory.facts.reading.kinds import LEAST
from tests.messages import message
from tests.reading import ScriptedSpans

pytestmark = pytest.mark.anyio

HAMSTER = "the hamster next door, Biscuit, ran off to the shop in Leeds"


async def kinds(text: str, *marks: tuple[str, str, float], forwarded: bool = False) -> Kinds:
    said = replace(message(text), forwarded=forwarded)
    (reading,) = await Learner(ScriptedSpans(marks)).read([Heard(said)])
    return reading.kinds


async def test_a_kind_is_told_where_nobody_would_call_it_a_fact() -> None:
    unsure = await kinds(HAMSTER, ("pet", "hamster", 0.2), ("pet", "Biscuit", 0.31))
    assert unsure == {"pet": 0.31}
    assert await kinds(HAMSTER, ("pet", "hamster", LEAST / 2)) == {}


async def test_a_noun_is_no_part_of_a_kind() -> None:
    marks = (("favorite", "Leeds", 0.9), ("favorite.noun", "shop", 0.95))
    assert await kinds(HAMSTER, *marks) == {"favorite": 0.95}


async def test_what_rules_find_is_a_kind_without_any_reader() -> None:
    (reading,) = await Learner().read([Heard(message("I am allergic to peanuts."))])
    assert reading.kinds.keys() == {"allergy"}


async def test_what_may_not_teach_tells_of_nothing() -> None:
    assert await kinds(HAMSTER, ("pet", "hamster", 0.9), forwarded=True) == {}
