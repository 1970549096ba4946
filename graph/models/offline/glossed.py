"""What a question of another language asks for, by what its words mean in English. Pure.

Glosses keep the order of the question's words: "wie mein Hund heißt" is "how my dog is called". So
these patterns look for words in any order that no question about others has, and the cues in
English (`cues`) for the rest.
"""

from __future__ import annotations

import re
from typing import Final

from graph.models.offline.cues import (
    FAVORITE,
    Asked,
    asked_for,
    asked_in_line,
    asks_past,
    relation_of,
)
from graph.models.offline.speech import ASKED_GERMAN, ASKED_RUSSIAN
from memory.text.glossing import shipped_glosses
from memory.text.words import normalise

_CALLED: Final = r"(?:is|are|was|were) called"
_MINE: Final = r"(?:the )?my (?:best )?"
_WHO: Final = re.compile(
    # "How is called my dog", "how name is my dog", "who is my sister", "the name of the my sister".
    rf"(?:\b(?:how|as if) (?:itself )?{_CALLED}|\bhow names? (?:is|are)|\bnames? (?:of|is)"
    rf"|\bwho(?: is| are| was)?) {_MINE}(?P<noun>\w+)$"
    # "How my dog is called", "my dog, how is called the".
    rf"|\b(?:how|as) {_MINE}(?P<before>\w+)(?: (?:itself )?{_CALLED}| names? is)?$"
    rf"|^{_MINE}(?P<alone>\w+)(?: names?| how {_CALLED}.{{0,12}})?$"
)
_HAVE: Final = (
    r"(?:(?:i )+(?:have|own|drive|ride)|(?:have|own|drive|ride) i|with me(?: (?:is|have))?)\b"
)
_OWNED: Final = re.compile(
    rf"^(?:do |have |is )?(?:whether )?{_HAVE}|^(?:how many|what|which|that|as)\b.{{0,30}}\b{_HAVE}"
)
_I: Final = r"\b(?:i|me)\b"
_NOT: Final = r"\b(?:not|no|nothing|never)\b"
_KINDS: Final[tuple[tuple[str, str], ...]] = (
    (
        r"\bwith (?:as )?whom? .{0,12}\b(?:go out|dating|together|relationship|live)\b",
        "partner spouse",
    ),
    (
        r"\b(?:where|(?:for|at|by|with|on) whom?|company|firm)\b.{0,20}\bwork(?:s|ed)?\b"
        r"|\bmy (?:employer|company|firm)\b",
        "employer",
    ),
    (
        r"^(?:\w+ )?(?:what|that|as whom|as|than)\b.{0,16}\bwork(?:ed)?\b"
        r"|^(?:than|what) (?:do i|i do)$"
        r"|\b(?:of|by) profession\b|\bi do (?:of|in) (?:the )?life\b"
        r"|\bmy (?:work|job|profession|occupation)\b",
        "occupation employer",
    ),
    (
        r"\b(?:where|what|which|that)\b.{0,24}\bstud(?:y|ied|ies)\b"
        r"|\bmy (?:school|university|college)\b"
        rf"|\b(?:university|school|college|uni)\b.{{0,20}}{_I}",
        "school",
    ),
    (
        r"\b(?:of|from) where\b.{0,12}\b(?:am|come|originally)\b|\bwhere from\b|\bmy origin\b"
        r"|\bwhere come\b|\bwhere .{0,12}\bborn\b|\b(?:of|from) (?:what|which|that)\b.{0,12}\b"
        r"(?:city|country|town|place)\b",
        "origin",
    ),
    (
        r"\b(?:where|city|town|place|street)\b.{0,14}\blive\b|\bmy (?:address|city|home)\b",
        "home",
    ),
    (
        r"\bbirthday\b|\bday (?:of )?birth\b"
        r"|\bwhen\b.{0,8}\b(?:do|make|turn|complete)\b.{0,4}\byears\b"
        r"|\b(?:when|day|date|year)\b.{0,14}\bborn\b",
        "birthday",
    ),
    (
        r"\bhow many (?:to me )?years\b(?: (?:i )*(?:have|am)(?: i)?)?.{0,7}$|\bmy age\b"
        r"|\b(?:what|that|which) age\b|\bhow old\b",
        "age birthday",
    ),
    (r"\blanguages?\b.{0,12}\b(?:speak|know|can)\b|\bspeak\b.{0,8}\blanguages?\b", "language"),
    (r"\b(?:e ?)?mail\b|\bmailadress\w*|\bimeyl\b", "email"),
    (
        rf"\b(?:illness|disease|sickness|ill|sick)(?:es)?\b.{{0,20}}{_I}"
        rf"|(?:{_I}|\bmy\b).{{0,20}}\b(?:illness|disease|sickness|ill|sick)(?:es)?\b",
        "medical",
    ),
    (r"\ballerg\w+|\bintoleran\w+|\bi react\b|\breact i\b", "allergy"),
    (r"\b(?:am i|i am|i) (?:still )?(?:vegan|vegetarian|pescatarian)\b", "diet"),
    (
        rf"\beat\b.{{0,12}}(?:{_NOT}|\bmeat\b)|{_NOT}.{{0,16}}\beat\b|\bi eat\b|\bmy diet\b",
        "diet allergy avoid dislike",
    ),
    (
        rf"{_NOT}.{{0,10}}\b(?:like|likes|love|pleases|suffer|stand|bear)\b"
        rf"|\b(?:like|love|to stand)\b.{{0,16}}{_NOT}|\b(?:i hate|hate i)\b",
        "dislike",
    ),
    (
        r"\bdo i gladly\b|\b(?:i|me) (?:gladly|likes?|love|pleases)\b|\blike i\b|\bhobb(?:y|ies)\w*"
        r"|\bfree time\b",
        "like favorite:",
    ),
)
_PATTERNS: Final = tuple((re.compile(pattern), keys.split()) for pattern, keys in _KINDS)
_FAVORITE: Final = re.compile(
    r"\b(?:my|me) (?P<noun>\w+) (?:of )?(?:favou?rite|preferred)\b"
    r"|^(?:which|what|that) (?P<liked>\w+) (?:like i|i like|i love|me likes|me pleases)"
    r".{0,8}\b(?:most|best|more|dearest|than)\b"
)
# Whom else it may be of: then the question is about them, and no fact of the asker answers it.
_OTHERS: Final = re.compile(
    r"\b(?:he|she|they|his|her|their|him|them)\b"
    r"|\bmy (?!job|work|profession|occupation|school|university|college|origin|age|hobb|birth|day\b"
    r"|e ?mail|mail|favou?rite|colou?r|allerg|illness|disease|diet|language|address|city|home|free"
    r"|company|employer|firm)\w+"
)
_MINE_OR_I: Final = re.compile(r"\b(?:i|me|my|mine|myself)\b")
# Verbs that say "I" by their form alone.
_BY_FORM: Final = re.compile(
    r"\b(?:trabaj[oé]|estudi[oé]|nací|hablo|cumplo|vivo|vivía|odio|salgo|monto|conduzco"
    r"|trabalh(?:o|ei|ava)|estud(?:o|ei)|nasci|falo|faço|moro|odeio|namoro|dirijo"
    r"|работаю|живу|учусь|учил(?:ся|ась)|родил(?:ся|ась)|говорю|люблю|ненавижу|ем|езжу)\b"
)
_SPELLED: Final = (
    (re.compile(r"\be-mail", re.IGNORECASE), "email"),
    (re.compile(r"\bподруг\w+", re.IGNORECASE), "друг"),
)
"""What the lists would gloss by its parts, or too narrowly."""
_BEST: Final = re.compile(r"\b(?:best|better) (?:girl|boy)?friend\b")
_LEADS: Final = re.compile(
    r"^(?:(?:you|itself|have|can|please|again|once|still|and|hey|of|to|that|if|me|tell|say|know|knows"
    r"|remember|remembers|remind|recall|noticed|forgot|want)\b ?)+"
)
_AGAIN: Final = re.compile(r" (?:again|once|still|really|even|the again)$")


