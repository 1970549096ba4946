"""What a message puts right of what its sender said just before: "Sorry, I meant Bern". Pure.

Nothing is learnt from the words of a correction by themselves. The line that is corrected is said
once more, with the right value in the wrong one's place, and read as any other; what it then tells
of the same kind is what was meant. Where anything is not plain, nothing is put right.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import Final, NamedTuple

from memory.domain.chats import Message
from memory.domain.facts import Observation
from memory.domain.readings import Earlier, Heard, Reading
from memory.facts.predicates import MAY_HARM
from memory.facts.reading.mending_words import (
    BUT,
    ELSE,
    IT_IS,
    LEAD,
    NEGATED,
    NOT,
    OWN_WORDS,
)
from memory.facts.reading.replacing import EDGES, WORD, value_in, words_before
from memory.facts.slots import is_same, words_of
from memory.facts.spellings import PEOPLE
from memory.text.words import STOP_WORDS, has_question_mark

MAX_CHARS: Final = 160
"""A longer message tells something by itself."""

CONTRAST_WORDS: Final = 12
"""Of a message that has no word of correction, and names what is wrong all the same."""

MAX_LINES: Final = 6
"""Of the same sender, that may be corrected or corrected one before them."""

# Of these kinds anything is one, or a miss may harm: the wrong value has to be named, or a word
# that another one was meant.
_OPEN: Final = MAY_HARM | {"like", "dislike", "possession", "availability", "budget", "standing"}
ALIKE: Final = 0.6
"""Share of letters from which one name may be another one misspelt."""


class Retold(NamedTuple):
    """A line that is corrected, with the right value in place of the wrong one.

    `is_named`: the wrong value is named as such, and not only followed by another one.
    """

    earlier: Earlier
    wrong: Observation
    right: str
    text: str
    is_named: bool


@dataclass(frozen=True, slots=True)
class _Body:
    """What a message says after the words of correction at its beginning, if there are any.

    `means`: they say that another word was meant; `mends`: that something was wrong, which may be
    anything; `excuses`: an excuse, which may be made to somebody; `denies`: no more than "no".
    """

    text: str
    means: bool = False
    mends: bool = False
    excuses: bool = False
    denies: bool = False

    @property
    def is_led(self) -> bool:
        return self.means or self.mends or self.excuses or self.denies


def may_correct(text: str) -> bool:
    """Tell whether a message may put right what was said before; few do."""
    if len(text) > MAX_CHARS or has_question_mark(text):
        return False
    is_short = len(text.split()) <= CONTRAST_WORDS
    return _body(text).is_led or (is_short and bool(NEGATED.search(text)))


def worth_reading(text: str, lines: Sequence[str]) -> list[bool]:
    """Tell for each of a sender's lines, oldest first, whether a message may correct it.

    It has a word of the message, or it is one of the last two before a word of correction; or it
    may be what one of these corrects.
    """
    worth = _touched(text, lines)
    for at in range(len(lines) - 1, 0, -1):
        if worth[at] and may_correct(lines[at]):
            before = _touched(lines[at], lines[:at])
            worth[:at] = [one or other for one, other in zip(worth, before, strict=False)]
    return worth


def _touched(text: str, lines: Sequence[str]) -> list[bool]:
    words = {word for word in WORD.findall(text.lower()) if word not in STOP_WORDS}
    last = len(lines) - 2 if _body(text).is_led else len(lines)
    return [
        at >= last or not words.isdisjoint(WORD.findall(line.lower()))
        for at, line in enumerate(lines)
    ]


def retold(heard: Heard) -> list[Retold]:
    """Return the ways in which a message may put right what its sender said just before.

    Where it names the wrong value, of all that was said lately; else of the last line that told
    anything, unless the other side asked in between, which "no" may answer.
    """
    text = heard.message.text
    if not heard.earlier or not may_correct(text) or ELSE.search(text):
        return []
    body = _body(text)
    lines = [_in_full(each, heard.earlier[:at]) for at, each in enumerate(heard.earlier)]
    told = [
        (earlier, wrong)
        for earlier in reversed(lines)
        for wrong in earlier.observations
        if not wrong.retracts and wrong.span is not None
    ]
    for earlier, wrong in told:
        if found := _contrasted(body.text, earlier, wrong):
            return [found]
    is_answer = has_question_mark(heard.before) and not (body.means or body.mends or body.excuses)
    if is_answer or not body.is_led:
        return []
    last = _last_telling(lines)
    may_call = not body.means and (heard.message.is_group or not (body.mends or body.denies))
    return [
        found
        for earlier, wrong in told
        if earlier is last and (body.means or wrong.key not in _OPEN)
        if (found := _replaced(body.text, earlier, wrong))
        if not (may_call and _calls(body.text, found))
    ]


def mended(
    reading: Reading,
    heard: Heard,
    retellings: Sequence[Retold],
    read: Sequence[Reading],
    rules: str,
) -> Reading:
    """Return what a message tells with what it puts right: the old value never was, the new one is.

    `read`: what each of the retold lines tells; `rules`: who reads where only rules do. Of several
    that would do, none is taken.
    """
    found = [
        (each, right)
        for each, told in zip(retellings, read, strict=True)
        if (right := _right(each, told, rules)) is not None
    ]
    if len(found) != 1:
        return reading
    ((each, right),) = found
    return _put_right(reading, heard.message, each, right)


def _put_right(reading: Reading, message: Message, each: Retold, right: Observation) -> Reading:
    """Return a reading that takes a retold line's value back, and states the right one once."""
    wrong = each.wrong
    takes_back = replace(
        wrong,
        source_uid=message.uid,
        stated_at=message.sent_at,
        anchor=message.anchor,
        retracts=True,
        span=None,
        read_by=right.read_by,
        until=each.earlier.message.sent_at,
    )
    states = replace(
        right,
        source_uid=message.uid,
        stated_at=message.sent_at,
        anchor=message.anchor,
        span=None,
    )
    meant, denied = words_of(right.value), words_of(wrong.value)
    others = [
        seen
        for seen in reading.observations
        if words_of(seen.value) not in (meant, denied)
        or (seen.key == right.key and words_of(seen.value) == meant and not seen.retracts)
    ]
    own = [s for s in others if s.key == right.key and words_of(s.value) == meant]
    if any(seen.confidence >= right.confidence for seen in own):
        return replace(reading, observations=(takes_back, *others))
    others = [seen for seen in others if seen not in own]
    return replace(reading, observations=(takes_back, states, *others))


