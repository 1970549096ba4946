"""Which facts a prompt shows, and which of them first (L4). Pure.

What could harm, and what the owner pinned, is never left out for anything else. Then come the core
of a person and what fits the question, then what the question asks for in general, then the newest
of the rest. Facts of low importance, such as tastes, are shown only where they fit: by the words of
their key and value, or by the closeness of their vectors.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from memory.domain.facts import Fact
from memory.facts.predicates import MAY_HARM
from memory.recall.questions import asks_everything, is_first_person, only_asks
from memory.text.words import content_stems, normalise, stem

# Source: SPEC L4.
MIN_IMPORTANCE: Final = 0.5
CORE_IMPORTANCE: Final = 0.8
"""From here on a fact is of a person's core: names, home, family, work, how to answer."""
CORE_OF_A_KEY: Final = 5
"""So many values of one key belong to the core, the newest ones."""
MIN_SIMILARITY: Final = 0.3
"""From this cosine to the question on a fact fits it.

Source: our measurement, nine questions and eight tastes: what fits had 0.34 and more, the rest 0.27
and less.
"""
WORDS: Final = "words"
DENSE: Final = "dense"
"""Score parts of a fact: how far the question names it, and its cosine to the question."""
PINNED: Final = "pinned"
"""Score part of a fact that the owner pinned: it is shown whatever is asked."""

ASKED_FOR: Final = 0.4
"""How far a question names the facts of a key that it asks for; the words of a value count more."""

_ASKS: Final = re.compile(r"[?？؟]|\b(?:tell|remind|list|show|name|recall|remember)\b")
# Words that ask for facts of a key, in the first person: "what do I like", "do I have a bike".
_LIKES: Final = """like love enjoy prefer preference hobby interest taste fan into mag gerne gusta
    gustan aime gosto люблю нравится"""
_ASKED_BY: Final[dict[str, str]] = {
    "like": _LIKES,
    "dislike": f"dislike hate hasse odio déteste detesto ненавижу {_LIKES}",
    "favorite": "favorite favourite fave fav best most lieblings favorito favorita préféré préférée"
    f" preferido любимый любимая любимое {_LIKES}",
    "preference": f"rather {_LIKES}",
    "possession": "possession own have got drive ride car bike bicycle boat house motorbike"
    " motorcycle guitar piano besitze habe tengo possède tenho",
    "friend": "friend buddy mate freund freundin amigo amiga ami amie друг подруга",
    "pet": "pet animal dog puppy cat kitten rabbit hamster parrot bird horse fish tortoise hund"
    " katze perro gato chien chat",
    "child": "child kid son daughter baby family kinder hijo hija enfant filho filha",
    "sibling": "sibling brother sister family bruder schwester hermano hermana frère soeur",
    "parent": "parent mother father mom mum dad family mutter vater madre padre mère père",
}
# What asks for an idea asks for tastes, whoever it speaks of: "recommend a film".
_IDEAS: Final = frozenset(
    stem(word)
    for word in """recommend recommendation suggest suggestion idea gift present weekend dinner
        lunch restaurant cook recipe movie film book music game trip holiday""".split()
)
_TASTES: Final = frozenset({"like", "dislike", "favorite", "preference"})


class Shown(NamedTuple):
    """The numbers of facts in the order in which a prompt shows them.

    The first `always` are never left out, the first `core` are of the core, too, the first `wanted`
    that or fit the question; the others fill what room there is for facts. `asked`: those that fit
    the question or are of a key that it asks for, wherever they stand.
    """

    order: tuple[int, ...]
    always: int
    core: int
    wanted: int
    asked: frozenset[int]


def naming(question: str) -> Callable[[Fact], float]:
    """Return what tells how far a question names a fact, in 0..1; 0 where it does not at all.

    Who asks nothing at all wants to know whatever is known.
    """
    if not question.strip() or asks_everything(question):
        return lambda _: ASKED_FOR
    stems = content_stems(question)
    asked = _asked_keys(question, stems)

    def named(fact: Fact) -> float:
        key, _, noun = fact.key.partition(":")
        shared = max(_shared(stems, fact.value), _shared(stems, noun))
        return ASKED_FOR * (key in asked) + (1 - ASKED_FOR) * shared

    return named


def is_always(fact: Fact) -> bool:
    """Tell whether a fact is shown whatever is asked: it could harm, or the owner pinned it."""
    return fact.key in MAY_HARM or fact.mark == "pinned"


def fits(parts: Mapping[str, float]) -> bool:
    """Tell by its score parts whether a fact fits the question."""
    return parts.get(WORDS, 0.0) > 0 or parts.get(DENSE, 0.0) >= MIN_SIMILARITY


def in_order(facts: Sequence[Fact], parts: Sequence[Mapping[str, float]]) -> Shown:
    """Return in which order facts are shown, each with its score parts."""
    numbers = range(len(facts))
    newest = sorted(numbers, key=lambda n: facts[n].valid_from, reverse=True)
    always = [n for n in newest if is_always(facts[n])]
    scores = [max(each.get(WORDS, 0.0), each.get(DENSE, 0.0)) for each in parts]
    near = [each.get(DENSE, 0.0) >= MIN_SIMILARITY for each in parts]
    asked = frozenset(n for n in numbers if scores[n] >= ASKED_FOR or near[n])
    of_key: Counter[str] = Counter()
    core, fitting, rest = [], [], []
    for number in newest:
        fact = facts[number]
        if is_always(fact):
            continue
        of_key[fact.key] += fact.importance >= CORE_IMPORTANCE
        if fact.importance >= CORE_IMPORTANCE and of_key[fact.key] <= CORE_OF_A_KEY:
            core.append(number)
        elif scores[number] > ASKED_FOR or near[number]:
            fitting.append(number)
        else:
            rest.append(number)
    # Stable sorts: of equals the newest stays first.
    always.sort(key=lambda n: (facts[n].key not in MAY_HARM, -facts[n].importance))
    core.sort(key=lambda n: -facts[n].importance)
    fitting.sort(key=lambda n: -scores[n])
    rest.sort(key=lambda n: (-scores[n], -facts[n].importance))
    of_core = len(always) + len(core)
    order = (*always, *core, *fitting, *rest)
    return Shown(order, len(always), of_core, of_core + len(fitting), asked)


def _asked_keys(question: str, stems: frozenset[str]) -> frozenset[str]:
    if not (_ASKS.search(question.casefold()) or only_asks(question)):
        return frozenset()
    tastes = _TASTES if stems & _IDEAS else frozenset()
    words = normalise(question).split()
    if not (is_first_person(question) or "me" in words):
        return tastes
    # Stop words, too: "like" and "have" ask for something here.
    spoken = {*stems, *map(stem, words)}
    return tastes | {key for key, asking in _asked_by().items() if asking & spoken}


def _shared(stems: frozenset[str], text: str) -> float:
    """Return the share of a text's words that are among the stems."""
    words = _stems_of(text)
    return len(words & stems) / len(words) if words else 0.0


@lru_cache(maxsize=8192)
def _stems_of(text: str) -> frozenset[str]:
    return content_stems(text)


@lru_cache(maxsize=1)
def _asked_by() -> dict[str, frozenset[str]]:
    return {key: frozenset(map(stem, words.split())) for key, words in _ASKED_BY.items()}
