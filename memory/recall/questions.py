"""Whether a text only asks, speaks of its writer, or wants several things. Pure, in linear time.

For English, German, Spanish, French, Portuguese, Italian and Russian.
"""

from __future__ import annotations

import re
from typing import Final

from memory.text.words import normalise

MAX_CHARS: Final = 400
"""A longer text is taken to tell something, too."""
_ASIDE_WORDS = 3  # a clause so short beside a question ("Anna," "please") tells nothing

_MARKS: Final = ("?", "？", "؟")
_SENTENCE: Final = re.compile(r"[^.!?…？！؟\n]+[.!?…？！؟]*")
_CLAUSE: Final = re.compile(r"[,;:–—]")
_WORD: Final = re.compile(r"[^\W\d_]+")
_APOSTROPHES: Final = str.maketrans("’ʼ`´", "''''")
# English asks by inversion: "when I was young" opens with the same word and asks nothing.
_SUBJECT: Final = r"(?!(?:i|we|you|he|she|it|they|my|our|your|his|her|the|a|an)\b)"
_OPENS_QUESTION: Final = re.compile(
    r"[¿\s]*(?:(?:and|but|so|or|und|aber|y|et|mais|e|ma|mas|а|и|но)\s+)?(?:"
    rf"(?:what|where|when|how|which|who|whom|whose|why)(?:'?s|'?re)?(?:\s+{_SUBJECT}|$)"
    r"|(?:am|is|are|was|were|do|does|did|have|has|had|can|could|will|would|shall|should|may)\s+\w"
    r"|(?:wer|wen|wem|wessen|was|wo|wohin|woher|wann|warum|wieso|weshalb|wie|welche[rsnm]?|wieviele?)\b"
    r"|(?:quién|quiénes|qué|dónde|cuándo|cómo|cuál|cuáles|cuánt[oa]s?|por qué)\b"
    r"|(?:qui|que|quoi|où|quand|comment|pourquoi|quel(?:le)?s?|combien|est-ce|qu'est-ce)\b"
    r"|(?:quem|onde|como|qual|quais|quando|quant[oa]s?|por que)\b"
    r"|(?:chi|cosa|che|dove|come|perché|quale|quali|quant[oaie])\b"
    r"|(?:кто|кого|кому|что|чем|где|куда|откуда|когда|почему|зачем|как|какой|какая|какое|какие|чей|сколько)\b"
    r")"
)
# Without its mark only this counts as a question: people often leave it out in English.
_UNMARKED: Final = re.compile(
    rf"\s*(?:what|where|when|how|which|who|whose|why)(?:\s+{_SUBJECT}\w+){{0,3}}?\s+"
    r"(?:am|is|are|was|were|do|does|did|have|has|had|can|could|will|would|should)\b"
    r"|\s*(?:what|where|when|how|who|why)'?s\s+\w"
)
# What asks a favour without a question mark; which of them memory serves is not for words to tell.
_REQUEST: Final = re.compile(
    r"\b(?:tell|remind|list|show|name|recall|remember|give|find|recommend|suggest|plan|write|help"
    r"|sag|zeig|erinner|nenn|empfiehl|schlag|schreib|plan|hilf|gib|such"
    r"|di|dime|dame|mu[eé]stra|recu[eé]rda|recomi[eé]nda|sugi[eé]re|escribe|planea|ay[uú]da|busca"
    r"|diz|diga|d[aá]|mostra|lembra|recomenda|sugere|escreve|planeja|ajuda|procura"
    r"|скажи|расскажи|напомни|покажи|назови|посоветуй|предложи|напиши|составь|помоги|дай|найди)"
    r"(?:e|me|nos|mir|uns|te|те)?\b"
)
_FIRST_PERSON: Final = re.compile(
    r"\b(?:i|i'm|im|i've|i'd|i'll|my|mine|myself"
    r"|ich|mein(?:e[mnrs]?)?|mir|mich"
    r"|yo|mi|mis|mío|mía|conmigo|vivo|soy|tengo|estoy"
    r"|je|j'\w+|mon|ma|mes|moi"
    r"|eu|meus?|minhas?|moro|sou|tenho"
    r"|io|mio|mia|miei|mie|abito|sono|ho"
    r"|я|мой|моя|мо[её]|мои|моего|моей|моих|меня|мне|мной)\b"
)
# Italian and French words for "my" and "I" that are names within a sentence where they are capital.
_NAME_WITHIN: Final = re.compile(r"(?<=[\w,] )(?:Mia|Mio|Io|Mon|Ma|Ho)\b")
# A noun in the plural, told by its s; in English by what follows it, too ("which man owns a").
_PLURAL: Final = r"(?!(?:is|was|does|has)\b)\w+[^\Wsu]s\b(?!['’])"
_PLURAL_AND: Final = (
    rf"(?:(?!(?:is|was|does|has|did|do)\b)[\w-]+ )?{_PLURAL}"
    r"(?= (?:do|does|did|is|are|was|were|have|has|had|can|could|will|would|should|must|may|of|in|on"
    r"|at|to|for|from|with|that|and|i|we|you|they|he|she)\b|\W*$)"
)
_SEVERAL_ASKED: Final = re.compile(
    rf"\b(?:how many|list|(?:who|what|where) (?:all|else)|(?:which|what) {_PLURAL_AND}"
    rf"|all (?:the|my|our|of)|every(?:thing|one|body)|in (?:what|which) order"
    r"|wie ?viele|welche(?= (?:\w+en|\w+er|\w+s|\w+ \w+en)\b)|alles?|reihenfolge"
    rf"|cu[aá]nt[oa]s|cu[aá]les|qu[eé] {_PLURAL}|tod[oa]s|en qu[eé] orden"
    rf"|quant[oa]s|quais|que {_PLURAL}|em que ordem"
    r"|сколько|какие|каких|кого|все|всех|перечисли|порядке)\b"
)

