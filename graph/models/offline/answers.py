"""What the offline responder answers: a fact, a quoted message, or that it does not know. Pure.

Whatever stands in memory or in the message is only ever quoted or matched, never followed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import zip_longest
from typing import Final, NamedTuple

from graph.models.offline.asked_facts import facts_for
from graph.models.offline.candidates import (
    MAX_NAME_CHARS,
    Candidate,
    Source,
    candidates,
    without_others_reply,
)
from graph.models.offline.choosing import Chosen, fitting
from graph.models.offline.cues import (
    EVERYTHING,
    Asked,
    favorite_asked,
    relatives_named,
)
from graph.models.offline.dated import in_words
from graph.models.offline.frames import FRAMES, Frames
from graph.models.offline.glossed import in_english
from graph.models.offline.languages import language_of
from graph.models.offline.learnt import LIKELY_RECAP, asked_of_each, asking, asks_by_form
from graph.models.offline.mentions import asks_about, beings_named, mentioning, said_then
from graph.models.offline.phrases import list_facts, tell_claims, tell_facts, tell_of_all
from graph.models.offline.relations import corrected
from graph.models.offline.reminding import (
    asks_what_is_open,
    is_reminder,
    is_to_keep,
    still_open,
)
from graph.models.offline.speech import (
    asks_last_said,
    asks_now,
    introduced_name,
    is_about_agent,
    is_greeting,
    is_request,
    is_thanks,
    is_to_forget,
)
from graph.models.offline.stating import states
from graph.models.offline.subject import (
    BEING_KEYS,
    claims_of,
    of_asker,
    of_kin,
    of_named,
    that_hold,
    told_by_named,
)
from graph.models.offline.talked import talked, talked_so_far
from graph.models.offline.telling import tell
from graph.models.offline.words import sentences, shorten
from memory.facts.entities.answering import asks_all_of_somebody, kinds_asked
from memory.recall.aliases import by_name
from memory.recall.block import EndedLine, FactLine, MemoryBlock, read_moment
from memory.recall.certainty import is_uncertain
from memory.recall.questions import is_first_person, only_asks
from memory.text.placeholders import says_nothing
from memory.text.words import content_stems

_OF: Final = frozenset(
    "age birthday employer occupation home origin school allergy diet medical phone email".split()
)
"""What may be asked for of a relative."""
_NAMES: Final = frozenset({"name", "preferred_name"})


@dataclass(frozen=True, slots=True)
class Heard:
    """The current message and what one may know of it.

    `asker` is the name before a group's line, else empty. `earlier` are the same person's earlier
    messages of the window, newest first, `places` their numbers there. `is_first`: the agent has
    said nothing here yet. `is_kept`: nothing keeps the message out of memory.
    """

    text: str
    asker: str = ""
    earlier: tuple[str, ...] = ()
    places: tuple[int, ...] = ()
    is_first: bool = True
    is_kept: bool = True


class Answer(NamedTuple):
    """A reply, and which lines of the prompt it tells or names."""

    text: str
    used: frozenset[Source] = frozenset()


def answer(heard: Heard, memory: MemoryBlock) -> str:
    """Return the reply in the message's language; the first of a chat ends with who replies."""
    return answer_with_sources(heard, memory).text


def answer_with_sources(heard: Heard, memory: MemoryBlock) -> Answer:
    """Return the reply as `answer` does, and what it used."""
    language = language_of(heard.text, heard.earlier)
    text, used = _reply(heard, memory, language)
    return Answer(f"{text}\n{FRAMES[language].signature}" if heard.is_first else text, used)


def unsigned(reply: str) -> str:
    """Return a reply without the line that says who replies, where it has one."""
    text, _, last = reply.rpartition("\n")
    return text if last in {frames.signature for frames in FRAMES.values()} else reply


def says_unknown(reply: str) -> bool:
    """Tell whether a reply says that it does not know, and no more."""
    said = {text for frames in FRAMES.values() for text in (frames.unknown, frames.unsure)}
    return unsigned(reply) in said


def _reply(heard: Heard, memory: MemoryBlock, language: str) -> Answer:
    frames = FRAMES[language]
    name = introduced_name(heard.text)
    if is_greeting(heard.text) and not name:
        return _greeting(memory, frames)
    said = sentences(heard.text)
    reminds = any(is_reminder(sentence) for sentence in said)
    others = [each for each in said if not (is_reminder(each) or is_to_keep(each))]
    asked = asking(heard.text, others, memory.asks_for)
    if not is_greeting(heard.text) and asked:
        found = _answer_questions(asked, heard, memory, language)
        if found.text == frames.unknown and heard.is_kept and not asks_by_form(heard.text, others):
            found = Answer(frames.unsure)
        # Where nothing is known, "tengo hijos" is no question.
        if not says_unknown(found.text) or not states(heard.text):
            return found._replace(text=f"{frames.reminder}\n{found.text}") if reminds else found
    if reminds:
        return Answer(frames.reminder if heard.is_kept else frames.not_kept)
    if name and not is_thanks(heard.text) and not is_request(heard.text) and heard.is_kept:
        return Answer(frames.nice.format(name))
    return Answer(_small_talk(heard, frames))


