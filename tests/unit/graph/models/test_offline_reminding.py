"""Orders to remind are answered honestly, and asked for later, in five languages."""

from __future__ import annotations

import pytest

from graph.models.offline.answers import Heard, answer_with_sources, says_unknown
from graph.models.offline.candidates import Source
from graph.models.offline.frames import FRAMES
from memory.recall.block import FactLine, MemoryBlock

DENTIST = "Remind me to call the dentist on Friday"
OPEN = MemoryBlock(open=(f"request of 2026-05-03, Ana, due 2026-05-08: {DENTIST}",))


def said(text: str, memory: MemoryBlock = OPEN, *earlier: str, is_kept: bool = True) -> str:
    heard = Heard(text, "", earlier, tuple(range(len(earlier))), is_first=False, is_kept=is_kept)
    return answer_with_sources(heard, memory).text


@pytest.mark.parametrize(
    ("order", "language"),
    [
        ("Remind me to buy milk tomorrow", "en"),
        ("Can you remind me about the gym at six?", "en"),
        ("Erinnere mich daran, Milch zu kaufen", "de"),
        ("Recuérdame comprar leche mañana", "es"),
        ("Me lembre de ligar para o dentista", "pt"),
        ("Напомни мне купить молоко завтра", "ru"),
    ],
)
def test_an_order_to_remind_is_noted_and_nobody_will_be_called(order: str, language: str) -> None:
    assert said(order) == FRAMES[language].reminder


def test_what_is_to_be_told_at_once_is_a_question() -> None:
    known = MemoryBlock((FactLine("name", "Ana"), FactLine("home", "Leeds")))
    assert said("Remind me what my name is", known) == "Your name is Ana."
    assert said("Remind me where I live.", known) == "You live in Leeds."
    assert says_unknown(said("Remind me about the landlord", known))
    both = said("Remind me to water the plants. Where do I live?", known)
    assert both == f"{FRAMES['en'].reminder}\nYou live in Leeds."


@pytest.mark.parametrize(
    "question",
    [
        "Напомни, на что у меня аллергия?",
        "Erinner mich bitte, wogegen ich allergisch bin?",
        "¿Puedes recordarme a qué soy alérgica?",
        "Me lembra a que eu sou alérgica?",
        "Remind me what I am allergic to",
    ],
)
def test_what_is_known_is_told_to_whoever_is_to_be_reminded_of_it(question: str) -> None:
    assert "kiwi" in said(question, MemoryBlock((FactLine("allergy", "kiwi"),)))


@pytest.mark.parametrize(
    ("question", "begin"),
    [
        ("What did I want you to remind me of?", "Still open: "),
        ("What is still open?", "Still open: "),
        ("Woran solltest du mich erinnern?", "Noch offen: "),
        ("¿Qué te pedí que me recordaras?", "Queda pendiente: "),
        ("O que pedi para me lembrar?", "Ficou pendente: "),
        ("О чём я просил напомнить?", "Ещё не сделано: "),
    ],
)
def test_what_is_open_is_told_where_it_is_asked_for(question: str, begin: str) -> None:
    reply = said(question, OPEN, "Remind me to buy milk tomorrow")
    assert reply.startswith(begin)
    assert "dentist" in reply
    assert "milk" in reply


@pytest.mark.parametrize(
    ("question", "nothing"),
    [
        ("What should I not forget?", "Nothing is open that I know of."),
        ("anything I still need to do?", "Nothing is open that I know of."),
        ("Was darf ich nicht vergessen?", "Offen ist nichts, von dem ich weiß."),
        ("Was steht noch an?", "Offen ist nichts, von dem ich weiß."),
        ("¿Qué me queda por hacer?", "Que yo sepa, no queda nada pendiente."),
        ("¿Qué no debo olvidar?", "Que yo sepa, no queda nada pendiente."),
        ("O que ainda falta fazer?", "Que eu saiba, nada ficou pendente."),
        ("O que não posso esquecer?", "Que eu saiba, nada ficou pendente."),
        ("Что мне ещё надо сделать?", "Насколько я знаю, всё сделано."),
        ("Что я не должна забыть?", "Насколько я знаю, всё сделано."),
    ],
)
def test_where_nothing_is_open_that_is_said(question: str, nothing: str) -> None:
    assert said(question, MemoryBlock()) == nothing
    assert "dentist" in said(question, OPEN)


