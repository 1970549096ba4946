"""Who is together no longer is read in five languages, and nothing else of the like."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memory.facts.reading.rules import extract

PARTED = """
We broke up last night
Me and Tom broke up
my girlfriend and I broke up
I've broken up with Ana
We're not together anymore
my wife left me
Lea und ich haben uns getrennt
Wir haben uns gestern getrennt, Lea und ich
Wir sind seit gestern nicht mehr zusammen
Ich habe mich von meinem Mann getrennt
Meine Freundin hat mit mir Schluss gemacht
Nos separamos el mes pasado
Ana y yo rompimos
Corté con mi novia
Lo dejamos la semana pasada
Terminamos o namoro
Eu e a Ana nos separamos
Minha namorada terminou comigo
Мы с Леной вчера расстались
Я развелась в мае
Меня бросила девушка
"""
TOGETHER = """
They broke up
Did we break up?
Curry and me broke up for good
We separated the egg whites
My wife left me the car keys
My husband left me at the station
Meine Eltern haben sich getrennt
Wir haben uns von unserem Trainer getrennt
Wir sind in zwei Gruppen getrennt worden
Lo dejamos para mañana
Rompimos el récord
Nos separamos los socios
Mi novia me dejó un visto
Terminei com o trabalho
Мы разошлись по домам
"""


def _ended(text: str) -> set[str]:
    when = datetime(2026, 5, 3, tzinfo=UTC)
    found = extract(text, source_uid="m1", stated_at=when, anchor="web:me")
    return {each.key for each in found if each.retracts}


@pytest.mark.parametrize("text", PARTED.strip().splitlines())
def test_who_parted_has_no_partner(text: str) -> None:
    assert _ended(text) == {"partner", "spouse"}


@pytest.mark.parametrize("text", TOGETHER.strip().splitlines())
def test_what_is_said_of_others_and_other_things_ends_nothing(text: str) -> None:
    assert _ended(text) == set()
