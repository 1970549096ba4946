"""What an answer used of what it was shown, as an estimate by words: forty replies, labelled."""

from __future__ import annotations

from typing import Final, NamedTuple

from memory.domain.recalls import UsedKind
from memory.recall.use import used_lines


class Case(NamedTuple):
    """A reply to a question beside lines, of which it used those with these numbers."""

    question: str
    reply: str
    used: frozenset[int]
    lines: tuple[tuple[UsedKind, str], ...]


_HOME: Final[tuple[tuple[UsedKind, str], ...]] = (
    ("fact", "Leeds"),
    ("fact", "nuts"),
    ("fact", "Rex"),
    ("fact", "nurse at Acme"),
    ("message", "My sister Clara moves to Porto in June, she found a flat near the river."),
    ("message", "We had a great dinner on Friday, the risotto was wonderful."),
    ("message", "The plumber comes on Tuesday at nine to look at the boiler."),
    ("window", "I'm back from the gym, what a day!"),
)
_MORE: Final[tuple[tuple[UsedKind, str], ...]] = (
    ("fact", "Lisboa"),
    ("fact", "12 May"),
    ("fact", "vegan"),
    ("message", "Ich habe den Vertrag mit der Bank gestern unterschrieben."),
    ("message", "The train to Hamburg leaves at 7:42 from platform 9."),
    ("message", "A reunião com o Paulo ficou para quinta-feira às dez."),
    ("window", "Could you keep the answers short from now on?"),
    ("so_far", "2026-10-02: Ana planned the trip to Madeira with Paulo and booked the hotel."),
)
CASES: Final = tuple(
    Case(question, reply, frozenset(used), lines)
    for lines, rows in (
        (
            _HOME,
            (
                ("Thanks!", "You are welcome.", []),
                ("Where do I live?", "You live in Leeds.", [0]),
                ("What must I not eat?", "Nuts: you are allergic to them.", [1]),
                ("What is my dog called?", "Your dog is Rex.", [2]),
                ("What do I do?", "You work as a nurse at Acme.", [3]),
                ("When does Clara move?", "She moves to Porto in June.", [4]),
                ("Where did Clara find a flat?", "Near the river, in Porto.", [4]),
                ("What did we eat on Friday?", "You had risotto, and it was wonderful.", [5]),
                ("When does the plumber come?", "On Tuesday at nine.", [6]),
                ("What is broken?", "Your boiler; a plumber will look at it on Tuesday.", [6]),
                ("Tell me a joke.", "Why did the chicken cross the road? To reach you.", []),
                ("What is the capital of France?", "Paris.", []),
                ("How are you?", "Fine, and how was the gym today?", [7]),
                ("What shall I cook?", "Maybe a curry without nuts, Rex gets the rest.", [1, 2]),
                ("What is my phone number?", "I don't know that yet.", []),
                ("Any tips?", "How about a walk by the river and a great dinner?", []),
                ("And on Tuesday?", "You could meet a friend or go to the cinema on Tuesday.", []),
                ("Which book?", "Try a long novel; the flat ones are no fun.", []),
                ("My evening?", "Call Clara before she moves, then rest with Rex.", [2, 4]),
                ("Will it hurt?", "No. A nurse will look at it, you will be fine.", []),
            ),
        ),
        (
            _MORE,
            (
                ("Obrigada!", "De nada.", []),
                ("Onde moro?", "Você mora em Lisboa.", [0]),
                ("When is my birthday?", "It is on 12 May.", [1]),
                ("What could I eat?", "As you are vegan, try the lentil stew.", [2]),
                ("Wann habe ich unterschrieben?", "Gestern, den Vertrag mit der Bank.", [3]),
                ("When does my train leave?", "At 7:42, from platform 9.", [4]),
                ("Which platform?", "9", [4]),
                ("Quando é a reunião?", "Quinta-feira às dez, com o Paulo.", [5]),
                ("Can you write shorter?", "Sure, I keep my answers short.", [6]),
                ("What did I plan?", "A trip to Madeira with Paulo, the hotel is booked.", [7]),
                ("Is it cold there?", "I cannot see the weather.", []),
                ("Guten Morgen!", "Guten Morgen! Was steht heute an?", []),
                ("Is my contract signed?", "Yes, since yesterday, at the bank.", [3]),
                ("What is two and two?", "Four.", []),
                (
                    "And my trip?",
                    "Take the train at 7:42 to Hamburg; the hotel in Madeira is booked already.",
                    [4, 7],
                ),
                ("A bank?", "A bank keeps your money and pays interest on it.", []),
                ("Which hotel?", "Any hotel near the old town will do, book it early.", []),
                ("Wie ist das Wetter?", "Gestern war es schön, heute regnet es.", []),
                ("A plan?", "Keep it simple: short answers, one question at a time.", [6]),
                ("Where do I live, and what do I eat?", "Lisboa; vegan food.", [0, 2]),
            ),
        ),
    )
    for question, reply, used in rows
)


def _used(case: Case) -> set[int]:
    shown = [(kind, str(number), text) for number, (kind, text) in enumerate(case.lines)]
    return {int(u.item_id) for u in used_lines(case.reply, case.question, shown)}


def test_most_of_what_was_used_is_found_and_little_else() -> None:
    found = [(_used(case), case.used) for case in CASES]
    hits = sum(len(told & right) for told, right in found)
    precision = hits / sum(len(told) for told, _ in found)
    recall = hits / sum(len(right) for _, right in found)
    assert precision >= 0.9, precision
    assert recall >= 0.9, recall


def test_thanks_use_nothing_and_another_wording_is_missed() -> None:
    by_question = {case.question: _used(case) for case in CASES}
    assert by_question["Thanks!"] == set()
    assert by_question["Where do I live?"] == {0}
    assert by_question["Is my contract signed?"] == set()
