"""What was talked about, where that is asked for: an episode's summary, or a young chat's lines.

Pure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from itertools import zip_longest
from typing import Final

from graph.models.offline.candidates import ASKER, Source
from graph.models.offline.dated import in_words
from graph.models.offline.frames import Frames
from graph.models.offline.speech import is_request
from graph.models.offline.words import shorten
from memory.recall.block import MemoryBlock, read_moment
from memory.recall.questions import only_asks
from memory.recall.recaps import words_ask_for_recap
from memory.text.dates import Span, spans, without_times
from memory.text.words import content_stems, normalise

TOLD_CHARS: Final = 300
_MOST_LINES: Final = 3
_LEAST_STEMS: Final = 2
"""A line with fewer, such as a greeting, tells of no matter."""
_ASKING: Final = content_stems(
    "talk talked talking discuss discussed discussing discussion speak speaking spoke spoken chat"
    " chatted conversation last time yesterday today week before earlier lately recently far"
    " summarize summarise summary sum recap fass fasse zusammenfassung zusammen gespräch chat"
    " resumen resume resuma resumir conversación conversa charla подытожь перескажи кратко разговор"
    " unser unsere unserem nuestra nuestro nossa nosso наш нашу please bitte"
    " today now main points point topics topic things heute eben gerade bisher alles heutigen"
    " hoy ahora hasta todo hoje agora até tudo сегодня сейчас всё все"
    " haben hatten wir worüber wovon worum über gesprochen geredet besprochen diskutiert ging"
    " letztes mal gestern sobre qué hablamos hablado hemos habíamos charlamos conversamos"
    " discutimos comentamos última vez ayer falamos falámos nós última ontem"
    " о чем чём мы говорили разговаривали беседовали общались обсуждали прошлый раз вчера про об"
)
_ABOUT: Final = re.compile(
    r"\b(?:about|regarding|concerning|on|über|zu[mr]?|sobre|acerca|про|обо?|о|насч[её]т"
    r"|(?:de|da|do) (?:la|los|las|mis?|tus?|os?|as?|meus?|minhas?)|del|d[ao]s?)\b(?P<matter>.*)"
)

_NAMELESS: Final = re.compile(r"(?<!\S)me: (?=[“„«])")
"""What stands before what somebody without a name said."""


def talked(question: str, memory: MemoryBlock, frames: Frames) -> tuple[str, Source] | None:
    """Return an episode in a sentence, and where it stands; None where none fits.

    The one with the most of the question's words; of nothing in particular, the last one. Where it
    names a time, one of that time.
    """
    lines = [(line, Source("episode", n)) for n, line in enumerate(memory.episodes)]
    lines += [(line, Source("so_far", n)) for n, line in enumerate(memory.so_far)]
    if now := read_moment(memory.now):
        times, question = spans(question, now), without_times(question, now)
        lines = [each for each in lines if not times or _is_within(each[0], times)]
    topic = content_stems(question) - _ASKING
    if not lines:
        return None
    shared = [len(topic & content_stems(line)) for line, _ in lines]
    if max(shared):
        line, source = lines[shared.index(max(shared))]
    elif _names_a_matter(question):
        return None
    else:
        line, source = max(lines)
    day, _, text = line.partition(": ")
    said = frames.quoted.format(shorten(_NAMELESS.sub("", text), TOLD_CHARS))
    return frames.talked.format(
        date=in_words(datetime.fromisoformat(day), frames), said=said
    ), source


def talked_so_far(
    question: str, earlier: Sequence[str], places: Sequence[int], frames: Frames
) -> tuple[str, frozenset[Source]]:
    """Return what the asker last said of any matter, for a chat that no summary tells of yet.

    `earlier`: their lines of the window, newest first, `places` their numbers there. Empty where
    something in particular is asked for: what fits that is found like any other answer.
    """
    if _names_a_matter(question):
        return "", frozenset()
    told = [
        (text, place)
        for text, place in zip_longest(earlier, places)
        if not (only_asks(text) or is_request(text) or words_ask_for_recap(text))
        and len(content_stems(text)) >= _LEAST_STEMS
    ][:_MOST_LINES][::-1]
    quotes = [frames.quoted.format(shorten(text, TOLD_CHARS // _MOST_LINES)) for text, _ in told]
    said = frames.earlier[ASKER].format(date="", who="", said=" ".join(quotes)) if quotes else ""
    return said, frozenset(Source("window", place) for _, place in told if place is not None)


def _is_within(line: str, times: Sequence[Span]) -> bool:
    """Tell whether an episode began in one of these times; its line begins with the day."""
    began = datetime.fromisoformat(line.partition(": ")[0])
    return any(time.start <= began < time.end for time in times)


def _names_a_matter(question: str) -> bool:
    """Tell whether a question for a recap says of what: "about the move", "zum Umzug"."""
    found = _ABOUT.search(normalise(question))
    return bool(found and content_stems(found["matter"]) - _ASKING)
