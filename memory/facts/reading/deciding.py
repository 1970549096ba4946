"""What rules and reader found in one message, made into what it tells. Pure.

A rule and the reader who say the same make an explicit statement, and so does a reader that is
certain; else the reader alone makes a guess, which by L3 overturns nothing that was said outright.
A rule alone counts for keys whose shape gives them away, and for the rest where the reader does not
contradict it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from memory.domain.chats import Message
from memory.domain.facts import Observation
from memory.domain.readings import Doubt, Reading, Span
from memory.facts.claims import EXPLICIT_CONFIDENCE
from memory.facts.predicates import MAY_HARM, predicate
from memory.facts.reading.claiming import Said, claims_in
from memory.facts.reading.corrected import takes_back
from memory.facts.reading.labels import NOUN_OF
from memory.facts.reading.values import value_of
from memory.facts.slots import ANY_VALUE, overlap, words_of
from memory.facts.supersession import merge

SURE: Final = 0.8
LIKELY: Final = 0.7
POSSIBLE: Final = 0.6
"""Confidence of what the reader alone says: `SURE` from halfway between its threshold and 1 on,
`POSSIBLE` below its threshold."""

HEEDED: Final = 0.65
"""The confidence from which the reader is believed in what may harm when it is missed.

A false allergy costs a dish, a missed one more. That one has ended takes as much as anything else.
"""

CERTAIN: Final = 0.95
"""The confidence from which the reader alone counts as an outright statement.

Of what it is so sure of 97 % is right on voices that it did not learn from.
"""

ENDS: Final = 0.5
"""The confidence from which an end is believed: what it closes was said before, and is named.