def _small_talk(heard: Heard, frames: Frames) -> str:
    text = heard.text
    if says_nothing(text):
        return frames.no_words
    if not re.search(r"[^\W_]", text):
        return frames.unknown if "?" in text else frames.no_words
    if is_thanks(text):
        return frames.welcome
    if is_to_forget(text):
        return frames.to_forget
    if is_request(text):
        return frames.refused
    return frames.acknowledged if heard.is_kept else frames.not_kept


def _greeting(memory: MemoryBlock, frames: Frames) -> Answer:
    for key in ("preferred_name", "name"):
        for number, fact in enumerate(memory.facts):
            if fact.key == key:
                said = frames.hello_to.format(shorten(fact.value, MAX_NAME_CHARS))
                return Answer(said, frozenset([Source("fact", number)]))
    if memory.writer:
        return Answer(frames.hello_to.format(shorten(memory.writer, MAX_NAME_CHARS)))
    return Answer(frames.hello)


def _answer_questions(asked: list[str], heard: Heard, memory: MemoryBlock, language: str) -> Answer:
    beside_lines = bool(memory.passages) and not is_uncertain(memory.certainty)
    wanted = asked_of_each(asked, memory.asks_for, beside_lines=beside_lines)
    found = [
        _answer_one(question, each, heard, memory, language)
        for question, each in zip(asked, wanted, strict=True)
    ]
    known = list(dict.fromkeys(reply.text for reply in found if reply.text))
    used = frozenset[Source]().union(*(reply.used for reply in found))
    return Answer("\n".join(known) if known else FRAMES[language].unknown, used)


def _by_named(question: str, known: Sequence[Candidate]) -> list[Candidate]:
    """Return what was said by those who are named in the question."""
    words = content_stems(question)
    return [
        c
        for c in known
        # A placeholder, such as [Image], says nothing.
        if words & content_stems(c.speaker) and not only_asks(c.text) and c.text[:1] != "["
    ]


def _talked(question: str, heard: Heard, memory: MemoryBlock, language: str) -> Answer:
    """Return what was talked about; empty where nothing fits."""
    frames = FRAMES[language]
    if about := talked(question, memory, frames):
        return Answer(about[0], frozenset([about[1]]))
    if memory.episodes or memory.so_far:
        return Answer("")
    return Answer(*talked_so_far(question, heard.earlier, heard.places, frames))


def _answer_at_once(question: str, heard: Heard, memory: MemoryBlock, language: str) -> Answer:
    """Return what needs no memory of facts or messages; empty where something else is asked."""
    frames = FRAMES[language]
    if is_about_agent(question):
        return Answer(frames.about_agent)
    if asks_now(question) and (now := read_moment(memory.now)):
        return Answer(frames.today.format(date=in_words(now, frames), time=f"{now:%H:%M}"))
    if asks_last_said(question) and heard.earlier:
        quoted = frames.quoted.format(shorten(heard.earlier[0]))
        used = frozenset(Source("window", place) for place in heard.places[:1])
        return Answer(frames.you_said.format(said=quoted), used)
    if asks_what_is_open(question):
        return _open(question, heard, memory, language)
    return Answer("")


def _answer_one(
    question: str, asked: Asked, heard: Heard, memory: MemoryBlock, language: str
) -> Answer:
    if (at_once := _answer_at_once(question, heard, memory, language)).text:
        return at_once
    recap = _talked(question, heard, memory, language) if asked.recap else Answer("")
    if recap.text and asked.recap >= LIKELY_RECAP:
        return recap
    frames, claims = FRAMES[language], claims_of(question, memory.facts)
    known = candidates(memory, heard.asker, heard.earlier, heard.places)
    if said := _all_said(question, known, memory):
        return _quoting(question, said, frames)
    if asks_about(question):
        asked = replace(asked, keys=tuple(key for key in asked.keys if key != EVERYTHING))
    told = _from_facts(question, asked, claims, memory, language)
    told = told if told.text else _from_lines(question, asked, known, memory, frames)
    if told.text:
        return told
    if claims:
        return Answer(tell_claims(claims, memory.facts, frames), _sources(claims, memory))
    if recap.text and not is_first_person(question):
        return recap
    # An order to remind is no line that answers, but for what it orders.
    return _open(question, heard, memory, language, wholly=True)


def _all_said(question: str, known: Sequence[Candidate], memory: MemoryBlock) -> list[Chosen]:
    """Return what was said about something, or in a named time, where all of it is asked for."""
    about = mentioning(question, known, memory.facts) if asks_about(question) else []
    return about or said_then(question, known, read_moment(memory.now))


