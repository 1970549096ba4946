"""Relations and corrections in the words of other languages than the question's cues. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from memory.facts.meant import names_kind
from memory.facts.reading.mending import may_correct
from memory.recall.block import FactLine
from memory.recall.questions import is_first_person
from memory.text.words import normalise, stem

_SAID: Final = {
    "brother": "bruder brüder hermano hermanos irmão irmãos брат брата",
    "sister": "schwester schwestern hermana hermanas irmã irmãs сестра сестру сестры",
    "son": "sohn söhne hijo filho сын сына",
    "daughter": "tochter töchter hija filha дочь дочку",
    "mother": "mutter mama madre mãe мать мама маму",
    "father": "vater papa padre pai отец папа отца",
    "dog": "hund hündin perro perra cachorro cão собака собаку пёс пес",
    "cat": "katze kater gato gata кот кошка кошку",
    "horse": "pferd caballo cavalo лошадь конь",
}
_STEMS: Final = {word: stem(name) for name, said in _SAID.items() for word in said.split()}


def relations_in(text: str) -> frozenset[str]:
    """Return the stems of the English nouns for whom or what a text of another language names."""
    return frozenset(_STEMS[word] for word in normalise(text).split() if word in _STEMS)


def corrected(question: str, facts: Sequence[FactLine]) -> list[FactLine]:
    """Return the facts of a kind that somebody asks for of themself, where one was put right.

    What was said before is in the window as well, and answers the question better by its words.
    """
    if not is_first_person(question):
        return []
    of_kind = [fact for fact in facts if names_kind(fact.key, question)]
    asked = relations_in(question)
    named = [fact for fact in of_kind if asked & relations_in(fact.said)] or of_kind
    return named if any(fact.said and may_correct(fact.said) for fact in named) else []