ABOUT_ASKER: Final = (
    r"\byou (?:\w+ )?(?:know|remember|recall|learn\w*|noted?|stored?)\b.{0,20}\b(?:about|of|on)"
    r" (?:me|myself)\b|\bhave i told you(?: so far)?(?: about (?:me|myself))?$"
    r"|\b(?:do|did) you (?:still )?(?:know|remember) me$|\beverything (?:about me|you know)"
    r"|^(?:please )?(?:tell me|summari[sz]e)(?: \w+)? (?:about )?(?:me|myself)$"
    r"|\bmy profile\b|\bknow me$|was weißt du über mich|qu[eé] sabes de m[ií]"
    r"|que sais tu (?:de|sur) moi|o que (?:voc[eê] )?sabe(?:s)? (?:de|sobre) mim"
    r"|что ты (?:обо мне )?знаешь"
)
"""What asks for all that is known of the asker, in a normalised line (`memory.text.words`)."""
_ABOUT_ASKER: Final = re.compile(ABOUT_ASKER)


def only_asks(text: str) -> bool:
    """Tell whether a text is nothing but questions."""
    if len(text) > MAX_CHARS:
        return False
    plain = _plain(text)
    if not any(mark in plain for mark in _MARKS) and not _UNMARKED.match(plain):
        return False
    is_asking = False
    for sentence in _SENTENCE.findall(plain):
        if _asks(sentence):
            is_asking = True
        elif len(_WORD.findall(sentence)) > _ASIDE_WORDS:
            return False
    return is_asking


def asks_or_requests(text: str) -> bool:
    """Tell whether a text may want something of whoever reads it; of a long one, in doubt it does.

    A question anywhere in it, or a word that asks a favour, in English, German, Spanish, Portuguese
    and Russian.
    """
    plain = _plain(text)
    if len(text) > MAX_CHARS or any(mark in plain for mark in _MARKS):
        return True
    sentences = _SENTENCE.findall(plain)
    return any(_UNMARKED.match(each) for each in sentences) or bool(_REQUEST.search(plain))


def is_first_person(text: str) -> bool:
    """Tell whether a text speaks of the one who writes it, in the singular.

    "Tell me about Bo" does not: who is told is not whom it is about.
    """
    text = text[:MAX_CHARS]
    plain = _plain(text)
    found = (each.start() for each in _FIRST_PERSON.finditer(plain))
    return any(len(plain) != len(text) or not _NAME_WITHIN.match(text, at) for at in found)


def asks_everything(text: str) -> bool:
    """Tell whether a text asks for all that is known of its writer."""
    sentences = _SENTENCE.findall(text[:MAX_CHARS])
    return any(_ABOUT_ASKER.search(normalise(sentence)) for sentence in sentences)


def asks_for_several(text: str) -> bool:
    """Tell by its wording whether a question asks for several things, as in a list or a count."""
    return bool(_SEVERAL_ASKED.search(_plain(text[:MAX_CHARS])))


def _asks(sentence: str) -> bool:
    """Tell whether one sentence asks and holds no statement beside its question."""
    is_marked = sentence.rstrip("!…").endswith(_MARKS)
    if not is_marked:
        return bool(_UNMARKED.match(sentence)) and not _CLAUSE.search(sentence)
    clauses = _CLAUSE.split(sentence)
    if len(clauses) == 1:
        return True
    return all(
        _OPENS_QUESTION.match(clause) or len(_WORD.findall(clause)) <= _ASIDE_WORDS
        for clause in clauses
    )


def _plain(text: str) -> str:
    return text.translate(_APOSTROPHES).casefold()
