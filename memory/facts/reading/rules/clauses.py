"""A message cut into clauses in which the speaker asserts something in their own name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from memory.facts.reading.rules.subjects import with_subjects

# A longer text is pasted, not told; the bound keeps extraction within its time.
MAX_CHARS: Final = 4000

# Runs of blanks say nothing, and cost the rules below quadratic time.
_BLANKS = re.compile(r"[^\S\n]+")
_EMOJI = r"[\U0001F000-\U0001FAFF\u2600-\u27BF\u2190-\u21FF\u2B00-\u2BFF\uFE0F\u200D]"
_SENTENCE_END = re.compile(
    rf"(?<!\b[Mm]r)(?<!\b[Dd]r)(?<!\b[Ss]t)(?<!\bMrs)(?<!\bMs)(?P<end>[.!?…]+(?=[\s)]|$)|\n+|{_EMOJI}+)"
)
_CLAUSE_START = re.compile(
    r"\s*[,;()]\s*(?:(?:and|but|so|und|aber|y|pero|e|mas|et|mais|и|а|но)\s+)?|:\s+|\s+[-–—]+\s+|"
    r"\s+(?:but|so|because|cause|coz|cuz|if|aber|weil|pero|porque|mas|mais|но|а|потому что)\s+|"
    r"\s+(?:and|n|&|und|y|e|et|и)\s+(?=(?:i|i'?m|i'?ve|my|we|we'?ve|ich|mein|meine|vivo|soy|tengo|"
    r"trabajo|moro|sou|tenho|trabalho|wohne|lebe|arbeite|j'\w*|je|я|у меня|меня|мне|now|just)\b)",
    re.IGNORECASE,
)
_QUOTED = re.compile(
    r"(?P<lead>\b(?:called|named|call me|name is|name's)\s+)?"
    r"(?:\"(?P<a>[^\"\n]*)\"|“(?P<b>[^”\n]*)”|«(?P<c>[^»\n]*)»|„(?P<d>[^“”\n]*)[“”]|"
    r"(?<!\w)'(?P<e>[^'\n]{2,}?\s[^'\n]*)'(?!\w))",
    re.IGNORECASE,
)
_DROPPED = re.compile(r"```.*?```|`[^`]*`|^\s*>.*$|https?://\S+", re.DOTALL | re.MULTILINE)
_LEADS = re.compile(
    r"(?:(?:so|well|hey+|hi+|hello|hiya|yo|ok(?:ay)?|oh|ah|um|btw|by the way|fyi|also|and|n|actually|"
    # "No soy" denies in Spanish: a lone "no" leads in English only.
    r"honestly|tbh|ngl|yes|yeah|yep|nah|no(?=\s*[,!:]|\s+(?:i|i'm|my|we|our)\b)|lol|haha+|sorry|"
    r"look|listen|anyway|just so (?:you|u) know|"
    r"for the record|as (?:you|u) know|good (?:morning|evening|afternoon)|thanks|thx|plus|update|"
    r"now|currently|nowadays|these days|finally|recently|since then|guys|turns out|"
    r"(?:quick |small )?(?:update|note|news|question)|sad news|good news|unfortunately|sadly|"
    r"(?:be )?careful|caution|warning|attention|important|(?:please )?note|nb|n\.b\.|p\.?s\.?|psa|"
    r"(?:friendly )?reminder|heads[ -]up|disclaimer|achtung|vorsicht|wichtig|hinweis|bitte beachten|"
    r"cuidado|ojo|atención|importante|aviso|nota|por cierto|atenção|aliás|important|rappel|au fait|"
    r"осторожно|внимание|важно|примечание|между прочим|"
    r"hallo|guten (?:tag|morgen|abend)|also|ja|nein|übrigens|hola+|buenas|buenos días|ahora|pero|"
    r"ol[áa]|oi+|agora|bom dia|salut|bonjour|bonsoir|et|und|y|e|привет|добрый день|да|ну|слушай|"
    r"кстати|здравствуйте|а|и|но|теперь|сейчас)\b[\s,!:]*)+",
    re.IGNORECASE,
)
_ANY_MORE = re.compile(
    r"\bany (?:more|longer)(?=\s*(?:$|[^\w\s]|(?:and|but|so|since|because|though|after|now)\b))",
    re.IGNORECASE | re.MULTILINE,
)
# Said in passing: it belongs to the sentence's talk, not to what it states.
_IN_PASSING = re.compile(
    r"(?<=\w)(?P<before>\s*,)?\s+(?:by the way|btw|fyi|übrigens|im übrigen|eigentlich|halt|"
    r"ehrlich gesagt|nebenbei(?: bemerkt)?|por cierto|de hecho|la verdad|aliás|por sinal|na verdade|"
    r"d'ailleurs|au fait|en fait|кстати|между прочим|вообще(?:-то)?)\b(?P<after>\s*,)?",
    re.IGNORECASE,
)
_HEDGES = re.compile(
    r"(?:i (?:think|guess|suppose|believe)|maybe|perhaps|probably|possibly|i might be|apparently|"
    r"not sure but|ich glaube|vielleicht|creo que|quizás|acho que|talvez|je crois que|peut-être|"
    r"кажется|наверное|может быть)[\s,]+(?:that |que |dass )?",
    re.IGNORECASE,
)
_UNREAL = re.compile(
    r"\b(?:pretend|imagine|role-?play|hypothetical(?:ly)?|let'?s say|suppose|supposing|what if|dreamt?|"
    r"dreamed|i wish|wish (?:i|we)|if only|my character|in the (?:game|book|movie|film|novel|song)|"
    r"as a joke|stell dir vor|angenommen|imagina|imaginemos|ojalá|imagine que|представь|допустим)\b|"
    r"^\W*(?:(?:or|and|but|like|so|well)\s+)*(?:if|unless|whether|even if|wenn|falls|si|se|если)\b",
    re.IGNORECASE,
)
_JOKE = re.compile(
    r"\b(?:jk|just kidding|kidding|joking|j/k|sarcasm)\b|(?:^|\s)/s\b", re.IGNORECASE
)
_REPORTS = re.compile(
    r"\b(?:said|says|saying|goes|told|tells|wrote|writes|texted|asked|yell(?:s|ed)|shout(?:s|ed)|sings|"
    r"lyrics|claims?|claimed|thinks|sagt|sagte|meinte|dice|dijo|disse|dit|говорит|сказал[аи]?)\b"
    r"(?:\s+(?:me|us|that|like|him|her|them|they))*\s*$",
    re.IGNORECASE,
)
_SPEAKER = re.compile(r"^\s*[A-ZÀ-ÞА-Я]\w+(?: [A-ZÀ-ÞА-Я]\w+)?$")
_TAG = re.compile(
    r"\s*(?:right|no|yeah|ok(?:ay)?|innit|eh|huh|isn'?t it|aren'?t i|or|am i|you know|oder|ne|verdad|"
    r"né|non|да|так)\s*$",
    re.IGNORECASE,
)
_ASKING = re.compile(
    r"\W*(?:did|do|does|should|would|could|can|shall|am|is|are|was|were|have|has|will|who|what|where|"
    r"when|why|how|which|whose)\b",
    re.IGNORECASE,
)
_SARCASTIC = re.compile(r"[🙄🙃]|\b(?:yeah right|oh great|oh joy|as if|not!)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Clause:
    """One assertion. `text` runs on to the end of the sentence, `end` is where the clause ends.

    `is_first`: nothing but a greeting came before it in the message.
    """

    text: str
    end: int
    is_hedged: bool
    is_sarcastic: bool
    is_first: bool

    @property
    def own(self) -> str:
        """The clause alone, without the rest of its sentence."""
        return self.text[: self.end]


def _unquoted(text: str) -> str:
    def replace(match: re.Match[str]) -> str:
        inner = next((part for part in match.groups()[1:] if part is not None), "")
        if match["lead"] and len(inner.split()) <= 3:
            return f"{match['lead']}{inner}"
        return (match["lead"] or "") + "\n"

    return _QUOTED.sub(replace, _DROPPED.sub("\n", text))


def _sentences(text: str) -> Iterator[tuple[str, bool]]:
    start = 0
    for match in _SENTENCE_END.finditer(text):
        yield text[start : match.start()], "?" in match["end"]
        start = match.end()
    yield text[start:], False


def _spans(sentence: str) -> list[tuple[int, int, str]]:
    """Return (start, end, separator before) of each clause."""
    spans, start, before = [], 0, ""
    for match in _CLAUSE_START.finditer(sentence):
        spans.append((start, match.start(), before))
        start, before = match.end(), match.group().strip().casefold()
    return [*spans, (start, len(sentence), before)]


def _asserted(sentence: str, is_question: bool) -> Iterator[tuple[int, int]]:
    spans = _spans(sentence)
    if is_question:
        last = sentence[spans[-1][0] : spans[-1][1]]
        if _TAG.match(last) or _ASKING.match(sentence):
            return
        spans = spans[:-1]
    previous = ""
    for start, end, separator in spans:
        told = separator in {",", ":"} and _REPORTS.search(previous)
        named = (
            separator == ":" and _SPEAKER.match(previous) and not _LEADS.fullmatch(previous.strip())
        )
        conditional = separator.split()[-1:] in (["if"], ["si"], ["если"])
        if not told and not named and not conditional:
            yield start, end
        previous = sentence[start:end]


def _left_by(passing: re.Match[str]) -> str:
    """Keep the comma that parts two clauses; a pair of commas goes with what it encloses."""
    parts_clauses = bool(passing["before"]) != bool(passing["after"])
    return "," if parts_clauses else ""


def clauses(text: str) -> Iterator[Clause]:
    """Yield what the speaker asserts; nothing of questions, conditions, jokes, quotes or reports."""
    text = _BLANKS.sub(" ", text[:MAX_CHARS]).replace("’", "'").replace("‘", "'")
    text = _ANY_MORE.sub("anymore", _unquoted(text))
    text = _IN_PASSING.sub(_left_by, text)
    if _JOKE.search(text):
        return
    sarcastic = bool(_SARCASTIC.search(text))
    is_first = True
    for sentence, is_question in _sentences(text):
        if not sentence.strip():
            continue
        if _UNREAL.search(sentence):
            is_first = False
            continue
        sentence = with_subjects(sentence)
        for start, end in _asserted(sentence, is_question):
            begin = start + len(sentence[start:]) - len(sentence[start:].lstrip(" *-"))
            greeting = _LEADS.match(sentence, begin, max(begin, end))
            begin = greeting.end() if greeting else begin
            hedge = _HEDGES.match(sentence, begin)
            begin = hedge.end() if hedge else begin
            if begin >= end:
                continue
            yield Clause(sentence[begin:], end - begin, bool(hedge), sarcastic, is_first)
            is_first = False
