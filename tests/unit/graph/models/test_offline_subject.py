"""Of whom a sentence tells, and whether it still holds, decides what it may answer."""

from __future__ import annotations

import pytest

from graph.models.offline.answers import Heard, answer, says_unknown
from memory.recall.block import AsksFor, EndedLine, FactLine, MemoryBlock, PassageLine

AT = "2026-05-01 10:00"
JOB = "I work as a nurse at Rikshospitalet."
QUIT = MemoryBlock(ended=(EndedLine("employer", "Rikshospitalet", "2026-05-03", JOB),))
NELE = "My sister Nele lives in Ghent."
LEO = (
    FactLine("sibling", "Leo", "My brother Leo lives in Dublin."),
    FactLine("Leo (brother): home", "Cork, as you told me on 3 May 2026", "Leo moved to Cork."),
)
OWN = PassageLine(
    AT, "Ana", "Nice! I still work at the library.", "Carla: Hello", "", by_asker=True
)
CARLAS = PassageLine(AT, "Carla", "I started my new job at Airbus. It rains.")


def said(text: str, memory: MemoryBlock, *earlier: str) -> str:
    heard = Heard(text, "", earlier, tuple(range(len(earlier))), is_first=False)
    return answer(heard, memory)


@pytest.mark.parametrize(
    ("question", "reply"),
    [
        ("Where do I work?", f"No longer so, since 3 May 2026: “{JOB}”"),
        ("Wo arbeite ich?", f"Seit 3. Mai 2026 nicht mehr so: „{JOB}“"),
        ("¿Dónde trabajo?", f"Ya no es así desde el 3 de mayo de 2026: «{JOB}»"),
        ("Onde eu trabalho?", f"Já não é assim desde 3 de maio de 2026: “{JOB}”"),
        ("Где я работаю?", f"Уже не так, дата конца — 3 мая 2026 г.: «{JOB}»"),
    ],
)
def test_what_has_ended_is_told_as_ended(question: str, reply: str) -> None:
    assert said(question, QUIT, "I quit last week.", JOB) == reply


def test_what_has_ended_leaves_other_questions_and_what_holds_alone() -> None:
    assert "Rikshospitalet" in said("What did I say about Rikshospitalet?", QUIT, JOB)
    now = MemoryBlock((FactLine("employer", "Strabag"),), ended=QUIT.ended)
    assert said("Where do I work?", now, JOB) == "You work at Strabag."
    pets = MemoryBlock(ended=(EndedLine("pet", "Rex", "", "We have a dog named Rex."),))
    assert said("Do I have a dog?", pets, "We have a dog named Rex.").startswith("No longer so: ")
    assert says_unknown(said("Do I have a cat?", pets))


def test_what_is_known_of_somebody_now_comes_before_what_was_said_once() -> None:
    told = "My brother Leo lives in Dublin."
    assert said("Where does Leo live?", MemoryBlock(LEO), told) == "You said: “Leo moved to Cork.”"


def test_what_is_known_of_a_relative_answers_who_asks_for_theirs() -> None:
    assert said("Where does my brother live?", MemoryBlock(LEO)) == "You said: “Leo moved to Cork.”"
    assert "Cork" not in said("Where do I live?", MemoryBlock(LEO))


def test_what_was_sold_is_no_possession() -> None:
    known = MemoryBlock((FactLine("possession", "a bike", "I have a bike."),))
    assert "bike" in said("Do I have a bike?", known)
    assert says_unknown(said("Who did I sell the bike to?", known))


def test_the_asker_is_not_answered_with_what_a_relative_does() -> None:
    known = MemoryBlock((FactLine("sibling", "Nele", NELE),))
    assert says_unknown(said("Where do I live?", known, NELE))
    assert "Ghent" in said("Where does my sister live?", known, NELE)
    both = "I live with my sister in Ghent."
    assert "Ghent" in said("Where do I live?", MemoryBlock(), both)


def test_somebody_named_is_answered_with_nobody_elses_words_of_themselves() -> None:
    assert says_unknown(said("Where does Carla work?", MemoryBlock(passages=(OWN,))))
    found = said("Where does Carla work?", MemoryBlock(passages=(OWN, CARLAS)))
    assert found == "On 1 May 2026 Carla wrote: “I started my new job at Airbus.”"


