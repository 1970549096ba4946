"""What was chosen, told: who wrote it and when, in the words of one language. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from graph.models.offline.candidates import AGENT, OTHER, Candidate
from graph.models.offline.choosing import Chosen
from graph.models.offline.dated import in_words, placed
from graph.models.offline.frames import Frames
from graph.models.offline.kinds import kind_of
from graph.models.offline.words import shorten
from memory.recall.ranking.wording import asks_when


def tell(question: str, chosen: Sequence[Chosen], frames: Frames) -> str:
    """Return what answers a question: a line each, or joined where it asks for several."""
    if len(chosen) > 1 and kind_of(question).wants_list:
        return frames.several.format("; ".join(_items(chosen, frames)))
    return "\n".join(_line(each, question, frames) for each in chosen)


def _line(chosen: Chosen, question: str, frames: Frames) -> str:
    candidate = chosen.candidate
    quoted = frames.quoted.format(chosen.excerpt)
    if candidate.when and asks_when(question):
        days = placed(chosen.excerpt, candidate.when, frames)
        quoted += f" ({frames.that_is.format(', '.join(days))})" if days else ""
    if candidate.of_fact and not candidate.is_other_person:
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


def _items(chosen: Sequence[Chosen], frames: Frames) -> list[str]:
    """Return a list's items; who and when are said once where they stay the same."""
    items: list[str] = []
    last = ""
    for each in chosen:
        candidate = each.candidate
        quoted = " ".join([frames.quoted.format(each.excerpt), *_reply(candidate, frames)])
        date = in_words(candidate.when, frames) if candidate.when else ""
        frame = frames.item if date else frames.undated
        item = frame.format(date=date, who=_named(candidate, frames), said="")
        items.append(quoted if item == last else item + quoted)
        last = item
    return items


def _named(candidate: Candidate, frames: Frames) -> str:
    if candidate.author == OTHER:
        return candidate.speaker or frames.someone
    return frames.agent if candidate.author == AGENT else frames.you
