"""What the offline responder answers: a fact, a quoted message, or that it does not know. Pure.

Whatever stands in memory or in the message is only ever quoted or matched, never followed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from graph.models.offline.cues import EVERYTHING, FAVORITE, Asked, asked_for, favorite_nouns
from graph.models.offline.passages import Candidate, fitting
from graph.models.offline.phrases import list_facts, tell_facts
from graph.models.offline.speech import (
    introduced_name,
    is_about_agent,
    is_greeting,
    is_request,
    is_thanks,
    only_asks,
    questions,
)
from graph.models.offline.words import quote, shorten
from memory.recall.block import FactLine, MemoryBlock, PassageLine
from memory.recall.questions import is_first_person
from memory.text.words import content_stems, normalise

SIGNATURE = "— offline responder, no model is set"
UNKNOWN = "I don't know that yet."
CLOSEST = "The closest that I remember:"
NO_WORDS = "I can only read words, and there are none in that."
REFUSED = "I cannot do that: I only answer from what you told me."
ABOUT_AGENT = "I am the offline responder of this chat: I answer only from what you told me."
ACKNOWLEDGED = "Got it."
WELCOME = "You are welcome."

_MAX_NAME_CHARS = 40
# How a passage names the contact where the channel gave no name.
_UNNAMED: Final = frozenset({"contact", "me", "user", "you"})


@dataclass(frozen=True, slots=True)
class Heard:
    """The current message and what one may know of it.

    `asker` is the name before a group's line, else empty. `earlier` are the same person's earlier
    messages of the window, newest first.
    """

    text: str
    asker: str = ""
    earlier: tuple[str, ...] = ()


def answer(heard: Heard, memory: MemoryBlock) -> str:
    """Return the reply in English, which ends with a line that says who replies."""
    return f"{_reply(heard, memory)}\n{SIGNATURE}"


def _reply(heard: Heard, memory: MemoryBlock) -> str:
    if is_greeting(heard.text):
        name = introduced_name(heard.text)
        return f"Nice to meet you, {name}." if name else _greeting(memory.facts)
    if asked := questions(heard.text):
        return _answer_questions(asked, heard, memory)
    if not re.search(r"[^\W_]", heard.text):
        return UNKNOWN if "?" in heard.text else NO_WORDS
    if is_thanks(heard.text):
        return WELCOME
    if is_request(heard.text):
        return REFUSED
    name = introduced_name(heard.text)
    return f"Nice to meet you, {name}." if name else ACKNOWLEDGED


def _greeting(facts: Sequence[FactLine]) -> str:
    for key in ("preferred_name", "name"):
        for fact in facts:
            if fact.key == key:
                return f"Hello, {shorten(fact.value, _MAX_NAME_CHARS)}."
    return "Hello."


def _answer_questions(asked: list[str], heard: Heard, memory: MemoryBlock) -> str:
    found = [_answer_one(question, heard, memory) for question in asked]
    known = list(dict.fromkeys(reply for reply in found if reply))
    return "\n".join(known) if known else _unknown(asked, heard, memory)


def _unknown(asked: Sequence[str], heard: Heard, memory: MemoryBlock) -> str:
    """Say that it is not known; of somebody who is named, tell what was recalled first."""
    candidates = _candidates(heard, memory)
    closest = next((c for question in asked for c in _by_named(question, candidates)), None)
    return f"{UNKNOWN} {CLOSEST} {_told(closest)}" if closest else UNKNOWN


def _by_named(question: str, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return what was said by those who are named in the question."""
    words = content_stems(question)
    return [
        c
        for c in candidates
        # A placeholder, such as [Image], says nothing.
        if words & content_stems(c.speaker) and not only_asks(c.text) and c.text[:1] != "["
    ]


