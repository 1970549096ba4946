"""Orders to remind somebody, and questions what is still to be done: by wording. Pure.

For English, German, Spanish, Portuguese and Russian. Nobody is called by the agent itself.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from datetime import date, datetime, time
from typing import Final, NamedTuple

from graph.models.offline.candidates import Source
from graph.models.offline.dated import in_words
from graph.models.offline.frames import Frames
from graph.models.offline.speech import ASKED_GERMAN, ASKED_RUSSIAN
from graph.models.offline.words import sentences, shorten
from memory.facts.reading.orders import said_outright
from memory.recall.questions import is_first_person
from memory.text.dates import Span, coming, without_times
from memory.text.words import content_stems, normalise

MAX_TOLD: Final = 5
# What is to be told at once is a question: "remind me what my name is", "wem ich das Buch gab".
_EN: Final = r"(?:(?:to|for|with|at|in|on|from) )?(?:what|who|whose|whom|where|which|how|why|if)"
_ES: Final = (
    r"(?:(?:a|de|con|en|por|para|desde) )?(?:qui[eé]n(?:es)?|qué|d[oó]nde|c[oó]mo|cu[aá]l(?:es)?"
    r"|cu[aá]ndo|cu[aá]nt[oa]s?)\b"
)
_PT: Final = (
    r"(?:(?:(?:a|de|com|em|por|para|desde) )?(?:quem|onde|como|qual|quais|quando|quant[oa]s?)"
    r"|o que|(?:a|com|em|por) que)\b"
)
_ORDER: Final = re.compile(
    r"(?:(?:please|hey|ok|okay|so|and|can you|could you|would you|will you|dont forget to) )*(?:"
    # So is "remind me of my name", but not "remind me of it tomorrow".
    rf"remind me (?!(?:of|about)\b(?!.*\b(?:tomorrow|tonight|later|next|(?:on|at|in) \w+)\b)|please$|again$|{_EN}"
    r"|when (?:is|was|are|were|do|did|does)\b)\w"
    rf"|(?:bitte |kannst du |könntest du )*erinner(?:e|st)? (?:du )?mich (?:bitte )?+(?!{ASKED_GERMAN})\w"
    r"|(?:kannst du|könntest du|bitte) mich .{0,60}\berinnern$"
    rf"|(?:por favor )?(?:puedes )?recu[eé]rd[ae]me (?!{_ES})\w"
    rf"|(?:puedes|podrías) recordarme (?!{_ES})\w"
    r"|(?:por favor )?(?:me lembr[ae]|lembr[ae] me|(?:pode|podes) (?:me )?lembrar(?: me)?) "
    rf"(?!{_PT})\w"
    rf"|(?:пожалуйста )?напомни(?:те)? (?:мне )?+(?:пожалуйста )?+(?!{ASKED_RUSSIAN}|что (?:я|мы|у)\b|(?:на|о|об|с|в|за|про) что\b)\w"
    r")"
)
_OWES: Final = re.compile(
    r"\b(?:ill|i will|i have to|ive got to|i need to|i must|ich muss|ich werde|tengo que|voy a"
    r"|tenho (?:de|que)|vou|мне (?:нужно|надо)|я (?:должн|обеща)\w+)\b"
)
_TO_NAME: Final = re.compile(r"(?:kannst|könntest|würdest) du mich .{1,40}\bnennen\b")
_ASKS: Final = re.compile(
    r"\bwhat (?:did|do|should|was|were|am|had|have|are) .{0,40}\bremind(?:ed|ing)?\b|\bmy reminders\b"
    r"|\bwhat (?:did|do|should) i (?:still |also )?(?:(?:want|have|need|plan|mean) to (?:do|buy|get|call|bring|remember)"
    r"|(?:not )?forget)\b|\b(?:whats|what is) (?:still )?(?:open|left to do|on my list)\b|\bmy to ?dos?\b"
    r"|\bwhat am i (?:supposed|meant) to do\b|\bwhat (?:must|mustnt|cant) i (?:not )?forget\b"
    r"|\banything (?:else )?(?:that )?i (?:still )?(?:need|have|want) to (?:do|remember)\b"
    r"|\bwhat did i (?:say|tell you|promise)(?: that)? i (?:had|have|needed|need|wanted|want|was going|should|would)(?: to)? \w"
    r"|\bwas (?:habe|hatte) ich gesagt,? (?:dass|was) ich .{1,40}\b(?:muss|müsste|will|wollte|soll|werde)$"
    r"|\banything (?:else )?(?:that )?i (?:asked|told|wanted) you to remind me\b"
    r"|\bdo i (?:still )?have anything (?:open|due|left|to do)\b"
    r"|\b(?:is|are) (?:there )?(?:anything|something|any ?things) (?:else )?(?:still )?(?:open|due|left to do|pending)\b"
    r"|\b(?:whats|what is) coming up\b|\bwhat do i have (?:on|planned|coming up)\b|\bdo i have (?:anything|something) (?:on|planned)\b"
    r"|\b(?:whats|what is|what else is) (?:still )?(?:due|pending|outstanding)\b"
    r"|\bist (?:noch |bei mir |sonst )*(?:etwas|was|irgendwas) (?:noch )?(?:offen|fällig|zu tun)\b|\bwas ist .{0,12}\bfällig\b"
    r"|\b(?:hay|queda|tengo) (?:todavía |aún )?algo (?:más )?pendiente\b|\b(?:há|tem|ficou|tenho) (?:ainda )?(?:algo|alguma coisa) pendente\b"
    r"|\b(?:осталось|есть) (?:ли )?(?:ещ[её] )?что (?:то|нибудь) (?:несделанное|незаверш[её]нное|сделать)\b"
    r"|\bwas darf ich .{0,10}\bvergessen\b|\bwas steht (?:\w+ ){0,4}?(?:an|aus)$"
    r"|\bqu[eé] no (?:debo|puedo|tengo que) olvidar\b|\bqu[eé] (?:me )?(?:queda|falta) (?:por|para) hacer\b"
    r"|\bque (?:é que )?(?:ainda )?(?:me )?falta fazer\b|\bque (?:é que )?(?:eu )?não (?:posso|devo) esquecer\b"
    r"|\bчто (?:мне )?(?:ещ[её] )?(?:осталось|нужно|надо) (?:ещ[её] )?(?:сделать|доделать)\b"
    r"|\bчто (?:мне |я )?не (?:долж(?:ен|на)|надо|нужно) забыть\b|\bо ч[её]м .{0,12}\bне (?:долж(?:ен|на)|надо|нужно) забыть\b"
    r"|\b(?:woran|an was) .{0,30}\berinner|\bwas (?:wollte|muss|musste|sollte|soll) ich .{0,40}"
    r"\b(?:tun|machen|erledigen|kaufen|besorgen|anrufen)\b|\bwas ist (?:noch )?offen\b"
    r"|\bqu[eé] .{0,30}\brecord(?:ar|aras|ases)\w*|\bqu[eé] (?:quería|tenía que|tengo que|debía|debo) (?:hacer|comprar)\b"
    r"|\bqu[eé] (?:hay|queda) pendiente\b"
    r"|\bque .{0,30}\blembra(?:sse|sses|r)\w*|\bque (?:eu )?(?:queria|tinha (?:de|que)|tenho (?:de|que)) (?:fazer|comprar)\b"
    r"|\bque (?:está|ficou) pendente\b"
    r"|\bо ч[её]м .{0,30}\bнапомнить\b|\bчто я (?:хотела?|должна?|собиралась|собирался) (?:сделать|купить)\b"
    r"|\bчто мне (?:нужно|надо) (?:сделать|купить)\b|\bмои напоминания\b"
)
_ASKING: Final = content_stems(
    "remind reminded reminding reminder reminders want wanted do did have had need get"
    " remember forget plan mean left list open still to-do todo supposed"
    " say said tell told promise going should would wanna supposed meant ask asked told tell me you i to of"
    " ich dich mich dir mir erinnern erinnere solltest woran was ist an"
    " woran wollte muss musste sollte soll tun machen erledigen noch offen"
    " que qué te me pedí pedi dije hacer recordar recordaras recuerdes recordases quería tenía tengo debía debo hacer pendiente queda"
    " darf nicht vergessen steht stehen aus no olvidar por falta queda"
    " falta não posso devo esquecer ainda aún todavía anything something planned coming up there is are else must due pending outstanding fällig etwas irgendwas sonst algo más alguma coisa не забыть ещё еще осталось доделать"
    " o eu para lhe disse está de lembrar lembre lembrasse lembrasses queria tinha tenho fazer pendente ficou"
    " о чём что я мне тебя просил просила чем напомнить хотел хотела должен должна собирался собиралась сделать нужно надо мне напоминания"
)
# What somebody wants to do tells apart where it is said so, and else not: "get milk".
_DOING: Final = content_stems(
    "buy call bring kaufen besorgen anrufen comprar llamar ligar купить позвонить"
)
_LINE: Final = re.compile(
    r"[^,]{0,40}, (?P<who>.{0,80}?)(?:, due (?P<due>\d{4}-\d\d-\d\d))?: (?P<text>.+)", re.DOTALL
)


def is_reminder(sentence: str) -> bool:
    """Tell whether a sentence orders to be reminded of something later."""
    return bool(_ORDER.match(normalise(sentence)))


def is_to_keep(sentence: str) -> bool:
    """Tell whether a sentence orders to keep what it says, in the form of a question or not."""
    return said_outright(sentence) != sentence or bool(_TO_NAME.match(normalise(sentence)))


def _owes(sentence: str) -> bool:
    """Tell whether a sentence says what its speaker is going to do: it is open a moment later."""
    return bool(_OWES.search(normalise(sentence)))


def asks_what_is_open(question: str) -> bool:
    """Tell whether a question asks what is still to be done, or what to be reminded of."""
    return bool(_ASKS.search(normalise(question)))


def still_open(
    question: str,
    lines: Sequence[str],
    earlier: Sequence[tuple[str, Source | None]],
    frames: Frames,
    now: datetime | None = None,
    *,
    asker: str = "",
    wholly: bool = False,
) -> tuple[str, list[Source]]:
    """Return what is open and fits a question, in a sentence, and what that used; else nothing.

    Where it names nothing and nothing is open, that is said.

    Args:
        question: Where it names a thing, only what has one of its words is told; where it names a
            time, only what is due then or says so.
        lines: The prompt's, of what is open.
        earlier: The asker's lines of the window, the newest first, and where they stand.
        frames: The language of the answer.
        now: When it is asked, where the asker lives.
        asker: Who asks, in a group: of nobody else is told what they have to do.
        wholly: Only what has all of the question's words: it does not ask what is open.
    """
    found = [
        _Open(read["text"], date.fromisoformat(read["due"]) if read["due"] else None)
        for line in lines
        if (read := _LINE.fullmatch(line))
        and (not asker or read["who"] == asker or not is_first_person(question))
    ]
    words = content_stems(question) - _ASKING
    for text, source in earlier:
        ordered = [each for each in sentences(text) if is_reminder(each) or (words and _owes(each))]
        found += [_Open(sentence, None, source) for sentence in ordered]
    if wholly:
        return _told([each for each in found if words and words <= each.stems], frames)
    then = [named.span for named in coming(question, now)] if now else []
    topic = words & content_stems(without_times(question, now)) if now and then else words
    fitting = [each for each in found if each.is_of(words - topic, then)]
    about = [each for each in fitting if topic & each.stems]
    if not about and topic <= _DOING:
        about = fitting
    if not about and not words:
        return frames.nothing_open, []
    return _told(about, frames)


class _Open(NamedTuple):
    text: str
    due: date | None = None
    source: Source | None = None

    @property
    def stems(self) -> frozenset[str]:
        return content_stems(self.text)

    def is_of(self, day: Collection[str], spans: Sequence[Span]) -> bool:
        """Tell whether it is due in one of the spans, or says one of a day's words."""
        if not spans or not self.stems.isdisjoint(day):
            return True
        return self.due is not None and any(
            s.start.date() <= self.due < s.end.date() for s in spans
        )


def _told(found: Sequence[_Open], frames: Frames) -> tuple[str, list[Source]]:
    """Return the first of what is open in a sentence, once each, and where it was said."""
    told = list({each.text: each for each in reversed(found)}.values())[::-1][:MAX_TOLD]
    said = "; ".join(_quoted(each, frames) for each in told)
    return frames.open.format(said) if told else "", [each.source for each in told if each.source]


def _quoted(each: _Open, frames: Frames) -> str:
    said = frames.quoted.format(shorten(each.text))
    if not each.due:
        return said
    return f"{said} ({in_words(datetime.combine(each.due, time()), frames)})"
