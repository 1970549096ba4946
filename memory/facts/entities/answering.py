"""Which claims answer a question that names somebody, by name or by relation. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from memory.domain.entities import Entity, EntityClaim
from memory.facts.entities.concerned import MAX_CHARS
from memory.facts.entities.nouns import WORD, canonical_of, may_be_one, plain_noun, without_s
from memory.facts.reading.holders import relation_of
from memory.facts.slots import words_of

MOST: Final = 5
"""So many claims answer at most, the most important ones."""

WORDS_TOO: Final = frozenset("will may mark art rose hope grace joy bill frank jack max".split())
"""Names that are words as well: only where they are written as names."""

_CUES: Final[dict[str, re.Pattern[str]]] = {
    key: re.compile(rf"\b(?:{words})\b", re.IGNORECASE)
    for key, words in {
        "employer": "work(?:s|ed|ing)?|employer|company|job|arbeite[tn]?|firma|arbeitgeber"
        "|trabaj\\w+|empresa|trabalh\\w+|работа\\w*",
        "occupation": "occupation|profession|job|living|beruf|profesi\\w+|profiss\\w+|професси\\w+"
        "|what (?:does|do|did) .{1,60} do",
        "home": "live[sd]?|living in|address|wohn\\w*|lebt|vive[ns]?|mora[m]?|жив[её]\\w*",
        "origin": "(?:come|is|are) .{0,30}from|comes|kommt|herkunft|viene|откуда",
        "age": "how old|age|alt|alter|edad|años|idade|anos|лет",
        "birthday": "birthday|born|geburtstag|geboren|cumpleaños|aniversário|день рождения",
        "school": "school|stud(?:y|ies|ying)|university|college|schule|studiert|estudia|estuda"
        "|учится",
        "nationality": "nationality|citizen|nationalität|nacionalidad|nacionalidade",
        "language": "languages?|speaks?|sprache|spricht|idiomas?|habla|fala|говорит",
        "allergy": "allerg\\w+|alérgic\\w+|аллерг\\w+|cook|eats?|isst",
        "diet": "vegan\\w*|vegetarian\\w*|diet|cook|eats?|isst|come|ест",
        "medical": "ill|sick|medical|condition|krank|enferm\\w+|doente|болеет",
        "like": "likes?|loves?|enjoys?|present|gift|mag|gusta\\w*|gosta\\w*|любит",
        "dislike": "dislikes?|hates?|odia|odeia",
        "phone": "phone|number|telefon\\w*|teléfono|telefone|телефон",
        "email": "e-?mail|correo",
        "spouse": "married|verheiratet|casad[oa]|замужем|женат",
        "partner": "dating|together with",
        "marital_status": "married|single|verheiratet|casad[oa]|замужем|женат",
        "pet": "pets?|haustier\\w*|mascotas?",
        "possession": "owns?|drives?|besitzt",
    }.items()
}
# A present fits whom it is for as a whole: nothing is asked of that one alone.
_PRESENT: Final = re.compile(
    r"\b(?:present|gift|geschenk|regalo|presente|подарок)\b", re.IGNORECASE
)
_OF_ALL: Final = re.compile(
    r"\b(?:(?:know|tell me|remember)(?: \w+)? (?:about|of)"
    r"|(?:weißt du|erzähl\w*|sag\w*)(?: \w+){0,3} (?:über|von|zu)"
    r"|(?:sabes|cu[eé]ntame|dime|háblame)(?: \w+)? (?:de|del|sobre)"
    r"|(?:sabes?|cont[ae]|fal[ae]|diga)(?: \w+)? (?:de|d[ao]|sobre)"
    r"|(?:знаешь|расскажи|помнишь)(?: \w+){0,2} (?:о|об|про))\b"
    r"|\b(?:who(?: is|'s|’s)|wer ist|qui[eé]n es|quem é|кто так(?:ой|ая))"
    r"(?! (?:my|our|mein\w*|unser\w*|mi|nuestr[oa]|meu|minha|noss[oa]|мо[йя]|наш[а]?)\b)"
    r"(?: [\w-]+){1,3}\W*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Answer:
    """A claim that answers, and of whom it is."""

    entity: Entity
    claim: EntityClaim


def kinds_asked(question: str) -> set[str]:
    """Return the kinds of fact that a question asks for of whomever it names."""
    text = question[:MAX_CHARS]
    return {key for key, cue in _CUES.items() if cue.search(text)}


def kin_asked(question: str) -> set[str]:
    """Return the relations whose nouns a question has: `spouse` of "Anna's husband"."""
    return {relation_of(word) for word in WORD.findall(question[:MAX_CHARS])} - {""}


def asks_all_of_somebody(question: str) -> bool:
    """Tell whether a question asks for whatever is known of whom it names: "who is Anna?"."""
    return bool(_OF_ALL.search(question[:MAX_CHARS]))


def answers(question: str, entities: Sequence[Entity]) -> list[Answer]:
    """Return what is claimed of those whom a question names, and holds: at most `MOST`.

    What it asks for comes alone; where it asks for nothing in particular, all that is known comes,
    the most important first. A place or an organisation is answered by who is tied to it.
    """
    text = question[:MAX_CHARS]
    named = _named(text, entities)
    is_of_all = asks_all_of_somebody(text) or _PRESENT.search(text)
    asked = set() if is_of_all else kinds_asked(text)
    kin = kin_asked(text)
    found: dict[str, Answer] = {}
    for entity in entities:
        held = [claim for claim in entity.claims if claim.status == "active"]
        if entity.entity_id in named:
            fitting = [claim for claim in held if claim.key in asked | kin]
            if not fitting and not asked:
                fitting = held
        else:
            fitting = [claim for claim in held if claim.object_id in named]
            fitting = [claim for claim in fitting if claim.key in asked or not asked]
        found |= {claim.claim_id: Answer(entity, claim) for claim in fitting}
    ranked = sorted(found.values(), key=lambda a: (-a.claim.importance, -a.claim.since.timestamp()))
    return ranked[:MOST]


def _named(text: str, entities: Sequence[Entity]) -> set[str]:
    """Return the ids of those whom a text names."""
    words = list(WORD.finditer(text))
    folded = {without_s(word.group()) for word in words}
    by_name = {e.entity_id for e in entities if _goes_by(e, folded, text)}
    by_noun: set[str] = set()
    owners: set[str] = set()
    for at, word in enumerate(words):
        noun = plain_noun(word.group())
        before = words[at - 1].group() if at else ""
        if not noun:
            continue
        if before.endswith(("'s", "’s")):
            whose = _owned_by(before, entities, by_name | by_noun)
            owners |= whose
            by_noun |= _relatives(noun, whose, entities)
        else:
            by_noun |= _by_noun(noun, entities)
    return (by_name | by_noun) - owners


def _owned_by(word: str, entities: Sequence[Entity], named: set[str]) -> set[str]:
    noun = plain_noun(word)
    if noun:
        return _by_noun(noun, entities)
    return {e.entity_id for e in entities if _goes_by(e, {without_s(word)}, word)} & named


def _relatives(noun: str, whose: set[str], entities: Sequence[Entity]) -> set[str]:
    return {
        claim.object_id
        for entity in entities
        if entity.entity_id in whose
        for claim in entity.claims
        if claim.key == relation_of(noun) and claim.status == "active" and claim.object_id
    }


def _by_noun(noun: str, entities: Sequence[Entity]) -> set[str]:
    """Return those of the contact's own whom a noun means; none who was that before."""
    relation = relation_of(noun)
    meant = [
        entity
        for entity in entities
        if any(tie.relation == relation and tie.until is None for tie in entity.ties)
        and _is_noun_for(entity, noun)
    ]
    return {entity.entity_id for entity in meant}


def _is_noun_for(entity: Entity, noun: str) -> bool:
    known = [each for each in (entity.name, *entity.aliases) if plain_noun(each)]
    same = [each for each in known if canonical_of(each.casefold()) == canonical_of(noun)]
    if relation_of(noun) in ("relative", "acquaintance"):
        return bool(same)
    return bool(same) or all(may_be_one(noun, each.casefold()) for each in known)


def _goes_by(entity: Entity, folded: set[str], text: str) -> bool:
    for name in (entity.name, *entity.aliases):
        words = words_of(name)
        if plain_noun(name) or not words[0]:
            continue
        is_being = entity.type in ("person", "pet")
        if set(words) <= folded or (is_being and words[0] in folded):
            is_sure = words[0] not in WORDS_TOO or re.search(
                rf"(?<=\w\s){re.escape(words[0].capitalize())}\b", text
            )
            if is_sure:
                return True
    return False
