"""What a message asks for, by what its search has learnt to tell, beside its wording. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from graph.models.offline.cues import EVERYTHING, FAVORITE, Asked, asks_past, relation_of
from graph.models.offline.glossed import asked_anyhow, asks_unmarked, in_english
from graph.models.offline.speech import MAX_QUESTIONS, each_asked, questions
from graph.models.offline.stating import asks_nothing
from memory.recall import facts_asked
from memory.recall.block import AsksFor
from memory.recall.recaps import RECAP, words_ask_for_recap
from memory.text.words import normalise

LIKELY_UNMARKED: Final = 0.6
"""The chance from which a message asks that by its form does not."""
LIKELY_RECAP: Final = 0.6
"""The chance from which a recap is told before anything is looked for that may answer: of what
others wrote for it, .9 ask for one (.84 from `recaps.LIKELY` on, where all else comes first)."""
LIKELY_TOLD: Final = 0.8
"""The chance from which a message that is neither a question nor an order to tell asks for one: of
1,500 lines that people wrote to each other .007 do (.05 from .4 on)."""
LIKELY_BESIDE: Final = 0.7
"""The chance from which a fact answers where a line may, too: that says more of an event."""
_TELL: Final = re.compile(
    r"(?:please |hey |so |ok |can you |could you |bitte |por favor |пожалуйста )*"
    r"(?:remind|tell|give|show|catch|sum|recap|refresh|list|walk|bring"
    r"|erinner\w*|sag\w*|fass\w*|gib|zeig\w*|erzähl\w*"
    r"|recu[eé]rd[ae]\w*|dime|dame|hazme|cu[eé]nta\w*|res[uú]m\w*|ponme"
    r"|lembra\w*|lembre\w*|diz\w*|diga\w*|dá|dê|faz|faça|conta|conte|mostra|mostre"
    r"|напомни\w*|скажи\w*|расскажи\w*|подытожь\w*|перескажи\w*|резюмируй\w*|дай|сделай)\b"
)
"""How an order to tell something begins, in five languages."""
_SURELY: Final = re.compile(
    r"(?:please )?(?:list|name) (?:all )?my\b|(?:(?:and|so) )*what do i do$"
)
"""What asks for a kind by its form, whatever else is learnt of it."""
_COUNTS: Final = re.compile(r"\bhow many (?!(?:\w+ ){0,2}years?\b)")
"""What counts something, and asks for nobody's age, whatever else is learnt of it."""
_KEYS: Final = {facts_asked.EVERYTHING: EVERYTHING, "favorite": FAVORITE}


def asking(text: str, said: Sequence[str], told: Sequence[AsksFor] | None) -> list[str]:
    """Return what of a message asks: sentences of it, or all of it; none where nothing does.

    Args:
        text: The message.
        said: Its sentences, those left out that order to remind.
        told: What it asks for; None where only wording tells.
    """
    if marked := [each for each in questions(text) if each in said]:
        return [part for each in marked for part in each_asked(each)][-MAX_QUESTIONS:]
    unmarked = [each for each in said if asks_unmarked(each)]
    recaps = [each for each in said if words_ask_for_recap(each)]
    if told is None or (told and unmarked):
        return unmarked or recaps
    facts = [each for each in told if each.kind != RECAP]
    least = LIKELY_RECAP if _TELL.match(normalise(text)) else LIKELY_TOLD
    asks = _recap(told) >= least or (_chance(facts) >= LIKELY_UNMARKED and not asks_nothing(text))
    return [text] if said and asks else recaps


def asks_by_form(text: str, said: Sequence[str]) -> bool:
    """Tell whether a message asks, or orders to tell, by its wording alone.

    `said`: its sentences, those left out that order to remind.
    """
    by_wording = questions(text) or any(asks_unmarked(each) for each in said)
    return bool(by_wording or _TELL.match(normalise(text)))


def asked_of_each(
    asked: Sequence[str], told: Sequence[AsksFor] | None, *, beside_lines: bool
) -> list[Asked]:
    """Return what each question of a message asks for.

    `told` is of the whole message, and so of its only question, or of the last where none is
    understood by its wording. `beside_lines`: earlier lines are at hand that may answer.
    """
    least = LIKELY_BESIDE if beside_lines else facts_asked.LIKELY
    found = [
        replace(asked_anyhow(question), recap=float(words_ask_for_recap(question)))
        for question in asked
    ]
    if told is not None and (len(found) == 1 or not any(each.keys for each in found)):
        by_wording, facts = found[-1], [each for each in told if each.kind != RECAP]
        recap = max(by_wording.recap, _recap(told))
        found[-1] = replace(_asked(asked[-1], by_wording, facts, least), recap=recap)
    return found


def _asked(question: str, by_wording: Asked, told: Sequence[AsksFor], least: float) -> Asked:
    line = in_english(question)
    told = [each for each in told if each.kind != "age" or not _COUNTS.search(line)]
    keys = tuple(_KEYS.get(each.kind, each.kind) for each in told)
    agrees = any(key.startswith(keys) for key in by_wording.keys)
    is_likely = _chance(told) >= least and not asks_past(line)
    if by_wording.keys and (told or _SURELY.match(line)) and (agrees or not is_likely):
        return by_wording
    if not is_likely:
        return Asked()
    relation = relation_of(line.split())
    if relation and set(relation.keys) & set(keys):
        return relation
    return Asked(keys, narrows=True)


def _recap(told: Sequence[AsksFor]) -> float:
    return _chance([each for each in told if each.kind == RECAP])


def _chance(told: Sequence[AsksFor]) -> float:
    return max((each.chance for each in told), default=0.0)
