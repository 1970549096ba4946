"""Facts as sentences, with the words they were read from. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from graph.models.offline.candidates import MAX_NAME_CHARS, OTHER
from graph.models.offline.dated import in_words
from graph.models.offline.fact_sentences import FAVORITES, OTHERS, SENTENCES
from graph.models.offline.frames import FRAMES, Frames
from graph.models.offline.words import QUOTE_CHARS, shorten
from memory.facts.predicates import FAVORITE_PREFIX, key_in_words
from memory.recall.block import FactLine, More
from memory.recall.claimed import TOLD_ON
from memory.text.words import content_stems

_LIST_QUOTE_CHARS = 80  # in a list of everything, each quote is kept short
_VALUE_CHARS = 80


def tell_facts(facts: Sequence[FactLine], language: str, more: Sequence[More] = ()) -> str:
    """Return the facts as sentences, one a key in the order given, each with what was said.

    `more`: of which keys there are further ones; a sentence ends with how many.
    """
    quoted: set[str] = set()
    return " ".join(_tell(group, quoted, language, dict(more)) for group in _by_key(facts))


def list_facts(facts: Sequence[FactLine], language: str, more: Sequence[More] = ()) -> str:
    """Return the facts as a list, one line a key; `more` as in `tell_facts`."""
    quoted: set[str] = set()
    lines = [
        f"- {_tell(group, quoted, language, dict(more), _LIST_QUOTE_CHARS)}"
        for group in _by_key(facts)
    ]
    return "\n".join([FRAMES[language].told_me, *lines])


def tell_claims(facts: Sequence[FactLine], known: Sequence[FactLine], frames: Frames) -> str:
    """Return what is known of others in the words in which it was told, a line each.

    `known`: all facts of the block; of those that one sentence tells the first has it.
    """
    told = _with_sentences(facts, known)
    return "\n".join(dict.fromkeys(_in_words(fact, frames) for fact in told))


def _with_sentences(facts: Sequence[FactLine], known: Sequence[FactLine]) -> list[FactLine]:
    return [replace(fact, said=fact.said or _said_with(fact, known)) for fact in _once(facts)]


def _said_with(fact: FactLine, known: Sequence[FactLine]) -> str:
    value = content_stems(fact.value.rpartition(TOLD_ON)[0] or fact.value)
    return next((each.said for each in known if value and value <= content_stems(each.said)), "")


def tell_of_all(facts: Sequence[FactLine], known: Sequence[FactLine], frames: Frames) -> str:
    """Return all that is known of somebody, as it was told, as a list under each name.

    `known`: as in `tell_claims`.
    """
    told = _with_sentences(facts, known)
    lines: list[str] = []
    for who in dict.fromkeys(_whose(fact) for fact in told):
        lines.append(frames.known_of.format(who=shorten(who, MAX_NAME_CHARS)))
        theirs = [replace(f, key=f.key.rpartition(": ")[2]) for f in told if _whose(f) == who]
        lines += dict.fromkeys(f"- {_quote(fact, frames)}" for fact in theirs)
    return "\n".join(lines)


def _once(facts: Sequence[FactLine]) -> Sequence[FactLine]:
    """Leave out what the sentence of another tells: of several facts only the first has it."""
    return [fact for fact in facts if fact.said or not fact.told_by] or facts


def _in_words(fact: FactLine, frames: Frames) -> str:
    said = _quote(fact, frames)
    if not fact.told_by:
        return frames.you_said.format(said=said)
    who = shorten(fact.told_by, MAX_NAME_CHARS)
    return frames.on[OTHER].format(
        date=in_words(datetime.fromisoformat(fact.when), frames), who=who, said=said
    )


def _quote(fact: FactLine, frames: Frames) -> str:
    """Return the sentence that told a fact; where it is not at hand what it told, unquoted."""
    if fact.said:
        return frames.quoted.format(shorten(fact.said))
    value = fact.value.rpartition(TOLD_ON)[0] or fact.value
    return shorten(f"{fact.key}: {value}")


def _whose(fact: FactLine) -> str:
    return fact.key.rpartition(": ")[0]


def _by_key(facts: Sequence[FactLine]) -> list[list[FactLine]]:
    groups: dict[str, list[FactLine]] = {}
    for fact in facts:
        groups.setdefault(fact.key, []).append(fact)
    return list(groups.values())


def _tell(
    group: list[FactLine],
    quoted: set[str],
    language: str,
    more: Mapping[str, int],
    limit: int = QUOTE_CHARS,
) -> str:
    frames = FRAMES[language]
    one, many = _forms(group[0].key, language)
    values = list(dict.fromkeys(shorten(fact.value, _VALUE_CHARS).rstrip(".") for fact in group))
    if rest := more.get(group[0].key):
        values.append(frames.more.format(rest))
    told = (many if len(values) > 1 and many else one).format(_joined(values, frames))
    said = [fact.said for fact in group if fact.said.strip() and fact.said not in quoted]
    quoted.update(said)
    if not said:
        return told
    quotes = [frames.quoted.format(shorten(each, limit)) for each in dict.fromkeys(said)]
    return f"{told} ({frames.told_once.format(', '.join(quotes))})"


def _forms(key: str, language: str) -> tuple[str, str]:
    if known := SENTENCES[language].get(key):
        return known
    one, many = OTHERS[language]
    noun = key_in_words(key)
    if key.startswith(FAVORITE_PREFIX) and language in FAVORITES:
        (one, many), noun = FAVORITES[language], key.removeprefix(FAVORITE_PREFIX)
    noun = shorten(noun, _VALUE_CHARS).replace("{", "(").replace("}", ")")
    return one.format(noun=noun), many.format(noun=noun)


def _joined(values: list[str], frames: Frames) -> str:
    if len(values) == 1:
        return values[0]
    return f"{', '.join(values[:-1])}{frames.joined}{values[-1]}"
