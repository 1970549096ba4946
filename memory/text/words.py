"""Words of a text: which say nothing by themselves, and what their forms have in common. Pure."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

import snowballstemmer

from memory.text.lexical import searchable

MAX_TEXT_CHARS: Final = 4_000  # of one text; what lies beyond is not read
URL: Final = re.compile(r"https?://\S+")
QUOTED: Final = re.compile(r"[“„][^“”„\n]*[”“]|«[^«»\n]*»|\"[^\"\n]*\"")
"""What is quoted within a line, with its marks."""
_APOSTROPHE: Final = re.compile("['’ʼ`´]")
_POSSESSIVE: Final = re.compile(r"['’]s\b")
_NO_WORD: Final = re.compile(r"[\W_]+")
_ASCII: Final = {
    code: None if chr(code) in "'`" else chr(code).lower() if chr(code).isalnum() else " "
    for code in range(128)
}
"""What `normalise` makes of each character of a text that has no others."""
_QUESTION_MARK: Final = re.compile(r"[?？؟]")
_CYRILLIC: Final = ("\u0400", "\u04ff")
_WORD: Final = re.compile(r"\w+")
_UNSPACED: Final = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")

STOP_WORDS: Final = frozenset(
    """a about again ago all also am an and any anything are as at be because been before being
    both but by called came can cant come could couldnt did didnt do does doesnt doing dont else
    ever every for from get give go going good got had has hasnt have havent having he hello her
    here hers hey hi him his how i id if ill im in into is isnt it its ive just know let like
    made make many may me mean mention mentioned mine more most much must my myself name names
    named no not now of off ok on one or our ours out over own please really recall remember
    remind said same say says see shall she should show so some something such tell than thank
    thanks that thats the their them then there these they thing things think this those to told
    too up us use very was wasnt we well went were what whats when whens where wheres which who
    whom whos whose why will with would wrote yes yet you your yours ich du der die das ein eine
    ist bin bist mein meine mir mich und oder wie was wer wo wann habe hast el la los las un una
    de del que es soy eres mi mis me tu y o como donde quien cual le les une des et ou est suis
    mon ma mes je tu qui quoi os um uma eu meu minha e onde quem qual я ты мы вы он она они мой
    моя мое мои меня мне и или что кто где как когда это в на у с""".split()
)
"""In lower case, without apostrophes. Words that people use to ask are among them."""


def has_question_mark(text: str) -> bool:
    """Tell whether a text has a question mark, of whatever script."""
    return bool(_QUESTION_MARK.search(text))


@lru_cache(maxsize=16_384)
def stem(word: str) -> str:
    """Return what the forms of a word in lower case share: `hiking` and `hikes` -> `hike`.

    Words in Latin letters are taken for English; other scripts but Cyrillic stay as they are.

    Source: Snowball (Porter 2001), snowballstem.org.
    """
    language = "russian" if _CYRILLIC[0] <= word[:1] <= _CYRILLIC[1] else "english"
    # A stemmer keeps the word that it works on: threads share none.
    stemmed: str = snowballstemmer.stemmer(language).stemWord(word)
    return stemmed


def normalise(text: str) -> str:
    """Return the text in lower case, without apostrophes, punctuation and links."""
    text = text[:MAX_TEXT_CHARS]
    if "://" in text:
        text = URL.sub(" ", text)
    if text.isascii():  # many times as fast, and most texts are
        return " ".join(text.translate(_ASCII).split())
    return _NO_WORD.sub(" ", _APOSTROPHE.sub("", text.casefold())).strip()


def content_stems(text: str) -> frozenset[str]:
    """Return the stems of a text's words, without stop words."""
    bare = _POSSESSIVE.sub("", text[:MAX_TEXT_CHARS])
    words = normalise(searchable(bare)).split()
    return frozenset(stem(word) for word in words if word not in STOP_WORDS)


def has_words(text: str, words: str) -> bool:
    """Tell whether a text has each of some words, or another form of it, but not within others.

    Where a script sets no blanks between words, a part of a text will do, and for what has no
    letters, such as a picture.
    """
    said, wanted = text.casefold(), words.casefold().strip()
    held = {stem(word) for word in _WORD.findall(said)}
    parts = _WORD.findall(wanted)
    if not parts:
        return bool(wanted) and wanted in said
    return all(stem(w) in held or (bool(_UNSPACED.search(w)) and w in said) for w in parts)
