"""What rules and reader come to together."""

from __future__ import annotations

import pytest

from memory.domain.facts import Observation
from memory.domain.readings import Reading, Span, Status
from memory.facts.claims import EXPLICIT_CONFIDENCE
from memory.facts.predicates import predicate
from memory.facts.reading.deciding import LIKELY, POSSIBLE, SURE, decide
from memory.facts.slots import ANY_VALUE
from tests.messages import START, message

THRESHOLD = 0.7


def span(text: str, value: str, key: str, status: Status = "stated", sure: float = 0.9) -> Span:
    start = text.index(value)
    return Span(start, start + len(value), key, status, sure)


def ruled(key: str, value: str, confidence: float = 0.95, *, retracts: bool = False) -> Observation:
    known = predicate(key)
    assert known is not None
    rest = (message("").uid, START, "contact:ana")
    return Observation(known.category, key, value, confidence, known.importance, *rest, retracts)


def decided(text: str, spans: list[Span], *rules: Observation) -> Reading:
    return decide(message(text), rules, spans, THRESHOLD)


def told(reading: Reading) -> list[tuple[str, str, float, bool]]:
    return [(o.key, o.value, o.confidence, o.retracts) for o in reading.observations]


def test_both_agreeing_is_explicit_and_the_reader_alone_a_guess() -> None:
    text = "I live in Porto and work nights as a baker"
    home, job = span(text, "Porto", "home"), span(text, "baker", "occupation", sure=0.75)
    reading = decided(text, [home, job], ruled("home", "Porto"))
    assert told(reading) == [
        ("home", "Porto", 0.95, False),
        ("occupation", "baker", LIKELY, False),
    ]
    assert told(decided(text, [home])) == [("home", "Porto", SURE, False)]


def test_what_the_reader_is_not_sure_of_is_a_doubt_and_no_fact() -> None:
    text = "Porto, maybe"
    reading = decided(text, [span(text, "Porto", "home", sure=0.5)])
    assert reading.observations == ()
    (doubt,) = reading.doubts
    assert (doubt.key, doubt.value, doubt.start, doubt.end) == ("home", "Porto", 0, 5)
    assert decided(text, [span(text, "Porto", "home", sure=0.1)]).doubts == ()


def test_a_certain_reader_says_it_outright() -> None:
    text = "it's Porto with an o"
    (seen,) = decided(text, [span(text, "Porto", "home", sure=0.96)]).observations
    assert seen.confidence == EXPLICIT_CONFIDENCE


def test_an_end_is_believed_from_even_odds() -> None:
    text = "sad news, Pixel died"
    ended = [span(text, "Pixel", "pet", "ended", sure=0.5)]
    assert told(decided(text, ended)) == [("pet", "Pixel", POSSIBLE, True)]
    assert told(decided(text, [span(text, "Pixel", "pet", "ended", sure=0.4)])) == []


def test_what_may_harm_is_believed_earlier_but_not_that_it_ended() -> None:
    text = "nuts and me, not again"
    reading = decided(text, [span(text, "nuts", "allergy", sure=0.65)])
    assert told(reading) == [("allergy", "nuts", POSSIBLE, False)]
    assert told(decided(text, [span(text, "nuts", "allergy", "ended", sure=0.65)])) == []


@pytest.mark.parametrize("status", ["nobody", "other"])
def test_a_rule_that_the_reader_contradicts_tells_nothing(status: Status) -> None:
    text = "my brother says: I am a baker"
    reading = decided(
        text, [span(text, "baker", "occupation", status)], ruled("occupation", "baker")
    )
    assert reading.observations == ()


def test_a_rule_stands_alone_where_the_reader_marked_nothing() -> None:
    assert told(decided("ring me: 020 7946 0000", [], ruled("phone", "020 7946 0000"))) == [
        ("phone", "020 7946 0000", 0.95, False)
    ]


def test_an_end_closes_and_comes_before_what_takes_its_place() -> None:
    text = "left Leeds, now in York"
    spans = [span(text, "Leeds", "home", "ended"), span(text, "York", "home")]
    assert told(decided(text, spans)) == [
        ("home", "Leeds", SURE, True),
        ("home", "York", SURE, False),
    ]


def test_an_end_of_whatever_there_was_is_kept_beside_the_value() -> None:
    text = "I quit my job at Acme"
    rule = ruled("employer", ANY_VALUE, retracts=True)
    reading = decided(text, [span(text, "Acme", "employer", "ended")], rule)
    assert {(o.value, o.retracts) for o in reading.observations} == {
        ("Acme", True),
        (ANY_VALUE, True),
    }


def test_a_favourite_is_named_by_its_noun_and_is_none_without() -> None:
    text = "my favourite Colour is navy blue"
    value, noun = span(text, "navy blue", "favorite"), span(text, "Colour", "favorite.noun")
    assert told(decided(text, [noun, value])) == [("favorite:colour", "navy blue", SURE, False)]
    assert decided(text, [value]).observations == ()


def test_what_is_somebody_elses_is_the_senders_claim() -> None:
    text = "my wife Priya works at Acme"
    spans = [span(text, "Priya", "spouse"), span(text, "Acme", "employer", "other")]
    reading = decided(text, spans)
    assert told(reading) == [("spouse", "Priya", SURE, False)]
    (claim,) = reading.claims
    assert (claim.holder, claim.key, claim.value) == ("Priya", "employer", "Acme")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("age", "300"),
        ("email", "ana at example"),
        ("phone", "12345"),
        ("name", "/forget everything"),
        ("name", "R2D2"),
        ("home", "..."),
        ("like", "x" * 10_000),
    ],
)
def test_what_cannot_be_a_value_is_none(key: str, value: str) -> None:
    assert decided(value, [span(value, value, key)]).observations == ()


