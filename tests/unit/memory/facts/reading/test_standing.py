"""Lasting rules of work, where a sentence begins with one."""

from __future__ import annotations

import pytest

from memory.facts.reading.rules import extract
from tests.messages import START


def standing_in(text: str) -> list[str]:
    seen = extract(text, source_uid="u", stated_at=START, anchor="a")
    return [each.value for each in seen if each.key == "standing"]


@pytest.mark.parametrize(
    ("text", "order"),
    [
        (
            "From now on always confirm appointments by mail.",
            "always confirm appointments by mail",
        ),
        ("Please never quote a price without me", "never quote a price without me"),
        ("always ask for name, phone and address", "always ask for name, phone and address"),
        ("Hi! You should always call me first", "always call me first"),
        ("Ab jetzt bestätige Termine per Mail", "bestätige Termine per Mail"),
        ("Antworte immer per Mail", "Antworte immer per Mail"),
        ("De ahora en adelante, confirma por correo", "confirma por correo"),
        ("Всегда подтверждай по почте", "Всегда подтверждай по почте"),
    ],
)
def test_an_order_is_kept_to_the_end_of_its_sentence(text: str, order: str) -> None:
    assert standing_in(text) == [order]


@pytest.mark.parametrize(
    "text",
    [
        "From now on I live in Leeds",
        "from now on vegan",
        "From now on tea only for me",
        "Ab jetzt bin ich vegan",
        "I always confirm by mail",
        "Always a pleasure",
        "Never again!",
        "If they ask, always refer them to me",
        "When customers ask for prices, always refer them to me",
        'He wrote: "always confirm by mail"',
        "> always confirm by mail",
        "My boss told me: always confirm by mail",
        "Should you always confirm by mail?",
        "always reply in German",
        "confirm this one by mail",
    ],
)
def test_what_is_no_lasting_order_is_none(text: str) -> None:
    assert standing_in(text) == []
