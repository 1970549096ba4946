"""What of a model's answer counts: only what the message itself says, word for word. Pure.

The checks are those of the rules: an answer that an order in the message brought about still needs
a quote, a key of the vocabulary and a clause in which its sender asserts it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from memory.domain.answers import SPEAKER, Candidate, Mode, Reason
from memory.domain.chats import Message
from memory.domain.facts import Observation
from memory.domain.readings import Doubt, Heard, Reading, ThirdPartyClaim
from memory.facts.asking.assertion import plain, unsaid
from memory.facts.expiry import with_ends
from memory.facts.learning import place_of
from memory.facts.predicates import FAVORITE_PREFIX, PREFERENCE_PREFIX, predicate
from memory.facts.reading.kinds import kinds_in
from memory.facts.reading.rules.clauses import MAX_CHARS
from memory.facts.reading.values import MAX_VALUE, value_of
from memory.facts.slots import words_of
from memory.facts.supersession import merge

AGREED: Final = 0.95
ALONE: Final = 0.85
"""Below what is said outright (.9), so that by L3 a model alone overturns nothing of that."""
LIFTED: Final = 0.8

_STANDING: Final = "standing"


def checked(
    candidate: Candidate,
    message: Message,
    reading: Reading,
    doubts: Sequence[Doubt] | None,
    accepted: Iterable[Candidate] = (),
) -> Candidate | Reason:
    """Return what counts of a candidate, which is no wish, or why nothing does.

    Its value comes back as the message has it. `reading`: what rules and reader say of the
    message; `doubts`: what was asked about, None where all of the message was; `accepted`: what
    counts of the same answer already.
    """
    text = plain(message.text[:MAX_CHARS])
    quote = plain(candidate.quote)
    key = candidate.key
    if predicate(key) is None or not _noun_is_said(key, text):
        return "key"
    if not quote.strip() or quote not in text:
        return "quote"
    if key == _STANDING and not (message.is_owner and candidate.whose == SPEAKER):
        return "not_owner"
    said = _found(candidate.value, quote)
    value = value_of(key.partition(":")[0], said) if said else ""
    if not value:
        return "unfit" if said else "value"
    if candidate.whose != SPEAKER and not _may_hold(candidate.whose, text):
        return "holder"
    if reason := unsaid(candidate, value, message.text[:MAX_CHARS]):
        return reason
    if doubts is not None and not any(_same(key, value, d.key, d.value) for d in doubts):
        return "unasked"
    final = replace(candidate, value=value, quote=quote)
    return "contradicted" if _is_contradicted(final, reading, accepted) else final


def with_model(
    mode: Mode,
    heard: Heard,
    reading: Reading,
    candidates: Sequence[Candidate],
    read_by: str = "",
) -> Reading:
    """Return what a message tells by rules and reader, and by what counts of a model's answer.

    `read_by` names the model in what it read.
    """
    message, observations = heard.message, list(reading.observations)
    claims = list(reading.claims)
    for each in candidates:
        if each.whose != SPEAKER:
            claim = _claim(message, each)
            if not any(_is_said_of(known, claim) for known in claims):
                claims.append(claim)
            continue
        agreeing = [at for at, seen in enumerate(observations) if _agrees(seen, each)]
        for at in agreeing:
            seen = observations[at]
            names = "+".join(filter(None, (seen.read_by, read_by)))
            confidence = max(seen.confidence, AGREED)
            observations[at] = replace(seen, confidence=confidence, read_by=names)
        if not agreeing:
            alone = _observation(message, each, ALONE if mode == "llm" else LIFTED)
            observations.append(replace(alone, read_by=read_by))
    doubts = tuple(
        doubt
        for doubt in reading.doubts
        if not any(_same(each.key, each.value, doubt.key, doubt.value) for each in candidates)
    )
    return replace(
        reading,
        observations=with_ends(merge(observations), message.text, heard.zone),
        claims=tuple(claims),
        doubts=doubts,
        kinds={**reading.kinds, **kinds_in((), observations)},
    )


def _found(words: str, text: str) -> str:
    """Return words as they stand in a text, whole words alone; empty where they do not."""
    wanted = plain(words).strip()
    if not wanted or len(wanted) > len(text):
        return ""
    found = re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", text, re.IGNORECASE)
    return found.group() if found else ""


def _noun_is_said(key: str, text: str) -> bool:
    for prefix in (FAVORITE_PREFIX, PREFERENCE_PREFIX):
        if key.startswith(prefix):
            return bool(_found(key.removeprefix(prefix), text))
    return True


def _may_hold(whose: str, text: str) -> bool:
    return len(whose) <= MAX_VALUE and bool(_found(whose, text))


def _is_contradicted(candidate: Candidate, reading: Reading, accepted: Iterable[Candidate]) -> bool:
    is_own, ends = candidate.whose == SPEAKER, candidate.status == "ended"
    told = [(seen.key, seen.value, True, seen.retracts) for seen in reading.observations]
    told += [(claim.key, claim.value, False, claim.has_ended) for claim in reading.claims]
    told += [(one.key, one.value, one.whose == SPEAKER, one.status == "ended") for one in accepted]
    return any(
        _same(candidate.key, candidate.value, key, value) and (is_own, ends) != (own, ended)
        for key, value, own, ended in told
    )


def _agrees(seen: Observation, candidate: Candidate) -> bool:
    return seen.retracts == (candidate.status == "ended") and _same(
        seen.key, seen.value, candidate.key, candidate.value
    )


def _same(key: str, value: str, other_key: str, other_value: str) -> bool:
    """Tell whether two name one thing: the same key, and the words of one among the other's."""
    one, other = set(words_of(value)), set(words_of(other_value))
    return key == other_key and (one <= other or other <= one)


def _is_said_of(known: ThirdPartyClaim, claim: ThirdPartyClaim) -> bool:
    return known.holder.casefold() == claim.holder.casefold() and _same(
        known.key, known.value, claim.key, claim.value
    )


def _observation(message: Message, candidate: Candidate, confidence: float) -> Observation:
    known = predicate(candidate.key)
    if known is None:
        raise ValueError(f"{candidate.key!r} is no key of the vocabulary")
    return Observation(
        category=known.category,
        key=candidate.key,
        value=candidate.value,
        confidence=confidence,
        importance=known.importance,
        source_uid=message.uid,
        stated_at=message.sent_at,
        anchor=message.anchor,
        retracts=candidate.status == "ended",
        span=place_of(candidate.value, message.text),
    )


def _claim(message: Message, candidate: Candidate) -> ThirdPartyClaim:
    return ThirdPartyClaim(
        holder=candidate.whose,
        key=candidate.key,
        value=candidate.value,
        confidence=LIFTED,
        source_uid=message.uid,
        stated_at=message.sent_at,
        anchor=message.anchor,
        has_ended=candidate.status == "ended",
    )