@pytest.mark.parametrize(
    ("key", "marked", "kept"),
    [
        ("pet", "a beagle", "beagle"),
        ("home", "Porto.", "Porto"),
        ("employer", "The Crown", "The Crown"),
        ("child", "meine Tochter", "Tochter"),
        ("age", "34", "34"),
    ],
)
def test_a_value_goes_without_what_belongs_to_the_sentence(
    key: str, marked: str, kept: str
) -> None:
    assert [o.value for o in decided(marked, [span(marked, marked, key)]).observations] == [kept]


def test_who_is_named_is_not_counted_as_well() -> None:
    text = "we have two cats, Miso and Pixel"
    counted, *named = (span(text, value, "pet") for value in ("two cats", "Miso", "Pixel"))
    assert [o.value for o in decided(text, [counted, *named]).observations] == ["Miso", "Pixel"]
    assert [o.value for o in decided(text, [counted]).observations] == ["two cats"]


def test_a_standing_instruction_is_never_guessed() -> None:
    text = "he wrote: always answer in verse"
    assert decided(text, [span(text, "answer in verse", "standing")]) == Reading()
    rule = ruled("standing", "answer in verse")
    assert [o.key for o in decided(text, [], rule).observations] == ["standing"]


@pytest.mark.parametrize(
    ("text", "first", "later"),
    [
        ("I live in Leeds. No wait, it's York.", "Leeds", "York"),
        ("I live in Leeds, no, York.", "Leeds", "York"),
        ("Ich wohne in Köln. Nein, in Bonn.", "Köln", "Bonn"),
        ("Vivo en Sevilla. Perdón, en Cádiz.", "Sevilla", "Cádiz"),
        ("Moro em Lisboa. Não, espera, em Braga.", "Lisboa", "Braga"),
        ("Я живу в Туле. Нет, в Рязани.", "Туле", "Рязани"),
    ],
)
def test_what_a_message_takes_back_itself_gives_way_to_what_it_puts_there(
    text: str, first: str, later: str
) -> None:
    spans = [span(text, first, "home"), span(text, later, "home", sure=0.4)]
    found = told(decided(text, spans, ruled("home", first)))
    assert found == [("home", later, EXPLICIT_CONFIDENCE, False)]


@pytest.mark.parametrize(
    "text",
    [
        "Vivo en Sevilla, no en Cádiz.",
        "I live in Sevilla, not Cádiz.",
        "I live in Sevilla. No kids. Cádiz is lovely.",
        "I live in Sevilla. Sorry that I could not come to see you when I was in Cádiz.",
    ],
)
def test_without_a_correction_between_them_the_first_value_stays(text: str) -> None:
    spans = [span(text, "Sevilla", "home"), span(text, "Cádiz", "home", sure=0.4)]
    found = told(decided(text, spans, ruled("home", "Sevilla")))
    assert found == [("home", "Sevilla", 0.95, False)]


def test_of_what_accumulates_a_correction_takes_nothing_back() -> None:
    text = "I like tea. No wait, coffee."
    found = told(decided(text, [span(text, "tea", "like"), span(text, "coffee", "like")]))
    assert [value for _, value, _, _ in found] == ["tea", "coffee"]


def test_the_speakers_own_allergy_is_not_somebody_elses() -> None:
    text = "Sono allergico alla penicillina"
    other = span(text, "penicillina", "allergy", "other", 0.92)
    rule = ruled("allergy", "penicillina")
    assert told(decided(text, [other], rule)) == [("allergy", "penicillina", 0.95, False)]


@pytest.mark.parametrize(
    ("text", "value", "is_budget"),
    [
        ("My rent is 950 a month", "950 a month", False),
        ("Meine Miete beträgt 950 im Monat", "950", False),
        ("my salary is 3000", "3000", False),
        ("Our max rent is 950", "950", True),
        ("Rent ceiling is 950", "950", True),
        ("I can spend 950 a month", "950 a month", True),
        ("Monthly rent I can pay: 650", "650", True),
        ("I paid 1,899 € for the bike", "1,899 €", False),
        ("it cost me almost 1,899 €", "1,899 €", False),
        ("Ich habe dafür 1899 € bezahlt", "1899 €", False),
        ("me costó 1.899 €", "1.899 €", False),
        ("paguei 1.899 €", "1.899 €", False),
        ("стоил мне 1899 евро", "1899 евро", False),
        ("I want to pay 1,899 €", "1,899 €", True),
    ],
)
def test_what_something_costs_is_no_budget(text: str, value: str, is_budget: bool) -> None:
    assert bool(decided(text, [span(text, value, "budget")]).observations) is is_budget


@pytest.mark.parametrize(
    ("asked", "is_budget"),
    [
        ("How much?", False),
        ("Wie viel war es denn?", False),
        ("¿Cuánto te costó?", False),
        ("Quanto foi?", False),
        ("Сколько стоил?", False),
        ("How much can you spend?", True),
        ("Wie viel willst du ausgeben?", True),
        ("¿Cuánto quieres gastar?", True),
        ("What is your budget?", True),
        ("", True),
    ],
)
def test_a_bare_price_is_no_budget_where_it_was_asked_what_something_cost(
    asked: str, is_budget: bool
) -> None:
    text = "1,899 €. Don't tell my wife"
    found = decide(message(text), (), [span(text, "1,899 €", "budget")], 0.5, asked)
    assert bool(found.observations) is is_budget


def test_what_stands_in_a_question_ends_nothing() -> None:
    asked = "What did I do before I was a nurse? Just wondering."
    assert told(decided(asked, [span(asked, "nurse", "occupation", "ended")])) == []
    said = "I was a nurse. Can you believe it?"
    assert told(decided(said, [span(said, "nurse", "occupation", "ended")]))[0][3]
