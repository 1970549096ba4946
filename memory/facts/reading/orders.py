"""What is to be kept, by a polite order, said outright: a question asks, and this tells. Pure.

"Can you remember that I'm allergic to nuts?" is "I'm allergic to nuts." for whoever reads it. In
English, German, Spanish, Portuguese and Russian.
"""

from __future__ import annotations

import re
from typing import Final

MAX_CHARS: Final = 4000
"""A longer text is pasted, and orders nothing."""
_TELLS: Final = r"(?:i|i['’]?m|i['’]?ve|my|we|we['’]?re|our|the|it|it['’]?s|he|he['’]?s|she|she['’]?s|they|there|this)\b"
"""What tells something opens with it in English: "remember that place" asks."""
_KEEP: Final = re.compile(
    r"(?:^|(?<=[.!?\n]))\s*(?P<frame>(?:(?:please|hey|hi|bitte|por favor|пожалуйста)[\s,]+)*(?:"
    r"(?P<asks>(?:can|could|would|will) (?:you|u) (?:please )?)?(?:"
    r"(?:remember|note(?: down)?|keep in mind|memori[sz]e|save|store|write down)(?: for me)?(?:(?: that|:|,)\s+|\s+(?=i\b))"
    rf"(?={_TELLS})|(?(asks)(?=call me (?!back\b|when\b|if\b|at\b|later\b|on\b)\w)|(?!)))"
    r"|(?:(?:kannst|könntest|würdest) du (?:dir )?(?:bitte )?(?:merken|notieren|aufschreiben)|merk dir(?: bitte)?)\s*,? dass\s+(?!du\b)"
    r"|(?:¿?(?:me )?(?:puedes|podrías|puede) (?:recordar|anotar|apuntar|guardar)|recuerda|anota|apunta) que\s+"
    r"|(?:(?:podes|pode|podias|poderia) (?:lembrar|anotar|guardar|registrar)|lembra|lembre|anota|anote) que\s+"
    r"|(?:(?:можешь|можете|мог(?:ла)? бы ты) (?:запомнить|записать|отметить)|запомни|запиши)\s*,? что\s+(?!ты\b)"
    r"))[^?.!\n]+(?P<mark>\??)",
    re.IGNORECASE,
)


def said_outright(text: str) -> str:
    """Return a text of the same length, in which what is to be kept is no question."""
    if len(text) > MAX_CHARS:
        return text

    def outright(found: re.Match[str]) -> str:
        (begin, end), mark = found.span("frame"), found.start("mark")
        before, said = text[found.start() : begin], text[end:mark]
        return f"{before}{' ' * (end - begin)}{said}{'.' if found['mark'] else ''}"

    return _KEEP.sub(outright, text)