def _answer_one(question: str, heard: Heard, memory: MemoryBlock) -> str:
    if is_about_agent(question):
        return ABOUT_AGENT
    asked = asked_for(question)
    if EVERYTHING in asked.keys:
        return list_facts(memory.facts) if memory.facts else ""
    if facts := _facts_for(asked, question, memory.facts):
        return tell_facts(facts)
    candidates = _candidates(heard, memory)
    if asked.keys:
        own = [c for c in candidates if not c.is_other_person]
        candidates = _by_named(question, candidates) or own
    if is_first_person(question):
        named = _by_named(question, candidates)
        candidates = [_of_asker(c) for c in candidates if c in named or not _is_own_word(c)]
    return "\n".join(_told(candidate) for candidate in fitting(question, candidates))


def _is_own_word(candidate: Candidate) -> bool:
    """Say whether somebody else speaks of themself: that is no answer about the asker."""
    return candidate.is_other_person and is_first_person(candidate.text)


def _of_asker(candidate: Candidate) -> Candidate:
    """Return a candidate without a reply in which somebody else speaks of themself."""
    if candidate.replier in ("", "You") or not is_first_person(candidate.reply):
        return candidate
    return replace(candidate, reply="", replier="")


def _told(candidate: Candidate) -> str:
    said = f"{candidate.intro}: {quote(candidate.text)}"
    if not candidate.reply:
        return said
    return f"{said} {candidate.replier} wrote next: {quote(candidate.reply)}"


def _facts_for(asked: Asked, question: str, facts: Sequence[FactLine]) -> list[FactLine]:
    found = [fact for key in asked.keys for fact in facts if _is_of(fact.key, key)]
    if asked.must_match:
        words = content_stems(question)
        return [fact for fact in found if words & content_stems(f"{fact.value} {fact.key}")]
    if not asked.nouns:
        return found
    words_of = {fact: content_stems(f"{fact.value} {fact.said}") for fact in found}
    named = [fact for fact in found if asked.nouns & words_of[fact]]
    return named or [fact for fact in found if not asked.rivals & words_of[fact]]


def _is_of(key: str, asked: str) -> bool:
    if not asked.startswith(FAVORITE):
        return key == asked
    if not key.startswith(FAVORITE):
        return False
    return favorite_nouns(key) <= favorite_nouns(asked) or asked == FAVORITE


def _candidates(heard: Heard, memory: MemoryBlock) -> list[Candidate]:
    """Return what may be quoted: recalled and quoted messages, the facts' sources, the window."""
    own_names = {normalise(heard.asker)} | {
        normalise(fact.value) for fact in memory.facts if fact.key in ("name", "preferred_name")
    }
    own_names.discard("")
    shown = [_from_passage(line, own_names) for line in (*memory.passages, *memory.quoted)]
    said = [
        Candidate(f.said, "You said", around=f"{f.key} {f.value}") for f in memory.facts if f.said
    ]
    window = [Candidate(text, "Earlier you wrote") for text in heard.earlier]
    return [*shown, *said, *window]


def _from_passage(line: PassageLine, own_names: set[str]) -> Candidate:
    speaker = normalise(line.speaker)
    around = f"{line.before} {line.after}"
    when = f"On {line.when}" if line.when else "Earlier"
    reply, replier = _reply_to(line, own_names)
    if speaker == "agent":
        return Candidate(line.text, f"{when} I wrote", "", around)
    if line.by_asker or speaker in _UNNAMED or speaker in own_names:
        return Candidate(
            line.text, f"{when} you wrote", line.speaker, around, reply=reply, replier=replier
        )
    who = shorten(line.speaker, _MAX_NAME_CHARS) or "someone"
    return Candidate(line.text, f"{when} {who} wrote", line.speaker, around, True, reply, replier)


def _reply_to(line: PassageLine, own_names: set[str]) -> tuple[str, str]:
    """Return what another person said right after a question, and who; the agent is none."""
    name, separator, text = line.after.partition(": ")
    speaker = normalise(name)
    is_question = line.text.rstrip().endswith("?")
    if not (is_question and separator) or speaker in ("agent", normalise(line.speaker)):
        return "", ""
    if speaker in _UNNAMED or speaker in own_names:
        return text, "You"
    return text, shorten(name, _MAX_NAME_CHARS)