def test_a_claim_is_told_in_the_words_that_another_fact_has_of_it() -> None:
    memory = MemoryBlock(
        facts=(
            FactLine("spouse", "Tom", "My husband Tom is a baker"),
            FactLine("Tom (husband): occupation", "baker, as you told me on 1 March 2026"),
        )
    )
    told = answer(Heard("What does Tom do?", is_first=False), memory)
    assert told == "You said: “My husband Tom is a baker”"


@pytest.mark.parametrize(
    "question", ["How old am I?", "Wie alt bin ich?", "What is my job?", "Where do I live?"]
)
def test_what_tells_of_a_relative_alone_is_no_answer_about_the_asker(question: str) -> None:
    said = ("My kids are Maya (9) and Leo (6)", "My sister Carla moved to Rome for her job")
    memory = MemoryBlock(passages=tuple(PassageLine("2026-05-03", "me", text) for text in said))
    assert says_unknown(answer(Heard(question, is_first=False), memory))


def test_a_list_of_the_family_is_a_question_for_it() -> None:
    memory = MemoryBlock(facts=(FactLine("child", "Maya"), FactLine("sibling", "Carla")))
    told = answer(Heard("list my family", is_first=False), memory)
    assert told == "Your child is Maya. Your sibling is Carla."


def test_somebody_elses_children_are_not_the_askers() -> None:
    kids = PassageLine(AT, "you", "I have two kids, Ella and Noah", chance=0.7)
    assert says_unknown(said("Does Tom have kids?", MemoryBlock(passages=(kids,), certainty=0.7)))
    toms = PassageLine(AT, "you", "Tom has two kids", chance=0.7)
    memory = MemoryBlock(passages=(kids, toms), certainty=0.7)
    assert "Tom has two kids" in said("Does Tom have kids?", memory)


def test_a_mother_is_no_answer_for_a_grandmother() -> None:
    ruth = FactLine("parent", "Ruth", "My mother is called Ruth")
    memory = MemoryBlock((ruth,), asks_for=(AsksFor("parent", 0.9),))
    assert says_unknown(said("What's my grandmother called?", memory))
    assert "Ruth" in said("What's my mother called?", memory)
    nan = FactLine("parent", "Ada", "My nan is called Ada")
    told = MemoryBlock((nan,), asks_for=(AsksFor("parent", 0.9),))
    assert "Ada" in said("What's my grandmother called?", told)


def test_who_has_no_pet_is_told_of_no_other_things() -> None:
    lines = ("my brother Tom lives with his dog Biscuit", "I have two kids", "I have a red car")
    passages = tuple(PassageLine(AT, "you", line, chance=0.5) for line in lines)
    memory = MemoryBlock(passages=passages, asks_for=(AsksFor("pet", 0.9),), certainty=0.6)
    assert says_unknown(said("what pets do I have?", memory))
    cat = PassageLine(AT, "you", "my cat is asleep", chance=0.5)
    assert "cat" in said(
        "what pets do I have?",
        MemoryBlock(passages=(cat, *passages), asks_for=memory.asks_for, certainty=0.9),
    )


def test_what_a_relative_does_is_told_though_their_name_was_put_right() -> None:
    job = FactLine("Priyanka (wife): occupation", "lawyer, as you told me on 3 May 2026")
    right = FactLine("spouse", "Priyanka", "sorry, my wife's name is Priyanka, not Priya")
    memory = MemoryBlock((job, right), asks_for=())
    assert "lawyer" in said("what does my wife do?", memory)


def test_a_pet_is_found_by_the_noun_that_the_question_has() -> None:
    line = "how long does a goldfish live. asking for mine, Kevin"
    kevin = PassageLine(AT, "you", line, chance=0.6)
    memory = MemoryBlock(passages=(kevin,), asks_for=(AsksFor("pet", 0.9),), certainty=0.7)
    assert "Kevin" in said("What was my goldfish called?", memory)


def test_of_food_only_illnesses_are_told_that_bear_on_it() -> None:
    facts = (FactLine("medical", "coeliac"), FactLine("medical", "torn ligament"))
    reply = said("what can't I eat?", MemoryBlock(facts, asks_for=(AsksFor("diet", 0.9),)))
    assert "coeliac" in reply
    assert "ligament" not in reply