def _body(text: str) -> _Body:
    said: set[str] = set()
    at, plain = 0, text.lstrip()
    while lead := LEAD.match(plain, at):
        # "No soy", "não sei" and "не ..." deny what follows; a lone "no" stands before a mark.
        is_apart = not lead.group()[-1:].isspace() or not lead.group().rstrip()[-1:].isalnum()
        if lead["denies"] and not is_apart and not OWN_WORDS.match(plain, lead.end()):
            break
        said |= {name for name, words in lead.groupdict().items() if words}
        at = lead.end()
    flags = {name: name in said for name in ("means", "mends", "excuses", "denies")}
    return _Body(plain[at:].strip(EDGES), **flags)


def _contrasted(body: str, earlier: Earlier, wrong: Observation) -> Retold | None:
    """Return what stands in place of a value that is named as wrong: "Bern, not Berlin"."""
    frame = words_before(earlier, wrong)[-1:]
    beside = rf"(?:(?:{'|'.join(map(re.escape, frame))})\s+)?" if frame else ""
    value = r"\s+".join(map(re.escape, wrong.value.split()))
    denied = re.search(
        rf"[\s,;–—-]*(?:(?<!\w)(?:{IT_IS}))?\s*(?<!\w)(?:{NOT})\s+(?:(?:{IT_IS})\s+)?{beside}{value}"
        r"(?!\w)[\s,.;!–—-]*",
        body,
        re.IGNORECASE,
    )
    if denied is None:
        return None
    before, after = body[: denied.start()].strip(EDGES), body[denied.end() :].strip(EDGES)
    if before and after:
        return None
    rest = before or BUT.sub("", after, count=1) if BUT.match(after) else before or after
    right = value_in(rest, earlier, wrong)
    return _retold(earlier, wrong, right, is_named=True) if right else None


def _replaced(body: str, earlier: Earlier, wrong: Observation) -> Retold | None:
    """Return what stands in place of a value after a word of correction: "no, Bern"."""
    right = value_in(body, earlier, wrong)
    return _retold(earlier, wrong, right, is_named=False) if right else None


def _calls(text: str, found: Retold) -> bool:
    """Tell whether a name alone may be whom one speaks to: "Sorry, Maria".

    After "Anna" "Ana" is no such name.
    """
    is_alone = found.wrong.key in PEOPLE and text.strip(EDGES) == found.right
    likeness = SequenceMatcher(None, found.right.casefold(), found.wrong.value.casefold()).ratio()
    return is_alone and likeness < ALIKE


def _retold(earlier: Earlier, wrong: Observation, right: str, *, is_named: bool) -> Retold | None:
    if wrong.span is None or is_same(wrong.key, wrong.value, right):
        return None
    said = earlier.message.text
    text = said[: wrong.span[0]] + right + said[wrong.span[1] :]
    return Retold(earlier, wrong, right, text, is_named)


def _right(each: Retold, told: Reading, rules: str) -> Observation | None:
    """Return what a retold line tells in place of what was wrong.

    Where the wrong value was not named, rules alone are not enough: they take "I live in later" for
    a home; but a value with a capital letter, or a number, is one.
    """
    for seen in told.observations:
        if seen.retracts or seen.key != each.wrong.key:
            continue
        if not set(words_of(seen.value)) <= set(words_of(each.right)):
            continue
        is_shaped = each.right[:1].isupper() or any(c.isdigit() for c in each.right)
        if each.is_named or is_shaped or seen.read_by != rules:
            return seen
    return None


def _in_full(each: Earlier, before: tuple[Earlier, ...]) -> Earlier:
    """Return a line that corrected one before it with that one's words: "no, Bern" as a sentence.

    It told what it states alone by them.
    """
    for line in retold(Heard(each.message, "", before)) if before else ():
        for seen in each.observations:
            if seen.key == line.wrong.key and not seen.retracts and line.wrong.span is not None:
                at = line.text.find(seen.value, line.wrong.span[0])
                if at >= 0:
                    whole = replace(seen, span=(at, at + len(seen.value)))
                    return Earlier(replace(each.message, text=line.text), (whole,))
    return each


def _last_telling(earlier: Sequence[Earlier]) -> Earlier | None:
    """Return the line just before, but for lines that are nothing but words of correction."""
    return next((each for each in reversed(earlier) if _body(each.message.text).text), None)
