"""What was talked about: told from the summary of an episode, where that is asked for. Pure."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from graph.models.offline.candidates import Source
from graph.models.offline.dated import in_words
from graph.models.offline.frames import Frames
from graph.models.offline.words import shorten
from memory.recall.block import MemoryBlock
from memory.text.words import content_stems

TOLD_CHARS: Final = 300
_ASKING: Final = content_stems(
    "talk talked talking discuss discussed discussing discussion speak speaking spoke spoken chat"
    " chatted conversation last time yesterday today week before earlier"
    " haben hatten wir worüber wovon worum über gesprochen geredet besprochen diskutiert ging"
    " letztes mal gestern sobre qué hablamos hablado hemos habíamos charlamos conversamos"
    " discutimos comentamos última vez ayer falamos falámos nós última ontem"
    " чем мы говорили разговаривали беседовали общались обсуждали прошлый раз вчера про об"
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