def test_of_a_day_or_a_thing_only_what_is_of_it_is_told() -> None:
    told = f"Still open: “{DENTIST}” (8 May 2026)."
    milk = "Remind me to buy milk tomorrow"
    assert said("What did I want to do on Friday?", OPEN, milk) == told
    assert said("What did I have to buy?", OPEN, milk) == f"Still open: “{milk}”."
    assert says_unknown(said("What did I want to do on Sunday?", OPEN))
    heard = Heard("What did I have to buy?", "", (milk,), (4,), is_first=False)
    assert answer_with_sources(heard, OPEN).used == {Source("window", 4)}


def test_what_is_open_answers_what_asks_for_just_that_where_nothing_else_does() -> None:
    for question in ("When do I have to call the dentist?", "Whom do I need to call, the dentist?"):
        assert DENTIST in said(question)
        assert "8 May 2026" in said(question)
        assert DENTIST in said(question, MemoryBlock(), DENTIST)
    assert says_unknown(said("When do I have to call my brother?"))
    assert says_unknown(said("What is my number?"))


def test_what_a_rule_keeps_out_is_not_noted() -> None:
    assert said("My password is hunter2", is_kept=False) == FRAMES["en"].not_kept
    assert said("Meine PIN: 1234", is_kept=False) == FRAMES["de"].not_kept
    assert said("My name is Ana and my password is hunter2", is_kept=False) == (
        FRAMES["en"].not_kept
    )


@pytest.mark.parametrize(
    "order",
    [
        "Can you remember that the dentist is on 4 December at 10?",
        "can you call me May from now on?",
        "Could you please note that my flight leaves at six?",
        "Kannst du dir merken, dass ich am Montag frei habe?",
        "¿Puedes anotar que el viernes no trabajo?",
        "Podes anotar que na sexta não trabalho?",
        "Можешь запомнить, что в пятницу я не работаю?",
    ],
)
def test_a_polite_order_to_keep_something_is_no_question(order: str) -> None:
    frames = {frames.acknowledged for frames in FRAMES.values()}
    assert said(order, MemoryBlock()) in frames


def test_to_ask_whether_something_is_remembered_is_a_question() -> None:
    for question in ("Can you remember that place?", "Do you remember that my dog is old?"):
        assert says_unknown(said(question, MemoryBlock())), question


LOOPS = MemoryBlock(
    now="Sunday 2026-05-03 10:00",
    open=(
        f"request of 2026-05-03, Ana, due 2026-05-08: {DENTIST}",
        "promise of 2026-05-03, Ana, due 2026-05-04: I'll send Marta the slides",
        "promise of 2026-05-01, Ana: I'll return your drill",
    ),
)


@pytest.mark.parametrize(
    ("question", "told", "untold"),
    [
        ("Is anything still open?", ("dentist", "slides", "drill"), ()),
        ("What is due tomorrow?", ("slides",), ("dentist", "drill")),
        ("What is due next week?", ("dentist", "slides"), ("drill",)),
        ("Do I have anything planned on Friday?", ("dentist",), ("slides",)),
        ("What's coming up?", ("dentist", "slides", "drill"), ()),
        ("is there anything I asked you to remind me of?", ("dentist",), ()),
        ("what did I say I had to send?", ("slides",), ("dentist", "drill")),
        ("Was steht am Freitag an?", ("dentist",), ("slides",)),
        ("What do I still have to do for Marta?", ("slides",), ("dentist", "drill")),
        ("What do I still have to do for Marta tomorrow?", ("slides",), ("dentist",)),
    ],
)
def test_what_is_due_in_a_named_time_is_told_alone(
    question: str, told: tuple[str, ...], untold: tuple[str, ...]
) -> None:
    reply = said(question, LOOPS)
    assert all(word in reply for word in told), reply
    assert not any(word in reply for word in untold), reply


def test_what_was_said_a_moment_ago_is_open_where_it_is_asked_for() -> None:
    lines = ("nice weather", "I'll send the mockups to Ingrid by Thursday")
    reply = said("what did I say I had to send?", MemoryBlock(), *lines)
    assert "mockups" in reply
    assert said("what is still open?", MemoryBlock(), *lines) == FRAMES["en"].nothing_open


def test_in_a_group_nobody_elses_promise_is_the_askers() -> None:
    heard = Heard("What do I have to do?", "Ben", is_first=False)
    lines = (
        "promise of 2026-05-03, Carla: I'll pay the deposit",
        "promise of 2026-05-03, Ben, due 2026-05-04: I'll bring the cake",
    )
    reply = answer_with_sources(heard, MemoryBlock(open=lines)).text
    assert "cake" in reply
    assert "deposit" not in reply
    assert "deposit" in said("What is still open?", MemoryBlock(open=lines))
