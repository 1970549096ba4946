"""What was talked about, where that is asked for: an episode's summary, or a young chat's lines.

Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import zip_longest
from typing import Final

from graph.models.offline.candidates import ASKER, Source
from graph.models.offline.dated import in_words
from graph.models.offline.frames import Frames
from graph.models.offline.words import shorten
from memory.recall.block import MemoryBlock
from memory.recall.questions import only_asks
from memory.recall.recaps import words_ask_for_recap
from memory.text.words import content_stems

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
    " haben hatten wir worüber wovon worum über gesprochen geredet besprochen diskutiert ging"
    " letztes mal gestern sobre qué hablamos hablado hemos habíamos charlamos conversamos"
    " discutimos comentamos última vez ayer falamos falámos nós última ontem"
    " о чем чём мы говорили разговаривали беседовали общались обсуждали прошлый раз вчера про об"
)


def talked(question: str, memory: MemoryBlock, frames: Frames) -> tuple[str, Source] | None:
    """Return an episode in a sentence, and where it stands; None where none fits.

    The one with the most of the question's words; of nothing in particular, the last one.
    """
    lines = [(line, Source("episode", n)) for n, line in enumerate(memory.episodes)]
    lines += [(line, Source("so_far", n)) for n, line in enumerate(memory.so_far)]
    topic = content_stems(question) - _ASKING
    if not lines:
        return None
    if topic:
        shared = [len(topic & content_stems(line)) for line, _ in lines]
        if not max(shared):
            return None
        line, source = lines[shared.index(max(shared))]
    else:
        line, source = max(lines)
    day, _, text = line.partition(": ")
    said = frames.quoted.format(shorten(text, TOLD_CHARS))
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
    if content_stems(question) - _ASKING:
        return "", frozenset()
    told = [
        (text, place)
        for text, place in zip_longest(earlier, places)
        if not (only_asks(text) or words_ask_for_recap(text))
        and len(content_stems(text)) >= _LEAST_STEMS
    ][:_MOST_LINES][::-1]
    quotes = [frames.quoted.format(shorten(text, TOLD_CHARS // _MOST_LINES)) for text, _ in told]
    said = frames.earlier[ASKER].format(date="", who="", said=" ".join(quotes)) if quotes else ""
    return said, frozenset(Source("window", place) for _, place in told if place is not None)
