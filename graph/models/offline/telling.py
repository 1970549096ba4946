"""What was chosen, told: who wrote it and when, in the words of one language. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from graph.models.offline.candidates import Candidate
from graph.models.offline.choosing import Chosen
from graph.models.offline.dated import in_words, placed
from graph.models.offline.frames import Frames
from graph.models.offline.words import shorten
from memory.recall.ranking.wording import asks_when


def tell(question: str, chosen: Sequence[Chosen], frames: Frames) -> str:
    """Return what answers a question, a line each."""
    return "\n".join(_line(each, question, frames) for each in chosen)


def _line(chosen: Chosen, question: str, frames: Frames) -> str:
    candidate = chosen.candidate
    quoted = frames.quoted.format(chosen.excerpt)
    if candidate.when and asks_when(question):
        days = placed(chosen.excerpt, candidate.when, frames)
        quoted += f" ({frames.that_is.format(', '.join(days))})" if days else ""
    if candidate.of_fact:
        said = frames.you_said.format(said=quoted)
    else:
        date = in_words(candidate.when, frames) if candidate.when else ""
        frame = (frames.on if date else frames.earlier)[candidate.author]
        said = frame.format(date=date, who=candidate.speaker or frames.someone, said=quoted)
    return " ".join([said, *_reply(candidate, frames)])


def _reply(candidate: Candidate, frames: Frames) -> list[str]:
    if not candidate.reply:
        return []
    quoted = frames.quoted.format(shorten(candidate.reply))
    frame = frames.next_other if candidate.replier else frames.next_you
    return [frame.format(who=candidate.replier, said=quoted)]
