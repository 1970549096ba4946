"""Words of a text: normalised lines for the cues, stems of content words for the overlap."""

from __future__ import annotations

import re
from typing import Final

from memory.text.lexical import searchable

MAX_TEXT_CHARS: Final = 4_000  # of one text; what lies beyond is not read
QUOTE_CHARS: Final = 160

_URL = re.compile(r"https?://\S+")
_APOSTROPHE = re.compile("['’ʼ`´]")
_POSSESSIVE = re.compile(r"['’]s\b")
_NO_WORD = re.compile(r"[\W_]+")
_SENTENCE = re.compile(r"[^.!?…？！。؟\n]+[.!?…？！。؟]*")

_STOP: Final = frozenset(
    """a about again ago all also am an and any anything are as at be because been before being both
    but by called came can cant come could couldnt did didnt do does doesnt doing dont else ever every for
    from get give go going good got had has hasnt have havent having he hello her here hers hey hi
    him his how i id if ill im in into is isnt it its ive just know let like made make many may me
    mean mention mentioned mine more most much must my myself name names named no not now of off ok
    on one or our ours out over own please really recall remember remind said same say says see
    shall she should show so some something such tell than thank thanks that thats the their them
    then there these they thing things think this those to told too up us use very was wasnt we
    well went were what whats when whens where wheres which who whom whos whose why will with would
    wrote yes yet you your yours
    ich du der die das ein eine ist bin bist mein meine mir mich und oder wie was wer wo wann habe
    hast el la los las un una de del que es soy eres mi mis me tu y o como donde quien cual le les
    une des et ou est suis mon ma mes je tu qui quoi os um uma eu meu minha e onde quem qual
    я ты мы вы он она они мой моя мое мои меня мне и или что кто где как когда это в на у с""".split()
)
_SUFFIXES: Final = ("ingly", "edly", "ings", "ing", "ed", "es", "s", "ly")
_MIN_STEM = 3


def normalise(text: str) -> str:
    """Return the text in lower case, without apostrophes, punctuation and links."""
    bare = _APOSTROPHE.sub("", _URL.sub(" ", text[:MAX_TEXT_CHARS]).casefold())
    return _NO_WORD.sub(" ", bare).strip()


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, each with its end mark; links are left out.

    Of a long text the start and the end are read: people ask first or last.
    """
    if len(text) > MAX_TEXT_CHARS:
        half = MAX_TEXT_CHARS // 2
        text = f"{text[:half]}\n{text[-half:]}"
    found = _SENTENCE.findall(_URL.sub(" ", text))
    return [sentence.strip() for sentence in found if sentence.strip()]


def stem(word: str) -> str:
    """Return an English word without its commonest endings: `hiking`, `hikes` -> `hik`."""
    if word.endswith("ies") and len(word) > _MIN_STEM + 1:
        return word[:-3] + "y"
    for suffix in _SUFFIXES:
        base = word.removesuffix(suffix)
        if base != word and len(base) >= _MIN_STEM and not word.endswith("ss"):
            word = base
            break
    if len(word) > _MIN_STEM and word[-1] == word[-2] and word[-1] not in "aeiouls":
        word = word[:-1]
    return word.removesuffix("e") if len(word) > _MIN_STEM else word


def content_stems(text: str) -> frozenset[str]:
    """Return the stems of a text's words, without stop words."""
    bare = _POSSESSIVE.sub("", text[:MAX_TEXT_CHARS])
    words = normalise(searchable(bare)).split()
    return frozenset(stem(word) for word in words if word not in _STOP)


def shorten(text: str, limit: int = QUOTE_CHARS) -> str:
    """Return the text on one line, cut at a word to at most `limit` characters."""
    line = " ".join(text[:MAX_TEXT_CHARS].split())
    if len(line) <= limit:
        return line
    cut = line[: limit - 1]
    head, space, _ = cut.rpartition(" ")
    return (head if space and len(head) > limit // 2 else cut) + "…"


def quote(text: str, limit: int = QUOTE_CHARS) -> str:
    """Return the text shortened, in typographic quotes."""
    return f"“{shorten(text, limit)}”"
