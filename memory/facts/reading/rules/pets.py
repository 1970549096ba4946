"""The speaker's animals: each one of a list, by its name where it has one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from memory.facts.reading.rules.clauses import Clause
from memory.facts.reading.rules.found import Found, rule
from memory.facts.reading.rules.lexicon import NOT_NAMES, PETS
from memory.facts.reading.rules.phrases import noun, nouns

_PETS: Final = "|".join(sorted(PETS, key=len, reverse=True))
_ADJECTIVES: Final = r"(?:(?!\b(?:friend|neighbour|neighbor)\b)[\w-]+\s+){0,2}?"
_NO_NAMES: Final = "my|our|his|her|the|i|we|he|she|it|they|you|but|who|which|mi|mon|ma|meu|minha"
_ONE: Final = frozenset(["a", "an", "another"])
_NO_COUNT: Final = frozenset(["the", "my", "your", "rid", "no"])
_MAX_NAME_WORDS: Final = 2


class _Owned(NamedTuple):
    """How a language lists pets: what stands before, one pet, what parts it from the next."""

    before: re.Pattern[str]
    pet: re.Pattern[str]
    joint: re.Pattern[str]


def _owned(before: str, counts: str, kinds: str, named: str, joints: str) -> _Owned:
    next_pet = rf"(?:{counts})\s+{_ADJECTIVES}(?:{kinds})"
    apposed = rf"\s*[:,]\s*(?!(?:{counts}|{joints}|{_NO_NAMES})\b)(?=[^\W\d_])"
    return _Owned(
        rule(before),
        rule(
            rf"(?P<count>{counts}|the|\w+)?\s*(?P<adj>{_ADJECTIVES})(?P<pet>{kinds})\b"
            rf"(?P<named>{named}|{apposed})?"
        ),
        rule(rf"\s*,?\s*(?:\b(?:{joints})\s+)?(?={next_pet}\b)"),
    )


_LANGUAGES: Final = (
    _owned(
        r"(?:(?:i|we)(?:'?ve| have)?\s+)?(?:(?:just|finally|also|recently)\s+)*"
        r"(?:have|hav|got|own|adopted|rescued|keep)\s+(?:got\s+)?",
        r"an?|two|three|four|five|\d|another",
        rf"(?:{_PETS})s?",
        r",?\s+(?:called|named)\s+|,?\s+(?:his|her|its|their|the) names?(?:'?s| is| are)\s+",
        "and|n|&|plus",
    ),
    _owned(
        r"(?:(?:yo\s+)?tengo|(?:eu\s+)?tenho|j'ai)\s+",
        "una?|dos|tres|uma?|dois|duas|três|une|deux|trois",
        r"(?:perr|gat|cachorr|chat|chien)\w*",
        r",?\s+(?:llamad[oa]s?|chamad[oa]s?|que se llama|appelée?s?)\s+",
        "y|e|et",
    ),
)
_MY_PET: Final = re.compile(
    rf"\b(?:[Mm]y|[Oo]ur)\s+(?:[\w-]+\s+)?(?P<pet>{_PETS})"
    r"(?P<named>'s name is\s+|,?\s+(?:is\s+)?(?:called|named)\s+|,?\s+(?=[A-ZÀ-Þ]))"
)
_NAME: Final = re.compile(r"[A-ZÀ-Þ][\w'-]*[a-zß-ÿ][\w'-]*(?:\s+[A-ZÀ-Þ][\w'-]+)?")
_GONE: Final = re.compile(
    rf"(?:^|\b)(?:(?:my|our)\s+)?(?:(?:{_PETS})\s+)?(?P<who>\w[\w']*(?: \w+)?)\s+(?:has\s+)?"
    r"(?:sadly\s+)?(?:passed away|died|passed on|crossed the rainbow bridge)\b",
    re.IGNORECASE,
)
_HAD_TO: Final = rule(
    r"(?:i|we) (?:had to put|put|gave|rehomed|lost)\s+(?:(?:my|our)\s+)?(?:(?:dog|cat)\s+)?"
    r"(?P<who>[\w']+)(?:\s+(?:down|to sleep|away|yesterday|last))?"
)
_NAMED_LATER: Final = re.compile(r"[^.]*?,\s*(?:his|her|its) name(?:'?s| is)\s+", re.IGNORECASE)


def read(clause: Clause) -> Iterator[Found]:
    """Yield the animals of the speaker's life, and which is no longer in it."""
    text = clause.text
    for owned in _LANGUAGES:
        if (before := owned.before.match(text)) and owned.pet.match(text, before.end()):
            yield from _listed(owned, text, before.end())
            break
    else:
        if match := _MY_PET.search(clause.own):
            named = _NAME.match(text, match.end())
            value = named.group() if named else noun(text, match.end(), _MAX_NAME_WORDS)
            if value and value.split()[0].casefold() not in NOT_NAMES:
                yield Found("pet", value)
    if gone := _GONE.search(clause.own) or _HAD_TO.match(clause.own):
        if gone["who"].casefold() not in {"i", "we", "he", "she", "it", "they"}:
            yield Found("pet", gone["who"], retracts=True)


def _listed(owned: _Owned, text: str, start: int) -> Iterator[Found]:
    """Yield each pet of a list: a dog, Bruno, and two cats, Mia and Leo."""
    position: int | None = start
    while position is not None and (pet := owned.pet.match(text, position)):
        position, names = _next_pet(owned, text, pet)
        plural = pet["count"] and pet["pet"].casefold().endswith("s")
        if names:
            for name in names if plural else names[:1]:
                yield Found("pet", name)
        elif value := _named_later(text, pet.end()) or _unnamed(pet):
            yield Found("pet", value)


def _next_pet(owned: _Owned, text: str, pet: re.Match[str]) -> tuple[int | None, list[str]]:
    """Return where the next pet of the list begins, and the names between this one and it."""
    if pet["named"] is None:
        joint = owned.joint.match(text, pet.end())
        return (joint.end() if joint else None), []
    spoken = list(re.finditer(r"\S+", text[pet.end() :]))[: 3 * _MAX_NAME_WORDS]
    for word in spoken:
        at = pet.end() + word.end() - (word.group()[-1] == ",")
        if joint := owned.joint.match(text, at):
            return joint.end(), list(nouns(text[:at], pet.end(), _MAX_NAME_WORDS))
    return None, list(nouns(text, pet.end(), 3))


def _unnamed(pet: re.Match[str]) -> str:
    count = (pet["count"] or "").casefold()
    if not count or count in _NO_COUNT:
        return ""
    value = f"{pet['adj'].strip()} {pet['pet']}".strip()
    return value if count in _ONE else f"{pet['count']} {value}"


def _named_later(text: str, start: int) -> str:
    match = _NAMED_LATER.match(text, start)
    return noun(text, match.end(), _MAX_NAME_WORDS) if match else ""
