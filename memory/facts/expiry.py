"""What holds for a while only: "until Friday", "this week", "bis Ende März" (T8). Pure.

A fact has the end that its own clause names, for keys of which something can hold for a while. The
time that is named belongs to it: "until Friday" is over when Friday is. What can be told for a
while alone, being away or taking antibiotics, is read only where an end stands beside it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Final, NamedTuple

from dateutil.easter import EASTER_ORTHODOX, EASTER_WESTERN, easter

from memory.domain.facts import Observation
from memory.facts.predicates import predicate
from memory.facts.slots import is_same
from memory.text.dates import MAX_CHARS, coming

FOR_A_WHILE: Final = frozenset(
    """home diet medical avoid availability budget occupation employer school timezone
    reply_language reply_style standing""".split()
)
"""Keys of which something may hold for a while. Who is allergic until Friday is not believed."""

CONFIDENCE: Final = 0.9
MAX_GAP: Final = 5
"""Words between a value and its end."""

_SENTENCE: Final = re.compile(r"(?:[^.!?…\n]|\.(?=\d|\s*[a-zäöüß]))+[.!?…]*")
_UNTIL: Final = re.compile(
    r"(?<!\w)(?:until|till|til|'til|through|bis|hasta|até|ate|до)"
    r"(?:\s+(?:the|about|at\s+least|mindestens|zum|zu|el|la|al|o|a|ao|à|este|esta))*\s*\Z",
    re.IGNORECASE,
)
_THIS: Final = re.compile(
    r"(?:this|diese[nrsm]?|n?est[ea]|эт(?:от?|ой|у|ом))\s+"
    r"(?:week|weekend|month|year|summer|winter|spring|autumn|fall|woche|wochenende|monat|jahr|sommer"
    r"|winter|semana|mes|año|verano|invierno|mês|ano|verão|inverno|недел\w+|месяц\w*|год\w*"
    r"|выходны\w+|лет\w*|зим\w+)",
    re.IGNORECASE,
)
_HINT: Final = re.compile(
    r"(?<!\w)(?:un?til|till|'til|through|bis|hasta|até|ate|до|this|diese\w*|n?est[ea]|эт\w+|lent"
    r"|fastenzeit|cuaresma|quaresma|пост\w*)(?!\w)",
    re.IGNORECASE,
)
_BREAK: Final = re.compile(
    r"[,;:()–—]|(?<!\w)(?:and|but|because|while|when|und|aber|weil"
    r"|während|y|pero|porque|e|mas|и|а|но|потому)(?!\w)",
    re.IGNORECASE,
)


class End(NamedTuple):
    """Where a text names an end, from the first character up to the second, and when it is."""

    at: int
    to: int
    until: datetime


def _western(year: int) -> date:
    return easter(year, EASTER_WESTERN) + timedelta(days=1)


def _orthodox(year: int) -> date:
    return easter(year, EASTER_ORTHODOX) + timedelta(days=1)


def _christmas(year: int) -> date:
    return date(year, 12, 27)


_FEASTS: Final[tuple[tuple[re.Pattern[str], Callable[[int], date]], ...]] = tuple(
    (re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE), when)
    for words, when in (
        (
            r"(?:until|till|bis|hasta|até)\s+(?:zu\s+|la\s+|a\s+|à\s+)?"
            r"(?:easter|ostern|pascua|páscoa)"
            r"|(?:during|for|in)\s+lent|in\s+der\s+fastenzeit|(?:en|durante\s+la)\s+cuaresma"
            r"|(?:na|durante\s+a)\s+quaresma",
            _western,
        ),
        (r"до\s+пасхи|(?:в|во\s+время)\s+(?:великий|великого)\s+поста?", _orthodox),
        (
            r"(?:until|till|bis|hasta|até|до)\s+(?:zu\s+|la\s+|o\s+)?"
            r"(?:christmas|weihnachten|navidad|natal|рождества)",
            _christmas,
        ),
    )
)

_MEDICINE: Final = (
    r"antibiotics|antibiotika|antibióticos|антибиотики|\w+ci(?:llin|lina)|пенициллин|cortisone"
    r"|cortison|kortison|cortisona|кортизон|painkillers|schmerzmittel|analgésicos|blood\s+thinners"
    r"|blutverdünner|anticoagulantes|medication|medikamente"
)
_DIETS: Final = (
    r"vegan|vegetarian|pescatarian|vegetarisch|vegan[oa]|vegetarian[oa]|gluten-free|sugar-free|keto"
    r"|вегетариан\w+|веган\w*"
)
_PLACE: Final = r"(?P<value>(?-i:[A-ZÀ-ÞА-ЯЁ][\w'’-]+(?:\s[A-ZÀ-ÞА-ЯЁ][\w'’-]+)*))"
_START: Final = r"(?<![^\s,;])"
_FEW: Final = r"(?:\s+[^\s,;]+){0,6}?\s+"
_TOLD: Final[tuple[tuple[str, re.Pattern[str]], ...]] = tuple(
    (key, re.compile(pattern, re.IGNORECASE))
    for key, pattern in (
        (
            "availability",
            rf"{_START}i(?:['’]m|\s+am|['’]ll\s+be|\s+will\s+be)\s+(?:still\s+|currently\s+)?"
            r"(?P<value>away|off(?:\s+(?:work|sick))?|out\s+of\s+(?:the\s+)?office"
            r"|on\s+(?:vacation|holiday|leave|sick\s+leave|parental\s+leave|a\s+business\s+trip)"
            r"|travell?ing|not\s+(?:available|reachable)|unavailable)(?!\w)",
        ),
        (
            "availability",
            rf"(?<!\w)(?:ich\s+bin|bin\s+ich){_FEW}(?P<value>im\s+urlaub|nicht\s+(?:erreichbar"
            r"|verfügbar|da)|verreist|krankgeschrieben|in\s+elternzeit|auf\s+dienstreise)(?!\w)",
        ),
        (
            "availability",
            r"(?<!\w)(?:estoy|estaré|estou|estarei)\s+(?P<value>de\s+(?:vacaciones|viaje|baja|férias"
            r"|viagem|licença)|fuera)(?!\w)",
        ),
        (
            "availability",
            r"(?<!\w)(?P<value>(?:no\s+estoy|não\s+estou|no\s+estaré|não\s+estarei)"
            r"\s+(?:disponible|disponível))(?!\w)",
        ),
        (
            "availability",
            rf"(?<!\w)я{_FEW}(?P<value>в\s+отпуске|в\s+командировке|на\s+больничном)(?!\w)",
        ),
        ("home", rf"{_START}i(?:['’]m|\s+am)\s+(?:staying|living)\s+in\s+{_PLACE}"),
        ("home", rf"(?<!\w)(?:ich\s+bleibe|bleibe\s+ich){_FEW}in\s+{_PLACE}"),
        ("home", rf"(?<!\w)(?:me\s+quedo|estoy\s+viviendo)\s+en\s+{_PLACE}"),
        ("home", rf"(?<!\w)(?:fico|estou\s+(?:morando|a\s+viver))\s+em\s+{_PLACE}"),
        (
            "medical",
            rf"{_START}i(?:(?:['’]m|\s+am)\s+(?:on|taking)|\s+take)\s+(?P<value>{_MEDICINE})(?!\w)",
        ),
        ("medical", rf"(?<!\w)(?:ich\s+nehme|nehme\s+ich){_FEW}(?P<value>{_MEDICINE})(?!\w)"),
        (
            "medical",
            rf"(?<!\w)(?:est(?:oy|ou)\s+(?:a\s+)?(?:tomando|tomar)|tomo)\s+(?P<value>{_MEDICINE})(?!\w)",
        ),
        ("medical", rf"(?<!\w)(?:пью|принимаю)\s+(?P<value>{_MEDICINE})(?!\w)"),
        ("diet", rf"{_START}i(?:['’]m|\s+am)\s+(?:strictly\s+)?(?P<value>{_DIETS})(?!\w)"),
        (
            "diet",
            rf"(?<!\w)(?:ich\s+(?:bin|esse|lebe)|(?:esse|lebe)\s+ich)(?:\s+[^\s,;]+){{0,5}}?\s+"
            rf"(?P<value>{_DIETS})(?!\w)",
        ),
        ("diet", rf"(?<!\w)(?:soy|estoy|sou|estou)\s+(?P<value>{_DIETS})(?!\w)"),
        ("diet", rf"(?<!\w)я\s+(?P<value>{_DIETS})(?!\w)"),
    )
)


def may_end(text: str) -> bool:
    """Tell whether a text may name an end, by its words alone."""
    return bool(_HINT.search(text))


def told_for_a_while(
    text: str, *, source_uid: str, stated_at: datetime, anchor: str, zone: tzinfo = UTC
) -> list[Observation]:
    """Return what is so until an end that its sentence names, and is read only because of it."""
    found: list[Observation] = []
    if not may_end(text):
        return found
    for start, sentence in _sentences(text):
        ends = ends_in(sentence, stated_at, zone)
        if not ends or sentence.rstrip().endswith("?"):
            continue
        for key, pattern in _TOLD:
            known = predicate(key)
            for match in pattern.finditer(sentence):
                where = match.span("value")
                if known is not None and (end := _end_of(where, ends, sentence)):
                    found.append(
                        Observation(
                            category=known.category,
                            key=key,
                            value=match["value"],
                            confidence=CONFIDENCE,
                            importance=known.importance,
                            source_uid=source_uid,
                            stated_at=stated_at,
                            anchor=anchor,
                            span=(start + where[0], start + where[1]),
                            until=end.until,
                        )
                    )
    return found


def with_ends(
    observations: Sequence[Observation], text: str, zone: tzinfo = UTC
) -> tuple[Observation, ...]:
    """Return observations with the ends that a message names for them.

    An end is no part of a value: "after 6 until Friday" is "after 6". Each needs its place in the
    text; those that have an end already keep it.
    """
    if not may_end(text):
        return tuple(observations)
    return tuple(_ended(each, text, zone) for each in observations)


def joined(
    observations: Sequence[Observation], more: Sequence[Observation]
) -> tuple[Observation, ...]:
    """Return observations with those of `more` that say something else."""
    told = [each for each in observations if not each.retracts]
    new = (
        each
        for each in more
        if not any(o.key == each.key and is_same(o.key, o.value, each.value) for o in told)
    )
    return (*observations, *new)


def ends_in(sentence: str, said_at: datetime, zone: tzinfo = UTC) -> list[End]:
    """Return the ends that a sentence names, in order; of a long one the first characters."""
    if not may_end(sentence):
        return []
    said = sentence[:MAX_CHARS]
    now = said_at.astimezone(zone)
    ends = list(_feasts(said, now))
    for named in coming(said, now):
        if before := _UNTIL.search(said[: named.at]):
            ends.append(End(before.start(), named.to, named.span.end))
        elif _THIS.match(said, named.at) and named.span.start <= now:
            ends.append(End(named.at, named.to, named.span.end))
    return sorted(end._replace(until=end.until.astimezone(UTC)) for end in ends)


def _feasts(said: str, now: datetime) -> Iterator[End]:
    for pattern, when in _FEASTS:
        for match in pattern.finditer(said):
            days = (
                datetime.combine(when(year), time.min, now.tzinfo)
                for year in (now.year, now.year + 1)
            )
            yield End(*match.span(), next(day for day in days if day > now))


def _ended(seen: Observation, text: str, zone: tzinfo) -> Observation:
    if seen.retracts or seen.until or seen.span is None or seen.key not in FOR_A_WHILE:
        return seen
    for start, sentence in _sentences(text):
        if start <= seen.span[0] < start + len(sentence):
            ends = ends_in(sentence, seen.stated_at, zone)
            where = (seen.span[0] - start, seen.span[1] - start)
            end = _end_of(where, ends, sentence)
            return _cut(seen, end, start, text) if end else seen
    return seen


def _cut(seen: Observation, end: End, start: int, text: str) -> Observation:
    """Return an observation that ends, its end cut off its value."""
    first, last = seen.span or (0, 0)
    at = start + end.at
    if first < at < last:
        value = text[first:at].rstrip(" ,")
        return replace(seen, value=value, span=(first, first + len(value)), until=end.until)
    return replace(seen, until=end.until)


def _end_of(where: tuple[int, int], ends: Sequence[End], sentence: str) -> End | None:
    """Return the end that a clause names of the value that stands there."""
    first, last = where
    for end in ends:
        if first < end.at < last:
            return end
        behind, ahead = sentence[last : end.at], sentence[end.to : first]
        if end.at >= last and _is_one_clause(behind.rstrip(" ,")):
            return end
        if end.to <= first and _is_one_clause(ahead.lstrip(" ,")):
            return end
    return None


def _is_one_clause(between: str) -> bool:
    return len(between.split()) <= MAX_GAP and not _BREAK.search(between)


def _sentences(text: str) -> Iterator[tuple[int, str]]:
    for match in _SENTENCE.finditer(text):
        yield match.start(), match[0]
