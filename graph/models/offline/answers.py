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
    FAVORITE,
    Asked,
    bears_on,
    favorite_asked,
    favorite_nouns,
    further_named,
    plain_stem,
    relatives_named,
)
from graph.models.offline.dated import in_words
from graph.models.offline.frames import FRAMES, Frames
from graph.models.offline.glossed import in_english
from graph.models.offline.languages import language_of
from graph.models.offline.learnt import LIKELY_RECAP, asked_of_each, asking, asks_by_form
from graph.models.offline.mentions import asks_about, beings_named, mentioning, said_then
from graph.models.offline.phrases import list_facts, tell_claims, tell_facts, tell_of_all
from graph.models.offline.relations import corrected, relations_in
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
from memory.text.words import content_stems

ANYTHING: Final = frozenset({"possession", "like", "dislike", "favorite", "preference"})
"""Kinds of fact whose values may be of any kind of thing: an instrument, a car, a dish."""

LEAST_CLOSENESS: Final = 0.18
CLOSE_TO_BEST: Final = 0.7
"""Of these a fact answers from this cosine to the question on, and this share of the best one's."""

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
    said = mentioning(question, known, memory.facts) if asks_about(question) else []
    if said := said or said_then(question, known, read_moment(memory.now)):
        return _quoting(question, said, frames)
    if asks_about(question):
        asked = replace(asked, keys=tuple(key for key in asked.keys if key != EVERYTHING))
    if EVERYTHING in asked.keys:
        told = list_facts(memory.facts, language, memory.more) if memory.facts else ""
        return Answer(told, _sources(memory.facts, memory))
    if claims and asks_all_of_somebody(question):
        return Answer(tell_of_all(claims, memory.facts, frames), _sources(claims, memory))
    if beings := beings_named(question, memory.facts):
        return Answer(tell_facts(beings, language), _sources(beings, memory))
    if not _asks_about_being(asked, question) and (
        facts := _facts_for(asked, question, memory.facts)
    ):
        # Where some of a kind were asked for, how many others there are is beside the point.
        is_some = asked.must_match or asked.nouns or asked.narrows
        more = () if is_some else memory.more
        return Answer(tell_facts(facts, language, more), _sources(facts, memory))
    if memory.writer and asked.keys and set(asked.keys) <= _NAMES:
        return Answer(frames.written_as.format(shorten(memory.writer, MAX_NAME_CHARS)))
    if not (asked.keys or claims) and (facts := corrected(question, memory.facts)):
        return Answer(tell_facts(facts, language), _sources(facts, memory))
    if told_here := [claim for claim in claims if not claim.told_by]:
        return Answer(tell_claims(told_here, memory.facts, frames), _sources(told_here, memory))
    ended = [each for each in memory.ended if _facts_for(asked, question, [_as_fact(each)])]
    known = of_named(question, that_hold(known, ended))
    if favorite := favorite_asked(question, in_english(question)):
        known = [each for each in known if favorite & content_stems(each.text)]
    if asked.keys:
        own = [c for c in known if not c.is_other_person]
        is_people = bool((BEING_KEYS - {"pet"}) & set(asked.keys))
        own = own if is_people else of_asker(own, asked.keys)
        own = of_kin(question, asked.keys, own) if set(asked.keys) <= BEING_KEYS else own
        known = _by_named(question, known) or own
    if is_first_person(question):
        named = _by_named(question, known)
        known = [without_others_reply(c) for c in known if c in named or not _is_own_word(c)]
    chosen = _chosen(question, known, memory) or told_by_named(question, known)
    found = _quoting(question, chosen or mentioning(question, known, memory.facts), frames)
    over = [_over(ended[0], frames)] if ended else []
    if answers := [*over, *filter(None, [found.text])]:
        return Answer("\n".join(answers), found.used)
    if claims:
        return Answer(tell_claims(claims, memory.facts, frames), _sources(claims, memory))
    if recap.text and not is_first_person(question):
        return recap
    # An order to remind is no line that answers, but for what it orders.
    return _open(question, heard, memory, language, wholly=True)


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
    text, used = still_open(question, memory.open, earlier, frames, now, wholly=wholly)
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


def _facts_for(asked: Asked, question: str, facts: Sequence[FactLine]) -> list[FactLine]:
    found = [
        fact
        for key in asked.keys
        for fact in facts
        if _is_of(fact.key, key) and bears_on(asked.keys, fact.key, fact.value)
    ]
    if further := further_named(question):
        found = [fact for fact in found if further & content_stems(f"{fact.value} {fact.said}")]
    if asked.must_match or asked.narrows:
        words = content_stems(f"{question} {in_english(question)}" if asked.narrows else question)
        some = [fact for fact in found if words & content_stems(f"{fact.value} {fact.key}")]
        if favorite := favorite_asked(question, in_english(question)):
            return [fact for fact in some if _names_favorite(fact, favorite)]
        return some if some or asked.must_match else _near(found)
    if not asked.nouns:
        return found
    words_of = {
        fact: {plain_stem(word) for word in content_stems(f"{fact.value} {fact.said}")}
        | relations_in(fact.said)
        for fact in found
    }
    named = [fact for fact in found if asked.nouns & words_of[fact]]
    return named or _near([fact for fact in found if not asked.rivals & words_of[fact]])


def _names_favorite(fact: FactLine, nouns: frozenset[str]) -> bool:
    if not fact.key.startswith(FAVORITE):
        return True
    noun = fact.key.removeprefix(FAVORITE)
    return bool(nouns & (content_stems(noun) | favorite_nouns(FAVORITE + in_english(noun))))


def _near(facts: Sequence[FactLine]) -> list[FactLine]:
    """Leave out the things and tastes that are far from the question, where that is known."""
    best = max((fact.closeness for fact in facts), default=0.0)
    least = max(LEAST_CLOSENESS, CLOSE_TO_BEST * best)
    return [
        fact
        for fact in facts
        if not best or fact.closeness >= least or fact.key.partition(":")[0] not in ANYTHING
    ]


def _is_of(key: str, asked: str) -> bool:
    if not asked.startswith(FAVORITE):
        return key == asked or key.startswith(f"{asked}:")
    if not key.startswith(FAVORITE):
        return False
    return favorite_nouns(key) <= favorite_nouns(asked) or asked == FAVORITE
