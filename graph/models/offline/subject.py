"""Of whom a sentence tells, and whether it still holds: what may answer which question. Pure.

"Where do I live?" is answered by no sentence about a sister, "Where does Carla work?" by none about
whoever else is writing, and neither by what has ended.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Final

from graph.models.offline.candidates import Candidate
from graph.models.offline.choosing import Chosen
from graph.models.offline.cues import nouns_of, plain_stem, relatives_named
from graph.models.offline.kinds import names_in
from graph.models.offline.relations import relations_in
from graph.models.offline.words import statements
from memory.facts.entities.answering import asks_all_of_somebody, kin_asked, kinds_asked
from memory.facts.reading.holders import PEOPLE_KEYS, relation_of
from memory.recall.aliases import by_name
from memory.recall.block import EndedLine, FactLine
from memory.recall.questions import is_first_person
from memory.text.words import content_stems, normalise

BEING_KEYS: Final = PEOPLE_KEYS | {"pet"}
_WORD: Final = re.compile(r"[^\W\d_]+")
# Who speaks of themself as the one who does, is or has something; "my sister" is somebody else.
_SPEAKER_DOES: Final = re.compile(
    r"\b(?:i|im|ive|id|ill|me|we|us|were|weve|ich|mich|mir|wir|uns|yo|nosotr[oa]s|vivo|vivimos|soy|somos|tengo|tenemos"
    r"|trabajo|trabajamos|estoy|estamos|eu|nós|moro|moramos|sou|tenho|temos|trabalho|trabalhamos"
    r"|estou|я|мы|мне|нам|меня|нас)\b"
)


def of_asker(known: Sequence[Candidate], but: Collection[str] = ()) -> list[Candidate]:
    """Return candidates without the sentences that tell of a relative alone.

    `but`: kinds of relative that are asked for.
    """
    return _kept(known, lambda each: not _is_of_relative(each, but))


def of_kin(question: str, keys: Collection[str], known: Sequence[Candidate]) -> list[Candidate]:
    """Return candidates without the sentences that name no relative, or pet, of these kinds.

    Nor anything else that the question names: a goldfish is a pet whose noun is not listed.
    """
    nouns = nouns_of(keys) | content_stems(question)

    def names_one(sentence: str) -> bool:
        stems = {plain_stem(word) for word in content_stems(sentence)}
        return bool(nouns & (stems | relations_in(sentence)))

    return _kept(known, names_one)


def of_named(question: str, known: Sequence[Candidate]) -> list[Candidate]:
    """Return candidates without sentences in which others tell the kind of thing of themselves.

    Of texts that name whom the question names nothing is left out; all of them are returned where a
    question is about whoever asks, or for no kind of fact of somebody named.
    """
    named, kinds = _named(question), _kinds(question)

    def may_tell(sentence: str) -> bool:
        return not (is_first_person(sentence) and kinds & _kinds(sentence))

    return [
        each
        for candidate in known
        for each in (
            [candidate]
            if not named or named & content_stems(f"{candidate.text} {candidate.speaker}")
            else _kept([candidate], may_tell)
        )
    ]


def told_by_named(question: str, known: Sequence[Candidate]) -> list[Chosen]:
    """Return what whoever a question names said last of themselves, of the kind that is asked."""
    named, kinds = _named(question), kinds_asked(question)
    told = [
        Chosen(each, sentence, 1.0)
        for each in known
        if named & content_stems(each.speaker)
        for sentence in statements(each.text)
        if is_first_person(sentence) and kinds & kinds_asked(sentence)
    ]
    dated = [each for each in told if each.candidate.when]
    return sorted(dated, key=lambda each: str(each.candidate.when))[-1:] or told[:1]


def claims_of(question: str, facts: Sequence[FactLine]) -> list[FactLine]:
    """Return what is known of somebody whom a question names, of the kind that it asks for.

    Where it asks for all that is known of them, everything. A question in the first person is about
    somebody else only as a relative: "my brother's job".
    """
    kinds, words = _kinds(question), content_stems(question)
    is_all = asks_all_of_somebody(question)
    if is_first_person(question) and not is_all:
        named = by_name(question, [fact for fact in facts if ": " not in fact.key])
        words = relatives_named(question) | content_stems(" ".join(names_in(named)))
    found = []
    for fact in facts:
        label, _, key = fact.key.rpartition(": ")
        if label and (is_all or key in kinds) and words & content_stems(label):
            found.append(fact)
    return found


def that_hold(known: Sequence[Candidate], ended: Sequence[EndedLine]) -> list[Candidate]:
    """Return candidates without the sentences that told what has ended."""
    over = [normalise(each.said) for each in ended]
    return _kept(known, lambda sentence: not _is_among(normalise(sentence), over))


def _is_among(sentence: str, over: Collection[str]) -> bool:
    return any(sentence in each or each in sentence for each in over if each and sentence)


def _kinds(text: str) -> set[str]:
    """Return the kinds of fact that a text has words for, relatives among them."""
    return kinds_asked(text) | kin_asked(text)


def _named(question: str) -> frozenset[str]:
    """Return the stems of the names in a question for a kind of fact of somebody else."""
    if is_first_person(question) or not _kinds(question):
        return frozenset()
    return frozenset().union(*(content_stems(name) for name in names_in(question)))


def _is_of_relative(sentence: str, but: Collection[str]) -> bool:
    told = {relation_of(word) for word in _WORD.findall(sentence)} - {"", *but}
    return bool(told) and not _SPEAKER_DOES.search(normalise(sentence))


def _kept(known: Sequence[Candidate], may_stay: Callable[[str], bool]) -> list[Candidate]:
    kept = []
    for candidate in known:
        parts = statements(candidate.text)
        stay = [part for part in parts if may_stay(part)]
        if len(stay) == len(parts):
            kept.append(candidate)
        elif stay:
            kept.append(replace(candidate, text=" ".join(stay)))
    return kept
