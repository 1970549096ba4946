"""A polite order to keep something tells it; a question whether it is known asks."""

from __future__ import annotations

import pytest

from memory.domain.readings import Heard
from memory.facts.learning import Learner
from memory.facts.reading.orders import said_outright
from tests.messages import message

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("order", "said"),
    [
        ("Can you remember that I'm allergic to nuts?", "I'm allergic to nuts."),
        (
            "could you please note: my birthday is on 3 May? thanks",
            "my birthday is on 3 May. thanks",
        ),
        ("can you call me May from now on?", "call me May from now on."),
        ("Kannst du dir merken, dass ich Vegetarierin bin?", "ich Vegetarierin bin."),
        ("¿Puedes anotar que soy alérgica al kiwi?", "soy alérgica al kiwi."),
        ("Podes anotar que tenho 40 anos?", "tenho 40 anos."),
        ("Можешь запомнить, что у меня аллергия на орехи?", "у меня аллергия на орехи."),
    ],
)
def test_an_order_to_keep_is_said_outright_in_its_place(order: str, said: str) -> None:
    outright = said_outright(order)
    assert len(outright) == len(order)
    assert outright.strip() == said


@pytest.mark.parametrize(
    "question",
    [
        "Can you remember what I said?",
        "Can you remember my birthday?",
        "Could you remember that place?",
        "Remember that time I lived in Bonn?",
        "Call me a cab",
        "Can you tell me that I am right?",
    ],
)
def test_a_question_stays_one(question: str) -> None:
    assert said_outright(question) == question


async def test_an_allergy_that_is_to_be_remembered_becomes_a_fact() -> None:
    text = "Can you remember that I'm allergic to nuts?"
    (reading,) = await Learner().read([Heard(message(text))])
    (fact,) = reading.observations
    assert (fact.key, fact.value) == ("allergy", "nuts")
    assert fact.span == (text.index("nuts"), text.index("?"))