Not of what may harm: it stays known until its end is beyond doubt.
"""

DOUBTED: Final = 0.25
"""The confidence from which what the reader is not sure of is worth asking a model about."""

CONTRADICTED: Final = 0.5
"""The confidence from which another reading of the same words outweighs a rule."""

BY_READER: Final = "reader"
BY_BOTH: Final = "rules+reader"
"""Who read it (`read_by`) until the version is known, too; empty for rules alone."""

SURE_RULES: Final = frozenset(
    {"phone", "email", "pronouns", "timezone", "standing", "reply_language", "reply_style"}
)
"""Keys that a rule reads by itself: their values or their wording can hardly mean anything else."""

STANDING: Final = "standing"
"""What the agent shall always do is never guessed: a rule has to find it, said outright."""

COUNTED: Final = frozenset({"pet", "child", "sibling"})
NUMBERS: Final = frozenset(
    """2 3 4 5 6 two three four five six zwei drei vier fünf dos tres cuatro cinco dois duas três
    quatro два две три четыре""".split()
)

PRICE_CHARS: Final = 40
"""So many characters before a sum tell what it is of."""
_PRICE: Final = re.compile(
    r"\b(?:rent|salary|wages?|income|fee|bill|mortgage|miete|gehalt|lohn|rechnung|alquiler|sueldo"
    r"|salario|aluguel|salário|hipoteca|аренда|зарплата)"
    r"\s+(?:is|was|are|ist|war|beträgt|kostet|es|era|é|custa|cuesta|[-–—:])?\W*$"
    # What was paid for something bought.
    r"|\b(?:paid|costs?|price (?:is|was)|bought (?:it|them) for|kostet|kostete|costó"
    r"|cuesta|pagué|pagamos|custou|custa|paguei|заплатил[аи]?|стоит|стоил[аои]?)"
    r"(?:\s+(?:me|us|mich|uns|about|around|only|just|nur|etwa|solo|só|fast|almost|unos|uns|мне))*\W*$",
    re.IGNORECASE,
)
_PAID: Final = re.compile(
    r"[\s€$£]*(?:euros?|eur|dollars?|pounds?)?\s*(?:bezahlt|gekostet|gezahlt)\b", re.IGNORECASE
)
_HOW_MUCH: Final = re.compile(
    r"\b(?:how much|what (?:did|does|do|will) (?:it|that|this|they) cost|what'?s the price"
    r"|wie ?viel|was (?:hat|haben)\b.{0,60}gekostet|was kostete?n?|cu[aá]nto|quanto|сколько"
    r"|почём)\b",
    re.IGNORECASE,
)
_BOUND: Final = re.compile(
    r"\b(?:max\w*|limit|ceiling|most|up to|budget|spend|pay|afford|höchstens|darf|maximal|bis|hasta"
    r"|máximo|até|до|не больше|ausgeben|gastar|presupuesto|orçamento|потратить|бюджет)\b",
    re.IGNORECASE,
)

_SENTENCE_END: Final = re.compile(r"[.!?…]+(?=[\s\"'”)]|$)|\n")
_Told = Callable[[str, str, float, bool], Observation]


def decide(
    message: Message,
    by_rules: Sequence[Observation],
    spans: Sequence[Span],
    threshold: float,
    before: str = "",
) -> Reading:
    """Return what a message tells by rules and reader together.

    `spans`: what the reader marked, sure or not; `threshold`: from where on it is to be believed;
    `before`: what the other side said before it.
    """
    said = [each for span in spans if (each := _said(message.text, span, spans, before))]
    said, gone = _corrected(message.text, said)
    by_rules = [rule for rule in by_rules if not any(_is_told_by(rule, each) for each in gone)]
    sure = [each for each in said if each.span.confidence >= _least(each, threshold)]
    told = partial(_observation, message)
    own = [
        each
        for each in sure
        if each.span.status == "stated"
        or (each.span.status == "ended" and not _is_asked(message.text, each.span))
    ]
    own = [each for each in own if not _is_named_beside(each, own)]
    observations = [_with_reader(told, each, by_rules, threshold) for each in own]
    observations += [rule for rule in by_rules if _stands_alone(rule, own, said)]
    doubts = [
        Doubt(each.key, each.value, each.span.start, each.span.end, each.span.confidence)
        for each in said
        if DOUBTED <= each.span.confidence < _least(each, threshold)
        and each.span.status == "stated"
    ]
    claims = claims_in(message, said, spans, threshold)
    return Reading(tuple(merge(observations)), claims, tuple(doubts))


def _is_asked(text: str, span: Span) -> bool:
    """Tell whether words stand in a question: "what was I before I was a nurse?" ends nothing."""
    mark = _SENTENCE_END.search(text, span.end)
    return mark is not None and "?" in mark.group()


def _least(said: Said, threshold: float) -> float:
    """Return the confidence from which a span is believed."""
    may_harm = said.key in MAY_HARM
    if said.span.status == "ended":
        return threshold if may_harm else min(threshold, ENDS)
    return min(threshold, HEEDED) if may_harm and said.span.status == "stated" else threshold


def _said(text: str, span: Span, spans: Iterable[Span], before: str) -> Said | None:
    key = span.key
    if key in NOUN_OF.values() or key == STANDING:
        return None
    if key in NOUN_OF:
        noun = _noun_beside(text, span, spans)
        key = f"{key}:{noun}" if noun else ""
    value = value_of(span.key, text[span.start : span.end])
    if key == "budget" and _is_price(text, span, before):
        return None
    return Said(key, value, span) if value and predicate(key) is not None else None


def _is_price(text: str, span: Span, asked: str) -> bool:
    """Tell whether a sum is what something costs or brings, and no bound of what can be spent.

    Alone it is where it was `asked` how much something is.
    """
    before = text[max(0, span.start - PRICE_CHARS) : span.start]
    if _BOUND.search(before):
        return False
    if _PRICE.search(before) or _PAID.match(text, span.end):
        return True
    is_alone = not re.search(r"\w[^.!?\n]*$", text[: span.start])
    return is_alone and bool(_HOW_MUCH.search(asked)) and not _BOUND.search(asked)


def _corrected(text: str, said: Sequence[Said]) -> tuple[list[Said], list[Said]]:
    """Return what is said without what the message itself takes back, and that.

    What is put in its place is as good as said outright: two values of which one can hold, with
    words of correction between them, are not told for anything else.
    """
    kept, gone = list(said), list[Said]()
    stated = sorted((e for e in said if e.span.status == "stated"), key=lambda e: e.span.start)
    for number, later in enumerate(stated):
        before = [each for each in stated[:number] if each.key == later.key]
        known = predicate(later.key)
        if not before or known is None or known.accumulates or later.span.confidence < DOUBTED:
            continue
        if takes_back(text[before[-1].span.end : later.span.start]):
            gone.append(before[-1])
            sure = replace(later.span, confidence=max(later.span.confidence, CERTAIN))
            kept[kept.index(later)] = replace(later, span=sure)
    return [each for each in kept if each.span.start not in {g.span.start for g in gone}], gone


def _is_told_by(rule: Observation, said: Said) -> bool:
    return rule.key == said.key and not rule.retracts and overlap(rule.value, said.value)


def _is_named_beside(said: Said, own: Sequence[Said]) -> bool:
    """Tell whether a value counts those whom the message names, too: "two cats, Miso and Pixel"."""
    if said.key not in COUNTED or not set(words_of(said.value)) & NUMBERS:
        return False
    return any(each.key == said.key and each is not said for each in own)


def _noun_beside(text: str, value: Span, spans: Iterable[Span]) -> str:
    nouns = [span for span in spans if span.key == NOUN_OF[value.key]]
    if not nouns:
        return ""
    nearest = min(nouns, key=lambda span: abs(span.start - value.start))
    return " ".join(text[nearest.start : nearest.end].lower().split())


def _with_reader(
    told: _Told, said: Said, by_rules: Sequence[Observation], threshold: float
) -> Observation:
    ends = said.span.status == "ended"
    agreeing = [rule for rule in by_rules if _agrees(rule, said)]
    alone = POSSIBLE if said.span.confidence < threshold else LIKELY
    if said.span.confidence >= (1 + threshold) / 2:
        alone = SURE
    if said.span.confidence >= CERTAIN:
        alone = EXPLICIT_CONFIDENCE
    confidence = max((rule.confidence for rule in agreeing), default=alone)
    return replace(
        told(said.key, said.value, confidence, ends),
        read_by=BY_BOTH if agreeing else BY_READER,
        span=(said.span.start, said.span.end),
    )


def _agrees(rule: Observation, said: Said) -> bool:
    """Tell whether a rule says what the reader says: the same end, or the same value."""
    if rule.key != said.key or rule.retracts != (said.span.status == "ended"):
        return False
    return rule.value == ANY_VALUE or overlap(rule.value, said.value)


def _stands_alone(rule: Observation, own: Sequence[Said], said: Sequence[Said]) -> bool:
    """Tell whether what a rule found, and no sure span, is kept."""
    if any(_agrees(rule, each) for each in own):
        # An end of whatever there was is kept beside the value that the reader names.
        return rule.value == ANY_VALUE
    if rule.key in SURE_RULES:
        return True
    status = "ended" if rule.retracts else "stated"
    return not any(
        each.span.confidence >= CONTRADICTED
        and overlap(rule.value, each.value)
        and (each.key, each.span.status) != (rule.key, status)
        # Of what may harm the speaker's own words count, whoever else the reader sees in them.
        and not (rule.key in MAY_HARM and (each.key, each.span.status) == (rule.key, "other"))
        for each in said
    )


def _observation(
    message: Message, key: str, value: str, confidence: float, retracts: bool
) -> Observation:
    known = predicate(key)
    if known is None:
        raise ValueError(f"{key!r} is no key of the vocabulary")
    return Observation(
        category=known.category,
        key=key,
        value=value,
        confidence=confidence,
        importance=known.importance,
        source_uid=message.uid,
        stated_at=message.sent_at,
        anchor=message.anchor,
        retracts=retracts,
    )
