"""What kind of thing a question asks for, and whether a sentence tells one: by wording. Pure.

For English, German, Spanish, Portuguese and Russian.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from graph.models.offline.languages import language_of
from memory.recall.questions import asks_for_several
from memory.recall.ranking.wording import asks_when, signs
from memory.text.languages import MAX_CHARS
from memory.text.words import content_stems

_NUMBER_ASKED: Final = re.compile(
    r"\b(?:how (?:many|much|often|old|long|far|big|tall|high|heavy|late)|costs?|prices?|rent|rates?"
    r"|what (?:number|percentage|share)|paid|pays?"
    r"|wie ?viele?|wie (?:lange|oft|alt|hoch|weit|teuer|groß|schwer|spät)|kostet\w*|preis|miete"
    r"|cu[aá]nt[oa]s?|cuestan?|cost[oó]|precio|alquiler|quant[oa]s?|custam?|custou|preço|aluguel"
    r"|сколько|сто[ия]т|стоил[аои]?|цена)\b"
)
_NUMBER: Final = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|hundred|half"
    r"|twice|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|halbe[rnms]?"
    r"|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|dois|duas|três|quatro|sete|oito|nove|dez"
    r"|дв[ае]|три|четыре|пять|шесть|семь|восемь|девять|десять)\b"
)
_NAME_ASKED: Final = re.compile(
    r"\b(?:who|whose|whom|names?|named|called|where|which|what (?:town|city|street|place|brand)"
    r"|wer|wen|wem|wessen|wo|wohin|woher|welche[rsnm]?|wie hei(?:ß|ss)\w*"
    r"|qui[eé]n(?:es)?|d[oó]nde|ad[oó]nde|cu[aá]l(?:es)?|se llama|nombre"
    r"|quem|a?onde|qual|quais|se chama|nome|кто|кого|где|куда|откуда|как(?:ой|ая|ое|ие)|зовут)\b"
)
_NAME: Final = re.compile(r"(?<=[\w,;:–—-] )[\"“„«(]?[^\W\d_a-zà-ÿа-яё][\w'’&-]+")

_CALENDAR: Final = frozenset(
    """january february march april may june july august september october november december monday
    tuesday wednesday thursday friday saturday sunday christmas easter halloween""".split()
)
"""Written large in English, and nobody's name: lines are dated and do not say them."""


@dataclass(frozen=True, slots=True)
class Kind:
    """What a question asks for; several of them may hold."""

    time: bool = False
    number: bool = False
    name: bool = False
    several: bool = False

    @property
    def wants_list(self) -> bool:
        """Whether several things are asked for: "how many days" asks for one."""
        return self.several and not self.time

    def told_by(self, sentence: str, known: frozenset[str]) -> bool:
        """Tell whether a sentence has what is asked for, beside the stems that are `known`."""
        if self.time and signs(sentence).tells_time:
            return True
        if self.number and _NUMBER.search(sentence.casefold()):
            return True
        return self.name and any(
            not known & content_stems(name) for name in _NAME.findall(sentence)
        )


def names_in(question: str) -> list[str]:
    """Return the words with a large letter behind the first: in German any noun has it, so none.

    Without months, weekdays and holidays.
    """
    if language_of(question) == "de":
        return []
    found: list[str] = _NAME.findall(question[:MAX_CHARS])
    return [name for name in found if name.casefold().removesuffix("'s") not in _CALENDAR]


def kind_of(question: str) -> Kind:
    """Return what kind of thing a question asks for."""
    question = question[:MAX_CHARS]
    plain = question.casefold()
    return Kind(
        time=asks_when(question),
        number=bool(_NUMBER_ASKED.search(plain)),
        name=bool(_NAME_ASKED.search(plain)),
        several=asks_for_several(question),
    )