# Without a question mark this may ask, if it asks for something that is kept of people.
_OPENS: Final = re.compile(
    r"(?:(?:und|aber|sag mal|y|e|а|и|но|ну) )*(?:"
    rf"{ASKED_GERMAN}|{ASKED_RUSSIAN}|(?:habe?|bin|war|kann|mag|esse|trinke|spreche) ich"
    r"|(?:(?:en|de|a|con|por|para|desde) )?(?:qué|quién(?:es)?|dónde|cuándo|cómo|cuál(?:es)?"
    r"|cuánt[oa]s?)|(?:quien|cual) es"
    r"|(?:(?:em|de|do|com|para|a|por) )?(?:quem|onde|qual|quais|quant[oa]s?)"
    r"|(?:o|do|com o|em|de|a) que|como se chama|quando (?:é|faço)"
    r"|que (?:idade|cor|línguas?|idiomas?|bike|bicicleta|carro)"
    r"|(?:(?:на|о|об|с|в|за|про) )?что|есть ли|\w+ ли я"
    r")\b"
)
# What is named without a verb: "my sister's name", "fav color", "name of my mum".
_NAMES: Final = re.compile(
    r"(?:(?:and|so|ok|hey|the) )*(?:any idea\b.+|(?:name|names) of my \w+"
    r"|my \w+(?: \w+(?<! is)(?<! was)(?<! are))?|\w+ name|fav(?:ou?rite)? \w+)(?: again| please)?"
)
MAX_WORDS: Final = 10
"""Of a sentence without a question mark that is taken for a question."""