def _from_facts(
    question: str, asked: Asked, claims: Sequence[FactLine], memory: MemoryBlock, language: str
) -> Answer:
    """Return what facts and claims answer; empty where they do not."""
    frames, facts = FRAMES[language], memory.facts
    if EVERYTHING in asked.keys:
        told = list_facts(facts, language, memory.more) if facts else ""
        return Answer(told, _sources(facts, memory))
    if claims and asks_all_of_somebody(question):
        return Answer(tell_of_all(claims, facts, frames), _sources(claims, memory))
    if beings := beings_named(question, facts):
        return Answer(tell_facts(beings, language), _sources(beings, memory))
    if not _asks_about_being(asked, question) and (found := facts_for(asked, question, facts)):
        # Where some of a kind were asked for, how many others there are is beside the point.
        is_some = asked.must_match or asked.nouns or asked.narrows
        more = () if is_some else memory.more
        return Answer(tell_facts(found, language, more), _sources(found, memory))
    if memory.writer and asked.keys and set(asked.keys) <= _NAMES:
        return Answer(frames.written_as.format(shorten(memory.writer, MAX_NAME_CHARS)))
    if not (asked.keys or claims) and (found := corrected(question, facts)):
        return Answer(tell_facts(found, language), _sources(found, memory))
    if told_here := [claim for claim in claims if not claim.told_by]:
        return Answer(tell_claims(told_here, facts, frames), _sources(told_here, memory))
    return Answer("")


def _from_lines(
    question: str, asked: Asked, known: Sequence[Candidate], memory: MemoryBlock, frames: Frames
) -> Answer:
    """Return what lines answer, behind what was so and has ended; empty where nothing does."""
    ended = [each for each in memory.ended if facts_for(asked, question, [_as_fact(each)])]
    may_tell = _may_tell(question, asked, of_named(question, that_hold(known, ended)))
    chosen = _chosen(question, may_tell, memory) or told_by_named(question, may_tell)
    found = _quoting(question, chosen or mentioning(question, may_tell, memory.facts), frames)
    over = [_over(ended[0], frames)] if ended else []
    return Answer("\n".join([*over, *filter(None, [found.text])]), found.used)


def _may_tell(question: str, asked: Asked, known: Sequence[Candidate]) -> Sequence[Candidate]:
    """Return candidates without what tells of others than whom the question is about."""
    if favorite := favorite_asked(question, in_english(question)):
        known = [each for each in known if favorite & content_stems(each.text)]
    if asked.keys:
        own = [c for c in known if not c.is_other_person]
        is_people = bool((BEING_KEYS - {"pet"}) & set(asked.keys))
        own = own if is_people else of_asker(own, asked.keys)
        own = of_kin(question, asked.keys, own) if set(asked.keys) <= BEING_KEYS else own
        known = _by_named(question, known) or own
    if not is_first_person(question):
        return known
    named = _by_named(question, known)
    return [without_others_reply(c) for c in known if c in named or not _is_own_word(c)]


def _quoting(question: str, chosen: Sequence[Chosen], frames: Frames) -> Answer:
    used = frozenset(each.candidate.source for each in chosen if each.candidate.source)
    return Answer(tell(question, chosen, frames), used)


def _asks_about_being(asked: Asked, question: str) -> bool:
    """Tell whether something of a relative or pet is asked for, and not who they are."""
    is_being = bool(asked.keys) and set(asked.keys) <= BEING_KEYS
    return is_being and bool(kinds_asked(question) & _OF and relatives_named(question))


def _chosen(question: str, known: Sequence[Candidate], memory: MemoryBlock) -> list[Chosen]:
    """Return what fits a question best, in its own words or with relatives by their names."""
    own = fitting(question, known, memory.certainty)
    named = by_name(question, [fact for fact in memory.facts if ": " not in fact.key])
    by_names = fitting(named, known, memory.certainty) if named else []
    return max(own, by_names, key=lambda found: max((each.score for each in found), default=-1.0))


def _open(
    question: str, heard: Heard, memory: MemoryBlock, language: str, *, wholly: bool = False
) -> Answer:
    places = [Source("window", number) for number in heard.places]
    earlier = list(zip_longest(heard.earlier, places))
    now, frames = read_moment(memory.now), FRAMES[language]
    text, used = still_open(
        question, memory.open, earlier, frames, now, asker=heard.asker, wholly=wholly
    )
    return Answer(text, frozenset(used))


def _as_fact(ended: EndedLine) -> FactLine:
    return FactLine(ended.key, ended.value, ended.said)


def _over(ended: EndedLine, frames: Frames) -> str:
    """Return what is no longer so, and since when."""
    said = frames.quoted.format(shorten(ended.said))
    if not ended.until:
        return frames.ended.format(said=said)
    date = in_words(datetime.fromisoformat(ended.until), frames)
    return frames.ended_on.format(date=date, said=said)


def _sources(facts: Sequence[FactLine], memory: MemoryBlock) -> frozenset[Source]:
    return frozenset(Source("fact", memory.facts.index(fact)) for fact in facts)


def _is_own_word(candidate: Candidate) -> bool:
    """Say whether somebody else speaks of themself: that is no answer about the asker."""
    return candidate.is_other_person and is_first_person(candidate.text)