def asks_unmarked(sentence: str) -> bool:
    """Tell whether a sentence without a question mark asks for something kept of who writes it."""
    line = normalise(sentence)
    if sentence.endswith("!") or len(line.split()) > MAX_WORDS:
        return False
    if not _OPENS.match(line) and not _NAMES.fullmatch(line):
        return False
    return bool(asked_anyhow(sentence).keys)


def asked_anyhow(question: str) -> Asked:
    """Return what a question asks for, by the cues of its language or by its glosses."""
    asked = asked_for(question)
    if asked.keys:
        return asked
    if shipped_glosses().language_of(question) == "en":
        return asked
    line = in_english(question)
    is_mine = bool(_MINE_OR_I.search(line) or _BY_FORM.search(normalise(question)))
    return _asked_by(line) if is_mine and not asks_past(line) else asked


def in_english(question: str) -> str:
    """Return the normalised line of a question by the glosses of its words."""
    glosses = shipped_glosses()
    language = glosses.language_of(question)
    if language == "en":
        return normalise(question)
    for pattern, plain in _SPELLED:
        question = pattern.sub(plain, question)
    return _BEST.sub("friend", normalise(glosses.render(question, language).text))


def _asked_by(line: str) -> Asked:
    short = _AGAIN.sub("", _LEADS.sub("", line))
    for each in (line, short):
        named = _WHO.search(each)
        noun = next(filter(None, named.groups()), "") if named else ""
        if noun and (asked := relation_of([noun])):
            return asked
    if _OTHERS.search(line):
        return Asked()
    if _OWNED.search(line) and (asked := relation_of(line.split())):
        return asked
    if best := _FAVORITE.search(line):
        return Asked((FAVORITE + (best["noun"] or best["liked"]),))
    found = (keys for each in (line, short) for pattern, keys in _PATTERNS if pattern.search(each))
    keys = next(found, None)
    return Asked(tuple(keys)) if keys else asked_in_line(line, relations=False)
